#pragma once

#include <cstdint>

namespace cmc::guards {

// What was asked about one solver guard beyond what was tried at once: different questions, each counted once.
struct GuardFigures {
  uint64_t questions = 0;
  uint64_t from_cache = 0;  // of them: answered by an earlier run
  uint64_t undecided = 0;   // of them
  double seconds = 0;  // that answering took, by the clock: of solvers (all of them, and their start) and of trying
  double slowest_seconds = 0;  // the longest for one question

  [[nodiscard]] double mean_seconds() const {  // of those that were not in the cache
    return questions == from_cache ? 0 : seconds / static_cast<double>(questions - from_cache);
  }
};

}  // namespace cmc::guards
