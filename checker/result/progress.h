#pragma once

#include <cstdint>

namespace cmc {

// Progress of a search with the disk store; all 0 without one.
struct StoreProgress {
  const char* phase = "searching";  // what the search is doing now, in one or two words
  uint64_t candidates = 0;          // states that wait for a look-up on disk
  uint64_t lossy_entries = 0;       // states in the lossy cache now
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
  uint64_t disk_bytes = 0;  // of the store's and the checkpoints' files
  double elapsed_seconds = 0;
};

class SearchObserver {
 public:
  virtual ~SearchObserver() = default;
  // Called from within the search, at most ten times a second.
  virtual void on_progress(const Progress& progress) = 0;
  // Memory is scarce: after `states` the search begins again, now with the disk store, and counts from 0.
  virtual void on_restart(uint64_t states) { static_cast<void>(states); }
  // The search stands still while others go on.
  virtual void on_wait() {}
};

}  // namespace cmc
