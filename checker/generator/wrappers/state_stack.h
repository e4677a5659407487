#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"
#include "checker/generator/wrappers/byte_stack.h"

namespace cmc {

// A stack of byte strings that can be searched: the states on a path, or, if nothing is ever taken off, a set.
//
// A table of the strings' numbers with linear probing finds them; since what was added last goes first, no search
// ever went past the slot that becomes free, so a slot is freed by clearing it. Exact: equal hashes are followed by a
// comparison. Memory: the bytes, 24 for the place, 5 to 11 for the slot.
class StateStack {
 public:
  // Strings are equal iff they are equal behind their first `ignored_bytes` bytes.
  explicit StateStack(size_t ignored_bytes = 0) : ignored_bytes_(ignored_bytes) {}

  [[nodiscard]] size_t size() const { return strings_.size(); }
  [[nodiscard]] ByteView top() const { return strings_.top(); }
  [[nodiscard]] ByteView at(size_t number) const { return strings_.at(number); }
  // What adding so many strings may take at once for the table, beside the memory that is taken already.
  [[nodiscard]] uint64_t growth_bytes(size_t strings) const {
    const bool grows = 3 * (size() + strings) > 2 * slots_.size();
    return grows ? 2 * slots_.size() * sizeof(slots_[0]) : 0;
  }

  // False: it is there already.
  bool push_new(ByteView state) {
    DCHECK(state.size() >= ignored_bytes_ && size() < kFree);
    const uint64_t hash = hash_bytes(state.subspan(ignored_bytes_));
    if (3 * (size() + 1) > 2 * slots_.size()) grow();
    size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot] != kFree; slot = (slot + 1) & (slots_.size() - 1)) {
      if (hashes_[slots_[slot]] == hash && equal(at(slots_[slot]), state)) return false;
    }
    slots_[slot] = static_cast<uint32_t>(size());
    hashes_.push_back(hash);
    strings_.push(state);
    return true;
  }

  // Takes off what is above the first `size` strings.
  void shrink(size_t size) {
    for (; hashes_.size() > size; hashes_.pop_back()) {
      const uint32_t last = static_cast<uint32_t>(hashes_.size() - 1);
      size_t slot = hashes_.back() & (slots_.size() - 1);
      while (slots_[slot] != last) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = kFree;
    }
    strings_.shrink(std::min(size, strings_.size()));
  }
  // Frees the memory if there was much in it.
  void clear() {
    if (size() > kKept) {
      *this = StateStack(ignored_bytes_);
    } else {
      shrink(0);
    }
  }

 private:
  static constexpr uint32_t kFree = 0xffffffff;
  static constexpr size_t kFirstSlots = 64;
  static constexpr size_t kKept = 4096;

  [[nodiscard]] bool equal(ByteView a, ByteView b) const {
    return std::ranges::equal(a.subspan(ignored_bytes_), b.subspan(ignored_bytes_));
  }
  void grow() {
    slots_.assign(std::max(kFirstSlots, 2 * slots_.size()), kFree);
    for (uint32_t number = 0; number < size(); ++number) {
      size_t slot = hashes_[number] & (slots_.size() - 1);
      while (slots_[slot] != kFree) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = number;
    }
  }

  size_t ignored_bytes_;
  ByteStack strings_;
  std::deque<uint64_t> hashes_;
  std::vector<uint32_t> slots_;  // numbers of nodes, or kFree
};

}  // namespace cmc
