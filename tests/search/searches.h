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

// 5,000 states of dials that depend on each other, then far more of jobs that do not: partial-order reduction pays in
// later states only. A job fails.
inline const std::string kLateJobs =
    "byte d[3], p[4]; active [3] proctype D() { do :: d[_pid] < 17 && d[_pid] <= d[(_pid + 1) % 3] + 15 -> "
    "d[_pid]++ :: d[_pid] == 17 -> break od } proctype J(byte me) { do :: p[me] < 8 -> p[me]++ :: else -> break "
    "od; assert(me != 2) } active proctype F() { byte i; d[0] == 17 && d[1] == 17 && d[2] == 17; atomic { for (i : "
    "0 .. 3) { run J(i) } } }";

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
