#pragma once

#include <memory>
#include <optional>
#include <string>

#include "checker/reference/reference.h"
#include "checker/result/replay.h"
#include "checker/search/key_search.h"
#include "tests/support/make_generator.h"

#include "tests/catch.h"

// What tests of searches share.

namespace cmc::test {

constexpr uint64_t kTinyMemo = 1;  // byte: what is remembered is forgotten again and again
constexpr double kEnough = 1000;   // seconds

// By the fast engine.
inline SearchResult run_fast(const Model& model, const SearchOptions& options) {
  std::string reason;
  std::optional<SearchResult> result = run_key_search(
      model, [&] { return make_generator(model); }, options, nullptr, &reason);
  INFO("reason: " << reason);
  REQUIRE(result.has_value());
  return std::move(*result);
}

inline void check_paths(const Model& model, const SearchResult& result) {
  const std::unique_ptr<SuccessorGenerator> reference = make_reference_generator(model);
  for (const FoundError& error : result.errors) {
    if (error.has_path) CHECK(verify_error(error, *reference).empty());
  }
}

}  // namespace cmc::test
