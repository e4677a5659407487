#pragma once

#include <cstdint>

#include "checker/generator/generator.h"
#include "checker/search/result.h"
#include "ir/effects.h"

namespace cmc {

// What a search in limited memory has to tell on the way; all 0 without a store.
struct StoreProgress {
  const char* phase = "searching";  // what the search is doing just now, one or two words
  uint64_t candidates = 0;          // states that wait for a look-up on disk
  uint64_t lossy_entries = 0;       // states in the lossy table now
  uint64_t lossy_capacity = 0;
  uint64_t reclaimed = 0;
  uint64_t pages_written = 0;
  uint64_t pages_read = 0;
};

// Where a search is.
struct Progress : StoreProgress {
  uint64_t states = 0;  // stored
  uint64_t matched = 0;
  uint64_t transitions = 0;
  uint64_t depth = 0;        // of the state that is being expanded
  uint64_t open_states = 0;  // found, but not yet expanded (depth-first: or not yet left)
  uint64_t errors = 0;
  uint64_t memory_bytes = 0;
  double elapsed_seconds = 0;
};

class SearchObserver {
 public:
  virtual ~SearchObserver() = default;
  // Called from within the search, at most ten times a second.
  virtual void on_progress(const Progress& progress) = 0;
};

// Explores every state that `generator` reaches, each once, and reports every error on the way and every reason why
// "holds" cannot be said. Depth-first is the order of SPIN's verifier, so its counts, also of the depth, are SPIN's;
// breadth-first finds a shortest path to the first error. `generator` must be made for `model`; `observer` may be
// null.
//
// The paths of the errors have not been replayed yet: see verify_errors().
[[nodiscard]] SearchResult run_search(SuccessorGenerator& generator, const Model& model, const SearchOptions& options,
                                      SearchObserver* observer = nullptr);

// One sentence for each property that the model states and that no engine decides.
[[nodiscard]] std::vector<Reason> undecided_reasons(const Model& model);

}  // namespace cmc
