#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <utility>
#include <vector>

#include "checker/search/engine/parked.h"
#include "checker/search/ram/ram_engine.h"
#include "storage/sets/chunked_array.h"

namespace cmc {

// Those that one worker found. Chunks are small: there may be a million levels of one state each.
template <unsigned W>
using StatesOfLevel = ChunkedArray<Key<W>, 12>;

// The states of one level.
template <unsigned W>
struct Level {
  std::vector<StatesOfLevel<W>> parts;  // not empty ones, of several workers

  [[nodiscard]] uint64_t memory_bytes() const {
    constexpr uint64_t kOfHeap = 64;  // a block for the chunks and one for their addresses
    uint64_t bytes = sizeof(*this);
    for (const StatesOfLevel<W>& part : parts) bytes += part.memory_bytes() + sizeof(part) + kOfHeap;
    return bytes;
  }
  [[nodiscard]] uint64_t size() const {
    uint64_t total = 0;
    for (const StatesOfLevel<W>& part : parts) total += part.size();
    return total;
  }
  [[nodiscard]] const Key<W>& at(uint64_t index) const {
    for (const StatesOfLevel<W>& part : parts) {
      if (index < part.size()) return part[index];
      index -= part.size();
    }
    CHECK(false);
    return parts.front()[0];
  }
};

// All levels are kept for the paths, with W words per state.
template <unsigned W>
struct LevelsShared : RamShared<W> {
  using RamShared<W>::RamShared;

  template <unsigned V>
  void take_over(LevelsShared<V>& from, const Converter<V, W>& convert) {
    for (auto& level : from.levels) {
      Level<W>& copy = levels.emplace_back();
      for (auto& part : level.parts) {
        StatesOfLevel<W>& states = copy.parts.emplace_back();
        part.drain([&](const Key<V>& state) { states.push_back(convert(state)); });
        states.finish();
      }
      level_bytes += copy.memory_bytes();
    }
    next = from.next.load();
    for (uint64_t i = from.next_resumed; i < from.resumed.size(); ++i) resumed.push_back(convert(from.resumed[i]));
    parked.take_over(from.parked, convert);
  }

  [[nodiscard]] uint64_t left() const { return resumed.size() - std::min<uint64_t>(resumed.size(), next_resumed); }

  std::deque<Level<W>> levels;                                        // the last one is being expanded
  uint64_t level_bytes = 0;                                           // of all of them
  std::atomic<uint64_t> next{0};                                      // state of that level to be taken next
  ParkedStates<Key<W>> parked{this->context.options.pending_guards};  // of that level
  std::vector<Key<W>> resumed;                                        // formerly parked states, to be expanded now
  std::atomic<uint64_t> next_resumed{0};
};

template <unsigned W>
class LevelsWorker final : public RamWorker<W> {
 public:
  using State = Key<W>;
  using States = StatesOfLevel<W>;
  LevelsWorker(LevelsShared<W>& shared, uint32_t number) : RamWorker<W>(shared, number), all_(shared) {}

  void start(const State& initial) {
    all_.levels.emplace_back().parts.resize(1);
    all_.levels.back().parts.front().push_back(initial);
  }

  void run() {
    while (!this->halted()) {
      if (batch_.empty() && !take()) return;
      this->step(batch_, *this);
    }
  }

  template <unsigned V>
  void assign(LevelsWorker<V>& from, const Converter<V, W>& convert) {
    for (const Key<V>& state : from.batch()) batch_.push_back(convert(state));
    from.found().drain([&](const Key<V>& state) { found_.push_back(convert(state)); });
  }
  std::vector<State>& batch() { return batch_; }
  States& found() { return found_; }

  [[nodiscard]] std::optional<State> next_state() const {
    return batch_.empty() ? std::nullopt : std::optional(batch_.front());
  }

  // --- the order (RamWorker::step())

  [[gnu::always_inline]] void put(const State& state, size_t, uint8_t) { found_.push_back(state); }
  void put_is_over() {}
  void park(size_t number, uint32_t question) { all_.parked.park(question, batch_[number], 2 * sizeof(State)); }
  // Finds a predecessor of each state by expanding the level before it once more.
  [[nodiscard]] std::vector<State> path_to(size_t number) {
    State state = batch_[number];
    std::vector<State> path{state};
    KeyBuffer<W> successors;
    for (uint64_t before = all_.levels.size() - 1; before-- > 0;) {
      const Level<W>& level = all_.levels[before];
      for (uint64_t i = 0;; ++i) {
        this->expand_whole(level.at(i), successors);
        if (std::find(successors.begin(), successors.end(), state) != successors.end()) {
          state = level.at(i);
          break;
        }
      }
      path.push_back(state);
    }
    std::reverse(path.begin(), path.end());
    return path;
  }
  void done(size_t count) {
    batch_.erase(batch_.begin(), batch_.begin() + static_cast<ptrdiff_t>(count));
    if (count > 0) this->counts_.note_depth(all_.levels.size() - 1);
  }

