#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "checker/search/engine/parked.h"
#include "checker/search/ram/level_stack.h"
#include "checker/search/ram/ram_engine.h"

namespace cmc {

// Shared by the workers: parts of stacks, offered to idle workers.
template <unsigned W>
struct DepthShared : RamShared<W> {
  explicit DepthShared(SearchContext& context_) : RamShared<W>(context_, context_.carries_steps()) {}

  template <unsigned V>
  void take_over(DepthShared<V>& from, const Converter<V, W>& convert) {
    for (auto& part : from.offered) {
      offered.push_back(std::make_unique<LevelStack<W>>());
      offered.back()->take_over(*part, convert);
    }
    parked.take_over(from.parked, [&](const std::vector<Key<V>>& path) {
      std::vector<Key<W>> converted;
      for (const Key<V>& state : path) converted.push_back(convert(state));
      return converted;
    });
  }

  // States that no worker has.
  [[nodiscard]] uint64_t left() const {
    uint64_t states = 0;
    for (const auto& part : offered) states += part->size();
    return states;
  }

  ParkedStates<std::vector<Key<W>>> parked{this->context.options.pending_guards};  // with the paths to them
  Carriers<W> carriers{this->context, this->memo};
  // Under the gate's lock:
  std::deque<std::unique_ptr<LevelStack<W>>> offered;
  uint32_t waiting = 0;
  std::atomic<uint32_t> idle{0};  // waiting workers for whom there is no offer
};

// Rows of a batch at the top of a stack (BatchExpander::expand()).
template <unsigned W>
class RowsOfBatch {
 public:
  RowsOfBatch(LevelStack<W>& stack, size_t most) : stack_(stack), carried_(most) {}

  // Of the batch that the stack has given.
  void begin(size_t count) {
    if (stack_.row_width() != processes() + 1) carried_.resize(stack_.row_width() - 1);
    for (size_t i = 0; i < count; ++i) carried_[i].row = stack_.row(i);
  }
  [[nodiscard]] uint32_t processes() const { return carried_.processes(); }
  [[nodiscard]] CarriedState<W>& operator[](size_t number) { return carried_[number]; }
  // The memo has been cleared so often: if not as often as before, no leaf is there any more.
  void fit(uint64_t clears) {
    if (stack_.forgets_leaves(clears)) [[unlikely]]
      carried_.forget();
  }

