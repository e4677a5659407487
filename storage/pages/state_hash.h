#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "base/hash.h"
#include "storage/options/store_options.h"
#include "storage/pages/key_partitions.h"
#include "storage/sets/bucket.h"
#include "storage/sets/key.h"

namespace cmc {

// What the store asks about a state; thread-safe.
class StateVectors {
 public:
  virtual ~StateVectors() = default;
  // Writes the state vector of a key.
  virtual void unpack(const uint64_t* words, Bytes& state) const = 0;
  // Its length.
  [[nodiscard]] virtual uint64_t state_bytes(const uint64_t* words) const = 0;
};

// A key as the stores of a search in limited memory want it (StateHasher).
template <unsigned W>
struct HashedKey {
  Key<W> words{};      // permuted: word 0 is a hash of the whole key, of which the key can be got back
  uint64_t order = 0;  // decides about the partition, and the place in it
  uint64_t bloom = 0;  // hash for the Bloom filter
};

// Turns keys into HashedKeys. For the codec `keys` everything comes from the key; for those that write state vectors,
// from the state vector, so that their pages outlive a re-layout. Thread-safe.
template <unsigned W>
class StateHasher {
 public:
  StateHasher(const StoreOptions& options, const std::array<unsigned, W>& word_bits, const StateVectors& vectors)
      : codec_(options.codec),
        partitions_(word_bits[0], options.partitions),
        hash_bits_(std::max(word_bits[0], kFewestHashBits)),
        mixer_(hash_bits_),
        vectors_(vectors) {}

  // `scratch` is the caller's.
  [[nodiscard]] HashedKey<W> operator()(const Key<W>& key, Bytes& scratch) const {
    HashedKey<W> hashed;
    hashed.words = permute(key);
    hashed.order = order_of(key, scratch);
    hashed.bloom = bloom_hash(hashed.words, hashed.order);
    return hashed;
  }
  // HashedKey::order
  [[nodiscard]] uint64_t order_of(const Key<W>& key, Bytes& scratch) const {
    if (codec_ == PageCodec::kKeys) return partitions_.order(key[0]);
    vectors_.unpack(key.data(), scratch);
    return hash_bytes(scratch);
  }
  [[nodiscard]] uint64_t bloom_hash(const Key<W>& permuted, uint64_t order) const {
    return KeyPartitions::mix(codec_ == PageCodec::kKeys ? permuted[0] ^ fold(permuted) : order);
  }
  [[nodiscard]] Key<W> permute(Key<W> key) const {
    key[0] = mixer_.mix(key[0] ^ (fold(key) & mixer_.mask()));
    return key;
  }
  [[nodiscard]] Key<W> restore(Key<W> words) const {
    words[0] = mixer_.unmix(words[0]) ^ (fold(words) & mixer_.mask());
    return words;
  }

  [[nodiscard]] unsigned hash_bits() const { return hash_bits_; }  // used bits of the permuted word 0
  [[nodiscard]] const StateVectors& vectors() const { return vectors_; }

  [[nodiscard]] uint32_t partition(uint64_t order) const { return partitions_.of_order(order); }
  // Which of `stripes` stores is responsible for it: consecutive partitions belong to one.
  [[nodiscard]] uint32_t stripe(uint64_t order, uint32_t stripes) const {
    return static_cast<uint32_t>(((uint64_t{partition(order)} + 1) * stripes - 1) / partitions_.count());
  }
  // The first partition of a stripe; that of stripe number `stripes` is the number of partitions.
  [[nodiscard]] uint32_t first_partition(uint32_t stripe, uint32_t stripes) const {
    return static_cast<uint32_t>(uint64_t{stripe} * partitions_.count() / stripes);
  }

 private:
  static constexpr unsigned kFewestHashBits = 16;

  // Of words 1..
  static uint64_t fold(const Key<W>& key) {
    uint64_t more = 0;
    for (unsigned i = 1; i < W; ++i) more = (more ^ key[i]) * 0x9e3779b97f4a7c15ULL, more ^= more >> 32;
    return more;
  }

  const PageCodec codec_;
  const KeyPartitions partitions_;
  const unsigned hash_bits_;
  const InvertibleMixer mixer_;
  const StateVectors& vectors_;
};

}  // namespace cmc
