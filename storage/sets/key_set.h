#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "storage/sets/bucket.h"
#include "storage/sets/condenser.h"
#include "storage/sets/key.h"
#include "storage/sets/key_spill.h"
#include "storage/sets/page_memory.h"

namespace cmc {

struct KeySetOptions {
  bool shared = false;           // several threads insert
  unsigned load_percent = 80;    // a partition grows when it is that full; more costs time, above 85 much
  unsigned growth_percent = 33;  // by that much, if it is not small; less costs time, and memory is used better
  uint64_t small_bytes = uint64_t{4} << 20;  // a smaller partition doubles
  unsigned value_bits = 0;                   // of each key, 0..32: see KeySet::value()
};

// A set of keys of W 64-bit words each, of which the low `word_bits` are used. Exact, insert-only, in RAM, and
// compact: a key is not stored whole. An invertible function turns word 0, mixed with the other words, into a hash,
// which says where the key is; only the rest of the hash is stored there, and the other words (quotienting: Knuth,
// volume 3, exercise 6.4-13; Cleary, "Compact hash tables using bidirectional linear probing", 1984). 43-bit keys
// take 25 bits each in a table of 10 million.
//
// The table consists of buckets of W cache lines, each with room for up to 32 keys, so that a look-up reads one line
// of memory mostly: a count, 8 bits of each key, compared all at once, then the rest of the keys. A key whose bucket
// is full goes to the neighbour of the bucket, with a bit that says so; if that is full, too, to a small table of
// whole keys (about 1 % of the keys at a load of 85 %). Nothing is ever removed, so a bucket that is not full ends
// the search.
//
// Buckets are divided into partitions by the first bits of the hash. The bucket is proportional to the rest of the
// hash, so a partition can have any even number of buckets, and grows by itself and in place, from its end to its
// beginning.
//
// With `value_bits`, each key has a value of that many bits, 0 at first, which stays with it when the set grows.
//
// If `shared`, any number of threads may insert at the same time. A look-up that finds the key takes no lock: keys
// below a bucket's count never change. A new key takes a lock bit in the bucket's first byte. grow() and
// drain_partition() need all threads to stand still; whoever is told needs_growth() arranges that soon.
template <unsigned W>
class KeySet {
 public:
  enum class Inserted : uint8_t { kNew, kSeen };

  static constexpr unsigned kPartitionBits = 4;
  static constexpr size_t kPartitions = size_t{1} << kPartitionBits;
  static constexpr uint64_t kFirstBuckets = 8;                        // of a partition
  static constexpr uint64_t kWholeKeyBytes = sizeof(Key<W>) * 5 / 2;  // of a key without a condensed form, at most

  // `groups`: for a Condenser.
  KeySet(const KeySetOptions& options, const std::array<unsigned, W>& word_bits,
         std::span<const KeyGroup> groups = {})
      : options_(options),
        shared_(options.shared),
        condenser_(std::make_unique<Condenser<W>>(word_bits, groups)),
        hash_bits_(std::max(condenser_->word_bits()[0], kFewestHashBits)),
        mixer_(hash_bits_),
        rest_bits_(hash_bits_ - kPartitionBits) {
    for (unsigned i = 1; i < W; ++i) word_bits_[i] = condenser_->word_bits()[i];
    for (unsigned i = 1; i < W; ++i) more_bits_ += word_bits_[i];
    CHECK(options.value_bits <= BucketShape::kMostValueBits);
    lines_ = lines_for(hash_bits_ + more_bits_ + options.value_bits);
    for (Partition& partition : partitions_) open(partition, kFirstBuckets);
  }

  // Where a key belongs. Valid until grow().
  struct Probe {
    uint64_t bucket = 0;  // in the partition, or kNoBucket
    uint64_t rest = 0;    // of the hash
    uint32_t partition = 0;
    std::array<uint64_t, W - 1> more{};  // words 1.. of the condensed key
  };