 private:
  LevelStack<W>& stack_;
  CarriedBatch<W> carried_;
};

// A worker with its own stack; an idle worker gets a part of another's.
template <unsigned W>
class DepthWorker final : public RamWorker<W> {
 public:
  using State = Key<W>;
  DepthWorker(DepthShared<W>& shared, uint32_t number)
      : RamWorker<W>(shared, number), all_(shared), carries_(shared.memo.keeps_leaves()) {}

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
      } else if (stack_.take(batch_size(), batch_)) {
        level_ = stack_.depth() - 1;
        opened_ = false;
        if (carries_) {
          step_with_rows();
        } else {
          this->step(batch_, *this);
        }
        if (dives_for_ever()) [[unlikely]]
          all_.crew.halt(End::kLookNear);
        if (all_.idle.load(std::memory_order_relaxed) > 0 && !is_diving()) offer_work();
      } else if (!find_work()) {
        return;
      }
    }
  }

  template <unsigned V>
  void assign(DepthWorker<V>& from, const Converter<V, W>& convert) {
    stack_.take_over(from.stack(), convert);
    if (!from.carries()) stop_carrying();
    dives_ = from.dives_;
    dead_ends_ = from.dead_ends_;
    expanded_ = from.expanded_;
    adopt_rows();
  }
  LevelStack<W>& stack() { return stack_; }
  // Of a search that goes on, which dives no more.
  void adopt(LevelStack<W> stack) {
    stack_ = std::move(stack);
    dives_ = false;
    expanded_ = kLongestDive;
  }
  [[nodiscard]] bool carries() const { return carries_; }

  [[nodiscard]] std::optional<State> next_state() const {
    return stack_.empty() ? std::nullopt : std::optional(stack_.top());
  }

  // --- the order (RamWorker::step())

  [[gnu::always_inline]] void put(const State& state, size_t parent, uint8_t process) {
    found_.push_back({state, static_cast<uint8_t>(parent), process});
  }
  // The last one that is pushed is expanded first. That is to be the first successor of the first state: a step of
  // the last process, as in SPIN's verifier, which models and users expect to find errors soon.
  void put_is_over() {
    if (found_.empty()) return;
    if (!opened_) stack_.open_level();
    opened_ = true;
    if (carries_) {
      push_with_rows();
    } else {
      for (size_t i = found_.size(); i-- > 0;) stack_.push(found_[i].state, found_[i].parent);
    }
    found_.clear();
  }
  void park(size_t number, uint32_t question) {
    std::vector<State> path = path_to(number);
    const uint64_t bytes = path.size() * sizeof(State);
    all_.parked.park(question, std::move(path), bytes);
  }
  [[nodiscard]] std::vector<State> path_to(size_t number) const { return stack_.path_to(level_, number); }
  void done(size_t count) {
    if (count < batch_.size()) stack_.cut_batch(level_, count);
    if (!opened_) stack_.finish_batch();
    if (count > 0) this->counts_.note_depth(level_);
    expanded_ += count;
    if (count > 0 && !opened_) dives_ = dives_ && ++dead_ends_ * kStatesPerDeadEnd <= expanded_;
  }

 private:
  template <unsigned V>
  friend class DepthWorker;

  void on_part_of_batch() override { this->insert_part(*this); }

  // A dive (SearchContext::look_near) takes batches of one state, and others are small as long as there are few
  // states: a batch of 64 takes as many paths at the same time (of a hundred processes with three steps each, 537,000
  // states before the first end). Meanwhile nothing is given away, since others would take other paths (a log in a
  // ring: 1.5 CPU s, not 0.5).
  [[nodiscard]] bool is_diving() const { return dives_ && expanded_ < kLongestDive; }
  [[nodiscard]] bool dives_for_ever() const { return dives_ && !is_diving() && this->context_.look_near != nullptr; }
  [[nodiscard]] size_t batch_size() const {
    if (is_diving()) return 1;
    return std::min<uint64_t>(this->kBatch, 1 + expanded_ / kStatesPerBatched);
  }

  // --- what is carried to new states

  void step_with_rows() {
    const uint64_t before = expanded_;
    if (stack_.row_width() == 0) [[unlikely]]
      stack_.set_row_width(row_width_for(batch_.front()));
    rows_.begin(batch_.size());
    this->step(batch_, *this, rows_);
    if (const uint32_t most = this->generator_.most_processes();
        most > rows_.processes() && rows_.processes() < carried_row::kMostProcesses) [[unlikely]] {
      stack_.set_row_width(std::min(std::max(most, 2 * rows_.processes()), carried_row::kMostProcesses) + 1);
    }
    if (!trial_.pays(expanded_ - before, this->generator_.figures())) stop_carrying();
  }
  [[nodiscard]] uint32_t row_width_for(const State& state) {
    return 1 + std::clamp(this->generator_.process_count(state), uint32_t{1}, carried_row::kMostProcesses);
  }
  void push_with_rows() {
    const auto using_memo = this->generator_.use_memo();
    rows_.fit(this->memo_.clears());
    for (size_t i = found_.size(); i-- > 0;) {
      const Found& found = found_[i];
      uint32_t* const row = stack_.push_with_row(found.state, found.parent);
      this->generator_.write_row(rows_[found.parent], found.process, batch_[found.parent] ^ found.state, row,
                                 rows_.processes());
    }
  }
  void stop_carrying() {
    if (!carries_) return;
    carries_ = false;
    stack_.set_row_width(0);
    all_.carriers.stop();
  }
  // Of a stack that another worker had, or another layout.
  void adopt_rows() {
    if (!carries_) stack_.set_row_width(0);
  }

  [[nodiscard]] uint64_t open_states() const override {
    return stack_.size() + (this->number_ == 0 ? all_.parked.size() : 0);
  }
  [[nodiscard]] uint64_t open_bytes() const override {
    return stack_.memory_bytes() + (this->number_ == 0 ? all_.parked.bytes() : 0);
  }
  [[nodiscard]] uint64_t depth() const override { return level_; }

  // Continues with parked states as soon as they are ready, because their successors may raise the next questions.
  // The worker offers its own stack to the others.
  void resume() {
    if (!stack_.empty() && !leave_work()) return;
    const auto paths =
        all_.parked.take(this->kBatch, [](const auto& a, const auto& b) { return a.size() == b.size(); });
    if (!paths.empty()) stack_.start(paths);
  }
  // False: too many parts are offered already.
  bool leave_work() {
    bool left = false;
    all_.crew.gate().change([&] {
      left = all_.offered.size() < kMostOffered || all_.parked.full();
      if (!left) return;
      all_.offered.push_back(std::make_unique<LevelStack<W>>(std::exchange(stack_, {})));
      count_idle();
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
        adopt_rows();
        return true;
      }
      if (!only_parked) return false;
      while (!this->halted() && !all_.parked.some_ready()) this->wait_for(all_.parked);
      resume();
      if (!stack_.empty()) return true;
    }
  }
  // Rests until there is work: `found`, or, for a single worker, `only_parked` (it waits for parked states). Neither:
  // the search is over.
  void rest(std::unique_ptr<LevelStack<W>>& found, bool& only_parked) {
    all_.crew.gate().rest(
        [&] {
          ++all_.waiting;
          count_idle();
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
          count_idle();
          return true;
        });
  }
  void offer_work() {
    auto part = std::make_unique<LevelStack<W>>();
    if (!stack_.split(*part)) return;
    all_.crew.gate().change([&] {
      all_.offered.push_back(std::move(part));
      count_idle();
    });
  }
  void count_idle() {
    const size_t offers = std::min<size_t>(all_.offered.size(), all_.waiting);
    all_.idle.store(all_.waiting - static_cast<uint32_t>(offers), std::memory_order_relaxed);
  }

  static constexpr size_t kMostOffered = 64;  // 60 KB each, at least

  static constexpr uint64_t kLongestDive = uint64_t{1} << 18;  // states
  static constexpr uint64_t kStatesPerDeadEnd = 256;           // of a dive, at least
  static constexpr uint64_t kStatesPerBatched = 512;

  DepthShared<W>& all_;
  LevelStack<W> stack_;
  bool carries_;  // the stack has rows
  RowsOfBatch<W> rows_{stack_, BatchExpander<W>::kBatch};
  CarryingTrial trial_{this->counts_};
  std::vector<State> batch_;
  struct Found {
    State state{};
    uint8_t parent = 0;
    uint8_t process = 0;
  };
  std::vector<Found> found_;  // of the batch, in the order of its successors
  bool dives_ = true;         // nearly nothing has been met but new states
  uint64_t dead_ends_ = 0;    // states without a new successor, while it dives
  uint64_t expanded_ = 0;     // states
  uint64_t level_ = 0;        // of the batch
  bool opened_ = false;       // a level for the batch's new successors
};

