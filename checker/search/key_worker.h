#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/check.h"
#include "checker/search/gate.h"
#include "checker/search/key_expander.h"
#include "storage/chunked_array.h"
#include "storage/key_set.h"

// The parts of the fast engine in RAM (key_search.h): what its workers share, how one worker expands a batch of
// states, and the stack of a depth-first worker.

namespace cmc {

// What all workers of one layout share.
template <unsigned W>
struct KeySearchState {
  KeySearchState(KeySearchContext& context_, Gate& gate_)
      : context(context_),
        gate(gate_),
        set(context_.set_options, context_.space->layout().bits_of_words<W>()),
        memo(context_.space->layout(), context_.memo_bytes, context_.workers) {}
  ~KeySearchState() { context.note(memo); }
  KeySearchState(const KeySearchState&) = delete;
  KeySearchState& operator=(const KeySearchState&) = delete;

  KeySearchContext& context;
  Gate& gate;
  KeySet<W> set;
  StepMemo<W> memo;
  std::atomic<bool> halted{false};    // workers return as soon as what they began is consistent
  std::atomic<bool> relayout{false};  // because the layout is too narrow
  std::atomic<bool> to_store{false};  // because memory is scarce

  void halt() {
    gate.change([&] { halted.store(true, std::memory_order_relaxed); });
  }
  void grow_set() {
    gate.pause(
        [&] {
          if (!set.needs_growth()) return false;
          set.prepare_to_grow();
          return true;
        },
        [&] { set.grow(); });
  }
};

// The successors of a batch of states, without those that this worker has put into the set lately. A sink
// (KeyGenerator::expand()).
template <unsigned W>
class FreshSuccessors {
 public:
  using State = Key<W>;

  void clear() { size_ = 0; }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] const State& operator[](size_t index) const { return states_[index]; }
  // Number of the state in the batch that it is a successor of.
  [[nodiscard]] uint8_t parent(size_t index) const { return parents_[index]; }

  // What is added from now on has that parent.
  void set_parent(size_t number) { parent_ = static_cast<uint8_t>(number); }
  // Nearly without branches: how many steps a process has, and which are known, could not be predicted. Without a
  // step, delta 0 leads to `from` itself, which is visited, and stays out.
  [[gnu::always_inline]] void add(const State& from, const Steps<W>& steps) {
    const size_t count = steps.deltas.size();
    if (capacity_ - size_ <= count) [[unlikely]]
      grow(count);
    const State* const deltas = steps.deltas.data();
    put(from ^ deltas[0], count != 0);
    for (size_t i = 1; i < count; ++i) put(from ^ deltas[i], true);
  }
  // The successors of the last parent will not be put into the set.
  void take_back(size_t size) {
    size_ = size;
    recent_ = {};
  }

 private:
  [[gnu::always_inline]] void put(const State& state, bool exists) {
    State& recent = recent_.at(state);
    const bool known = recent == state;
    recent = state;
    states_[size_] = state;
    parents_[size_] = parent_;
    size_ += static_cast<size_t>(exists & !known);
  }
  [[gnu::noinline]] void grow(size_t count) {
    const size_t capacity = 2 * capacity_ + count + 64;
    auto states = std::make_unique_for_overwrite<State[]>(capacity);
    auto parents = std::make_unique_for_overwrite<uint8_t[]>(capacity);
    std::copy_n(states_.get(), size_, states.get());
    std::copy_n(parents_.get(), size_, parents.get());
    states_ = std::move(states);
    parents_ = std::move(parents);
    capacity_ = capacity;
  }

  std::unique_ptr<State[]> states_;
  std::unique_ptr<uint8_t[]> parents_;
  size_t size_ = 0;
  size_t capacity_ = 0;
  uint8_t parent_ = 0;
  RecentStates<W> recent_;
};

// Expands batches of states. A derived order says where they come from and where new ones go.
template <unsigned W>
class KeyWorker : public KeyExpander<W> {
 public:
  using typename KeyExpander<W>::State;
  using KeyExpander<W>::kBatch;
  using KeyExpander<W>::kBatchSuccessors;

  KeyWorker(KeySearchState<W>& shared, uint32_t number)
      : KeyExpander<W>(shared.context, shared.memo, number), shared_(shared) {}

  // What this worker has found is counted, too. To be called when it stops.
  void settle() { shared_.set.settle(tally_); }

  // Waits a little until one of `parked`, which is not empty, is ready. For who can do nothing else.
  template <class Parked>
  void wait_for(Parked& parked) {
    parked.wait();
    shared_.gate.check();
    check_limits();
    if (context_.control.stopped() && !halted()) shared_.halt();
  }

 protected:
  using KeyExpander<W>::context_;
  using KeyExpander<W>::counts_;
  using KeyExpander<W>::generator_;

