#include "checker/search/key_search.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "base/process_memory.h"
#include "checker/search/key_worker.h"
#include "checker/search/parked_states.h"
#include "checker/search/store_search.h"
#include "storage/identities.h"

namespace cmc {

namespace {

constexpr uint64_t kDefaultMemoBytes = uint64_t{256} << 20;
constexpr uint64_t kLeastStoreBytes = uint64_t{1} << 20;
constexpr double kPendingSeconds = 0.02;
constexpr uint64_t kHeapBytes =
    uint64_t{4} << 20;  // what freed buffers leave behind, lists of found states, code that comes back

// Depth-first search by workers that each have a stack; one without work gets a part of another's.
template <unsigned W>
class DepthFirstOrder {
 public:
  struct Shared : KeySearchState<W> {
    using KeySearchState<W>::KeySearchState;
    ParkedStates<std::vector<Key<W>>> parked{this->context.options.pending_guards};  // with the paths to them
    // Under the gate's lock:
    std::deque<std::unique_ptr<LevelStack<W>>> offered;
    uint32_t waiting = 0;
    std::atomic<uint32_t> hungry{0};  // waiting workers without an offer
  };

  class Worker final : public KeyWorker<W> {
   public:
    using State = Key<W>;
    Worker(Shared& shared, uint32_t number) : KeyWorker<W>(shared, number), all_(shared) {}

    void start(const State& initial) {
      stack_.open_level();
      stack_.push(initial, 0);
    }

    void run() {
      while (!this->halted()) {
        if (all_.parked.some_ready()) [[unlikely]]
          resume();
        if (all_.parked.full() && !all_.parked.some_ready()) [[unlikely]] {
          this->wait_for(all_.parked);
          continue;
        }
        if (!stack_.take(this->kBatch, batch_)) {
          if (!find_work()) return;
          continue;
        }
        level_ = stack_.depth() - 1;
        bool opened = false;
        const size_t count = this->expand(
            batch_,
            [&](const State& state, size_t parent) {
              if (!opened) stack_.open_level();
              opened = true;
              stack_.push(state, parent);
            },
            [&](size_t index, uint32_t question) {
              std::vector<State> path = stack_.path_to(level_, index);
              const uint64_t bytes = path.size() * sizeof(State);
              all_.parked.park(question, std::move(path), bytes);
            },
            [&](size_t index) { return stack_.path_to(level_, index); });
        if (count == 0) return;
        if (count < batch_.size()) stack_.cut_batch(level_, count);
        if (!opened) stack_.finish_batch();
        if (stack_.depth() > this->counts_.deepest) this->counts_.deepest = stack_.depth();
        if (all_.hungry.load(std::memory_order_relaxed) > 0) offer_work();
      }
    }

    template <unsigned V>
    void assign(typename DepthFirstOrder<V>::Worker& from, const Converter<V, W>& convert) {
      stack_.assign(from.stack(), convert);
    }
    LevelStack<W>& stack() { return stack_; }

   private:
    [[nodiscard]] uint64_t open_states() const override {
      return stack_.size() + (this->number_ == 0 ? all_.parked.size() : 0);
    }
    [[nodiscard]] uint64_t open_bytes() const override {
      return stack_.memory_bytes() + (this->number_ == 0 ? all_.parked.bytes() : 0);
    }
    [[nodiscard]] uint64_t depth() const override { return level_; }

    // Goes on with parked states that are ready, at once, because what is behind them may lead to the next questions.
    // What the worker was doing is left to whoever comes first.
    void resume() {
      if (!stack_.empty() && !leave_work()) return;
      const auto paths =
          all_.parked.take(this->kBatch, [](const auto& a, const auto& b) { return a.size() == b.size(); });
      if (!paths.empty()) stack_.start(paths);
    }
    // False: too much is left already.
    bool leave_work() {
      bool left = false;
      all_.gate.change([&] {
        left = all_.offered.size() < kMostOffered || all_.parked.full();
        if (!left) return;
        all_.offered.push_back(std::make_unique<LevelStack<W>>(std::exchange(stack_, {})));
        update_hunger();
      });
      return left;
    }

