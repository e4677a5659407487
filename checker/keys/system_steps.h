#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "checker/keys/steps.h"

// Where a KeyGenerator puts steps together.

namespace cmc {

// Keys that are appended many at a time; the memory is kept. A sink for successors (KeyGenerator::expand()): it takes
// all.
template <unsigned W>
class KeyBuffer {
 public:
  void clear() { end_ = keys_.get(); }
  [[nodiscard]] size_t size() const { return static_cast<size_t>(end_ - keys_.get()); }
  [[nodiscard]] const Key<W>& operator[](size_t index) const { return keys_[index]; }
  [[nodiscard]] Key<W>* begin() { return keys_.get(); }
  [[nodiscard]] Key<W>* end() { return end_; }
  [[nodiscard]] const Key<W>* begin() const { return keys_.get(); }
  [[nodiscard]] const Key<W>* end() const { return end_; }
  [[gnu::always_inline]] void add(const Key<W>& from, const Steps<W>& steps) {
    if (static_cast<size_t>(limit_ - end_) < steps.deltas.size()) [[unlikely]]
      grow(steps.deltas.size());
    for (const Key<W>& delta : steps.deltas) *end_++ = from ^ delta;
  }
  void shrink(size_t size) { end_ = keys_.get() + size; }

 private:
  [[gnu::noinline]] void grow(size_t count) {
    const size_t used = size();
    const size_t room = 2 * static_cast<size_t>(limit_ - keys_.get()) + count + 64;
    auto larger = std::make_unique_for_overwrite<Key<W>[]>(room);
    std::copy(begin(), end(), larger.get());
    keys_ = std::move(larger);
    end_ = keys_.get() + used;
    limit_ = keys_.get() + room;
  }

  std::unique_ptr<Key<W>[]> keys_;
  Key<W>* end_ = nullptr;
  Key<W>* limit_ = nullptr;
};

// The steps of one process among SystemSteps: the deltas behind the part before, up to `end`.
struct StepPart {
  uint8_t pid = kNoProcess;
  uint32_t end = 0;
  uint32_t number = 0;  // Steps::number
};

// The steps of the system in one state, or the moves of its claim, as deltas: what a product puts together. A sink.
template <unsigned W>
struct SystemSteps {
  uint32_t flags = 0;  // Steps::Flag of all processes
  KeyBuffer<W> deltas;
  std::vector<StepPart> parts;
  std::vector<uint8_t> movers;  // that have no part: their steps all end in the middle, or were left out
  std::vector<uint32_t> notes;  // by pid, of those that can be left out: numbers of a StubbornChooser

  void clear() {
    flags = 0;
    deltas.clear();
    parts.clear();
    movers.clear();
  }
  [[nodiscard]] bool empty() const { return deltas.size() == 0; }
  [[nodiscard]] Steps<W> steps(uint32_t more_flags = 0) const {
    return {flags | more_flags, {deltas.begin(), deltas.size()}};
  }
  void set_mover(uint32_t pid) { mover_ = static_cast<uint8_t>(pid); }
  void set_note(uint32_t note) {
    if (notes.size() <= mover_) notes.resize(mover_ + size_t{1});
    notes[mover_] = note;
  }
  // Keeps the steps of these processes, one bit each. Returns how many others there were.
  uint64_t keep(uint64_t pids) {
    uint32_t kept = 0;
    uint32_t begin = 0;
    size_t parts_kept = 0;
    for (const StepPart& part : parts) {
      if ((pids >> part.pid & 1) != 0) {
        std::copy(deltas.begin() + begin, deltas.begin() + part.end, deltas.begin() + kept);
        kept += part.end - begin;
        parts[parts_kept++] = {part.pid, kept, part.number};
      } else {
        movers.push_back(part.pid);
      }
      begin = part.end;
    }
    const uint64_t before = deltas.size();
    deltas.shrink(kept);
    parts.resize(parts_kept);
    return before - kept;
  }
  [[gnu::always_inline]] void add(const Key<W>&, const Steps<W>& steps) {
    flags |= steps.flags;
    if (steps.deltas.empty()) {
      if ((steps.flags & Steps<W>::kMoves) != 0) [[unlikely]]
        movers.push_back(mover_);
      return;
    }
    deltas.add({}, steps);
    parts.push_back({mover_, static_cast<uint32_t>(deltas.size()), steps.number});
  }

 private:
  uint8_t mover_ = kNoProcess;
};

}  // namespace cmc
