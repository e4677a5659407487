#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>

#include "storage/pages/key_partitions.h"
#include "storage/sets/bloom_filter.h"
#include "storage/sets/key.h"

namespace cmc {

// In front of the pages of one partition: which keys are certainly not there. A turn with few candidates for each
// page reads a page, its checksum and its codes, for hardly more than one of them, nearly always one that is new; a
// search with narrow levels does hardly anything else. A turn with many candidates reads every page anyway, and has
// no filter. Not thread-safe.
template <unsigned W>
class PageFilter {
 public:
  // A turn asks for so many candidates. Whether the caller has to begin() now, since reading pages that a filter
  // would have spared has taken as long as filling it does. `most_bytes`: what it may take.
  [[nodiscard]] bool is_due(uint64_t candidates, uint64_t pages, uint64_t entries, uint64_t most_bytes) {
    const uint64_t most_bits = whole_blocks(most_bytes);
    if (candidates > kFewForPage * pages || most_bits < entries * kLeastBits) {
      filter_.reset();
      pages_read_ = 0;
      return false;
    }
    // Half as much again is too much: the search has less memory than it had (RoundStore::shrink()).
    const bool too_large = filter_ && filter_->bits() > most_bits + most_bits / 2;
    if (too_large || entries > 2 * entries_at_first_) filter_.reset();
    if (filter_) return false;
    pages_read_ += std::min(candidates, pages);
    return pages_read_ * kEntriesForPage > entries;
  }
  // A new one, which is filled with insert().
  void begin(uint64_t entries, uint64_t most_bytes) {
    const uint64_t expected = entries + entries / 2;
    const uint64_t bits = std::min(whole_blocks(most_bytes), expected * kMostBits);
    const double best = std::numbers::ln2 * static_cast<double>(bits) / static_cast<double>(expected);
    filter_.emplace(bits, std::clamp(static_cast<unsigned>(std::lround(best)), 1u, kMostHashes));
    entries_at_first_ = entries;
    pages_read_ = 0;
  }
  void insert(const Key<W>& key) {
    if (filter_) filter_->insert(hash(key));
  }
  [[nodiscard]] bool exists() const { return filter_.has_value(); }
  [[nodiscard]] bool rules_out(const Key<W>& key) const { return filter_ && !filter_->contains(hash(key)); }
  // Keys in it. REQUIRES: exists().
  [[nodiscard]] uint64_t entries() const { return filter_->figures().entries; }
  [[nodiscard]] uint64_t memory_bytes() const { return filter_ ? filter_->memory_bytes() : 0; }

 private:
  static constexpr uint64_t kLeastBits = 1;  // an entry: then half of the others are ruled out
  static constexpr uint64_t kMostBits = 8;   // of them 97 %
  static constexpr unsigned kMostHashes = 4;
  static constexpr uint64_t kFewForPage = 16;       // candidates
  static constexpr uint64_t kEntriesForPage = 128;  // are put into a filter while a page is read

  // Bits: the filter has no others.
  [[nodiscard]] static uint64_t whole_blocks(uint64_t bytes) {
    return 8 * bytes / BloomFilter::kBlockBits * BloomFilter::kBlockBits;
  }
  // The high bits, which choose the block, are not those that may have chosen the partition.
  [[nodiscard]] static uint64_t hash(const Key<W>& key) {
    return std::rotl(KeyPartitions::mix(key[0] ^ fold_words(key)), 32);
  }

  std::optional<BloomFilter> filter_;
  uint64_t entries_at_first_ = 0;
  uint64_t pages_read_ = 0;  // since there is none, at most
};

}  // namespace cmc