  // Asks for the memory that insert() is going to look at: to be called early.
  [[nodiscard, gnu::always_inline]] Probe prefetch(const Key<W>& key) const {
    Probe probe;
    prefetch(key, probe);
    return probe;
  }
  // Into one of many probes, member by member: a copy of what was just written would have to wait for it.
  [[gnu::always_inline]] void prefetch(const Key<W>& key, Probe& probe) const {
    Key<W> shorter;
    if (!condenser_->condense(key, shorter)) [[unlikely]] {
      probe.bucket = kNoBucket;
      probe.partition = partition_of_whole(key);
      return;
    }
    const uint64_t h = hash(shorter);
    probe.partition = static_cast<uint32_t>(h >> rest_bits_);
    const Partition& partition = partitions_[probe.partition];
    const Place place = partition.place(h & rest_mask(), rest_bits_);
    const uint64_t* const bucket = bucket_at(partition, place.bucket);
    __builtin_prefetch(bucket, 1);
    if constexpr (W > 1) {
      if (lines_ > 1) __builtin_prefetch(bucket + 8, 1);
    }
    probe.bucket = place.bucket;
    probe.rest = place.rest;
    probe.more = more_of(shorter);
  }

  // New keys that one thread has not told the set yet: threads that all counted in the same place would wait for each
  // other.
  struct alignas(64) Tally {
    std::array<uint32_t, kPartitions> keys{};
  };

  [[gnu::always_inline]] Inserted insert(const Key<W>& key, const Probe& probe, Tally& tally) {
    Partition& partition = partitions_[probe.partition];
    Try result = Try::kFull;
    if (probe.bucket != kNoBucket) [[likely]] {
      const Record record = make_record(probe.rest, probe.more);
      result = try_bucket(partition, bucket_at(partition, probe.bucket), record);
      if (result == Try::kFull) [[unlikely]]
        result = try_neighbour(partition, probe, record);
    }
    if (result == Try::kFull) [[unlikely]]
      result = try_spill(partition, probe, key);
    if (result == Try::kSeen) return Inserted::kSeen;
    count(partition, tally.keys[probe.partition]);
    return Inserted::kNew;
  }
  Inserted insert(const Key<W>& key) {
    Tally tally;
    const Inserted inserted = insert(key, prefetch(key), tally);
    settle(tally);
    return inserted;
  }

  // The value of a key; none: the key is not there. REQUIRES: options.value_bits > 0.
  [[nodiscard]] std::optional<uint64_t> value(const Key<W>& key) { return value(key, prefetch(key)); }
  [[nodiscard]] std::optional<uint64_t> value(const Key<W>& key, const Probe& probe) {
    return change_value(key, probe, [](uint64_t value) { return value; });
  }
  // To change(value) < 2^value_bits; returns the value before, none if the key is not there. Atomic: any number of
  // threads may do so, and insert, at the same time; change() may be called several times. REQUIRES:
  // options.value_bits > 0.
  template <class Change>
  std::optional<uint64_t> change_value(const Key<W>& key, Change&& change) {
    return change_value(key, prefetch(key), change);
  }
  template <class Change>
  std::optional<uint64_t> change_value(const Key<W>& key, const Probe& probe, Change&& change) {
    CHECK(options_.value_bits > 0);
    Partition& partition = partitions_[probe.partition];
    Record record = make_record(probe.rest, probe.more);
    for (const uint64_t displaced : {uint64_t{0}, kDisplaced}) {
      if (probe.bucket == kNoBucket) break;
      record.rest |= displaced;
      BucketAccess<W> access(bucket_at(partition, probe.bucket ^ displaced), partition.shape, word_bits_);
      const unsigned count = access.count();
      const unsigned slot = access.slot_of(record, count);
      if (slot != access.kNowhere) return access.change_value(slot, change);
      if (count < partition.shape.slots) return std::nullopt;
    }
    std::unique_lock<std::mutex> lock(partition.spill_mutex, std::defer_lock);
    if (shared_) lock.lock();
    const std::optional<size_t> place = partition.spill.find(key);
    if (!place) return std::nullopt;
    uint64_t& value = partition.spill.values[*place];
    return std::exchange(value, change(uint64_t{value}));
  }

  // A key that is not there yet, and its value. Nobody else looks for the key meanwhile.
  [[gnu::always_inline]] void insert_new(const Key<W>& key, const Probe& probe, Tally& tally, uint64_t value = 0) {
    if (shared_) {
      static_cast<void>(insert(key, probe, tally));
      if (value != 0) change_value(key, probe, [&](uint64_t) { return value; });
      return;
    }
    Partition& partition = partitions_[probe.partition];
    if (probe.bucket == kNoBucket) [[unlikely]]
      whole_keys_.fetch_add(1, std::memory_order_relaxed);
    if (probe.bucket == kNoBucket || !put(partition, {probe.bucket, probe.rest}, probe.more, value)) [[unlikely]]
      put_into_spill(partition, key, value);
    count(partition, tally.keys[probe.partition]);
  }
  // Tells the set what is in the tally: to be called by each thread that stops inserting, and now and then. Else
  // size() is less than it should be, and the set grows a little later.
  void settle(Tally& tally) {
    for (size_t i = 0; i < kPartitions; ++i) {
      if (tally.keys[i] > 0) count_more(partitions_[i], std::exchange(tally.keys[i], 0));
    }
  }

