#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "storage/sets/key.h"

namespace cmc {

// The whole keys that found no place in buckets: open addressing.
template <unsigned W>
struct KeySpill {
  static constexpr uint64_t kTaken = uint64_t{1} << 63;  // word 0 has no key's bit there

  std::vector<Key<W>> keys;      // with kTaken in word 0, or all 0
  std::vector<uint64_t> values;  // if there are any
  uint64_t count = 0;

  // False: it is there. There has to be room.
  bool put(Key<W> key, uint64_t value) {
    const size_t place = place_of(key);
    if (keys[place][0] != 0) return false;
    keys[place] = key;
    keys[place][0] |= kTaken;
    if (!values.empty()) values[place] = value;
    ++count;
    return true;
  }
  [[nodiscard]] std::optional<size_t> find(const Key<W>& key) const {
    if (keys.empty()) return std::nullopt;
    const size_t place = place_of(key);
    return keys[place][0] == 0 ? std::nullopt : std::optional<size_t>(place);
  }
  [[nodiscard]] bool is_crowded() const { return keys.size() * 4 < 5 * (count + 1); }
  void grow(bool with_values) {
    KeySpill larger;
    larger.keys.resize(std::max<size_t>(16, keys.size() * 2));
    if (with_values) larger.values.resize(larger.keys.size());
    for_each([&](const Key<W>& key, uint64_t value) { larger.put(key, value); });
    *this = std::move(larger);
  }
  // Not in the order of places: keys that go into another, smaller one in the order of their places all meet in its
  // full part, and each looks at all of that. `mutex`: values may be changed under it meanwhile.
  template <class Visit>
  void for_each(Visit&& visit, std::mutex* mutex = nullptr) const {
    constexpr size_t kStride = 0x9e3779b1;  // odd, so that each place has its turn
    for (size_t number = 0; number < keys.size(); ++number) {
      const size_t i = number * kStride & (keys.size() - 1);
      if ((keys[i][0] & kTaken) == 0) continue;
      Key<W> key = keys[i];
      key[0] &= ~kTaken;
      visit(key, value_at(i, mutex));
    }
  }
  [[nodiscard]] uint64_t bytes() const { return keys.size() * sizeof(Key<W>) + values.size() * sizeof(uint64_t); }

 private:
  [[nodiscard]] uint64_t value_at(size_t place, std::mutex* mutex) const {
    if (values.empty()) return 0;
    if (mutex == nullptr) return values[place];
    const std::lock_guard lock(*mutex);
    return values[place];
  }
  // Where it is, or where it would be put.
  [[nodiscard]] size_t place_of(Key<W> key) const {
    const uint64_t h = (key[0] ^ fold_words(key)) * 0xd6e8feb86659fd93ULL;
    key[0] |= kTaken;
    const size_t mask = keys.size() - 1;
    size_t place = (h ^ h >> 32) & mask;
    while (keys[place][0] != 0 && keys[place] != key) place = (place + 1) & mask;
    return place;
  }
};

}  // namespace cmc
