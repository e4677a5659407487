#include "checker/plain/simple_search.h"

#include <algorithm>
#include <functional>
#include <new>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/process_memory.h"
#include "base/units.h"
#include "checker/plain/simple_cycles.h"
#include "checker/result/control.h"
#include "checker/result/coverage.h"
#include "ir/scratch.h"
#include "storage/sets/chunked_array.h"
#include "storage/sets/state_set.h"

namespace cmc {

namespace {

constexpr uint64_t kTransitionsPerCheck = 1024;  // a check reads the clock

class SimpleSearch {
 public:
  SimpleSearch(SuccessorGenerator& generator, const Model& model, const SearchOptions& options,
               SearchObserver* observer)
      : generator_(generator),
        model_(model),
        options_(options),
        breadth_first_(options.order == SearchOptions::Order::kBreadthFirst),
        control_(model, options, observer),
        set_(model.hidden_bytes),
        coverage_(model),
        should_stop_([this] { return !check_limits(resident_bytes()); }) {
    batch_.limits = {kPortion, kPortionSteps, &should_stop_};
    control_.result().order = breadth_first_ ? UsedOrder::kBreadthFirst : UsedOrder::kDepthFirst;
  }

  SearchResult run() {
    try {
      insert_initial();
      if (set_.size() > 0 && may_continue()) {
        if (breadth_first_) {
          explore_breadth_first();
        } else {
          explore_depth_first();
        }
      }
      if (options_.find_cycles && set_.size() > 0 && !control_.stopped()) find_cycle();
      left_ = {breadth_first_ ? set_.size() - current_ : path_.size() + waiting_.size(), 0, 0};
    } catch (const std::bad_alloc&) {
      control_.stop_for_lack_of_memory(set_.size());
    }
    return finish();
  }

 private:
  using Id = StateSet::Id;
  struct Successor {
    Id id = 0;
    bool is_new = false;
    uint32_t cost = 1;  // what the step adds to the depth
  };

  // --- breadth first: the set numbers its states in the order of their discovery, so the queue is just the number of
  // the next state to expand.

  void explore_breadth_first() {
    parents_.push_back(0);
    uint64_t level_end = set_.size();
    for (; current_ < set_.size() && may_continue(); ++current_) {
      if (current_ == level_end) {
        note_depth(++depth_);
        level_end = set_.size();
      }
      for (const Successor& successor : expand(static_cast<Id>(current_))) {
        if (successor.is_new) parents_.push_back(static_cast<Id>(current_));
      }
    }
  }

  // --- depth first, in the order of SPIN's verifier: a successor is explored completely before the next one, and
  // counts as visited from the moment when its turn comes, not when it was generated. So the depth is the same, too.
  //
  // A state is generated from once. Its successors go into the set at once, where a bit tells those whose turn has
  // not come yet ("waiting"); the stack holds their numbers only. When a waiting state is reached again on the way
  // and entered there, its old entry finds it visited later, just as if it had not been generated yet.

  struct Frame {  // a state on the path
    Id id = 0;
    uint32_t cost = 0;     // of the step that leads to it
    uint32_t waiting = 0;  // successors of it on top of waiting_, the next one last
  };
  struct Waiting {
    Id id = 0;
    uint32_t cost = 0;
  };

  void explore_depth_first() {
    enter(0, 0);
    while (!path_.empty() && !control_.stopped()) {
      Frame& frame = path_.back();
      if (frame.waiting == 0) {
        depth_ -= frame.cost;
        path_.pop_back();
        continue;
      }
      const Waiting next = take_waiting(frame);
      if (visited(next.id)) {
        note_depth(depth_ + next.cost - 1);  // SPIN goes as deep as the step before the known state
      } else {
        set_.replace_hidden(next.id, hidden_part_);
        enter(next.id, next.cost);
      }
    }
  }

  void enter(Id id, uint32_t cost) {
    while (visited_.size() <= id >> 6) visited_.push_back(0);
    visited_[id >> 6] |= uint64_t{1} << (id & 63);
    path_.push_back({id, cost, 0});
    depth_ += cost;
    note_depth(depth_);
    if (!may_continue()) return;
    const std::span<const Successor> successors = expand(id);
    uint32_t count = 0;
    for (size_t i = successors.size(); i-- > 0;) {
      const Successor& successor = successors[i];
      if (!successor.is_new && visited(successor.id)) {
        note_depth(depth_ + successor.cost - 1);
        continue;
      }
      waiting_.push_back({successor.id, successor.cost});
      for (const std::byte byte : hidden_of(i)) waiting_hidden_.push_back(byte);
      ++count;
    }
    path_.back().waiting = count;
  }

  // Leaves the state's hidden part in hidden_part_.
  Waiting take_waiting(Frame& frame) {
    --frame.waiting;
    const Waiting next = waiting_.back();
    waiting_.pop_back();
    hidden_part_.resize(model_.hidden_bytes);
    for (size_t i = hidden_part_.size(); i-- > 0;) {
      hidden_part_[i] = waiting_hidden_.back();
      waiting_hidden_.pop_back();
    }
    return next;
  }