  [[nodiscard]] bool needs_growth() const { return crowded_.load(std::memory_order_relaxed); }
  // Of an empty set: makes room for that many keys.
  void reserve(uint64_t keys) {
    for (Partition& partition : partitions_) {
      while (partition.crowded_at < keys / partitions_.size() * 21 / 20) {
        partition.memory.grow(bytes_for(larger(partition)));
        spread(partition);
      }
    }
  }
  // Several threads may call it at the same time: they share the work. No other access until all have returned.
  void grow() {
    for (;;) {
      const size_t number = next_to_grow_.fetch_add(1, std::memory_order_relaxed);
      if (number >= partitions_.size()) return;
      Partition& partition = partitions_[number];
      if (!grows_next(partition)) continue;
      enlarge(partition, larger(partition));
    }
  }
  // By one thread, before the others call grow(). Where less than `spare_bytes` are left for all partitions, they
  // grow in smaller steps, but take at least least_growth_bytes().
  void prepare_to_grow(uint64_t spare_bytes = ~uint64_t{0}) {
    const uint64_t percent = spare_bytes / (memory_bytes() / 100 + 1) / 10 * 9;
    growth_limit_ = static_cast<unsigned>(std::clamp<uint64_t>(percent, kLeastGrowth, 100));
    crowded_.store(false, std::memory_order_relaxed);
    next_to_grow_.store(0, std::memory_order_relaxed);
  }

  [[nodiscard]] unsigned value_bits() const { return options_.value_bits; }
  // With so many keys it needs growth.
  [[nodiscard]] uint64_t room() const {
    uint64_t keys = 0;
    for (const Partition& partition : partitions_) keys += partition.crowded_at;
    return keys;
  }
  [[nodiscard]] bool condenses() const { return condenser_->shortens(); }
  // Whether a key has a condensed form, which its values may get now.
  [[nodiscard]] bool has_condensed_form(const Key<W>& key) const {
    Key<W> shorter;
    return condenser_->condense(key, shorter);
  }
  // Keys that have no condensed form.
  [[nodiscard]] uint64_t whole_keys() const { return whole_keys_.load(std::memory_order_relaxed); }
  // Bits of a condensed key.
  [[nodiscard]] unsigned key_bits() const { return condenser_->word_bits()[0] + more_bits_; }
  [[nodiscard]] uint64_t size() const {
    uint64_t total = 0;
    for (const Partition& partition : partitions_) total += partition.used.load(std::memory_order_relaxed);
    return total;
  }
  [[nodiscard]] uint64_t memory_bytes() const {
    uint64_t total = condenser_->memory_bytes();
    for (const Partition& partition : partitions_) {
      total += partition.memory.size() + partition.spill_bytes.load(std::memory_order_relaxed);
    }
    return total;
  }
  // What it is going to take when it has that many keys, if all have a condensed form; within a page per partition.
  [[nodiscard]] uint64_t expected_bytes(uint64_t keys) const { return bytes_of(keys, 100); }
  // The same if little memory is left (prepare_to_grow).
  [[nodiscard]] uint64_t least_bytes(uint64_t keys) const { return bytes_of(keys, kLeastGrowth); }
  // What the next growth takes at most, in addition.
  [[nodiscard]] uint64_t growth_bytes() const { return growth_bytes(100); }
  [[nodiscard]] uint64_t least_growth_bytes() const { return growth_bytes(kLeastGrowth); }

