#pragma once

#include <set>
#include <string>
#include <tuple>

#include "checker/result/control.h"
#include "checker/result/result.h"

#include "tests/catch.h"

namespace cmc::test {

// Kind, message and line of each.
inline std::multiset<std::tuple<std::string, std::string, uint32_t>> errors_of(const SearchResult& result) {
  std::multiset<std::tuple<std::string, std::string, uint32_t>> errors;
  for (const FoundError& error : result.errors)
    errors.emplace(error_kind_name(error.kind), error.message, error.place.line);
  return errors;
}

// What does not depend on how a search without reductions goes on: in one process or several, interrupted or not.
inline void check_same_figures(const SearchResult& one, const SearchResult& other) {
  CHECK(one.verdict() == other.verdict());
  CHECK(one.states_stored == other.states_stored);
  CHECK(one.transitions == other.transitions);
  CHECK(one.error_count == other.error_count);
  CHECK(one.endless_atomic == other.endless_atomic);
  CHECK(one.statistics.dead_ends == other.statistics.dead_ends);
  CHECK(one.statistics.single_successor == other.statistics.single_successor);
  CHECK(one.statistics.state_sizes == other.statistics.state_sizes);
  CHECK(one.state_bytes_max == other.state_bytes_max);
  CHECK(one.locations.reached == other.locations.reached);
}

}  // namespace cmc::test
