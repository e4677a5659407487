#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "checker/audit/refusal.h"

// The states files of a certificate (RUN_FORMAT.md): blocks of keys in ascending order.

namespace cmc::audit {

template <unsigned W>
using Key = std::array<uint64_t, W>;  // word 0 is the most significant one: operator< is the order of the files

struct Block {
  ByteView coded;
  uint32_t count = 0;  // of keys
  uint64_t first = 0;  // number of its first key, among all of the certificate
};

inline constexpr uint32_t kMostBlockKeys = 4096;

// Adds a LEB128 number to the key. False: it is zero, the number ends too early, or the sum has too many bits.
template <unsigned W>
[[nodiscard]] bool add_difference(ByteView& coded, Key<W>& key) {
  Key<W> difference{};
  for (unsigned bit = 0;; bit += 7) {
    if (coded.empty()) return false;
    const auto byte = std::to_integer<uint64_t>(coded.front());
    coded = coded.subspan(1);
    const uint64_t low = byte & 127;
    if (bit >= 64 * W ? low != 0 : bit + 7 > 64 * W && low >> (64 * W - bit) != 0) return false;
    if (low != 0) {
      difference[W - 1 - bit / 64] |= low << bit % 64;
      if (bit % 64 > 57 && bit / 64 + 1 < W) difference[W - 2 - bit / 64] |= low >> (64 - bit % 64);
    }
    if (byte < 128) break;
    if (bit > 64 * W) return false;
  }
  if (difference == Key<W>{}) return false;
  uint64_t carry = 0;
  for (unsigned i = W; i-- > 0;) {
    const uint64_t sum = key[i] + difference[i];
    const uint64_t over = sum < difference[i] ? 1 : 0;
    key[i] = sum + carry;
    carry = over + (key[i] < carry ? 1 : 0);
  }
  return carry == 0;
}

// REQUIRES: a whole key.
template <unsigned W>
[[nodiscard]] Key<W> first_key(const Block& block) {
  Key<W> key;
  std::memcpy(key.data(), block.coded.data(), sizeof key);
  return key;
}

// False: the block is not as the format has it. `keys` is replaced.
template <unsigned W>
[[nodiscard]] bool decode(const Block& block, std::vector<Key<W>>& keys) {
  keys.clear();
  ByteView coded = block.coded;
  if (coded.size() < W * sizeof(uint64_t)) return false;
  Key<W> key = first_key<W>(block);
  coded = coded.subspan(W * sizeof(uint64_t));
  keys.push_back(key);
  while (keys.size() < block.count) {
    if (!add_difference<W>(coded, key)) return false;
    keys.push_back(key);
  }
  return coded.empty();
}

// Goes through the keys of one file, in their order. REQUIRES: check_file() has looked at it.
template <unsigned W>
class Cursor {
 public:
  explicit Cursor(std::span<const Block> blocks) : blocks_(blocks) { fill(); }

  // Goes on to the first key that is not below `key`.
  void seek(const Key<W>& key) {
    const auto above = std::ranges::upper_bound(blocks_, key, {}, first_key<W>);
    if (above != blocks_.begin()) {
      blocks_ = blocks_.subspan(static_cast<size_t>(above - blocks_.begin()) - 1);
      fill();
    }
    while (at_ < keys_.size() && keys_[at_] < key) next();
  }

  // Null: there are no more.
  [[nodiscard]] const Key<W>* key() const { return at_ < keys_.size() ? &keys_[at_] : nullptr; }
  void next() {
    if (++at_ == keys_.size()) fill();
  }

 private:
  void fill() {
    at_ = 0;
    keys_.clear();
    if (blocks_.empty()) return;
    static_cast<void>(decode<W>(blocks_.front(), keys_));
    blocks_ = blocks_.subspan(1);
  }

  std::span<const Block> blocks_;
  std::vector<Key<W>> keys_;
  size_t at_ = 0;
};

// (A) of one file. Appends its blocks, whose first key has the number `states`, which is counted up.
template <unsigned W>
[[nodiscard]] Verdict check_file(ByteView bytes, uint64_t& states, std::vector<Block>& blocks) {
  constexpr size_t kHeader = 3 * sizeof(uint32_t);
  const auto wrong = [&](const char* what) {
    return refused("A", fmt::format("states files: block {}: {}", blocks.size(), what));
  };
  std::vector<Key<W>> keys;
  Key<W> last{};
  for (bool first = true; !bytes.empty(); first = false) {
    if (bytes.size() < kHeader) return wrong("the file ends in a header");
    Block block{{}, load<uint32_t>(bytes.data()), states};
    const auto coded_bytes = load<uint32_t>(bytes.data() + 4);
    const auto crc = load<uint32_t>(bytes.data() + 8);
    bytes = bytes.subspan(kHeader);
    if (coded_bytes > bytes.size()) return wrong("the file ends in it");
    block.coded = bytes.first(coded_bytes);
    bytes = bytes.subspan(coded_bytes);
    if (crc32(block.coded) != crc) return wrong("its CRC-32 is another one");
    if (block.count < 1 || block.count > kMostBlockKeys || !decode<W>(block, keys))
      return wrong("no such number of ascending keys");
    if (!first && !(last < keys.front())) return wrong("its first key is not above those before");
    last = keys.back();
    states += block.count;
    blocks.push_back(block);
  }
  return std::nullopt;
}

}  // namespace cmc::audit