  // Calls visit(key, value) or visit(key) for each key of one of kPartitions partitions. As long as it takes, nobody
  // may insert, but any thread, and visit() itself, may change values: visit() is told the one of a moment before.
  // Several threads may visit.
  template <class Visit>
  void visit_partition(size_t number, Visit&& visit) const {
    const Partition& partition = partitions_[number];
    for_each_in<Pass::kAll>(partition.buckets, partition, whole_keys(number, visit));
    partition.spill.for_each([&](const Key<W>& key, uint64_t value) { tell(visit, key, value); },
                             &partition.spill_mutex);
  }
  // The same for the keys whose value is not 0; the others take 1 ns each. REQUIRES: options.value_bits > 0.
  template <class Visit>
  void visit_valued(size_t number, Visit&& visit) const {
    const Partition& partition = partitions_[number];
    for_each_in<Pass::kValued>(partition.buckets, partition, whole_keys(number, visit));
    partition.spill.for_each(
        [&](const Key<W>& key, uint64_t value) {
          if (value != 0) visit(key, value);
        },
        &partition.spill_mutex);
  }
  // About `most` keys, or all, spread over the set at random: their words, one key behind the other.
  [[nodiscard]] std::vector<uint64_t> sample(uint64_t most) const {
    std::vector<uint64_t> words;
    const uint64_t parts = std::clamp<uint64_t>(most * kPartitions / std::max<uint64_t>(1, size()), 1, kPartitions);
    const uint64_t step = std::max<uint64_t>(1, size() * parts / kPartitions / most);
    uint64_t number = 0;
    for (size_t partition = 0; partition < parts; ++partition) {
      visit_partition(partition, [&](const Key<W>& key) {
        if (number++ % step == 0) words.insert(words.end(), key.words.begin(), key.words.end());
      });
    }
    return words;
  }
  template <class Visit>
  void visit(Visit&& visit) const {
    for (size_t i = 0; i < kPartitions; ++i) visit_partition(i, visit);
  }
  // Likewise, and frees the memory on the way: the set is not usable afterwards. Several threads may drain different
  // partitions at the same time.
  template <class Visit>
  void drain_partition(size_t number, Visit&& visit) {
    Partition& partition = partitions_[number];
    for_each_in<Pass::kTakeOut>(partition.buckets, partition, whole_keys(number, visit));
    partition.spill.for_each([&](const Key<W>& key, uint64_t value) { tell(visit, key, value); });
    partition.memory = {};
    partition.spill = {};
    partition.used = 0;
  }

  // Goes over all keys: for tests. REQUIRES: all tallies are settled, and nobody else is at work.
  void check_invariants() const {
    for (size_t number = 0; number < kPartitions; ++number) {
      const Partition& partition = partitions_[number];
      CHECK(partition.bucket_count % 2 == 0);
      CHECK(partition.bucket_count * bucket_words() * sizeof(uint64_t) < partition.memory.size());
      uint64_t keys = 0;
      visit_partition(number, [&](const Key<W>& key) {
        ++keys;
        Key<W> shorter;
        const bool condensed = condenser_->condense(key, shorter);
        CHECK(!condensed || condenser_->expand(shorter) == key);
        CHECK(number == (condensed ? hash(shorter) >> rest_bits_ : partition_of_whole(key)));
      });
      CHECK(keys == partition.used.load());
      for (uint64_t i = 0; i < partition.bucket_count; ++i) {
        uint64_t* const bucket = bucket_at(partition, i);
        CHECK((bucket[0] & 0x80) == 0);  // unlocked
        CHECK(BucketAccess<W>(bucket, partition.shape, word_bits_).count() <= partition.shape.slots);
      }
      uint64_t spilled = 0;
      partition.spill.for_each([&](const Key<W>& key, uint64_t) {
        ++spilled;
        Key<W> shorter;
        if (!condenser_->condense(key, shorter)) return;
        // Else it goes there only when both of its buckets are full, and nothing is ever removed.
        const Place place = partition.place(hash(shorter) & rest_mask(), rest_bits_);
        for (const uint64_t displaced : {uint64_t{0}, kDisplaced}) {
          uint64_t* const bucket = bucket_at(partition, place.bucket ^ displaced);
          CHECK(BucketAccess<W>(bucket, partition.shape, word_bits_).count() == partition.shape.slots);
        }
      });
      CHECK(spilled == partition.spill.count);
    }
  }

 private:
  static constexpr unsigned kFewestSlots = 12;     // of a bucket, if it need not have more lines than a key has words
  static constexpr unsigned kUsualPlaceBits = 12;  // of a hash, that are not stored
  static constexpr uint64_t kNoBucket = ~uint64_t{0};  // the key has no condensed form: it is in the spill
  static constexpr unsigned kFewestHashBits = 16;
  static constexpr uint64_t kReservedBytes = uint64_t{256} << 20;  // addresses only, of a partition
  static constexpr uint64_t kDisplaced = 1;       // in Record::rest: the key's own bucket is the neighbour
  static constexpr unsigned kNearlyCrowded = 98;  // percent of what makes a partition crowded
  static constexpr unsigned kSoonCrowded = 90;
  static constexpr unsigned kLeastGrowth = 10;  // percent
  static constexpr uint64_t kTallies = 256;     // until a partition is crowded, at least
  static constexpr uint64_t kMostTallied = 256;
  enum class Try : uint8_t { kSeen, kNew, kFull };

