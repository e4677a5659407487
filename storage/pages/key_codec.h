#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "storage/pages/affine_hull.h"
#include "storage/pages/differences.h"
#include "storage/sets/key.h"

// Sorted keys on a page (FORMAT.md), as differences: of the keys, or, if they have several words, of their
// coordinates in the affine hull of the page. Bytes a key in the largest run of a search in a tenth of its memory,
// less headers:
//
//                                   words   bytes before (format 3)   words and small values   coordinates
//     swarm, 23 tasks                   2                      8.2                      7.8           1.7
//     sieve                             2                      4.1                      3.7           2.3
//     readers and writers, 8 + 8        2                      3.3                      3.3           2.7
//     leader 8                          2                      2.6                      2.1           1.9
//     sandpile, 74 grains               2                      6.9                      6.8           (more than 64
//     dimensions) Peterson 4                        1                      1.6                      0.8           0.7
//
// Sorted by a permuted key, Peterson's took 3.0: keys are products of small fields that depend on each other, and a
// permutation destroys that. Coordinates of one word do not pay for the time, nor do those of several words that are
// short already.

namespace cmc {

// In front of keys of several words: the rank of the hull, or this.
inline constexpr std::byte kNoHull{255};

// Collects keys, and writes as many as fit into a page.
template <unsigned W>
class KeyEncoder {
 public:
  // `lasting`: pages that will be read often, written by a merge.
  KeyEncoder(uint64_t page_bytes, bool lasting)
      : page_bytes_(page_bytes), lasting_(lasting), asked_(page_bytes / 4) {}

  // As many more as a page is likely to have room for; at least one if there is none.
  [[nodiscard]] size_t room() const { return asked_ - std::min(asked_, keys_.size()); }
  [[nodiscard]] bool empty() const { return keys_.empty(); }
  [[nodiscard]] const Key<W>& front() const { return keys_.front(); }
  // In ascending order.
  void add(const Key<W>& key) { keys_.push_back(key); }
  void add(std::span<const Key<W>> keys) { keys_.insert(keys_.end(), keys.begin(), keys.end()); }
  // Appends a page's content to `to`; returns the number of keys that it has. The others stay. REQUIRES: not empty().
  [[nodiscard]] uint32_t finish(Bytes& to) {
    const size_t begin = to.size();
    for (size_t count = keys_.size();;) {
      encode(std::span<const Key<W>>(keys_).first(count), to);
      const size_t bytes = to.size() - begin;
      asked_ = std::clamp<size_t>(count * (page_bytes_ - page_bytes_ / 8) / bytes, 1, page_bytes_ / 2);
      if (bytes <= page_bytes_ || count == 1) {
        keys_.erase(keys_.begin(), keys_.begin() + static_cast<ptrdiff_t>(count));
        return static_cast<uint32_t>(count);
      }
      to.resize(begin);
      count = std::min(asked_, count - 1);
    }
  }
  [[nodiscard]] static uint64_t most_memory_bytes(uint64_t page_bytes) {
    return page_bytes / 2 * sizeof(Key<W>) + 2 * page_bytes;
  }

 private:
  void encode(std::span<const Key<W>> keys, Bytes& to) {
    if constexpr (W > 1) {
      if (is_sparse(keys) && hull_.enclose(keys) && keys.size() >= kKeysPerRow * hull_.rank()) {
        to.push_back(static_cast<std::byte>(hull_.rank()));
        hull_.write(to);
        coordinates_.set_unit(hull_.later_pivots());
        for (const Key<W>& key : keys) coordinates_.add({hull_.coordinates(key)});
        coordinates_.finish(to);
        return;
      }
      to.push_back(kNoHull);
    }
    for (const Key<W>& key : keys) words_.add(key);
    words_.finish(to);
  }
  // Whether words would be so long, judged by some of them, that the time for a hull is well spent.
  [[nodiscard]] bool is_sparse(std::span<const Key<W>> keys) const {
    constexpr size_t kStep = 8;
    size_t bytes = 0;
    for (size_t i = kStep; i < keys.size(); i += kStep)
      bytes += DifferenceWriter<W>::bytes_between(keys[i - 1], keys[i]);
    return bytes * kStep > (lasting_ ? kLastingBytes : kPassingBytes) * keys.size();
  }

  // Of the values of a key, codes not counted.
  static constexpr size_t kLastingBytes = 2;
  static constexpr size_t kPassingBytes = 6;
  static constexpr size_t kKeysPerRow = 8;  // as many are worth a row of the hull

  const uint64_t page_bytes_;
  const bool lasting_;
  size_t asked_;  // keys for the next page, so that it is nearly as long as it may be
  std::vector<Key<W>> keys_;
  AffineHull<W> hull_;
  SequenceEncoder<1> coordinates_;
  SequenceEncoder<W> words_;
};

template <unsigned W>
class KeyDecoder {
 public:
  // False: these cannot be `count` keys. From then on any bytes are safe. REQUIRES: 8 readable bytes behind them.
  [[nodiscard]] bool open(ByteView entries, uint32_t count) {
    in_hull_ = false;
    last_coordinates_ = 0;
    if constexpr (W > 1) {
      if (entries.empty()) return false;
      in_hull_ = entries.front() != kNoHull;
      const unsigned rank = std::to_integer<unsigned>(entries.front());
      entries = entries.subspan(1);
      if (in_hull_) return hull_.read(rank, entries) && coordinates_.open(entries, count, hull_.later_pivots());
    }
    return words_.open(entries, count, 0);
  }
  // False: there is none left.
  [[gnu::always_inline, nodiscard]] bool next(Key<W>& key) {
    if (in_hull_) {
      if (!coordinates_.next()) return false;
      key = hull_.key(coordinates_.element()[0]);
      return true;
    }
    if (!words_.next()) return false;
    key = words_.element();
    return true;
  }
  // Reads the next ones; returns how many, less than there is room for only if none is left.
  [[nodiscard]] size_t read(std::span<Key<W>> to) {
    if (!in_hull_) return words_.read(to);
    size_t count = 0;
    while (count < to.size() && next(to[count])) ++count;
    return count;
  }
  // Whether it is there. REQUIRES: not before those that were asked for earlier. Not together with next().
  [[nodiscard]] bool contains(const Key<W>& key) {
    if (!in_hull_) return words_.contains(key);
    // Nearly all are in the hull. Coordinates of one that is not may be of another key, anywhere.
    const uint64_t coordinates = hull_.coordinates(key);
    if (coordinates < last_coordinates_) coordinates_.rewind();
    last_coordinates_ = coordinates;
    return coordinates_.contains({coordinates}) && hull_.key(coordinates) == key;
  }

 private:
  bool in_hull_ = false;
  AffineHull<W> hull_;
  SequenceDecoder<1> coordinates_;
  uint64_t last_coordinates_ = 0;  // that were looked up
  SequenceDecoder<W> words_;
};

}  // namespace cmc
