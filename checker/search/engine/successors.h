#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "checker/keys/step_memo.h"
#include "storage/sets/key.h"

namespace cmc {

// States that a worker knows to be visited because it has seen them recently, in a small direct-mapped table. In a
// model of interleaved processes half of all transitions lead to such states (63 % of the revisits in Peterson 4).
template <unsigned W>
class RecentStates {
 public:
  // The slot of the state, which has it if it is there. The caller overwrites the slot with a state that is visited.
  [[gnu::always_inline, nodiscard]] Key<W>& at(const Key<W>& state) {
    uint64_t place = state[0];
    for (unsigned w = 1; w < W; ++w) place = (place ^ place >> 31) * 0xbf58476d1ce4e5b9ULL + state[w];
    return states_[place * 0x9e3779b97f4a7c15ULL >> (64 - kBits)];
  }

 private:
  static constexpr unsigned kBits = W == 1 ? 12 : 13;
  std::vector<Key<W>> states_ = std::vector<Key<W>>(size_t{1} << kBits, Key<W>{{~uint64_t{0}}});
};

// The successors of a batch of states, without those that this worker has seen recently. A sink
// (KeyGenerator::expand()). kNumbered: each is kept with its number among those of its parent.
template <unsigned W, bool kNumbered = false>
class FreshSuccessors {
 public:
  using State = Key<W>;

  void clear() { size_ = all_ = all_before_ = 0; }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] const State& operator[](size_t index) const { return states_[index]; }
  // Number of its parent in the batch.
  [[nodiscard]] uint8_t parent(size_t index) const { return parents_[index]; }
  // Which successor of its parent it is, from 0, all counted.
  [[nodiscard]] uint32_t number(size_t index) const requires kNumbered { return numbers_[index]; }

  // Who moves: of KeyGenerator::expand_carried(); else undefined.
  [[nodiscard]] uint8_t process(size_t index) const { return processes_[index]; }

  // How many successors the last parent has had so far, all counted.
  [[nodiscard]] uint64_t added() const requires kNumbered { return next_number_; }
  // How many of those since clear() were left out.
  [[nodiscard]] uint64_t left_out() const requires kNumbered { return all_ - size_; }

  // Later additions are successors of this parent.
  void set_parent(size_t number) {
    parent_ = static_cast<uint8_t>(number);
    next_number_ = 0;
    all_before_ = all_;
  }
  // The parent has so many successors more, which nobody asks for.
  void skip(uint64_t count) requires kNumbered { next_number_ += static_cast<uint32_t>(count); }
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
  // The steps of a process.
  [[gnu::always_inline]] void add(const State& from, const Steps<W>& steps, uint32_t pid) {
    const size_t before = size_;
    add(from, steps);
    for (size_t i = before; i < size_; ++i) processes_[i] = static_cast<uint8_t>(pid);
  }
  // Removes the last parent's successors, which were added when there were `size`: they will not become visited.
  void take_back(size_t size) {
    all_ = all_before_;
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
    if constexpr (kNumbered) {
      numbers_[size_] = next_number_;
      next_number_ += exists ? 1 : 0;
      all_ += exists ? 1 : 0;
    }
    size_ += static_cast<size_t>(exists & !known);
  }
  [[gnu::noinline]] void grow(size_t count) {
    const size_t capacity = 2 * capacity_ + count + 64;
    const auto enlarge = [&]<class T>(std::unique_ptr<T[]>& values) {
      auto larger = std::make_unique_for_overwrite<T[]>(capacity);
      std::copy_n(values.get(), size_, larger.get());
      values = std::move(larger);
    };
    enlarge(states_);
    enlarge(parents_);
    enlarge(processes_);
    if constexpr (kNumbered) enlarge(numbers_);
    capacity_ = capacity;
  }

  std::unique_ptr<State[]> states_;
  std::unique_ptr<uint8_t[]> parents_;
  std::unique_ptr<uint8_t[]> processes_;
  std::unique_ptr<uint32_t[]> numbers_;
  size_t size_ = 0;
  size_t capacity_ = 0;
  uint64_t all_ = 0;
  uint64_t all_before_ = 0;  // those of former parents
  uint32_t next_number_ = 0;
  uint8_t parent_ = 0;
  RecentStates<W> recent_;
};

}  // namespace cmc