  // What is stored of a key: the tag, compared first, and `tail_bits` of the rest.
  using Record = BucketRecord<W>;
  struct Place {
    uint64_t bucket = 0;
    uint64_t rest = 0;
  };

  // How the hashes of a partition are spread over a number of buckets.
  struct Geometry {
    uint64_t bucket_count = 0;
    uint64_t reciprocal = 0;  // 2^64 / bucket_count, rounded up
    uint64_t crowded_at = 0;
    uint32_t largest_tally = 0;
    BucketShape shape;

    // `rest` numbers the hashes that belong to one bucket, in order; where the reciprocal is not exact, it may leave
    // one number out.
    [[nodiscard]] Place place(uint64_t hash, unsigned bits) const {
      const unsigned __int128 product = static_cast<unsigned __int128>(hash) * bucket_count;
      const uint64_t low = static_cast<uint64_t>(product) & ((uint64_t{1} << bits) - 1);
      return {static_cast<uint64_t>(product >> bits),
              static_cast<uint64_t>((static_cast<unsigned __int128>(low) * reciprocal) >> 64)};
    }
  };

  struct alignas(64) Partition : Geometry {
    uint64_t* buckets = nullptr;
    PageMemory memory;
    std::atomic<uint64_t> used{0};

    mutable std::mutex spill_mutex;
    KeySpill<W> spill;
    std::atomic<uint64_t> spill_bytes{0};
  };

  [[nodiscard]] unsigned bucket_words() const { return W == 1 ? 8 : 8 * lines_; }
  [[nodiscard, gnu::always_inline]] uint64_t* bucket_at(const Partition& partition, uint64_t number) const {
    return partition.buckets + number * bucket_words();
  }
  // Few lines are quicker, many slots make better use of them.
  static unsigned lines_for(unsigned bits) {
    const unsigned record_bits =
        std::max(bits, kPartitionBits + kUsualPlaceBits + 8) - kPartitionBits - kUsualPlaceBits + 1;
    return std::clamp((record_bits * kFewestSlots + 8 + 511) / 512, 1u, W);
  }
  static std::array<uint64_t, W - 1> more_of(const Key<W>& key) {
    std::array<uint64_t, W - 1> more;
    for (unsigned i = 1; i < W; ++i) more[i - 1] = key[i];
    return more;
  }
  static uint32_t partition_of_whole(const Key<W>& key) {
    return static_cast<uint32_t>((key[0] ^ fold_words(key)) * 0xd6e8feb86659fd93ULL >> (64 - kPartitionBits));
  }

  // visit(key, value), or visit(key) if that is what it takes.
  template <class Visit>
  [[gnu::always_inline]] static void tell(Visit& visit, const Key<W>& key, uint64_t value) {
    if constexpr (std::is_invocable_v<Visit&, const Key<W>&, uint64_t>) {
      visit(key, value);
    } else {
      visit(key);
    }
  }
  // For for_each_in(): from the rest of a hash to the key.
  template <class Visit>
  auto whole_keys(size_t number, Visit& visit) const {
    return [this, number, &visit](uint64_t rest, const Key<W>& more, uint64_t value) {
      tell(visit, whole_key(number, rest, more), value);
    };
  }
  [[nodiscard]] Key<W> whole_key(size_t partition, uint64_t rest, Key<W> more) const {
    more[0] = mixer_.unmix(uint64_t{partition} << rest_bits_ | rest) ^ (fold_words(more) & mixer_.mask());
    return condenser_->expand(more);
  }

  [[nodiscard]] uint64_t rest_mask() const { return (uint64_t{1} << rest_bits_) - 1; }

  // Of a condensed key.
  [[nodiscard]] uint64_t hash(const Key<W>& key) const {
    return mixer_.mix(key[0] ^ (fold_words(key) & mixer_.mask()));
  }

  [[nodiscard]] static Record make_record(uint64_t rest, const std::array<uint64_t, W - 1>& more) {
    return {static_cast<uint8_t>(rest), rest >> 8 << 1, more};
  }

