#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "checker/base/clock.h"
#include "checker/search/coverage.h"
#include "checker/search/search.h"
#include "storage/state_set.h"

namespace cmc {

// What all orders of search have in common: the set of states, expanding one state into numbered successors, counting,
// errors and their paths, limits and progress. An order is a class derived from it.
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

  // Generates the successors of a state and inserts them all, in the generator's order; reports the state's errors. What
  // is returned lives until the next call.
  std::span<const Successor> expand(Id id);

  // To be asked once per state: whether no limit is hit and no request to stop has come.
  [[nodiscard]] bool may_continue() {
    if (transitions_ < next_check_transitions_ && set_.memory_bytes() < next_check_bytes_) return !stopped_;
    check_limits();
    return !stopped_;
  }
  [[nodiscard]] bool stopped() const { return stopped_; }
  void note_depth(uint64_t depth) {
    if (depth > result_.depth_reached) result_.depth_reached = depth;
  }

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] StateSet& set() { return set_; }
  [[nodiscard]] const StateSet& set() const { return set_; }
  [[nodiscard]] ByteView successor_bytes(const Successor& successor) const {
    return batch_.state(batch_.entries[successor.entry]);
  }

 private:
  // What kind of error; the steps from the expanded state to it.
  struct ErrorSite {
    std::string kind;
    std::string message;
    SourcePlace place;
    std::span<const Step> steps;
  };

  // What a completed or failing sequence of steps adds to the depth (SearchResult::depth_reached says what counts).
  [[nodiscard]] uint32_t cost_of(std::span<const Step> steps) const;

  void insert_initial();
  void insert_batch();
  void mark_reached();
  void report_batch_errors();
  void report_error(const ErrorSite& site);
  void add_reason(std::string kind, std::string text);
  [[nodiscard]] std::vector<Step> path_to_expanded_state();

  void check_limits();
  void check_time(double elapsed);
  void check_memory();
  void show_progress(double elapsed);
  void stop(std::string kind, std::string text);
  void finish();

  SuccessorGenerator& generator_;
  const Model& model_;
  const SearchOptions& options_;
  const bool depth_in_levels_;
  SearchObserver* observer_;
  SystemClock system_clock_;
  const Clock& clock_;

  StateSet set_;
  Coverage coverage_;
  SearchResult result_;
  SuccessorBatch batch_;
  std::vector<uint64_t> hashes_;
  std::vector<Successor> successors_;
  bool hidden_is_read_ = false;
  bool hidden_merged_ = false;
  bool embedded_c_ = false;
  bool long_atomic_ = false;
  bool expanding_ = false;  // false while the initial state is made: then there is no path yet
  bool stopped_ = false;
  uint64_t transitions_ = 0;
  uint64_t trails_ = 0;
  uint64_t trail_steps_ = 0;

  uint64_t next_check_transitions_ = 0;
  uint64_t next_check_bytes_ = 0;
  uint64_t checks_ = 0;
  uint64_t used_bytes_ = 0;  // as of the last check
  double start_wall_ = 0;
  double start_cpu_ = 0;
  double last_progress_ = 0;
};

}  // namespace cmc
