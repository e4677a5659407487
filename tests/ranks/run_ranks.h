#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/ranks/exchange.h"
#include "checker/search/key_search.h"

// Searches whose ranks are threads.

namespace cmc::test {

inline SearchOptions all_errors() {
  SearchOptions options;
  options.max_errors = 0;
  return options;
}

// A search that is alone.
SearchResult run_once(const Model& model, const SearchOptions& options);

// A rank's way to the others, for tests that change something.
using Wrap = std::function<std::unique_ptr<Exchange>(std::unique_ptr<Exchange>)>;
struct RankSetting {
  uint32_t ranks = 2;
  uint64_t seed = 1;
  size_t batch_candidates = 1000;
  Wrap wrap = {};
  std::string run = {};       // folder of checkpoints, with which it begins or goes on; empty: none
  uint64_t every_checks = 0;  // a checkpoint
};
SearchResult run_ranks(const Model& model, SearchOptions options, const RankSetting& setting);

std::string reasons_of(const SearchResult& result);

}  // namespace cmc::test
