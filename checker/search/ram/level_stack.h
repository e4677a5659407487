#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "checker/keys/carried_steps.h"
#include "checker/search/engine/checkpoint.h"
#include "storage/sets/chunked_array.h"
#include "storage/sets/key.h"

namespace cmc {

// Where the states of a level of a LevelStack are, by number.
struct StackLevel {
  uint64_t begin = 0;
  uint64_t batch = 0;  // begin of the part that is being expanded, or was last
  uint64_t end = 0;
};

// Rows of as many numbers each, beside the states of a LevelStack. A row stays where it is.
class RowStack {
 public:
  explicit RowStack(uint32_t width = 0) : width_(width) {}

  [[nodiscard]] uint32_t width() const { return width_; }
  [[nodiscard]] uint64_t memory_bytes() const { return chunks_.size() * kRows * width_ * sizeof(uint32_t); }
  // REQUIRES: width() > 0.
  [[nodiscard, gnu::always_inline]] uint32_t* operator[](uint64_t index) const {
    return chunks_[index / kRows].get() + index % kRows * width_;
  }
  // Its numbers are to be written. REQUIRES: width() > 0.
  [[gnu::always_inline]] uint32_t* push() {
    if (size_ == chunks_.size() * kRows) [[unlikely]]
      chunks_.push_back(std::make_unique_for_overwrite<uint32_t[]>(kRows * width_));
    return (*this)[size_++];
  }
  void shrink(uint64_t size) {
    size_ = std::min(size_, size);
    while (chunks_.size() * kRows >= size_ + 2 * kRows) chunks_.pop_back();
  }
  // Of `size` rows those numbers stay that are there in both widths; the others are 0.
  void change_width(uint32_t width, uint64_t size) {
    RowStack other(width);
    for (uint64_t i = 0; i < size && width > 0; ++i) {
      uint32_t* const row = other.push();
      const uint32_t common = std::min(width, width_);
      if (common > 0) std::copy_n((*this)[i], common, row);
      std::fill_n(row + common, width - common, 0);
    }
    *this = std::move(other);
  }
  void forget_leaves() {
    for (uint64_t i = 0; i < size_ && width_ > 0; ++i) carried_row::forget_leaves((*this)[i], width_ - 1);
  }

 private:
  static constexpr uint64_t kRows = 4096;

  uint32_t width_;
  uint64_t size_ = 0;
  std::vector<std::unique_ptr<uint32_t[]>> chunks_;
};

// The open states of a depth-first worker, as levels. The last part of each level is its batch, which is being
// expanded; the level above holds successors of that batch. So the stack contains the path to every open state, with
// a batch of states per level instead of a single one, and whole batches are expanded at once.
//
// States of a batch that lead to nothing new, or only to states of which the same is true, are on no path to an open
// state. Whenever the stack has doubled, it forgets them, in time proportional to its size: at the depth of 36,798
// that Peterson's algorithm for four reaches, that leaves 1.4 million states (12 MB), almost all of them open, of 2.3
// million.
template <unsigned W>
class LevelStack {
 public:
  using State = Key<W>;
  using Level = StackLevel;

  // Aborts unless the levels lie one behind the other, each with its batch at its end. Takes time in proportion to
  // the number of levels.
  void check_invariants() const {
    CHECK(states_.size() == parents_.size());
    uint64_t begin = 0;
    for (uint64_t i = 0; i < levels_.size(); ++i) {
      const Level& level = levels_[i];
      CHECK(begin <= level.begin && level.begin <= level.batch && level.batch <= level.end);
      begin = level.end;
    }
    CHECK(begin == states_.size());
  }

  [[nodiscard]] bool empty() const { return levels_.empty(); }
  // The state that is taken next, if the top level has one. REQUIRES: not empty().
  [[nodiscard]] const State& top() const { return states_[states_.size() - 1]; }
  [[nodiscard]] uint64_t depth() const { return levels_.size(); }
  [[nodiscard]] uint64_t size() const { return states_.size(); }
  [[nodiscard]] uint64_t memory_bytes() const {
    return states_.memory_bytes() + parents_.memory_bytes() + rows_.memory_bytes() + levels_.memory_bytes();
  }

  // Numbers in the row beside each state; 0: there are no rows. New ones are 0.
  [[nodiscard]] uint32_t row_width() const { return rows_.width(); }
  void set_row_width(uint32_t width) { rows_.change_width(width, size()); }
  // Of number `index` of the batch of the top level.
  [[nodiscard]] uint32_t* row(size_t index) const { return rows_[levels_.back().end - 1 - index]; }
  // The memo whose leaves rows name has been cleared so often. If not as often as when they were written, rows name
  // no leaf any more, and the answer is true.
  bool forgets_leaves(uint64_t clears) {
    if (clears == row_clears_) [[likely]]
      return false;
    rows_.forget_leaves();
    row_clears_ = clears;
    return true;
  }

