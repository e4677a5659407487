#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"

namespace cmc {

// A stack of byte strings that can be searched: the states on a path, or, if nothing is ever taken off, a set.
//
// The strings lie one behind the other. A table of their numbers with linear probing finds them; since what was added
// last goes first, no search ever went past the slot that becomes free, so a slot is freed by clearing it. Exact:
// equal hashes are followed by a comparison. Memory: the bytes, 16 for the place, 5 to 11 for the slot.
class StateStack {
 public:
  // Strings are equal iff they are equal behind their first `ignored_bytes` bytes.
  explicit StateStack(size_t ignored_bytes = 0) : ignored_bytes_(ignored_bytes) {}

  [[nodiscard]] size_t size() const { return nodes_.size(); }
  [[nodiscard]] ByteView top() const { return bytes_of(nodes_.size() - 1); }

  // False: it is there already.
  bool push_new(ByteView state) {
    DCHECK(state.size() >= ignored_bytes_ && nodes_.size() < kFree);
    const uint64_t hash = hash_bytes(state.subspan(ignored_bytes_));
    if (3 * (nodes_.size() + 1) > 2 * slots_.size()) grow();
    size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot] != kFree; slot = (slot + 1) & (slots_.size() - 1)) {
      if (nodes_[slots_[slot]].hash == hash && equal(bytes_of(slots_[slot]), state)) return false;
    }
    slots_[slot] = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back({hash, bytes_.size()});
    bytes_.insert(bytes_.end(), state.begin(), state.end());
    return true;
  }

  // Takes off what is above the first `size` strings.
  void shrink(size_t size) {
    while (nodes_.size() > size) {
      const uint32_t last = static_cast<uint32_t>(nodes_.size() - 1);
      size_t slot = nodes_.back().hash & (slots_.size() - 1);
      while (slots_[slot] != last) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = kFree;
      bytes_.resize(nodes_.back().begin);
      nodes_.pop_back();
    }
  }
  // Frees the memory if there was much in it.
  void clear() {
    if (nodes_.size() > kKept) {
      *this = StateStack(ignored_bytes_);
    } else {
      shrink(0);
    }
  }

 private:
  static constexpr uint32_t kFree = 0xffffffff;
  static constexpr size_t kFirstSlots = 64;
  static constexpr size_t kKept = 4096;

  struct Node {
    uint64_t hash = 0;
    uint64_t begin = 0;  // in bytes_
  };

  [[nodiscard]] ByteView bytes_of(size_t number) const {
    const uint64_t end = number + 1 < nodes_.size() ? nodes_[number + 1].begin : bytes_.size();
    return ByteView(bytes_).subspan(nodes_[number].begin, end - nodes_[number].begin);
  }
  [[nodiscard]] bool equal(ByteView a, ByteView b) const {
    return std::ranges::equal(a.subspan(ignored_bytes_), b.subspan(ignored_bytes_));
  }
  void grow() {
    slots_.assign(std::max(kFirstSlots, 2 * slots_.size()), kFree);
    for (uint32_t number = 0; number < nodes_.size(); ++number) {
      size_t slot = nodes_[number].hash & (slots_.size() - 1);
      while (slots_[slot] != kFree) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = number;
    }
  }

  size_t ignored_bytes_;
  std::vector<Node> nodes_;
  Bytes bytes_;
  std::vector<uint32_t> slots_;  // numbers of nodes, or kFree
};

}  // namespace cmc