  // Of the whole search.
  void check_limits() {
    settle();
    counts_.open_states.store(open_states(), std::memory_order_relaxed);
    counts_.open_bytes.store(open_bytes(), std::memory_order_relaxed);
    counts_.depth.store(depth(), std::memory_order_relaxed);
    // Whoever comes first: any worker may be without work for a long time.
    if (const std::unique_lock lock(context_.limits_mutex, std::try_to_lock); lock.owns_lock()) {
      SearchControl::Usage usage;
      usage.states = shared_.set.size();
      usage.transitions = context_.sum(&KeySearchContext::Counts::transitions);
      usage.depth = depth();
      usage.open_states = context_.sum(&KeySearchContext::Counts::open_states);
      usage.memory_bytes = shared_.set.memory_bytes() + shared_.memo.memory_bytes() + context_.space->memory_bytes() +
                           context_.sum(&KeySearchContext::Counts::open_bytes);
      usage.reserve_bytes = shared_.set.growth_bytes();
      usage.has_store = context_.store != nullptr;
      context_.control.check(usage);
      if (context_.control.wants_store() && !halted()) {
        shared_.to_store.store(true, std::memory_order_relaxed);
        shared_.halt();
      }
      if (context_.space->wants_trim(usage.states) && !halted()) request_relayout();
    }
  }

  // Expands the first states of `batch`, all of them if they have no more than kBatchSuccessors successors; calls
  // on_new(state, number of its parent in the batch) for each state that was not in the set, on_pending(number,
  // question) for one that has to be parked, and path_to(number) for the states up to and including one in which
  // there is an error. Returns how many were expanded; 0: a re-layout is needed, nothing has happened.
  template <class OnNew, class OnPending, class PathTo>
  size_t expand(std::span<const State> batch, OnNew&& on_new, OnPending&& on_pending, PathTo&& path_to) {
    uint64_t transitions = 0;
    const size_t count = expand_states(batch, transitions);
    if (count == 0) {
      check_limits();  // where re-layouts follow each other, nobody else would
      request_relayout();
      return 0;
    }
    for (size_t i = 0, end = successors_.size(); i < end; ++i) {
      if (shared_.set.insert(successors_[i], probes_[i], tally_) == KeySet<W>::Inserted::kNew) {
        on_new(successors_[i], successors_.parent(i));
      }
    }
    this->add(counts_.transitions, transitions);
    if (context_.checker != nullptr) this->check_steps(batch.first(count));
    for (size_t i = 0; i < count; ++i) {
      if (flags_[i].plain) [[likely]]
        continue;
      if (flags_[i].pending != 0) {
        on_pending(i, flags_[i].pending);
        continue;
      }
      this->tell(batch[i], flags_[i], depth(), [&] { return path_to(i); });
      if (context_.control.stopped()) break;
    }
    if (shared_.set.needs_growth()) shared_.grow_set();
    if (shared_.memo.crowded()) shared_.memo.make_room();
    shared_.gate.check();
    look_at_limits();
    return count;
  }

  [[nodiscard]] bool halted() const { return shared_.halted.load(std::memory_order_relaxed); }
  [[nodiscard]] virtual uint64_t open_states() const = 0;
  [[nodiscard]] virtual uint64_t open_bytes() const = 0;
  [[nodiscard]] virtual uint64_t depth() const = 0;

  KeySearchState<W>& shared_;

 private:
  // As expand(): the successors of as many states go to successors_, and the memory for them is asked for.
  size_t expand_states(std::span<const State> batch, uint64_t& transitions) {
    const auto using_memo = generator_.use_memo();
    successors_.clear();
    size_t count = 0;
    size_t prefetched = 0;
    for (; count < batch.size() && successors_.size() < kBatchSuccessors; ++count) {
      const size_t begin = successors_.size();
      successors_.set_parent(count);
      if (!this->expand_state(batch[count], successors_, flags_[count], transitions)) {
        successors_.take_back(begin);
        break;
      }
      if (flags_[count].pending != 0) [[unlikely]] {
        successors_.take_back(begin);
        continue;
      }
      if (count % kPrefetchedAtOnce == kPrefetchedAtOnce - 1) prefetched = prefetch(prefetched);
    }
    prefetch(prefetched);
    return count;
  }
  void request_relayout() {
    shared_.relayout.store(true, std::memory_order_relaxed);
    shared_.halt();
  }

  void look_at_limits() {
    if (context_.control.stopped()) {
      if (!halted()) shared_.halt();
      return;
    }
    if (++batches_ % kBatchesPerCheck == 0) check_limits();
  }

  // Asks for the memory that will decide about the successors from number `begin` on; returns how many there are.
  [[gnu::always_inline]] size_t prefetch(size_t begin) {
    const size_t end = successors_.size();
    if (probes_.size() < end) [[unlikely]]
      probes_.resize(2 * end);
    typename KeySet<W>::Probe* probe = probes_.data() + begin;
    for (size_t i = begin; i < end; ++i) *probe++ = shared_.set.prefetch(successors_[i]);
    return end;
  }

  static constexpr uint64_t kBatchesPerCheck = 16;
  static constexpr size_t kPrefetchedAtOnce =
      8;  // states: a short loop would end at a place that cannot be predicted

