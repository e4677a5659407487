#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "checker/checkpoint/stream.h"
#include "checker/generator/generator.h"
#include "checker/result/progress.h"
#include "checker/result/result.h"
#include "checker/result/state_sequence.h"

namespace cmc {

inline constexpr const char* kInvalidEndMessage = "invalid end state";
inline constexpr const char* kLongAtomicReason = "an atomic sequence of more than a million steps was cut";

// The steps from the initial state to one that was expanded.
struct PathToState {
  PathToState(std::vector<Step> steps_, std::vector<uint8_t> pids_ = {})
      : steps(std::move(steps_)), pids(std::move(pids_)) {}
  // Appends what comes next. `more`: steps from the expanded state on.
  void append(std::span<const Step> more);

  std::vector<Step> steps;
  uint64_t begins_at = 0;  // FoundError::begins_at
  // The pids that processes have in these steps, by their pids in the expanded state. Those behind are the same.
  std::vector<uint8_t> pids;
};

// The part that every search shares, however it stores states: limits, errors, reasons why the verdict is incomplete,
// progress, and the result.
//
// Thread-safe: report_errors(), stop(), add_reason() and stopped(); the other functions are for one thread.
class SearchControl {
 public:
  // A search's figures at one moment.
  struct Usage : StoreProgress {
    uint64_t states = 0;
    uint64_t transitions = 0;
    uint64_t computed = 0;  // statements, not looked up
    uint64_t depth = 0;
    uint64_t open_states = 0;
    uint64_t memory_bytes = 0;                  // of all data of the search
    uint64_t reserve_bytes = 0;                 // the next growth may take that much at once
    uint64_t grace_bytes = 0;                   // overshoot tolerated from an engine that enforces the limit itself
    const std::string* store_folder = nullptr;  // where it has files; null: nowhere
    bool has_store = false;                     // at the limit it continues with the disk store: wants_store()
  };
  // Called if a path to the state that was expanded is wanted.
  using PathMaker = std::function<PathToState()>;

  SearchControl(const Model& model, const SearchOptions& options, SearchObserver* observer);

  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  void stop(ReasonKind kind, std::string text);
  // Another rank of the same search was stopped, and knows why.
  void stop_elsewhere() { stopped_elsewhere_ = !stopped_.exchange(true) || stopped_elsewhere_; }
  void add_reason(ReasonKind kind, std::string text);  // each kind and text once
  void stop_for_lack_of_memory(uint64_t states);

  // For a PathMaker without a path: the error is reported without one. `why`, unless empty, becomes a reason.
  void path_is_lost(const std::string& why);

  // How much a completed or failing sequence of steps adds to the depth. Depth first each basic step counts one and a
  // rendezvous two; breadth first the sequence counts one.
  [[nodiscard]] uint32_t cost_of(std::span<const Step> steps) const;

  // Reports the errors in `batch`, the successors of a state at `depth`. The initial state itself has no path.
  void report_errors(const SuccessorBatch& batch, uint64_t depth, const PathMaker& path);
  // Generates the successors of a state with errors once more, portion by portion, and reports each portion's errors.
  // The path is given, because a path is made with a generator, which must not be used between portions.
  void report_errors_in_portions(SuccessorGenerator& generator, ByteView state, SuccessorBatch& batch, uint64_t depth,
                                 const PathToState& path);
  // Reports an acceptance or non-progress cycle, which ends the search: FoundError::path and loop_start. An
  // empty path: it is not known. `edges`: of
  // the product, on the path.
  void report_cycle(std::vector<Step> path, size_t loop_start, uint64_t edges);

  // Since the search began, with what SearchOptions says was spent before.
  [[nodiscard]] double wall_seconds() const { return clock_.wall_seconds() - start_wall_; }
  [[nodiscard]] double cpu_seconds() const { return clock_.cpu_seconds() - start_cpu_; }

  // Looks at the clock, the interrupt flag, and from time to time at the memory in use; shows progress.
  void check(const Usage& usage);
  // The same, for the only thread of a search: then lets other searches go on, if it is their turn.
  void check_in_turn(const Usage& usage);
  // Whether another search is to go on, by wait_for_turn(), while all of this one's threads stand still.
  [[nodiscard]] bool turn_is_over() const;
  void wait_for_turn();
  // Before the disk store is used (Turn::wait_for_disk).
  void wait_for_disk();
  // Whether the memory limit leaves room for usage.reserve_bytes. If not, the search has been stopped, or wants the
  // store.
  [[nodiscard]] bool has_room(const Usage& usage) {
    check_memory(usage);
    return !stopped() && !wants_store() && !limit_;
  }
  // The same, as far as was known at the last check, and nothing happens if there is none. Thread-safe.
  [[nodiscard]] bool fits(const Usage& usage) const;
  // What the memory limit leaves for other things than usage.reserve_bytes. Thread-safe.
  [[nodiscard]] uint64_t spare_bytes(const Usage& usage) const;
  // Gives what was freed back to the system if memory is scarce: else it would count as used.
  void release_if_scarce() const;
  [[nodiscard]] bool wants_store() const { return wants_store_.load(std::memory_order_relaxed); }
  // The disk store is in use now, whether memory was scarce before or not.
  void store_is_used() { wants_store_ = false; }
  // The search restarts: it will find the same errors again, unless it is cut before that.
  void start_again();
  // The same, because memory is scarce; `states` were found. The observer is told.
  void start_again_with_disk(uint64_t states);