  [[gnu::noinline]] Try try_neighbour(Partition& partition, const Probe& probe, Record record) {
    record.rest |= kDisplaced;
    return try_bucket(partition, bucket_at(partition, probe.bucket ^ 1), record);
  }

  [[gnu::always_inline]] Try try_bucket(Partition& partition, uint64_t* bucket, const Record& record) {
    return shared_ ? try_shared_bucket(partition.shape, bucket, record)
                   : try_own_bucket(partition.shape, bucket, record);
  }
  [[gnu::always_inline]] Try try_own_bucket(const BucketShape& shape, uint64_t* bucket, const Record& record) {
    BucketAccess<W, true> access(bucket, shape, word_bits_);
    const unsigned count = access.count();
    if (access.find(record, 0, count)) return Try::kSeen;
    if (count == shape.slots) return Try::kFull;
    access.append(record, count);
    return Try::kNew;
  }
  [[gnu::always_inline]] Try try_shared_bucket(const BucketShape& shape, uint64_t* bucket, const Record& record) {
    BucketAccess<W> access(bucket, shape, word_bits_);
    const unsigned seen = access.count();
    if (access.find(record, 0, seen)) return Try::kSeen;
    if (seen == shape.slots) return Try::kFull;
    const unsigned locked = access.lock();
    Try result = Try::kNew;
    if (locked > seen && access.find(record, seen, locked)) {
      result = Try::kSeen;
    } else if (locked == shape.slots) {
      result = Try::kFull;
    }
    if (result == Try::kNew) {
      access.append(record, locked);  // and unlocks
    } else {
      access.unlock(locked);
    }
    return result;
  }

  [[gnu::noinline]] Try try_spill(Partition& partition, const Probe& probe, const Key<W>& key) {
    std::unique_lock<std::mutex> lock(partition.spill_mutex, std::defer_lock);
    if (shared_) lock.lock();
    if (partition.spill.is_crowded()) grow_spill(partition);
    if (!partition.spill.put(key, 0)) return Try::kSeen;
    if (probe.bucket == kNoBucket) whole_keys_.fetch_add(1, std::memory_order_relaxed);
    return Try::kNew;
  }
  void grow_spill(Partition& partition) const {
    partition.spill.grow(options_.value_bits > 0);
    partition.spill_bytes.store(partition.spill.bytes(), std::memory_order_relaxed);
  }

  [[gnu::always_inline]] void count(Partition& partition, uint32_t& tally) {
    if (!shared_) {
      const uint64_t used = partition.used.load(std::memory_order_relaxed) + 1;
      partition.used.store(used, std::memory_order_relaxed);
      if (used >= partition.crowded_at) [[unlikely]]
        crowded_.store(true, std::memory_order_relaxed);
    } else if (++tally >= partition.largest_tally) {
      count_more(partition, std::exchange(tally, 0));
    }
  }
  [[gnu::noinline]] void count_more(Partition& partition, uint32_t keys) {
    const uint64_t used = partition.used.fetch_add(keys, std::memory_order_relaxed) + keys;
    if (used >= partition.crowded_at) crowded_.store(true, std::memory_order_relaxed);
  }

  // In percent of what makes it crowded.
  static bool is_filled(const Partition& partition, unsigned percent) {
    return partition.used.load(std::memory_order_relaxed) >= partition.crowded_at / 100 * percent;
  }
  // Partitions become crowded shortly after each other. Threads that share the work let them grow together, or else
  // each of them would grow by one thread, while the others wait; one thread alone takes less memory if it does not.
  [[nodiscard]] bool grows_next(const Partition& partition) const {
    return shared_ ? is_filled(partition, kNearlyCrowded)
                   : partition.used.load(std::memory_order_relaxed) >= partition.crowded_at;
  }

  // How many buckets a partition of that size has after its next growth, by `most` percent at most.
  [[nodiscard]] uint64_t larger(const Geometry& geometry, uint64_t bytes, unsigned most = 100) const {
    const unsigned usual = bytes < options_.small_bytes ? 100 : options_.growth_percent;
    return geometry.bucket_count * (100 + std::min(usual, most)) / 100 + 2;
  }
  [[nodiscard]] uint64_t larger(const Partition& partition) const {
    return larger(partition, partition.memory.size(), growth_limit_);
  }