  // Opens a new top level, onto which states are pushed.
  void open_level() {
    first_shared_ = std::min(first_shared_, levels_.size());
    levels_.push_back({states_.size(), states_.size(), states_.size()});
  }
  [[gnu::always_inline]] void push(const State& state, size_t parent) {
    push_state(state, parent);
    if (rows_.width() > 0) [[unlikely]]
      std::fill_n(rows_.push(), rows_.width(), 0);
  }
  // The same; returns the state's row, to be written. REQUIRES: row_width() > 0.
  [[gnu::always_inline]] uint32_t* push_with_row(const State& state, size_t parent) {
    push_state(state, parent);
    return rows_.push();
  }

  // Starts with the states at the ends of these paths from the initial state, which have equal lengths. REQUIRES:
  // empty(); no more than a batch.
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
    if (states_.size() >= forget_at_) [[unlikely]]
      forget();
    Level& top = levels_.back();
    top.batch = top.end - std::min<uint64_t>(most, top.end - top.begin);
    batch.clear();
    for (uint64_t i = top.end; i-- > top.batch;) batch.push_back(states_[i]);
    return true;
  }
  // Only the first `count` states of the level's batch were expanded: the others stay open.
  void cut_batch(uint64_t level, size_t count) {
    DCHECK(level < levels_.size() && levels_[level].end - levels_[level].batch >= count);
    levels_[level].batch = levels_[level].end - count;
    first_shared_ = std::min(first_shared_, level);
  }
  // The batch of the top level led to nothing new.
  void finish_batch() {
    Level& top = levels_.back();
    top.end = top.batch;
    shrink(top.end);
  }

