#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/files/run_directory.h"
#include "checker/checkpoint/checkpoints.h"
#include "checker/keys/claim_regions.h"
#include "checker/keys/key_generator.h"
#include "checker/keys/step_memo.h"
#include "checker/keyspace/key_space.h"
#include "checker/keyspace/symmetry.h"
#include "checker/profile/profiler.h"
#include "checker/result/control.h"
#include "checker/result/coverage.h"
#include "checker/result/result.h"
#include "checker/search/engine/common_keys.h"
#include "storage/sets/key_set.h"

namespace cmc {

struct Manifest;
struct StorePlan;

// Data of one search that does not depend on the width of keys. It lives as long as the search.
struct SearchContext {
  SearchContext(const Model& model_, const SearchOptions& options_, SearchControl& control_)
      : model(model_),
        options(options_),
        control(control_),
        find_cycles(options_.find_cycles && model_.claim.exists() && ClaimRegions(model_).some_may_accept()),
        space(std::make_unique<KeySpace>(model_)) {}

  const Model& model;
  const SearchOptions& options;
  SearchControl& control;
  const bool find_cycles;  // asked for, and there can be accepting ones
  std::unique_ptr<KeySpace> space;
  bool divides = true;                     // frames: keys have never been too wide for it
  std::optional<FrameDivision> finer;      // the division of the next space, with which the search begins again
  const Manifest* resumes = nullptr;       // what the next engine begins with; null: the initial state
  std::unique_ptr<StubbornSets> stubborn;  // about the components of `space`; null: nothing is left out
  std::unique_ptr<Handshakes> handshakes;  // likewise; null: they are memoised as wholes
  bool expands_again = false;              // in full, states none of whose successors is new
  bool expands_in_full = false;            // nothing is carried from a state to its successors
  bool carrying_does_not_pay = false;      // has turned out
  std::unique_ptr<Symmetry> symmetry;      // null: states are not exchanged for representatives
  SuccessorBatch first;                    // the initial state
  std::vector<std::unique_ptr<SuccessorGenerator>> generators;  // one per worker
  std::unique_ptr<SearchProfile> profile;                       // null: none is made
  SuccessorGenerator* checker = nullptr;                        // computes every step again; may be null
  uint64_t memo_bytes = 0;                                      // allowed
  uint64_t most_memo_bytes = 0;                                 // likewise, beyond memory, where it pays; 0: no more
  uint64_t memo_peak_bytes = 0;                                 // of the memos of all layouts
  uint64_t memo_clears = 0;

  // A worker's counts; only the worker writes them.
  struct alignas(64) Counts {
    std::atomic<uint64_t> transitions{0};
    std::atomic<uint64_t> asleep_steps{0};  // of them: counted, not taken (checker/keys/carried_steps.h)
    std::atomic<uint64_t> computed{0};      // statements, in steps that the memo did not know
    std::atomic<uint64_t> open_states{0};
    std::atomic<uint64_t> open_bytes{0};
    std::atomic<uint64_t> deepest{0};
    uint64_t endless_atomic = 0;
    uint64_t single_successor = 0;  // SearchStatistics defines these
    uint64_t dead_ends = 0;
    uint64_t dfs_problems = 0;
    uint64_t dfs_problems_real = 0;
    std::vector<uint64_t> created;  // by the number of the created state's control
    MemoFigures memo;               // of the generators of former layouts
    ReductionFigures reductions;    // likewise
    std::unique_ptr<Coverage> coverage;

    void note_depth(uint64_t depth) {
      if (depth > deepest.load(std::memory_order_relaxed)) deepest.store(depth, std::memory_order_relaxed);
    }
    // For a search that starts again.
    void forget() {
      transitions = asleep_steps = computed = deepest = open_states = open_bytes = 0;
      endless_atomic = single_successor = dead_ends = dfs_problems = dfs_problems_real = 0;
      created.clear();
      memo = {};
      reductions = {};
    }
  };
  std::unique_ptr<Counts[]> counts;
  uint32_t workers = 1;
  KeySetOptions set_options;
  std::mutex limits_mutex;           // of SearchControl::check
  CommonNumbers common_numbers;      // among ranks
  CommonKeys* saved_keys = nullptr;  // of the checkpoint that they are writing
  uint64_t abandoned_epoch = 0;      // the checkpoints up to it are of a search that has begun anew since
  StorePlan* store = nullptr;        // the disk store to continue with at the memory limit; null: stop
  // What an engine in RAM has saved for it, until it has been read.
  struct Handover {
    explicit Handover(RunDirectory directory_) : directory(std::move(directory_)) {}