    bool find_work() {
      for (;;) {
        std::unique_ptr<LevelStack<W>> found;
        bool only_parked = false;
        rest(found, only_parked);
        if (found) {
          stack_ = std::move(*found);
          return true;
        }
        if (!only_parked) return false;
        while (!this->halted() && !all_.parked.some_ready()) this->wait_for(all_.parked);
        resume();
        if (!stack_.empty()) return true;
      }
    }
    // Until there is something to do: `found`, or, for one worker only, waiting for a parked state. Neither: it is
    // the end.
    void rest(std::unique_ptr<LevelStack<W>>& found, bool& only_parked) {
      all_.gate.rest(
          [&] {
            ++all_.waiting;
            update_hunger();
          },
          [&] {
            if (this->halted()) return true;
            if (all_.offered.empty() && all_.waiting < this->context_.workers) return false;
            only_parked = all_.offered.empty() && !all_.parked.empty();
            if (all_.offered.empty() && !only_parked) return true;
            if (!only_parked) {
              found = std::move(all_.offered.front());
              all_.offered.pop_front();
            }
            --all_.waiting;
            update_hunger();
            return true;
          });
    }
    void offer_work() {
      auto part = std::make_unique<LevelStack<W>>();
      if (!stack_.split(*part)) return;
      all_.gate.change([&] {
        all_.offered.push_back(std::move(part));
        update_hunger();
      });
    }
    void update_hunger() {
      const size_t offers = std::min<size_t>(all_.offered.size(), all_.waiting);
      all_.hungry.store(all_.waiting - static_cast<uint32_t>(offers), std::memory_order_relaxed);
    }

    static constexpr size_t kMostOffered = 64;  // 60 KB each, at least

    Shared& all_;
    LevelStack<W> stack_;
    std::vector<State> batch_;
    uint64_t level_ = 0;
  };

  template <unsigned V>
  static void take_over(Shared& to, typename DepthFirstOrder<V>::Shared& from, const Converter<V, W>& convert) {
    for (auto& part : from.offered) {
      to.offered.push_back(std::make_unique<LevelStack<W>>());
      to.offered.back()->assign(*part, convert);
    }
    to.parked.take_over(from.parked, [&](const std::vector<Key<V>>& path) {
      std::vector<Key<W>> converted;
      for (const Key<V>& state : path) converted.push_back(convert(state));
      return converted;
    });
  }
};

// Breadth-first search, level by level. All levels are kept, for the paths: W words a state.
template <unsigned W>
class BreadthFirstOrder {
 public:
  using States = ChunkedArray<Key<W>>;
  struct Level {
    std::vector<States> parts;  // by worker
    [[nodiscard]] uint64_t size() const {
      uint64_t total = 0;
      for (const States& part : parts) total += part.size();
      return total;
    }
    [[nodiscard]] const Key<W>& at(uint64_t index) const {
      for (const States& part : parts) {
        if (index < part.size()) return part[index];
        index -= part.size();
      }
      CHECK(false);
      return parts.front()[0];
    }
  };
  struct Shared : KeySearchState<W> {
    using KeySearchState<W>::KeySearchState;
    std::vector<Level> levels;                                          // the last one is being expanded
    std::atomic<uint64_t> next{0};                                      // state of that level to be taken next
    ParkedStates<Key<W>> parked{this->context.options.pending_guards};  // of that level
    std::vector<Key<W>> resumed;                                        // that were parked, to be expanded now
    std::atomic<uint64_t> next_resumed{0};
  };

  class Worker final : public KeyWorker<W> {
   public:
    using State = Key<W>;
    Worker(Shared& shared, uint32_t number) : KeyWorker<W>(shared, number), all_(shared) {}

    void start(const State& initial) {
      all_.levels.emplace_back().parts.resize(1);
      all_.levels.back().parts.front().push_back(initial);
    }