  [[nodiscard]] bool visited(Id id) const {
    return (id >> 6) < visited_.size() && ((visited_[id >> 6] >> (id & 63)) & 1) != 0;
  }

  // --- one state

  void insert_initial() {
    generator_.initial(batch_);
    coverage_.mark_errors(batch_);
    control_.report_errors(batch_, 0, [] { return std::vector<Step>(); });
    if (batch_.entries.empty()) {
      CHECK(!batch_.errors.empty());
      return;
    }
    const ByteView state = batch_.state(batch_.entries.front());
    control_.result().state_bytes_max = state.size();
    set_.insert(state);
  }

  // Generates the successors of a state and inserts them all, in the generator's order; reports the state's errors.
  // The result lives until the next call.
  std::span<const Successor> expand(Id id) {
    const ByteView state = set_.get(id);
    coverage_.enter(state);
    successors_.clear();
    hidden_.clear();
    bool endless = false;
    bool errors = false;  // in one of several portions
    batch_.clear();
    generator_.successors(state, batch_);
    const bool in_portions = batch_.more;
    for (;;) {
      if (set_.size() + batch_.entries.size() > StateSet::kMaxSize) {
        control_.stop(ReasonKind::kLimit, fmt::format("the set of states is full: it holds at most {} states",
                                                      format_count(StateSet::kMaxSize)));
        return {};
      }
      insert_batch();
      count_batch();
      endless |= batch_.endless_atomic;
      if (batch_.long_atomic) control_.add_reason(ReasonKind::kAtomic, kLongAtomicReason);
      if (!batch_.errors.empty() || batch_.invalid_end) {
        coverage_.mark_errors(batch_);
        errors = true;
      }
      if (errors && !in_portions) {
        control_.report_errors(batch_, depth_, [&] { return path_to_expanded_state(); });
      }
      if (!batch_.more || control_.stopped()) break;
      batch_.clear();
      generator_.resume(batch_);
    }
    if (endless) ++control_.result().endless_atomic;
    if (errors && in_portions && !control_.stopped()) {
      control_.report_errors_in_portions(generator_, state, batch_, depth_, path_to_expanded_state());
    }
    SearchStatistics& statistics = control_.result().statistics;
    if (successors_.empty()) ++statistics.dead_ends;
    if (successors_.size() == 1) ++statistics.single_successor;
    return successors_;
  }

  // In three passes, so that the memory accesses of all successors overlap.
  void insert_batch() {
    const size_t count = batch_.entries.size();
    const size_t begin = successors_.size();
    hashes_.resize(count);
    successors_.resize(begin + count);
    for (size_t i = 0; i < count; ++i) {
      hashes_[i] = set_.hash(batch_.state(batch_.entries[i]));
      set_.prefetch_slot(hashes_[i]);
    }
    mark_reached(std::span(successors_).subspan(begin));
    if (count > 1) {
      for (size_t i = 0; i < count; ++i) set_.prefetch_candidate(hashes_[i]);
    }
    for (size_t i = 0; i < count; ++i) {
      const ByteView state = batch_.state(batch_.entries[i]);
      const StateSet::Inserted inserted = set_.insert(state, hashes_[i]);
      successors_[begin + i].id = inserted.id;
      successors_[begin + i].is_new = inserted.is_new;
      hidden_.insert(hidden_.end(), state.begin(), state.begin() + static_cast<ptrdiff_t>(model_.hidden_bytes));
      hidden_merged_ |= inserted.hidden_differs;
      uint64_t& largest = control_.result().state_bytes_max;
      if (inserted.is_new) largest = std::max<uint64_t>(largest, state.size());
    }
  }

  // All or nothing: only the resizing can fail, for lack of memory.
  void count_batch() {
    size_t largest = 0;
    for (const SuccessorBatch::Entry& entry : batch_.entries) largest = std::max<size_t>(largest, entry.size);
    if (largest >= size_counts_.size()) size_counts_.resize(largest + 1);
    for (const SuccessorBatch::Entry& entry : batch_.entries) ++size_counts_[entry.size];
    transitions_ += batch_.entries.size();
  }

  // Also computes the successors' costs, since it looks at all their steps anyway.
  void mark_reached(std::span<Successor> successors) {
    for (size_t i = 0; i < batch_.entries.size(); ++i) {
      const SuccessorBatch::Entry& entry = batch_.entries[i];
      const std::span<const Step> steps = batch_.path(entry);
      successors[i].cost = control_.cost_of(steps);
      if (steps.size() == 1) {
        coverage_.mark(steps.front());
      } else {
        coverage_.mark_sequence(steps, SequenceEnd::kCompleted);
      }
    }
    coverage_.mark_endless(batch_);
  }