  // --- with SearchOptions::checkpoints

  // It is time for a checkpoint, or a limit was reached, which ends the search behind one: so workers stop between
  // two batches, and nothing is half told.
  [[nodiscard]] bool wants_checkpoint() const { return wants_checkpoint_.load(std::memory_order_relaxed); }
  // A limit was reached, so that this one is the last.
  [[nodiscard]] bool stops_behind_checkpoint() const { return limit_.has_value(); }
  // It was written, which took so long; `outcome` is a sentence about it. At a limit this stops the search.
  void checkpoint_is_written(const std::string& outcome, double seconds);
  // Ends a search that has reached a limit where there is nothing to be saved. Whether it is stopped.
  bool stop_at_limit();
  // What was reported so far, and the time it took. Restored is what was saved by all ranks of a search, one by one.
  void save(OutStream& to);
  void restore(InStream& from);

  // Whether memory must be looked at although it is not yet the time to check again.
  [[nodiscard]] bool memory_check_due(uint64_t memory_bytes) const { return memory_bytes >= next_check_bytes_; }

  [[nodiscard]] SearchResult& result() { return result_; }
  // `left`: what the engine had left when it ended by itself; none: it did not.
  [[nodiscard]] SearchResult finish(uint64_t states, uint64_t transitions, const std::optional<Remainder>& left);

 private:
  // What kind of error; the steps from the expanded state to it.
  struct ErrorSite {
    ErrorKind kind;
    std::string message;
    SourcePlace place;
    std::span<const Step> steps;
  };
  void add_reason(const RuntimeError& error);
  void add_overflow(const RuntimeError& error);
  void leave_out(const RuntimeError& error);
  void report_error(const ErrorSite& site, uint64_t depth, const PathMaker& path);
  void check_memory(const Usage& usage);
  void check_disk(const Usage& usage, double now);
  bool sets_aside(uint64_t states);
  void reach_limit(ReasonKind kind, std::string text);
  [[nodiscard]] bool checkpoint_is_due(double now);
  void show_progress(const Usage& usage, double elapsed);
  template <class Wait>
  void stand_still(Wait&& wait);
  [[nodiscard]] double seconds_left(double elapsed) const;
  void judge_completeness(const std::optional<Remainder>& left);

  const Model& model_;
  const SearchOptions& options_;
  const bool depth_in_levels_;
  SearchObserver* observer_;
  SystemClock system_clock_;
  const Clock& clock_;

  std::mutex mutex_;          // guards result_ and the counts of trails
  std::mutex reasons_mutex_;  // guards result_.reasons; no other is taken inside, so that a store's error can be
                              // reported anywhere
  SearchResult result_;
  std::atomic<bool> stopped_{false};
  std::atomic<bool> stopped_elsewhere_{false};
  std::atomic<bool> wants_store_{false};
  std::atomic<bool> wants_checkpoint_{false};
  std::optional<Reason> limit_;    // that was reached; a checkpoint is due
  double last_checkpoint_ = 0;     // when it was written
  double checkpoint_seconds_ = 0;  // how long that took
  uint64_t unsaved_checks_ = 0;
  bool path_lost_ = false;                 // under mutex_
  std::vector<FoundError> errors_before_;  // the search started again
  uint64_t error_count_before_ = 0;
  uint64_t trails_ = 0;
  uint64_t trail_steps_ = 0;

  uint64_t next_check_bytes_ = 0;
  uint64_t checks_ = 0;
  std::atomic<uint64_t> used_bytes_ = 0;  // as of the last check
  uint64_t disk_bytes_ = 0;               // likewise
  double start_wall_ = 0;
  double start_cpu_ = 0;
  bool restored_ = false;
  double restored_wall_ = 0;
  double last_progress_ = 0;
  double last_disk_check_ = 0;
};

// Whether the error is one of the claim or the trace (SearchOptions::only_observers). `steps` lead to it.
[[nodiscard]] bool is_of_observer(const RuntimeError& error, std::span<const Step> steps);

// One reason for each property of the model that a search of it with these options does not decide.
[[nodiscard]] std::vector<Reason> undecided_reasons(const Model& model, const SearchOptions& options);

// The steps along `states`, each a successor of the one before; the generator computes them again. States are
// compared behind their first `hidden_bytes` bytes. Of several steps between the same states it is the first one, or,
// if `served` has bits for them, the first one in which most processes of these bits (by pid) take part, and no
// other. They are appended to `path`.
[[nodiscard]] std::vector<Step> steps_along(SuccessorGenerator& generator, const StateSequence& states,
                                            uint32_t hidden_bytes, std::span<const uint64_t> served = {},
                                            std::vector<Step> path = {});

}  // namespace cmc