    void run() {
      while (!this->halted()) {
        if (batch_.empty() && !take()) return;
        const size_t count = this->expand(
            batch_, [&](const State& state, size_t) { found_.push_back(state); },
            [&](size_t index, uint32_t question) { all_.parked.park(question, batch_[index], kParkedBytes); },
            [&](size_t index) { return path_to(batch_[index]); });
        if (count == 0) return;
        batch_.erase(batch_.begin(), batch_.begin() + static_cast<ptrdiff_t>(count));
        this->counts_.deepest = all_.levels.size() - 1;
      }
    }

    template <unsigned V>
    void assign(typename BreadthFirstOrder<V>::Worker& from, const Converter<V, W>& convert) {
      for (const Key<V>& state : from.batch()) batch_.push_back(convert(state));
      for (uint64_t i = 0; i < from.found().size(); ++i) found_.push_back(convert(from.found()[i]));
    }
    std::vector<State>& batch() { return batch_; }
    States& found() { return found_; }

   private:
    static constexpr uint64_t kParkedBytes = 2 * sizeof(State);

    [[nodiscard]] uint64_t open_states() const override {
      return found_.size() + batch_.size() + (this->number_ == 0 ? all_.parked.size() : 0);
    }
    [[nodiscard]] uint64_t open_bytes() const override {
      uint64_t bytes = found_.memory_bytes();
      if (this->number_ > 0) return bytes;
      bytes += all_.parked.bytes();
      for (const Level& level : all_.levels) {
        for (const States& part : level.parts) bytes += part.memory_bytes();
      }
      return bytes;
    }
    [[nodiscard]] uint64_t depth() const override { return all_.levels.size() - 1; }

    bool take() {
      const uint64_t first = all_.next_resumed.fetch_add(this->kBatch, std::memory_order_relaxed);
      const uint64_t last = std::min<uint64_t>(first + this->kBatch, all_.resumed.size());
      for (uint64_t i = first; i < last; ++i) batch_.push_back(all_.resumed[i]);
      if (!batch_.empty()) return true;
      const Level& level = all_.levels.back();
      const uint64_t begin = all_.next.fetch_add(this->kBatch, std::memory_order_relaxed);
      const uint64_t end = std::min<uint64_t>(begin + this->kBatch, level.size());
      for (uint64_t i = begin; i < end; ++i) batch_.push_back(level.at(i));
      return !batch_.empty();
    }

    // A predecessor of each state is looked for in the level before, by expanding that once more.
    [[nodiscard]] std::vector<State> path_to(State state) {
      std::vector<State> path{state};
      KeyBuffer<W> successors;
      ExpansionFlags flags;
      for (uint64_t number = all_.levels.size() - 1; number-- > 0;) {
        const Level& level = all_.levels[number];
        for (uint64_t i = 0;; ++i) {
          successors.clear();
          const auto using_memo = this->generator_.use_memo();  // not for long: others may wait for the memo to grow
          CHECK(this->generator_.expand(level.at(i), successors, flags));
          if (std::find(successors.begin(), successors.end(), state) == successors.end()) continue;
          state = level.at(i);
          break;
        }
        path.push_back(state);
      }
      std::reverse(path.begin(), path.end());
      return path;
    }

    Shared& all_;
    std::vector<State> batch_;
    States found_;
  };

  template <unsigned V>
  static void take_over(Shared& to, typename BreadthFirstOrder<V>::Shared& from, const Converter<V, W>& convert) {
    for (auto& level : from.levels) {
      Level& copy = to.levels.emplace_back();
      for (auto& part : level.parts) {
        States& states = copy.parts.emplace_back();
        for (uint64_t i = 0; i < part.size(); ++i) states.push_back(convert(part[i]));
        states.finish();
        part = {};
      }
    }
    to.next = from.next.load();
    for (uint64_t i = from.next_resumed; i < from.resumed.size(); ++i) to.resumed.push_back(convert(from.resumed[i]));
    to.parked.take_over(from.parked, convert);
  }