    RunDirectory directory;
    CheckpointWriter writer{directory.path(), 0, 0, false};
  };
  std::unique_ptr<Handover> handover;

  // Partial-order reduction that comes on its own is off at first: the search starts again with it if it pays in the
  // states that were found, and without if it hardly leaves out anything then (later_reduction.h).
  enum class OwnReduction : uint8_t { kNone, kConsidered, kOnTrial };
  OwnReduction own_reduction = OwnReduction::kNone;
  std::unique_ptr<StubbornSets> considered;  // for the looks
  struct Looks {
    virtual ~Looks() = default;
  };
  std::unique_ptr<Looks> looks;  // what they know of steps; null: nothing
  uint64_t considered_at = 0;    // when there are so many states, in either case
  uint64_t looked_steps = 0;     // that were computed for looks

  // How a search for cycles by one thread follows the edges of a claim. Where it leaves a location in which it may
  // wait in the first states, all that the system can do behind them may be searched in vain (bench/first_error/
  // fair_queue_lock.pml: 1.8 million states, and 3,836 if it waits first); where it waits, a cycle that is near comes
  // late (SPIN's suzuki: 1,770 states, and more than 2.5 million). So a search that finds nothing in its first nodes
  // begins again in the other order: by components the claim waits first there, and nested it waits last. Before that
  // nested search tries some nodes whose successors are shuffled: in each order of its own it may follow one process
  // for ever (bench/first_error/robot_at_home.pml).
  static constexpr uint64_t kNodesOnTrial = 4096;
  static constexpr uint64_t kShuffledNodes = 16'384;
  enum class ClaimOrder : uint8_t { kAsItIs, kOnTrial, kShuffled, kOther };
  ClaimOrder claim_order = ClaimOrder::kAsItIs;

  // Errors are often near the first states, or at the end of a long path. So depth-first search goes straight down
  // first, as SPIN's verifier does; but where it finds nothing but new states all the way, it may come back late, or
  // never (bench/first_error/beside_a_counter.pml). Behind a long dive `look_near` is called, once, while the workers
  // stand still: it searches the first states breadth first. What it returns is the result of the search. Empty: it
  // is not wanted.
  std::function<std::optional<SearchResult>()> look_near;
  std::optional<SearchResult> found_near;

  // Whether steps are carried from a state to its successors.
  [[nodiscard]] bool carries_steps() const {
    return options.carries_steps && !expands_in_full && !carrying_does_not_pay && !model.claim.exists() &&
           stubborn == nullptr && symmetry == nullptr && profile == nullptr;
  }
  // By which an engine beyond memory may exceed the limit.
  [[nodiscard]] uint64_t grace_bytes() const { return options.memory_limit_bytes / 10; }
  // Whether the disk store goes on with the states that an engine in RAM has found and saved when memory is scarce.
  // (A search for cycles begins again: its states are not those of the disk's. So does one that expands states again,
  // in an order of its own. Few states are found again in a moment.) A run that is saved anyway does it even if the
  // paths to the states will not be known, or if most of them are still open, which spares little.
  [[nodiscard]] bool hands_over(uint64_t states) const {
    constexpr uint64_t kFew = uint64_t{1} << 18;
    if (states < kFew || options.ranks != nullptr || find_cycles || expands_again) return false;
    if (options.checkpoints != nullptr) return true;
    const bool keeps_paths = options.order != SearchOptions::Order::kBreadthFirst || !options.store.paths;
    const bool can_be_saved =
        profile == nullptr && options.store.codec.value_or(PageCodec::kKeys) == PageCodec::kKeys;
    return keeps_paths && can_be_saved && sum(&Counts::open_states) <= states / 2;
  }
  // The folder of what was saved: for the disk store, or for a later process.
  [[nodiscard]] const std::string& saved_in() const {
    return handover != nullptr ? handover->directory.path() : options.checkpoints->directory();
  }
  // Of a memo for the generators.
  [[nodiscard]] bool keeps_notes() const { return stubborn != nullptr || handshakes != nullptr; }
  // Keeps the figures of a memo that is about to be destroyed.
  template <unsigned W>
  void note(const StepMemo<W>& memo) {
    memo_peak_bytes = std::max(memo_peak_bytes, memo.memory_bytes());
    memo_clears += memo.clears();
  }
  template <class Member>
  [[nodiscard]] uint64_t sum(Member Counts::*member) const {
    uint64_t total = 0;
    for (uint32_t i = 0; i < workers; ++i) total += (counts[i].*member).load(std::memory_order_relaxed);
    return total;
  }
};

}  // namespace cmc
