#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "checker/search/coverage.h"
#include "checker/search/search_control.h"
#include "storage/state_set.h"

namespace cmc {

// What the orders of the simple engine have in common: the set of state vectors, expanding one state into numbered
// successors, counting, paths. An order is a class derived from it.
class Exploration {
 public:
  Exploration(SuccessorGenerator& generator, const Model& model, const SearchOptions& options,
              SearchObserver* observer);
  virtual ~Exploration() = default;
  Exploration(const Exploration&) = delete;
  Exploration& operator=(const Exploration&) = delete;

  [[nodiscard]] SearchResult run();

 protected:
  using Id = StateSet::Id;
  struct Successor {
    Id id = 0;
    bool is_new = false;
    uint32_t cost = 1;   // what the step adds to the depth
    uint32_t entry = 0;  // of the batch
  };

  // Explores from the initial state, which is in the set as number 0, until all is done or stopped().
  virtual void explore() = 0;
  // The states from the initial one to the one that is being expanded, both included.
  [[nodiscard]] virtual std::vector<Id> ancestry() const = 0;
  [[nodiscard]] virtual uint64_t depth() const = 0;  // of the state that is being expanded
  [[nodiscard]] virtual uint64_t open_states() const = 0;
  [[nodiscard]] virtual uint64_t memory_bytes() const = 0;  // of what the order keeps beside the set

  // Generates the successors of a state and inserts them all, in the generator's order; reports the state's errors.
  // What is returned lives until the next call.
  std::span<const Successor> expand(Id id);

  // To be asked once per state: whether no limit is hit and no request to stop has come.
  [[nodiscard]] bool may_continue() {
    if (transitions_ >= next_check_transitions_ || control_.memory_check_due(set_.memory_bytes())) check_limits();
    return !stopped();
  }
  [[nodiscard]] bool stopped() const { return control_.stopped(); }
  void note_depth(uint64_t depth) {
    if (depth > control_.result().depth_reached) control_.result().depth_reached = depth;
  }

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] StateSet& set() { return set_; }
  [[nodiscard]] const StateSet& set() const { return set_; }
  [[nodiscard]] ByteView successor_bytes(const Successor& successor) const {
    return batch_.state(batch_.entries[successor.entry]);
  }

 private:
  void insert_initial();
  void insert_batch();
  void mark_reached();
  void count_batch();
  void report_batch_errors();
  [[nodiscard]] std::vector<Step> path_to_expanded_state();
  void check_limits();

  SuccessorGenerator& generator_;
  const Model& model_;
  SearchControl control_;

  StateSet set_;
  Coverage coverage_;
  SuccessorBatch batch_;
  std::vector<uint64_t> hashes_;
  std::vector<Successor> successors_;
  bool hidden_is_read_ = false;
  bool hidden_merged_ = false;
  bool expanding_ = false;             // false while the initial state is made: then there is no path yet
  std::vector<uint64_t> size_counts_;  // created states by bytes of the state vector
  uint64_t transitions_ = 0;
  uint64_t next_check_transitions_ = 0;
};

}  // namespace cmc