  // A level is at its end when none of its states is parked, so that levels are what they are without a solver.
  // False: it is.
  static bool resume(Shared& all, Worker& worker) {
    all.resumed.clear();
    all.next_resumed = 0;
    while (all.resumed.empty() && !all.parked.empty() && !all.halted) {
      worker.wait_for(all.parked);
      all.resumed = all.parked.take(SIZE_MAX);
    }
    return !all.resumed.empty();
  }
};

// The errors of making the initial state.
void report_first(KeySearchContext& context) {
  context.control.report_errors(context.first, 0, [] { return std::vector<Step>(); });
}

// What was found is to be found again.
void start_again(KeySearchContext& context) {
  context.control.begin_again();
  report_first(context);
  for (uint32_t i = 0; i < context.workers; ++i) context.counts[i].forget();
}

// One layout's search: its set and its workers.
template <unsigned W, template <unsigned> class Order>
class KeySearch {
 public:
  using Shared = typename Order<W>::Shared;
  using Worker = typename Order<W>::Worker;

  explicit KeySearch(KeySearchContext& context) : context_(context), gate_(context.workers), shared_(context, gate_) {
    for (uint32_t i = 0; i < context.workers; ++i) workers_.push_back(std::make_unique<Worker>(shared_, i));
  }
  void start() {
    const Key<W> initial{};
    static_cast<void>(shared_.set.insert(initial));
    workers_.front()->start(initial);
  }
  template <unsigned V>
  void take_over(KeySearch<V, Order>& from, const Layout& old_layout) {
    const Converter<V, W> convert(old_layout, context_.space->layout());
    Order<W>::template take_over<V>(shared_, from.shared_, convert);
    const uint64_t states = from.shared_.set.size();
    // A large set grows as it is filled, while the old one shrinks.
    if (from.set_bytes() <= kReserveBytes) shared_.set.reserve(states);
    std::atomic<size_t> next_partition{0};
    const auto take_share = [&](size_t number) {
      workers_[number]->template assign<V>(*from.workers_[number], convert);
      workers_[number]->take_over_habits(*from.workers_[number]);
      if (number == 0) shared_.memo.take_over(from.shared_.memo, convert);
      for (;;) {
        const size_t partition = next_partition.fetch_add(1, std::memory_order_relaxed);
        if (partition >= KeySet<V>::kPartitions) return;
        take_over_keys<V>(from.shared_.set, partition, convert);
      }
    };
    if (states >= kStatesPerThread * context_.workers) {
      in_threads(context_.workers, take_share);
    } else {
      gate_.reset(1);
      for (size_t number = 0; number < workers_.size(); ++number) take_share(number);
    }
  }

  enum class End : uint8_t { kDone, kRelayout, kToStore };  // done: or stopped
  End run() {
    do {
      run_workers();
    } while (!shared_.halted && next_round());
    if (context_.control.stopped()) return End::kDone;
    CHECK(shared_.halted || shared_.parked.empty());
    if (shared_.to_store) return End::kToStore;
    return shared_.relayout ? End::kRelayout : End::kDone;
  }

  [[nodiscard]] uint64_t states() const { return shared_.set.size(); }
  [[nodiscard]] uint64_t set_bytes() const { return shared_.set.memory_bytes(); }
  [[nodiscard]] uint64_t memo_bytes() const { return shared_.memo.memory_bytes(); }

 private:
  template <unsigned V, template <unsigned> class O>
  friend class KeySearch;

  // From one partition of `from`; others may be taken over at the same time, by threads that the gate knows.
  template <unsigned V>
  void take_over_keys(KeySet<V>& from, size_t partition, const Converter<V, W>& convert) {
    KeySet<W>& set = shared_.set;
    std::array<Key<W>, kInsertBatch> keys;
    std::array<typename KeySet<W>::Probe, kInsertBatch> probes;
    size_t count = 0;
    typename KeySet<W>::Tally tally;
    const auto insert_all = [&] {
      for (size_t i = 0; i < count; ++i) set.insert_new(keys[i], probes[i], tally);
      count = 0;
      if (set.needs_growth()) shared_.grow_set();
      gate_.check();
    };
    from.drain_partition(partition, [&](const Key<V>& words) {
      keys[count] = convert(words);
      probes[count] = set.prefetch(keys[count]);
      if (++count == kInsertBatch) insert_all();
    });
    insert_all();
    set.settle(tally);
  }

