#pragma once

#include <cstdint>

namespace cmc::guards {

// Questions about one solver guard that trying tuples did not answer at once; each different question counts once.
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

// On what a verdict rests beside the search: answers of the solver (or of the file of answers) that exclude values,
// so that no state can show whether they are right.
struct SolverFigures {
  uint64_t unsat = 0;       // "there is no value"
  uint64_t excluding = 0;   // these, and "there are no other values"
  uint64_t audited = 0;     // of the excluding ones: compared with trying all values
  uint64_t from_cache = 0;  // of the excluding ones: given in an earlier run
  uint64_t refuted = 0;     // answers that were found to be wrong, and were not used
  uint64_t workers_died = 0;
  uint64_t asked_again = 0;  // questions that such a worker had, each time
};

}  // namespace cmc::guards
