#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "storage/state_hash.h"

namespace cmc {

// The candidates of one partition, each once, at most as many as its capacity. Not thread-safe. Memory doubles until
// the capacity is reached; 8 W + 16 bytes for each, and 8 to 16 for finding it.
template <unsigned W>
class CandidateSet {
 public:
  using Words = std::array<uint64_t, W>;
  struct Candidate {
    Words words{};  // permuted
    uint64_t order = 0;
    uint64_t tag = 0;
  };

  explicit CandidateSet(uint64_t capacity) : capacity_(capacity) {}

  [[nodiscard]] bool contains(const Words& words) const { return !index_.empty() && index_[place(words)] != 0; }
  [[nodiscard]] bool full() const { return all_.size() >= capacity_; }
  // REQUIRES: not full(), not there.
  void insert(const HashedKey<W>& key, uint64_t tag) {
    if (all_.size() == all_.capacity()) {
      all_.reserve(std::min<uint64_t>(capacity_, std::max<size_t>(16, 2 * all_.size())));
    }
    if (2 * (all_.size() + 1) > index_.size()) grow_index();
    index_[place(key.words)] = static_cast<uint32_t>(all_.size() + 1);
    all_.push_back({key.words, key.order, tag});
  }
  void clear() {
    all_.clear();
    std::fill(index_.begin(), index_.end(), 0);
  }
  [[nodiscard]] const std::vector<Candidate>& all() const { return all_; }
  [[nodiscard]] uint64_t memory_bytes() const {
    return all_.capacity() * sizeof(Candidate) + index_.capacity() * sizeof(uint32_t);
  }

 private:
  // Of the candidate with these words, or where it would be.
  [[nodiscard]] size_t place(const Words& words) const {
    const size_t mask = index_.size() - 1;
    uint64_t hash = words[0];
    for (unsigned i = 1; i < W; ++i) hash = (hash ^ hash >> 31) * 0xbf58476d1ce4e5b9ULL + words[i];
    hash *= 0x9e3779b97f4a7c15ULL;
    for (size_t i = (hash ^ hash >> 32) & mask;; i = (i + 1) & mask) {
      if (index_[i] == 0 || all_[index_[i] - 1].words == words) return i;
    }
  }
  void grow_index() {
    index_.assign(std::max<size_t>(32, 2 * index_.size()), 0);
    for (size_t i = 0; i < all_.size(); ++i) index_[place(all_[i].words)] = static_cast<uint32_t>(i + 1);
  }

  const uint64_t capacity_;
  std::vector<Candidate> all_;
  std::vector<uint32_t> index_;  // open addressing: number of a candidate + 1, 0: free
};

}  // namespace cmc
