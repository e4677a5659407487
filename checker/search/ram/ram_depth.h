#pragma once

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "checker/search/engine/parked.h"
#include "checker/search/ram/level_stack.h"
#include "checker/search/ram/ram_engine.h"

namespace cmc {

// Shared by the workers: parts of stacks, offered to idle workers.
template <unsigned W>
struct DepthShared : RamShared<W> {
  using RamShared<W>::RamShared;

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
  // Under the gate's lock:
  std::deque<std::unique_ptr<LevelStack<W>>> offered;
  uint32_t waiting = 0;
  std::atomic<uint32_t> idle{0};  // waiting workers for whom there is no offer
};

// A worker with its own stack; an idle worker gets a part of another's.
template <unsigned W>
class DepthWorker final : public RamWorker<W> {
 public:
  using State = Key<W>;
  DepthWorker(DepthShared<W>& shared, uint32_t number) : RamWorker<W>(shared, number), all_(shared) {}

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
      } else if (stack_.take(this->kBatch, batch_)) {
        level_ = stack_.depth() - 1;
        opened_ = false;
        this->step(batch_, *this);
        if (all_.idle.load(std::memory_order_relaxed) > 0) offer_work();
      } else if (!find_work()) {
        return;
      }
    }
  }

  template <unsigned V>
  void assign(DepthWorker<V>& from, const Converter<V, W>& convert) {
    stack_.take_over(from.stack(), convert);
  }
  LevelStack<W>& stack() { return stack_; }

  // --- the order (RamWorker::step())

  [[gnu::always_inline]] void put(const State& state, size_t parent) {
    found_.push_back({state, static_cast<uint8_t>(parent)});
  }
  // The last one that is pushed is expanded first. That is to be the first successor of the first state: a step of
  // the last process, as in SPIN's verifier, which models and users expect to find errors soon.
  void put_is_over() {
    if (found_.empty()) return;
    if (!opened_) stack_.open_level();
    opened_ = true;
    for (size_t i = found_.size(); i-- > 0;) stack_.push(found_[i].state, found_[i].parent);
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
  }

 private:
  void on_part_of_batch() override { this->insert_part(*this); }
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

  DepthShared<W>& all_;
  LevelStack<W> stack_;
  std::vector<State> batch_;
  struct Found {
    State state{};
    uint8_t parent = 0;
  };
  std::vector<Found> found_;  // of the batch, in the order of its successors
  uint64_t level_ = 0;        // of the batch
  bool opened_ = false;       // a level for the batch's new successors
};

// Depth-first search in RAM.
template <unsigned W>
class RamDepth : public RamEngine<W, DepthShared, DepthWorker> {
 public:
  using RamEngine<W, DepthShared, DepthWorker>::RamEngine;

  End run() {
    this->explore(this->context_.workers);
    return this->shared_.crew.end();
  }
};

}  // namespace cmc