 private:
  void on_part_of_batch() override { this->insert_part(*this); }
  [[nodiscard]] uint64_t open_states() const override {
    const uint64_t own = found_.size() + batch_.size();
    if (this->number_ > 0) return own;
    const uint64_t level = all_.levels.back().size();
    return own + all_.parked.size() + level - std::min(level, all_.next.load(std::memory_order_relaxed));
  }
  [[nodiscard]] uint64_t open_bytes() const override {
    uint64_t bytes = found_.memory_bytes();
    if (this->number_ > 0) return bytes;
    return bytes + all_.parked.bytes() + all_.level_bytes;
  }
  [[nodiscard]] uint64_t depth() const override { return all_.levels.size() - 1; }

  bool take() {
    const uint64_t first = all_.next_resumed.fetch_add(this->kBatch, std::memory_order_relaxed);
    const uint64_t last = std::min<uint64_t>(first + this->kBatch, all_.resumed.size());
    for (uint64_t i = first; i < last; ++i) batch_.push_back(all_.resumed[i]);
    if (!batch_.empty()) return true;
    const Level<W>& level = all_.levels.back();
    const uint64_t begin = all_.next.fetch_add(this->kBatch, std::memory_order_relaxed);
    const uint64_t end = std::min<uint64_t>(begin + this->kBatch, level.size());
    for (uint64_t i = begin; i < end; ++i) batch_.push_back(level.at(i));
    return !batch_.empty();
  }

  LevelsShared<W>& all_;
  std::vector<State> batch_;
  States found_;
};

// Breadth-first search in RAM, level by level.
template <unsigned W>
class RamLevels : public RamEngine<W, LevelsShared, LevelsWorker> {
 public:
  using RamEngine<W, LevelsShared, LevelsWorker>::RamEngine;

  End run() {
    shared_.crew.begin();
    do {
      const bool narrow = shared_.levels.back().size() < this->kStatesPerThread * this->context_.workers;
      this->explore(narrow ? 1 : this->context_.workers);
    } while (!shared_.crew.halted() && (resume_parked() || next_level()));
    return shared_.crew.end();
  }

 private:
  using RamEngine<W, LevelsShared, LevelsWorker>::shared_;

  [[nodiscard]] const char* name() const override { return kLevelsEngine; }
  // The levels, of which the last one is being expanded; its states that are not; the states of the next one.
  void save_open(OutStream& to) override {
    to.number(shared_.levels.size());
    for (const Level<W>& level : shared_.levels) {
      to.number(level.parts.size());
      for (const StatesOfLevel<W>& part : level.parts) save_pieces<W>(to, part);
    }
    const Level<W>& last = shared_.levels.back();
    std::vector<Key<W>> open;
    for (uint64_t i = shared_.next; i < last.size(); ++i) open.push_back(last.at(i));
    for (uint64_t i = shared_.next_resumed; i < shared_.resumed.size(); ++i) open.push_back(shared_.resumed[i]);
    for (const auto& worker : this->workers_) open.insert(open.end(), worker->batch().begin(), worker->batch().end());
    shared_.parked.visit([&](const Key<W>& state) { open.push_back(state); });
    save_pieces<W>(to, open);
    to.number(this->workers_.size());
    for (const auto& worker : this->workers_) save_pieces<W>(to, worker->found());
  }
  void load_open(InStream& from) override {
    for (uint64_t left = from.number(); left > 0 && from.ok(); --left) {
      Level<W>& level = shared_.levels.emplace_back();
      for (uint64_t parts = from.number(); parts > 0 && from.ok(); --parts) {
        StatesOfLevel<W>& part = level.parts.emplace_back();
        load_pieces<W>(from, [&](const Key<W>& key) { part.push_back(key); });
        part.finish();
      }
      shared_.level_bytes += level.memory_bytes();
    }
    if (shared_.levels.empty()) return from.fail();
    shared_.next = shared_.levels.back().size();
    load_pieces<W>(from, [&](const Key<W>& key) { shared_.resumed.push_back(key); });
    for (uint64_t parts = from.number(); parts > 0 && from.ok(); --parts)
      load_pieces<W>(from, [&](const Key<W>& key) { this->workers_.front()->found().push_back(key); });
  }
  // A level ends only when none of its states is parked, so the levels are the same as without a solver. False: the
  // level is at its end.
  bool resume_parked() {
    shared_.crew.gate().reset(1);  // the workers have left it: a pause is this thread's alone
    shared_.resumed.clear();
    shared_.next_resumed = 0;
    while (shared_.resumed.empty() && !shared_.parked.empty() && !shared_.crew.halted()) {
      this->workers_.front()->wait_for(shared_.parked);
      shared_.resumed = shared_.parked.take(SIZE_MAX);
    }
    return !shared_.resumed.empty() || shared_.crew.halted();
  }
  bool next_level() {
    Level<W>& next = shared_.levels.emplace_back();
    for (auto& worker : this->workers_) {
      if (worker->found().empty()) continue;
      worker->found().finish();
      next.parts.push_back(std::exchange(worker->found(), {}));
    }
    if (next.parts.empty()) {
      shared_.levels.pop_back();
      return false;
    }
    shared_.next = 0;
    for (uint32_t i = 0; i < this->context_.workers; ++i) this->context_.counts[i].open_states = 0;
    shared_.level_bytes += next.memory_bytes();
    return true;
  }
};

}  // namespace cmc