  // Runs work(0) to work(threads - 1) at the same time, which the gate can stop. An exception of any of them is
  // thrown here.
  template <class Work>
  void in_threads(uint32_t threads, Work&& work) {
    gate_.reset(threads);
    std::exception_ptr failure;
    const auto run = [&](uint32_t number) {
      std::exception_ptr own;
      try {
        work(number);
      } catch (...) {
        own = std::current_exception();
      }
      gate_.leave();
      if (own) gate_.change([&] { failure = own; });
    };
    std::vector<std::thread> others;
    for (uint32_t number = 1; number < threads; ++number) others.emplace_back(run, number);
    run(0);
    for (std::thread& thread : others) thread.join();
    if (failure) std::rethrow_exception(failure);
  }
  void run_workers() {
    uint32_t active = context_.workers;
    if constexpr (requires { shared_.levels; }) {
      if (shared_.levels.back().size() < kStatesPerThread * context_.workers) active = 1;
    }
    in_threads(active, [&](uint32_t number) { run_worker(number); });
  }
  void run_worker(uint32_t number) {
    try {
      workers_[number]->run();
    } catch (const std::bad_alloc&) {
      context_.control.stop_for_lack_of_memory(shared_.set.size());
      shared_.halt();
    }
    workers_[number]->settle();
  }
  bool next_round() {
    if constexpr (requires { shared_.levels; }) {
      if (Order<W>::resume(shared_, *workers_.front()) || shared_.halted) return true;
      auto& next = shared_.levels.emplace_back();
      for (auto& worker : workers_) {
        worker->found().finish();
        next.parts.push_back(std::move(worker->found()));
        worker->found() = {};
      }
      shared_.next = 0;
      if (next.size() > 0) return true;
      shared_.levels.pop_back();
    }
    return false;
  }

  static constexpr uint64_t kReserveBytes = uint64_t{16} << 20;
  static constexpr size_t kInsertBatch = 64;
  static constexpr uint64_t kStatesPerThread = 1024;  // a level with fewer is not worth starting threads