  [[nodiscard]] std::span<const std::byte> hidden_of(size_t successor) const {
    return std::span(hidden_).subspan(successor * model_.hidden_bytes, model_.hidden_bytes);
  }

  // The set keeps states, not steps: they are generated again, for the few states on the path.
  std::vector<Step> path_to_expanded_state() {
    std::vector<Id> ids;
    if (breadth_first_) {
      for (Id id = static_cast<Id>(current_);; id = parents_[id]) {
        ids.push_back(id);
        if (id == 0) break;
      }
      std::ranges::reverse(ids);
    } else {
      for (uint64_t i = 0; i < path_.size(); ++i) ids.push_back(path_[i].id);
    }
    const auto state_of = [&](size_t i, Bytes& state) {
      const ByteView kept = set_.get(ids[i]);
      state.assign(kept.begin(), kept.end());
    };
    return steps_along(generator_, {ids.size(), state_of}, 0);
  }

  // All states are expanded.
  void find_cycle() {
    const std::optional<Lasso> lasso =
        find_accepting_cycle(generator_, model_, set_, options_.fairness, [&](uint64_t memory_bytes) {
          cycle_bytes_ = memory_bytes;
          return check_limits();
        });
    if (lasso) control_.report_cycle(lasso->path, lasso->loop_start, lasso->edges);
  }

  // --- limits

  // To be asked once per state: whether no limit is hit and no request to stop has come.
  [[nodiscard]] bool may_continue() {
    if (transitions_ >= next_check_transitions_ || control_.memory_check_due(set_.memory_bytes())) {
      return check_limits();
    }
    return !control_.stopped();
  }
  // `taken`: bytes; those of steps that are being computed are known to nobody else.
  bool check_limits(uint64_t taken = 0) {
    next_check_transitions_ = transitions_ + kTransitionsPerCheck;
    SearchControl::Usage usage;
    usage.states = set_.size();
    usage.transitions = transitions_;
    usage.depth = depth_;
    usage.open_states = breadth_first_ ? set_.size() - current_ : path_.size() + waiting_.size();
    usage.memory_bytes = set_.memory_bytes() + parents_.memory_bytes() + path_.memory_bytes() +
                         waiting_.memory_bytes() + visited_.memory_bytes() + waiting_hidden_.memory_bytes() +
                         cycle_bytes_;
    usage.memory_bytes = std::max(usage.memory_bytes, taken);
    usage.reserve_bytes = set_.growth_bytes(control_.result().state_bytes_max);
    control_.check_in_turn(usage);
    return !control_.stopped();
  }
  void note_depth(uint64_t depth) {
    uint64_t& deepest = control_.result().depth_reached;
    deepest = std::max(deepest, depth);
  }

  SearchResult finish() {
    if (hidden_merged_ && depends_on_hidden(model_, options_.closes_chains)) {
      control_.add_reason(ReasonKind::kHidden,
                          "states that differ in hidden variables only were taken as equal, but the model reads "
                          "hidden variables that "
                          "another step may have written, so behaviour may have been missed");
    }
    control_.result().locations = coverage_.reached();
    SearchStatistics& statistics = control_.result().statistics;
    statistics.collected = true;
    for (size_t size = 0; size < size_counts_.size(); ++size) {
      if (size_counts_[size] > 0) statistics.state_sizes[static_cast<uint32_t>(size)] = size_counts_[size];
    }
    return control_.finish(set_.size(), transitions_, left_);
  }

  SuccessorGenerator& generator_;
  const Model& model_;
  const SearchOptions& options_;
  const bool breadth_first_;
  SearchControl control_;
  StateSet set_;
  Coverage coverage_;
  const std::function<bool()> should_stop_;

  SuccessorBatch batch_;
  std::vector<uint64_t> hashes_;
  std::vector<Successor> successors_;
  std::vector<std::byte> hidden_;  // the hidden parts of successors_: they may differ from those in the set
  bool hidden_merged_ = false;
  std::vector<uint64_t> size_counts_;  // created states by bytes of the state vector
  std::optional<Remainder> left_;      // after a search that came to its end
  uint64_t transitions_ = 0;
  uint64_t next_check_transitions_ = 0;
  uint64_t depth_ = 0;        // of the state that is being expanded
  uint64_t cycle_bytes_ = 0;  // of the search for a cycle

  ChunkedArray<Id> parents_;  // breadth first, by state number; the initial state's is itself
  uint64_t current_ = 0;      // the state that is being expanded

  ChunkedArray<Frame> path_;  // depth first
  ChunkedArray<Waiting> waiting_;
  ChunkedArray<std::byte> waiting_hidden_;
  ChunkedArray<uint64_t> visited_;  // a bit by state number
  std::vector<std::byte> hidden_part_;
};

}  // namespace

SearchResult run_search(SuccessorGenerator& generator, const Model& model, const SearchOptions& options,
                        SearchObserver* observer) {
  return SimpleSearch(generator, model, options, observer).run();
}

}  // namespace cmc