  FreshSuccessors<W> successors_;
  std::vector<typename KeySet<W>::Probe> probes_;
  typename KeySet<W>::Tally tally_;
  std::array<ExpansionFlags, kBatch> flags_;
  uint64_t batches_ = 0;
};

// The open states of a depth-first worker, as levels: the states of one level are successors of states in the batch,
// the last part of the level below, that is being worked on. So the path to every open state is there, one batch of
// states per level instead of one state, and whole batches are expanded at once.
template <unsigned W>
class LevelStack {
 public:
  using State = Key<W>;
  struct Level {
    uint64_t begin = 0;  // in states_
    uint64_t batch = 0;  // begin of the part that is being expanded, or was last
    uint64_t end = 0;
  };

  [[nodiscard]] bool empty() const { return levels_.empty(); }
  [[nodiscard]] uint64_t depth() const { return levels_.size(); }
  [[nodiscard]] uint64_t size() const { return states_.size(); }
  [[nodiscard]] uint64_t memory_bytes() const {
    return states_.memory_bytes() + parents_.memory_bytes() + levels_.memory_bytes();
  }

  // A new top level; states are pushed onto it.
  void open_level() {
    first_shared_ = std::min(first_shared_, levels_.size());
    levels_.push_back({states_.size(), states_.size(), states_.size()});
  }
  void push(const State& state, size_t parent) {
    states_.push_back(state);
    parents_.push_back(static_cast<uint8_t>(parent));
    levels_.back().end = states_.size();
  }

  // States at the ends of paths from the initial one, equally long ones. REQUIRES: empty(); no more than a batch.
  void start(std::span<const std::vector<State>> paths) {
    for (size_t level = 0; level < paths.front().size(); ++level) {
      open_level();
      for (size_t i = 0; i < paths.size(); ++i) push(paths[i][level], paths.size() - 1 - i);
    }
  }

  // The next batch of the top level, at most `most` states, copied to `batch`; levels without any are removed. False:
  // there is nothing left. The batch has the top of the stack first.
  bool take(size_t most, std::vector<State>& batch) {
    while (!levels_.empty() && levels_.back().begin == levels_.back().end) {
      levels_.pop_back();
      if (!levels_.empty()) finish_batch();
    }
    if (levels_.empty()) return false;
    Level& top = levels_.back();
    top.batch = top.end - std::min<uint64_t>(most, top.end - top.begin);
    batch.clear();
    for (uint64_t i = top.end; i-- > top.batch;) batch.push_back(states_[i]);
    return true;
  }
  // Only the first `count` states of the batch of a level were expanded: the others wait on.
  void cut_batch(uint64_t level, size_t count) {
    levels_[level].batch = levels_[level].end - count;
    first_shared_ = std::min(first_shared_, level);
  }
  // The batch of the top level led to nothing new.
  void finish_batch() {
    Level& top = levels_.back();
    top.end = top.batch;
    states_.shrink(top.end);
    parents_.shrink(top.end);
  }

  // The states from the initial one to number `index` of the batch of level `level`.
  [[nodiscard]] std::vector<State> path_to(uint64_t level, size_t index) const {
    std::vector<State> path;
    for (;;) {
      const uint64_t at = levels_[level].end - 1 - index;
      path.push_back(states_[at]);
      if (level == 0) break;
      index = parents_[at];
      --level;
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  // Gives away half of the waiting states of the lowest level that has enough of them, with the paths to them.
  bool split(LevelStack& other) {
    for (; first_shared_ < levels_.size(); ++first_shared_) {
      const uint64_t number = first_shared_;
      Level& level = levels_[number];
      const uint64_t waiting = (number + 1 == levels_.size() ? level.end : level.batch) - level.begin;
      if (waiting < 2) continue;
      for (uint64_t below = 0; below < number; ++below) {
        other.open_level();
        for (uint64_t i = levels_[below].batch; i < levels_[below].end; ++i) other.push(states_[i], parents_[i]);
        Level& copy = other.levels_[below];
        copy.begin = copy.batch;
      }
      other.open_level();
      for (uint64_t i = 0; i < waiting / 2; ++i) other.push(states_[level.begin + i], parents_[level.begin + i]);
      level.begin += waiting / 2;
      return true;
    }
    return false;
  }

  // Takes over what is in `from`, converting each state.
  template <unsigned V, class Convert>
  void assign(LevelStack<V>& from, Convert&& convert) {
    for (uint64_t i = 0; i < from.states_.size(); ++i) {
      states_.push_back(convert(from.states_[i]));
      parents_.push_back(from.parents_[i]);
    }
    for (uint64_t i = 0; i < from.levels_.size(); ++i) {
      const auto& level = from.levels_[i];
      levels_.push_back({level.begin, level.batch, level.end});
    }
  }

 private:
  template <unsigned V>
  friend class LevelStack;

  ChunkedArray<State, 12> states_;
  ChunkedArray<uint8_t, 12> parents_;
  ChunkedArray<Level, 10> levels_;
  uint64_t first_shared_ = 0;  // levels below have nothing to give away: what waits in a level only becomes less
};

}  // namespace cmc