  [[nodiscard]] uint64_t bytes_of(uint64_t keys, unsigned percent) const {
    uint64_t bytes = bytes_for(kFirstBuckets);
    for (;;) {
      const Geometry geometry = geometry_in(bytes);
      if (geometry.crowded_at > keys / kPartitions) return condenser_->memory_bytes() + kPartitions * bytes;
      bytes = bytes_for(larger(geometry, bytes, percent));
    }
  }
  [[nodiscard]] uint64_t growth_bytes(unsigned percent) const {
    uint64_t together = 0;
    uint64_t most = 0;
    uint64_t spilled = 0;  // these tables double, about at the same time
    for (const Partition& partition : partitions_) {
      spilled += partition.spill_bytes.load(std::memory_order_relaxed);
      const uint64_t added = bytes_for(larger(partition, partition.memory.size(), percent)) - partition.memory.size();
      if (shared_ && is_filled(partition, kSoonCrowded)) together += added;
      most = std::max(most, added);
    }
    return std::max(together, 2 * most) + spilled + (uint64_t{1} << 20);
  }

  // A word more, because a bucket's last bits are read together with what is behind them.
  [[nodiscard]] uint64_t bytes_for(uint64_t buckets) const {
    return (buckets * bucket_words() + 1) * sizeof(uint64_t);
  }

  void open(Partition& partition, uint64_t buckets) const {
    partition.memory = PageMemory(bytes_for(buckets), kReservedBytes);
    spread(partition);
  }
  // Over all the memory that there is.
  void spread(Partition& partition) const {
    partition.buckets = static_cast<uint64_t*>(partition.memory.data());
    static_cast<Geometry&>(partition) = geometry_in(partition.memory.size());
  }
  [[nodiscard]] Geometry geometry_in(uint64_t bytes) const {
    Geometry geometry;
    geometry.bucket_count = (bytes / sizeof(uint64_t) - 1) / bucket_words() & ~uint64_t{1};
    geometry.reciprocal = ~uint64_t{0} / geometry.bucket_count + 1;
    const uint64_t largest_rest = (uint64_t{1} << rest_bits_) / geometry.bucket_count + 2;
    const unsigned rest_bits = std::max(8u, static_cast<unsigned>(std::bit_width(largest_rest)));
    geometry.shape = BucketShape(bucket_words() / 8, rest_bits - 8 + 1, more_bits_, options_.value_bits);
    geometry.crowded_at = geometry.bucket_count * geometry.shape.slots / 100 * options_.load_percent;
    geometry.largest_tally =
        static_cast<uint32_t>(std::clamp<uint64_t>(geometry.crowded_at / kTallies, 1, kMostTallied));
    return geometry;
  }

  // Goes over the keys in the buckets, two buckets at a time, the last ones first, almost in the order of their
  // hashes; calls visit(rest of the hash, words 1.., value) for each. `old` is how they are spread. With kTakeOut the
  // keys are removed, and visit() may put keys, spread over more buckets, into buckets from the two that it comes
  // from on: those are empty by then. Otherwise values may change meanwhile.
  enum class Pass : uint8_t { kAll, kValued, kTakeOut };
  template <Pass kPass, class Visit>
  void for_each_in(uint64_t* buckets, const Geometry& old, Visit&& visit) const {
    // The division by multiplication is exact while the error, less than bucket_count / 2^64 for each unit, stays
    // below 1.
    const bool exact = rest_bits_ + static_cast<unsigned>(std::bit_width(old.bucket_count)) < 64;
    // The first hash of bucket b is b * 2^rest_bits / bucket_count, rounded up: quotient and remainder, kept for b.
    const uint64_t step = (uint64_t{1} << rest_bits_) / old.bucket_count;
    const uint64_t step_remainder = (uint64_t{1} << rest_bits_) % old.bucket_count;
    uint64_t quotient = uint64_t{1} << rest_bits_;
    uint64_t remainder = 0;
    const auto first_before = [&] {
      quotient -= step;
      if (remainder < step_remainder) {
        --quotient;
        remainder += old.bucket_count;
      }
      remainder -= step_remainder;
      return quotient + (remainder > 0 ? 1 : 0);
    };
    const unsigned words = bucket_words();
    std::array<uint64_t, 2 * 8 * W + 1> pair{};
    for (uint64_t base = old.bucket_count; base > 0;) {
      base -= 2;
      uint64_t first[2];
      first[1] = first_before();
      first[0] = first_before();
      if constexpr (kPass == Pass::kTakeOut) {
        std::copy_n(buckets + base * words, 2 * words, pair.begin());
        std::fill_n(buckets + base * words, 2 * words, uint64_t{0});
      } else {
        for (unsigned i = 0; i < 2 * words; ++i)
          pair[i] = std::atomic_ref<uint64_t>(buckets[base * words + i]).load(std::memory_order_relaxed);
      }
      for (const uint64_t half : {uint64_t{0}, uint64_t{1}}) {
        BucketAccess<W, true> access(pair.data() + half * words, old.shape, word_bits_);
        if (kPass == Pass::kValued && !access.has_values()) continue;
        const unsigned slots = access.count();
        for (unsigned slot = 0; slot < slots; ++slot) {
          const uint64_t value = old.shape.value_bits == 0 ? 0 : access.value(slot);
          if (kPass == Pass::kValued && value == 0) continue;
          const Record record = access.get(slot);
          const uint64_t home = half ^ (record.rest & kDisplaced);
          const uint64_t rest = record.rest >> 1 << 8 | record.tag;
          uint64_t hash = first[home] + rest;
          if (!exact) {
            const Place place = old.place(hash, rest_bits_);
            if (place.bucket != base + home || place.rest != rest) --hash;
          }
          DCHECK(old.place(hash, rest_bits_).bucket == base + home && old.place(hash, rest_bits_).rest == rest);
          Key<W> more{};
          for (unsigned i = 1; i < W; ++i) more[i] = record.more[i - 1];
          visit(hash, more, value);
        }
      }
    }
  }

