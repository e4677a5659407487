#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "checker/base/hash.h"
#include "storage/bucket.h"
#include "storage/store_options.h"

namespace cmc {

// Permuted words 0: first..first+count-1.
struct HashRange {
  uint64_t first = 0;
  uint64_t count = 0;
};

// A key as the stores of a search in limited memory want it (StateHasher).
template <unsigned W>
struct HashedKey {
  std::array<uint64_t, W> words{};  // permuted: word 0 is a hash of the whole key, of which the key can be got back
  uint64_t order = 0;               // decides about the partition, and the place in it
  uint64_t bloom = 0;               // hash for the Bloom filter
};

// Turns keys into HashedKeys. For the codec `keys` everything comes from the permuted key; for those that write state
// vectors, from the state vector, so that their pages outlive a re-layout. Thread-safe.
template <unsigned W>
class StateHasher {
 public:
  using Words = std::array<uint64_t, W>;

  StateHasher(const StoreOptions& options, const std::array<unsigned, W>& word_bits, const StateVectors& vectors)
      : codec_(options.codec), partitions_(options.partitions), hash_bits_(std::max(word_bits[0], kFewestHashBits)),
        mixer_(hash_bits_), vectors_(vectors) {}

  // `scratch` is the caller's.
  [[nodiscard]] HashedKey<W> operator()(const Words& key, Bytes& scratch) const {
    HashedKey<W> hashed;
    hashed.words = permute(key);
    if (codec_ == PageCodec::kKeys) {
      hashed.order = hashed.words[0] << (64 - hash_bits_);
    } else {
      vectors_.unpack(key.data(), scratch);
      hashed.order = hash_bytes(scratch);
    }
    hashed.bloom = bloom_hash(hashed.words, hashed.order);
    return hashed;
  }
  // HashedKey::order of a key that is given both ways.
  [[nodiscard]] uint64_t order_of(const Words& permuted, const Words& key, Bytes& scratch) const {
    if (codec_ == PageCodec::kKeys) return permuted[0] << (64 - hash_bits_);
    vectors_.unpack(key.data(), scratch);
    return hash_bytes(scratch);
  }
  [[nodiscard]] uint64_t bloom_hash(const Words& permuted, uint64_t order) const {
    return mix(codec_ == PageCodec::kKeys ? permuted[0] ^ fold(permuted) : order);
  }
  // The permuted words 0 that the keys of partitions begin..end-1 can have.
  [[nodiscard]] HashRange range(uint32_t begin, uint32_t end) const {
    if (codec_ != PageCodec::kKeys) return {0, uint64_t{1} << hash_bits_};
    const auto first = [&](uint32_t partition) {
      const unsigned __int128 scaled = static_cast<unsigned __int128>(partition) << hash_bits_;
      return static_cast<uint64_t>((scaled + partitions_ - 1) / partitions_);
    };
    return {first(begin), first(end) - first(begin)};
  }

  [[nodiscard]] Words permute(Words key) const {
    key[0] = mixer_.mix(key[0] ^ (fold(key) & mixer_.mask()));
    return key;
  }
  [[nodiscard]] Words restore(Words words) const {
    words[0] = mixer_.unmix(words[0]) ^ (fold(words) & mixer_.mask());
    return words;
  }

  [[nodiscard]] unsigned hash_bits() const { return hash_bits_; }  // used bits of the permuted word 0
  [[nodiscard]] const StateVectors& vectors() const { return vectors_; }

  [[nodiscard]] uint32_t partition(uint64_t order) const {
    return static_cast<uint32_t>((static_cast<unsigned __int128>(order) * partitions_) >> 64);
  }
  // Which of `stripes` stores is responsible for it: consecutive partitions belong to one.
  [[nodiscard]] uint32_t stripe(uint64_t order, uint32_t stripes) const {
    return static_cast<uint32_t>(((uint64_t{partition(order)} + 1) * stripes - 1) / partitions_);
  }
  // The first partition of a stripe; that of stripe number `stripes` is the number of partitions.
  [[nodiscard]] uint32_t first_partition(uint32_t stripe, uint32_t stripes) const {
    return static_cast<uint32_t>(uint64_t{stripe} * partitions_ / stripes);
  }

 private:
  static constexpr unsigned kFewestHashBits = 16;

  // Of words 1..
  static uint64_t fold(const Words& key) {
    uint64_t more = 0;
    for (unsigned i = 1; i < W; ++i) more = (more ^ key[i]) * 0x9e3779b97f4a7c15ULL, more ^= more >> 32;
    return more;
  }
  // Independent of the permutation, which is a multiplication too.
  static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 32) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ x >> 29) * 0x94d049bb133111ebULL;
    return x ^ x >> 32;
  }

  const PageCodec codec_;
  const uint32_t partitions_;
  const unsigned hash_bits_;
  const InvertibleMixer mixer_;
  const StateVectors& vectors_;
};

}  // namespace cmc