  KeySearchContext& context_;
  Gate gate_;
  Shared shared_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

struct Totals {
  uint64_t states = 0;
  uint64_t set_bytes = 0;
  bool too_wide = false;
  bool wants_finer = false;  // a finer division of frames: to begin again with
  std::optional<StoreTotals> store;
};

// Beyond memory, from the initial state on.
template <unsigned W>
Totals in_store(KeySearchContext& context) {
  auto search = std::make_unique<StoreSearch<W>>(context, *context.store);
  search->start();
  const StoreTotals totals = run_store_search<W>(context, *context.store, std::move(search));
  return {totals.states, 0, totals.too_wide, false, totals};
}

// Opens the directory of a store and divides the memory that there is for it. `memo_bytes`: of the steps that a
// search in RAM remembered; `taken_bytes`: of what stays. False: the search has been stopped.
bool open_store(KeySearchContext& context, uint64_t states, uint64_t memo_bytes, uint64_t taken_bytes) {
  const uint64_t limit = context.options.memory_limit_bytes;
  uint64_t memory = 0;
  if (limit > 0) {
    // Most steps are known when a search comes here; one that begins here knows none.
    const uint64_t memo = memo_bytes > 0 ? std::clamp(2 * memo_bytes, limit / 32, limit / 16) : limit / 16;
    context.memo_bytes = std::min(context.memo_bytes, memo);
    const uint64_t others = taken_bytes + context.memo_bytes + limit / 20 + kHeapBytes;
    memory = limit > others + kLeastStoreBytes ? limit - others : kLeastStoreBytes;
  }
  const Layout& layout = context.space->layout();
  const Status opened = context.store->open(memory, layout.words(), layout.bits(), states);
  if (!opened.ok()) context.control.stop("store", opened.error());
  return opened.ok();
}

// Runs with keys of W words until all is done; goes on with other widths after re-layouts.
template <unsigned W, template <unsigned> class Order>
Totals run_width(KeySearchContext& context, std::unique_ptr<KeySearch<W, Order>> search) {
  for (;;) {
    const auto end = search->run();
    const auto totals = [&] { return Totals{search->states(), search->set_bytes(), false, false, {}}; };
    if (end == KeySearch<W, Order>::End::kDone) return totals();
    if (end == KeySearch<W, Order>::End::kToStore) {
      const uint64_t kept =
          search->set_bytes() + search->memo_bytes() + context.sum(&KeySearchContext::Counts::open_bytes);
      release_code();
      const uint64_t resident = resident_bytes();
      context.space->make_room();
      if (!open_store(context, search->states(), search->memo_bytes(), resident > kept ? resident - kept : 0))
        return totals();
      context.control.result().states_before_store = search->states();
      search.reset();
      release_freed();
      start_again(context);
      return in_store<W>(context);
    }
    if (context.space->wants_finer(search->states())) return {0, 0, false, true, {}};
    const Layout old_layout = context.space->layout();
    if (!context.space->relayout(search->states())) return {search->states(), search->set_bytes(), true, false, {}};
    const auto go_on = [&]<unsigned V>() {
      auto next = std::make_unique<KeySearch<V, Order>>(context);
      next->template take_over<W>(*search, old_layout);
      search.reset();
      return next;
    };
    if (context.space->layout().words() == W) {
      search = go_on.template operator()<W>();
      continue;
    }
    return with_more_words<W>(context.space->layout().words(), [&]<unsigned V>() {
      return run_width<V, Order>(context, go_on.template operator()<V>());
    });
  }
}

template <template <unsigned> class Order>
Totals run_order(KeySearchContext& context) {
  if (context.options.store.from_start) {
    release_code();
    if (!open_store(context, 0, 0, resident_bytes())) return {};
    return in_store<1>(context);
  }
  auto search = std::make_unique<KeySearch<1, Order>>(context);
  search->start();
  return run_width<1, Order>(context, std::move(search));
}

KeyFigures key_figures(const KeySearchContext& context, const Totals& totals) {
  KeyFigures figures;
  const Layout& layout = context.space->layout();
  for (uint32_t c = 0; c < context.space->component_count(); ++c) {
    const ComponentId component = static_cast<ComponentId>(c);
    const uint32_t contents = context.space->contents(component);
    if (contents == 0) continue;
    figures.components.push_back({context.space->name(component), contents, layout.field(component).width});
  }
  figures.key_bits = layout.bits();
  figures.key_words = layout.words();
  figures.relayouts = context.space->relayouts();
  figures.set_bytes = totals.set_bytes;
  figures.component_bytes = context.space->memory_bytes();
  figures.open_bytes = context.sum(&KeySearchContext::Counts::open_bytes);
  figures.memo_bytes = context.memo_peak_bytes;
  figures.memo_clears = context.memo_clears;
  figures.threads = context.workers;
  for (uint32_t i = 0; i < context.workers; ++i) {
    const MemoFigures& memo = context.counts[i].memo;
    figures.memo_lookups += memo.lookups;
    figures.memo_misses += memo.misses;
  }
  return figures;
}

SearchStatistics statistics(const KeySearchContext& context, const Totals& totals) {
  SearchStatistics statistics;
  statistics.collected = true;
  for (uint32_t i = 0; i < context.workers; ++i) {
    const KeySearchContext::Counts& counts = context.counts[i];
    statistics.single_successor += counts.single_successor;
    statistics.dead_ends += counts.dead_ends;
    statistics.dfs_problems += counts.dfs_problems;
    statistics.dfs_problems_real += counts.dfs_problems_real;
    for (uint32_t control = 0; control < counts.created.size(); ++control) {
      if (counts.created[control] == 0) continue;
      const uint64_t bytes = context.space->state_bytes_of(context.space->control_number(control));
      statistics.state_sizes[static_cast<uint32_t>(bytes)] += counts.created[control];
    }
  }
  if (totals.store) {
    statistics.store = totals.store->figures;
    const uint64_t created = context.sum(&KeySearchContext::Counts::transitions);
    const std::string wrong = check_identities(*statistics.store, totals.states, created);
    if (!wrong.empty() && !totals.store->undecided && !context.control.stopped()) {
      fmt::print(stderr, "cmc: internal error: {}\n", wrong);
      CHECK(wrong.empty());
    }
  }
  return statistics;
}

}  // namespace

std::optional<SearchResult> run_key_search(const Model& model, const GeneratorFactory& make_generator,
                                           const SearchOptions& options, SearchObserver* observer,
                                           std::string* reason, SuccessorGenerator* checker) {
  if (model.hidden_bytes > 0 && reads_hidden_variable(model)) {
    if (reason != nullptr) *reason = "the model reads hidden variables";
    return std::nullopt;
  }
  SearchControl control(model, options, observer);
  KeySearchContext context(model, options, control);
  context.checker = checker;
  if (checker == nullptr) context.workers = std::max(1u, options.threads);
  StorePlan store(options.store, context.workers);
  if (options.store.enabled || options.store.from_start) context.store = &store;
  context.set_options.shared = context.workers > 1;
  if (options.compact_set) {
    context.set_options.load_percent = 92;
    context.set_options.growth_percent = 13;
    context.set_options.small_bytes = uint64_t{1} << 18;
  }
  context.memo_bytes = options.memo_bytes > 0 ? options.memo_bytes : kDefaultMemoBytes;
  context.counts = std::make_unique<KeySearchContext::Counts[]>(context.workers);
  for (uint32_t i = 0; i < context.workers; ++i) {
    context.generators.push_back(make_generator());
    context.counts[i].coverage = std::make_unique<Coverage>(model);
  }

  Totals totals;
  CHECK(checker == nullptr || options.pending_guards == nullptr);
  SuccessorBatch& first = context.first;
  context.generators.front()->initial(first);
  while (pending_question(first) != 0) {
    first.clear();
    control.check({});
    if (control.stopped()) break;
    options.pending_guards->wait(kPendingSeconds);
    context.generators.front()->initial(first);
  }
  context.counts[0].coverage->mark_errors(first);
  report_first(context);
  if (!first.entries.empty() && !control.stopped()) {
    const ByteView initial = first.state(first.entries.front());
    const bool breadth_first = options.order == SearchOptions::Order::kBreadthFirst;
    context.space->set_initial(initial);
    try {
      totals = breadth_first ? run_order<BreadthFirstOrder>(context) : run_order<DepthFirstOrder>(context);
      if (totals.wants_finer) {
        start_again(context);
        context.space = std::make_unique<KeySpace>(model, Components::Division::kFine);
        context.space->set_initial(initial);
        totals = breadth_first ? run_order<BreadthFirstOrder>(context) : run_order<DepthFirstOrder>(context);
      }
    } catch (const std::bad_alloc&) {
      control.stop_for_lack_of_memory(totals.states);
    }
    if (totals.too_wide) {
      if (reason != nullptr) *reason = fmt::format("keys would need more than {} words", kMaxKeyWords);
      return std::nullopt;
    }
  }
  SearchResult& result = control.result();
  for (uint32_t i = 0; i < context.workers; ++i) {
    const KeySearchContext::Counts& counts = context.counts[i];
    result.endless_atomic += counts.endless_atomic;
    result.depth_reached = std::max(result.depth_reached, counts.deepest);
    if (i > 0) context.counts[0].coverage->merge(*counts.coverage);
  }
  result.statistics = statistics(context, totals);
  if (totals.store && store.options.codec == PageCodec::kSha1) {
    const StoreFigures& figures = totals.store->figures;
    const double bound = std::min(1.0, static_cast<double>(figures.lookups) * static_cast<double>(figures.reclaimed) *
                                           std::exp2(-static_cast<double>(store.options.sha1_bits)));
    control.add_reason("lossy",
                       fmt::format("states on disk were told apart by {} bits of their SHA-1: with probability of at "
                                   "most {:.2g} a state was left out",
                                   store.options.sha1_bits, bound));
  }
  result.state_bytes_max = context.space->largest_state_bytes();
  result.locations = context.counts[0].coverage->reached();
  result.keys = key_figures(context, totals);
  return control.finish(totals.states, context.sum(&KeySearchContext::Counts::transitions));
}

}  // namespace cmc