  // The states from the initial one to number `index` of the batch of level `level`.
  [[nodiscard]] std::vector<State> path_to(uint64_t level, size_t index) const {
    std::vector<State> path;
    for (;;) {
      DCHECK(index < levels_[level].end - levels_[level].batch);
      const uint64_t at = levels_[level].end - 1 - index;
      path.push_back(states_[at]);
      if (level == 0) break;
      index = parents_[at];
      --level;
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  // Gives away half of the waiting states of the lowest level that has some, with the paths to them, and of the
  // levels above it, until what is given is worth what is copied. False: there is nothing to give. REQUIRES: `other`
  // is empty.
  bool split(LevelStack& other) {
    while (first_shared_ < levels_.size() && waiting(first_shared_) == 0) ++first_shared_;
    if (first_shared_ + 1 >= levels_.size() && (levels_.empty() || waiting(levels_.size() - 1) < 2)) return false;
    other.set_row_width(row_width());
    other.row_clears_ = row_clears_;
    uint64_t seen = 1;   // the first odd one is given
    uint64_t given = 0;  // half of those
    for (uint64_t number = 0; number < levels_.size(); ++number) {
      Level& level = levels_[number];
      seen += waiting(number);
      const uint64_t gives = seen / 2 - given;
      other.open_level();
      for (uint64_t i = 0; i < gives; ++i) copy_to(other, level.begin + i);
      level.begin += gives;
      given += gives;
      if (given * kCopiedForGiven > other.size() || number + 1 == levels_.size()) break;
      other.levels_.back().batch = other.size();
      for (uint64_t i = level.batch; i < level.end; ++i) copy_to(other, i);
    }
    return true;
  }

  // Without what is in rows.
  void save(OutStream& to) const {
    to.number(levels_.size());
    for (uint64_t i = 0; i < levels_.size(); ++i) {
      // Of the top level all states are open, whatever its batch was before a part was given away.
      const Level& level = levels_[i];
      const uint64_t batch = i + 1 == levels_.size() ? level.end : level.batch;
      for (const uint64_t number : {level.begin, batch, level.end}) to.number(number);
    }
    for (uint64_t i = 0; i < states_.size(); ++i) {
      to.number(parents_[i]);
      save_key(to, states_[i]);
    }
  }
  // REQUIRES: empty().
  void load(InStream& from) {
    uint64_t size = 0;
    for (uint64_t left = from.number(); left > 0 && from.ok(); --left) {
      Level level;
      for (uint64_t* const number : {&level.begin, &level.batch, &level.end}) *number = from.number();
      if (level.begin < size || level.batch < level.begin || level.end < level.batch) from.fail();
      size = level.end;
      levels_.push_back(level);
    }
    for (uint64_t i = 0; i < size && from.ok(); ++i) {
      parents_.push_back(static_cast<uint8_t>(from.number_up_to(kNeeded - 1)));
      states_.push_back(load_key<W>(from));
    }
  }

  // Takes over what is in `from`, converting each state, and empties it on the way: the stack may be most of what is
  // in memory. REQUIRES: empty().
  template <unsigned V, class Convert>
  void take_over(LevelStack<V>& from, Convert&& convert) {
    from.states_.drain([&](const Key<V>& state) { states_.push_back(convert(state)); });
    parents_ = std::exchange(from.parents_, {});
    rows_ = std::exchange(from.rows_, RowStack());
    rows_.forget_leaves();  // the memo is another one
    levels_ = std::exchange(from.levels_, {});
  }

 private:
  template <unsigned V>
  friend class LevelStack;

  static constexpr uint8_t kNeeded = 0x80;               // in parents_, during forget()
  static constexpr uint64_t kSmall = uint64_t{1} << 14;  // states
  static constexpr uint64_t kCopiedForGiven = 8;         // states, on the way to one that is given away

  using Numbers = std::array<uint8_t, kNeeded>;

  // How many states of a level wait: of the top level all.
  [[nodiscard]] uint64_t waiting(uint64_t number) const {
    const Level& level = levels_[number];
    return (number + 1 == levels_.size() ? level.end : level.batch) - level.begin;
  }
  void shrink(uint64_t size) {
    states_.shrink(size);
    parents_.shrink(size);
    rows_.shrink(size);
  }
  [[gnu::always_inline]] void push_state(const State& state, size_t parent) {
    DCHECK(!levels_.empty() && parent < kNeeded);
    states_.push_back(state);
    parents_.push_back(static_cast<uint8_t>(parent));
    levels_.back().end = states_.size();
  }
  void copy_to(LevelStack& other, uint64_t i) const {
    if (rows_.width() == 0) return other.push(states_[i], parents_[i]);
    std::copy_n(rows_[i], rows_.width(), other.push_with_row(states_[i], parents_[i]));
  }

  // Removes the expanded states that no open state descends from. REQUIRES: no batch is being expanded, so that all
  // states of the top level are open.
  void forget() {
    levels_.back().batch = levels_.back().end;
    mark_needed();
    Numbers numbers{};  // new ones, of the batch of the level below
    uint64_t size = 0;
    for (uint64_t i = 0; i < levels_.size(); ++i) size = move_needed(levels_[i], size, numbers);
    shrink(size);
    forget_at_ = std::max(kSmall, 2 * size);
  }
  // Open states are needed, and the parents of states that are.
  void mark_needed() {
    for (uint64_t i = levels_.size(); i-- > 0;) {
      const Level& level = levels_[i];
      for (uint64_t at = level.begin; at < level.batch; ++at) parents_[at] |= kNeeded;
      if (i == 0) break;
      for (uint64_t at = level.begin; at < level.end; ++at) {
        if ((parents_[at] & kNeeded) == 0) continue;
        parents_[levels_[i - 1].end - 1 - (parents_[at] & ~kNeeded)] |= kNeeded;
      }
    }
  }
  // Moves a level to `to`, without the states that are not needed. `numbers`: of the batch of the level below, then
  // of its own. Returns the level's new end.
  uint64_t move_needed(Level& level, uint64_t to, Numbers& numbers) {
    const Level before = std::exchange(level, {to, to + (level.batch - level.begin), 0});
    Numbers own{};
    for (uint64_t at = before.begin; at < before.end; ++at) {
      if ((parents_[at] & kNeeded) == 0) continue;
      states_[to] = states_[at];
      if (rows_.width() > 0 && to != at) std::copy_n(rows_[at], rows_.width(), rows_[to]);
      parents_[to] = numbers[parents_[at] & ~kNeeded];
      if (at >= before.batch) own[before.end - 1 - at] = static_cast<uint8_t>(to);
      ++to;
    }
    level.end = to;
    for (uint8_t& number : own) number = static_cast<uint8_t>(level.end - 1 - number);
    numbers = own;
    return to;
  }

  ChunkedArray<State, 12> states_;
  ChunkedArray<uint8_t, 12> parents_;
  RowStack rows_;
  uint64_t row_clears_ = 0;
  ChunkedArray<Level, 10> levels_;
  uint64_t forget_at_ = kSmall;  // size of states_
  uint64_t first_shared_ = 0;    // levels below have nothing to give away: what waits in a level only becomes less
};

}  // namespace cmc