// Depth-first search in RAM.
template <unsigned W>
class RamDepth : public RamEngine<W, DepthShared, DepthWorker> {
 public:
  using RamEngine<W, DepthShared, DepthWorker>::RamEngine;

  End run() {
    this->shared_.crew.begin();
    this->shared_.waiting = this->shared_.idle = 0;
    this->explore(this->context_.workers);
    return this->shared_.crew.end();
  }

 protected:
  [[nodiscard]] const char* name() const override { return kDepthEngine; }
  // Stacks, then parked states with their paths.
  void save_open(OutStream& to) override {
    const auto& offered = this->shared_.offered;
    to.number(this->workers_.size() + offered.size());
    for (const auto& worker : this->workers_) worker->stack().save(to);
    for (const auto& part : offered) part->save(to);
    to.number(this->shared_.parked.size());
    this->shared_.parked.visit([&](const std::vector<Key<W>>& path) {
      to.number(path.size());
      for (const Key<W>& state : path) save_key(to, state);
    });
  }
  void load_open(InStream& from) override {
    size_t next = 0;
    for (uint64_t left = from.number(); left > 0 && from.ok(); --left) {
      LevelStack<W> stack;
      stack.load(from);
      if (stack.empty()) continue;
      if (next < this->workers_.size()) {
        this->workers_[next++]->adopt(std::move(stack));
      } else {
        this->shared_.offered.push_back(std::make_unique<LevelStack<W>>(std::move(stack)));
      }
    }
    for (uint64_t left = from.number(); left > 0 && from.ok(); --left) {
      std::vector<Key<W>> path;
      for (uint64_t steps = from.number(); steps > 0 && from.ok(); --steps) path.push_back(load_key<W>(from));
      const uint64_t bytes = path.size() * sizeof(Key<W>);
      this->shared_.parked.add_ready(std::move(path), bytes);
    }
  }
};

}  // namespace cmc
