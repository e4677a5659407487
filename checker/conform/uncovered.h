#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/limits.h"
#include "checker/conform/behaviour.h"

namespace cmc::conform {

// Steps of the model that no log has taken, and runs that would.
struct Uncovered {
  struct Run {
    std::vector<std::string> statements;  // that no earlier run takes, each with its place
    std::string log;                      // its events as lines of JSON; empty: it has none
    bool is_log = true;                   // false: a value of an event could not be found
  };
  uint64_t steps = 0;  // of the model's text
  uint64_t taken = 0;
  std::vector<Run> runs;
  std::vector<std::string> unreachable;  // or not found, if `reason` is not empty
  std::string reason;                    // why not all states were looked at
};

// `marks`: Coverage::marks() of all runs of the logs. Shortest runs, each of which takes more of the steps.
[[nodiscard]] Uncovered find_uncovered(const Model& model, Behaviour& behaviour, std::span<const uint8_t> marks,
                                       Limits& limits);

}  // namespace cmc::conform