  // A condensed key that is not there, into one of its two buckets; false: both are full.
  [[gnu::always_inline]] bool put(Partition& partition, const Place& place, const std::array<uint64_t, W - 1>& more,
                                  uint64_t value = 0) const {
    Record record = make_record(place.rest, more);
    for (const uint64_t displaced : {uint64_t{0}, kDisplaced}) {
      BucketAccess<W, true> access(bucket_at(partition, place.bucket ^ displaced), partition.shape, word_bits_);
      const unsigned slots = access.count();
      if (slots == partition.shape.slots) continue;
      record.rest |= displaced;
      access.append(record, slots);
      if (value != 0) [[unlikely]]
        access.change_value(slots, [&](uint64_t) { return value; });
      return true;
    }
    return false;
  }
  [[gnu::noinline]] void put_into_spill(Partition& partition, const Key<W>& key, uint64_t value = 0) const {
    if (partition.spill.is_crowded()) grow_spill(partition);
    static_cast<void>(partition.spill.put(key, value));
  }

  // In place: in the larger partition a key's bucket has a larger number, or the same.
  void enlarge(Partition& partition, uint64_t buckets) {
    partition.memory.grow(bytes_for(buckets));
    const Geometry old = partition;
    spread(partition);
    const KeySpill<W> spill = std::exchange(partition.spill, {});
    const size_t number = static_cast<size_t>(&partition - partitions_.data());
    for_each_in<Pass::kTakeOut>(
        partition.buckets,
        old, [&](uint64_t rest, const Key<W>& more, uint64_t value) __attribute__((always_inline)) {
          if (put(partition, partition.place(rest, rest_bits_), more_of(more), value)) [[likely]]
            return;
          put_into_spill(partition, whole_key(number, rest, more), value);
        });
    spill.for_each([&](const Key<W>& key, uint64_t value) {
      Key<W> shorter;
      const bool condensed = condenser_->condense(key, shorter);
      if (condensed &&
          put(partition, partition.place(hash(shorter) & rest_mask(), rest_bits_), more_of(shorter), value))
        return;
      put_into_spill(partition, key, value);
    });
    partition.spill_bytes.store(partition.spill.bytes(), std::memory_order_relaxed);
  }

  const KeySetOptions options_;
  const bool shared_;
  const std::unique_ptr<Condenser<W>> condenser_;
  const unsigned hash_bits_;
  const InvertibleMixer mixer_;
  const unsigned rest_bits_;  // of the hash, behind those that choose the partition
  std::array<unsigned, W> word_bits_{};
  unsigned more_bits_ = 0;  // in words 1..
  unsigned lines_ = W;      // of cache, of a bucket
  std::array<Partition, kPartitions> partitions_;
  std::atomic<bool> crowded_{false};
  unsigned growth_limit_ = 100;  // percent
  std::atomic<size_t> next_to_grow_{0};
  std::atomic<uint64_t> whole_keys_{0};
};

}  // namespace cmc
