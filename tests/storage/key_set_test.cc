#include "storage/sets/key_set.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "storage/sets/bucket.h"
#include "storage/sets/key_spill.h"
#include "tests/storage/numbers.h"

#include "tests/catch.h"

namespace cmc {
namespace {

// Key number `number`, all of its used bits; few words differ if the keys are `alike`, as those of states do.
template <unsigned W>
Key<W> key_of(uint64_t number, const std::array<unsigned, W>& word_bits, bool alike) {
  Key<W> key{};
  const uint64_t seed = mixed(number);
  for (unsigned i = 0; i < W; ++i) {
    const uint64_t content = alike && i != seed % W ? mixed(i) : mixed(seed + i);
    key[i] = low_bits(content, word_bits[i]);
  }
  return key;
}

// Groups that take all bits of the words, whose values get few numbers, so that some keys have no short form.
template <unsigned W>
std::vector<KeyGroup> groups_for(const std::array<unsigned, W>& word_bits, uint32_t values) {
  std::vector<KeyGroup> groups;
  if (values == 0) return groups;
  for (unsigned word = 0; word < W; ++word) {
    for (unsigned at = 0; at < word_bits[word];) {
      const unsigned wanted = groups.size() % 3 == 2 ? 20 : 3 + static_cast<unsigned>(groups.size() % 4);
      const unsigned bits = std::min(word_bits[word] - at, wanted);
      groups.push_back({static_cast<uint8_t>(word), static_cast<uint8_t>(at), static_cast<uint8_t>(bits),
                        bits > KeyGroup::kMostTableBits ? 0 : values});
      at += bits;
    }
  }
  return groups;
}

constexpr KeySetOptions kRoomy = {false, 80, 100, 0};
constexpr KeySetOptions kCompact = {false, 92, 13, 0};  // also while it is small

template <unsigned W>
void grow(KeySet<W>& set) {
  set.prepare_to_grow();
  set.grow();
}

template <unsigned W, class Visit>
void drain(KeySet<W>& set, Visit&& visit) {
  for (size_t i = 0; i < KeySet<W>::kPartitions; ++i) set.drain_partition(i, visit);
}

enum class Growing { kWhenNeeded, kLate, kNever };

// Many insertions of keys with repetitions, compared with std::set after each, and as a whole at the end.
template <unsigned W>
void compare_with_set(const std::array<unsigned, W>& word_bits, const KeySetOptions& options, Growing growing,
                      size_t steps, uint64_t distinct, bool alike = false, uint32_t values = 0) {
  KeySet<W> set(options, word_bits, groups_for<W>(word_bits, values));
  std::set<Key<W>> expected;
  std::mt19937_64 random(W * 1000 + word_bits[0] + steps);
  for (size_t i = 0; i < steps; ++i) {
    const auto key = key_of<W>(random() % distinct, word_bits, alike);
    const bool is_new = expected.insert(key).second;
    REQUIRE((set.insert(key) == KeySet<W>::Inserted::kNew) == is_new);
    REQUIRE(set.size() == expected.size());
    const bool now = growing == Growing::kWhenNeeded || (growing == Growing::kLate && i % (steps / 3) == 0);
    if (now && set.needs_growth()) grow(set);
  }
  for (const auto& key : expected) REQUIRE(set.insert(key) == KeySet<W>::Inserted::kSeen);
  if (growing == Growing::kLate) {
    grow(set);
    for (const auto& key : expected) REQUIRE(set.insert(key) == KeySet<W>::Inserted::kSeen);
  }
  REQUIRE(set.size() == expected.size());
  set.check_invariants();
  std::set<Key<W>> drained;
  size_t count = 0;
  drain(set, [&](const Key<W>& key) {
    drained.insert(key);
    ++count;
  });
  REQUIRE(count == expected.size());
  REQUIRE(drained == expected);
}

template <unsigned W>
void compare_all(const std::array<unsigned, W>& word_bits, size_t steps, uint64_t distinct, bool alike = false) {
  for (const KeySetOptions& options : {kRoomy, kCompact}) {
    for (const Growing growing : {Growing::kWhenNeeded, Growing::kLate, Growing::kNever}) {
      for (const uint32_t values : {0U, 7U, 1000U}) {
        INFO("W " << W << ", word 0 has " << word_bits[0] << " bits, growth " << options.growth_percent << " %, "
                  << static_cast<int>(growing) << ", numbers for " << values);
        compare_with_set<W>(word_bits, options, growing, steps, distinct, alike, values);
      }
    }
  }
}

TEST_CASE("key set: an invertible mixer is a bijection on numbers of few bits") {
  for (unsigned bits = 1; bits <= 16; ++bits) {
    const InvertibleMixer mixer(bits);
    REQUIRE(mixer.mask() == (uint64_t{1} << bits) - 1);
    std::vector<bool> seen(size_t{1} << bits, false);
    for (uint64_t x = 0; x < seen.size(); ++x) {
      const uint64_t y = mixer.mix(x);
      REQUIRE(y < seen.size());
      REQUIRE(!seen[y]);
      seen[y] = true;
      REQUIRE(mixer.unmix(y) == x);
      REQUIRE(mixer.mix(mixer.unmix(x)) == x);
    }
  }
}

TEST_CASE("key set: an invertible mixer can be inverted at all widths") {
  for (unsigned bits = 1; bits <= 62; ++bits) {
    const InvertibleMixer mixer(bits);
    std::mt19937_64 random(bits);
    for (int i = 0; i < 2000; ++i) {
      // Random numbers, and those with few bits set or clear.
      uint64_t x = random();
      if (i % 4 == 1) x = uint64_t{1} << x % bits;
      if (i % 4 == 2) x = ~(uint64_t{1} << x % bits);
      if (i % 4 == 3) x >>= x % 64;
      x &= mixer.mask();
      const uint64_t y = mixer.mix(x);
      REQUIRE((y & ~mixer.mask()) == 0);
      REQUIRE(mixer.unmix(y) == x);
      REQUIRE(mixer.mix(mixer.unmix(x)) == x);
    }
  }
}

TEST_CASE("key set: the high bits of a mixed number depend on all of its bits") {
  for (const unsigned bits : {16u, 29u, 43u, 62u}) {
    const InvertibleMixer mixer(bits);
    for (unsigned bit = 0; bit < bits; ++bit) {
      std::mt19937_64 random(bit);
      unsigned changes = 0;
      for (int i = 0; i < 100; ++i) {
        const uint64_t x = random() & mixer.mask();
        changes += (mixer.mix(x) ^ mixer.mix(x ^ uint64_t{1} << bit)) >> (bits - 8) != 0 ? 1 : 0;
      }
      INFO(bits << " bits, bit " << bit);
      CHECK(changes > 60);
    }
  }
}

// Fills one bucket between two others, and reads all back after each record.
template <unsigned W>
void fill_bucket(unsigned rest_bits, const std::array<unsigned, W>& word_bits) {
  unsigned more_bits = 0;
  for (unsigned i = 1; i < W; ++i) more_bits += word_bits[i];
  const BucketShape shape(W, rest_bits, more_bits);
  REQUIRE(shape.slots > 0);
  REQUIRE(shape.slots <= BucketShape::kMostSlots);
  REQUIRE(shape.tails_begin + shape.slots * shape.tail_bits <= 512 * W);
  constexpr uint64_t kOther = 0x5555555555555555;
  constexpr size_t kWords = 8 * W;
  std::vector<uint64_t> memory(3 * kWords + 1, kOther);
  std::fill_n(memory.begin() + kWords, kWords, 0);
  BucketAccess<W> access(memory.data() + kWords, shape, word_bits);
  std::mt19937_64 random(rest_bits * 100 + W);
  std::vector<BucketRecord<W>> records;
  const auto random_record = [&] {
    BucketRecord<W> record;
    record.tag = static_cast<uint8_t>(random() % 3);  // equal ones, too
    record.rest = low_bits(random() % 4 == 0 ? ~uint64_t{0} : random(), rest_bits);
    for (unsigned i = 1; i < W; ++i) record.more[i - 1] = low_bits(random(), word_bits[i]);
    return record;
  };
  const auto same = [](const BucketRecord<W>& a, const BucketRecord<W>& b) {
    return a.tag == b.tag && a.rest == b.rest && a.more == b.more;
  };
  REQUIRE(access.count() == 0);
  for (unsigned slot = 0; slot < shape.slots; ++slot) {
    const BucketRecord<W> record = random_record();
    const auto place =
        std::find_if(records.begin(), records.end(), [&](const auto& each) { return same(each, record); });
    REQUIRE(access.find(record, 0, slot) == (place != records.end()));
    REQUIRE(access.lock() == slot);
    access.append(record, slot);  // unlocks
    records.push_back(record);
    REQUIRE(access.count() == slot + 1);
    for (unsigned i = 0; i <= slot; ++i) {
      REQUIRE(same(access.get(i), records[i]));
      REQUIRE(access.find(records[i], 0, slot + 1));
      REQUIRE(access.find(records[i], i, i + 1));
    }
    // A record that differs in one bit is another one.
    BucketRecord<W> other = record;
    const unsigned part = static_cast<unsigned>(random() % (W + 1));
    if (part == 0) other.tag ^= 0x80;
    if (part == 1 || (part > 1 && word_bits[part - 1] == 0)) other.rest ^= uint64_t{1} << random() % rest_bits;
    if (part > 1 && word_bits[part - 1] > 0) other.more[part - 2] ^= uint64_t{1} << random() % word_bits[part - 1];
    const auto twin =
        std::find_if(records.begin(), records.end(), [&](const auto& each) { return same(each, other); });
    REQUIRE(access.find(other, 0, slot + 1) == (twin != records.end()));
  }
  REQUIRE(access.lock() == shape.slots);
  access.unlock(shape.slots);
  REQUIRE(access.count() == shape.slots);
  for (size_t i = 0; i < kWords; ++i) {
    REQUIRE(memory[i] == kOther);
    REQUIRE(memory[2 * kWords + i] == kOther);
  }
}

TEST_CASE("key set: a bucket gives back what was appended, at all widths of the rest") {
  for (unsigned rest_bits = 1; rest_bits <= 56; ++rest_bits) {
    fill_bucket<1>(rest_bits, {62});
    fill_bucket<2>(rest_bits, {62, rest_bits});
  }
}

TEST_CASE("key set: a bucket gives back keys of several words") {
  for (unsigned bits = 1; bits <= 64; ++bits) fill_bucket<2>(48, {62, bits});
  fill_bucket<2>(7, {62, 0});
  fill_bucket<4>(48, {62, 64, 64, 64});
  fill_bucket<4>(51, {62, 64, 63, 1});
  fill_bucket<4>(33, {62, 17, 0, 0});
  fill_bucket<16>(49, {62, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64});
  fill_bucket<16>(49, {62, 64, 64, 64, 64, 64, 64, 64, 64, 3, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("key set: slots are behind each other: ranges of slots are searched separately") {
  const std::array<unsigned, 1> word_bits = {43};
  const BucketShape shape(1, 20, 0);
  Key<9> memory{};
  BucketAccess<1> access(memory.data(), shape, word_bits);
  for (unsigned slot = 0; slot < shape.slots; ++slot) access.append({7, slot, {}}, slot);
  for (unsigned slot = 0; slot < shape.slots; ++slot) {
    const BucketRecord<1> record = {7, slot, {}};
    CHECK(access.find(record, slot, shape.slots));
    CHECK(access.find(record, 0, slot + 1));
    CHECK(!access.find(record, 0, slot));
    CHECK(!access.find(record, slot + 1, shape.slots));
    CHECK(!access.find(record, slot, slot));
  }
}

TEST_CASE("key set: a set of keys of no bits has one") {
  KeySet<1> set({}, {0});
  CHECK(set.insert({0}) == KeySet<1>::Inserted::kNew);
  CHECK(set.insert({0}) == KeySet<1>::Inserted::kSeen);
  CHECK(set.size() == 1);
}

TEST_CASE("key set: all keys of one bit and of five can be kept") {
  compare_all<1>({1}, 20, 1000);
  compare_all<1>({5}, 500, 1000);
}
TEST_CASE("key set: all keys of 17 bits can be kept", "[long]") { compare_all<1>({17}, 200000, 1 << 18); }
TEST_CASE("key set: keys of 43 bits are kept as by a plain set") { compare_all<1>({43}, 60000, 30000); }
TEST_CASE("key set: keys of 62 bits are kept as by a plain set") { compare_all<1>({62}, 60000, 30000); }

TEST_CASE("key set: keys of every number of bits are kept as by a plain set") {
  for (unsigned bits = 2; bits <= 62; bits += 3) {
    compare_with_set<1>({bits}, kRoomy, Growing::kWhenNeeded, 3000, 2000);
    compare_with_set<1>({bits}, kCompact, Growing::kNever, 3000, 2000);
  }
}

TEST_CASE("key set: keys of two words are kept as by a plain set") {
  compare_all<2>({62, 1}, 20000, 10000);
  compare_all<2>({62, 64}, 20000, 10000);
  compare_all<2>({62, 33}, 20000, 10000, true);
  compare_all<2>({5, 7}, 20000, 10000);   // more keys than there are
  compare_all<2>({43, 0}, 20000, 10000);  // a word that is not used
}
TEST_CASE("key set: keys of four words are kept as by a plain set") {
  compare_all<4>({62, 64, 64, 64}, 20000, 10000);
  compare_all<4>({62, 64, 64, 64}, 20000, 10000, true);
  compare_all<4>({62, 64, 3, 0}, 20000, 10000);
  compare_all<4>({1, 1, 1, 2}, 1000, 1000);
}
TEST_CASE("key set: keys of sixteen words are kept as by a plain set") {
  const std::array<unsigned, 16> full = {62, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64};
  compare_all<16>(full, 6000, 4000);
  compare_all<16>(full, 6000, 4000, true);
  compare_all<16>({62, 64, 64, 64, 64, 64, 64, 64, 61, 0, 0, 0, 0, 0, 0, 0}, 6000, 4000, true);
}

// Insertions and changes of values, compared with std::map; the set is visited while it grows.
template <unsigned W>
void compare_with_map(const std::array<unsigned, W>& word_bits, unsigned value_bits, Growing growing, size_t steps,
                      uint64_t distinct, uint32_t values = 0) {
  KeySetOptions options = kCompact;
  options.value_bits = value_bits;
  KeySet<W> set(options, word_bits, groups_for<W>(word_bits, values));
  std::map<Key<W>, uint64_t> expected;
  std::mt19937_64 random(W * 1000 + value_bits);
  const auto compare = [&] {
    std::map<Key<W>, uint64_t> visited;
    set.visit([&](const Key<W>& key, uint64_t value) { REQUIRE(visited.emplace(key, value).second); });
    REQUIRE(visited == expected);
    std::map<Key<W>, uint64_t> valued;
    for (size_t number = 0; number < KeySet<W>::kPartitions; ++number) {
      set.visit_valued(number,
                       [&](const Key<W>& key, uint64_t value) { REQUIRE(valued.emplace(key, value).second); });
    }
    std::erase_if(visited, [](const auto& entry) { return entry.second == 0; });
    REQUIRE(valued == visited);
    set.check_invariants();
  };
  for (size_t i = 0; i < steps; ++i) {
    const auto key = key_of<W>(random() % distinct, word_bits, false);
    const uint64_t value = low_bits(random(), value_bits);
    if (i % 2 == 0) {
      const bool is_new = expected.emplace(key, 0).second;
      REQUIRE((set.insert(key) == KeySet<W>::Inserted::kNew) == is_new);
    } else {
      const auto place = expected.find(key);
      const std::optional<uint64_t> before = set.change_value(key, [&](uint64_t) { return value; });
      REQUIRE(before.has_value() == (place != expected.end()));
      if (!before) continue;
      REQUIRE(*before == place->second);
      place->second = value;
      REQUIRE(set.value(key) == value);
    }
    if (growing == Growing::kWhenNeeded && set.needs_growth()) grow(set);
    if (i % (steps / 5) == 0) compare();
  }
  compare();
  grow(set);
  compare();
  std::map<Key<W>, uint64_t> drained;
  drain(set, [&](const Key<W>& key, uint64_t value) { drained.emplace(key, value); });
  REQUIRE(drained == expected);
}

TEST_CASE("key set: keys have values, which stay with them") {
  for (const Growing growing : {Growing::kWhenNeeded, Growing::kNever}) {
    for (const unsigned value_bits : {1U, 2U, 5U, 8U, 21U, 32U}) {
      compare_with_map<1>({43}, value_bits, growing, 20000, 5000);
      compare_with_map<2>({62, 40}, value_bits, growing, 10000, 3000);
      compare_with_map<1>({43}, value_bits, growing, 10000, 3000, 7);
      compare_with_map<2>({62, 40}, value_bits, growing, 10000, 3000, 20);
    }
    compare_with_map<1>({5}, 3, growing, 1000, 100);
  }
}

TEST_CASE("key set: a set without values is as large as before") {
  for (unsigned rest_bits = 1; rest_bits <= 56; ++rest_bits) {
    const BucketShape shape(1, rest_bits, 0);
    CHECK(shape.slots == std::min(BucketShape::kMostSlots, 504 / (8 + rest_bits)));
    CHECK(shape.values_begin == 8);
    // Two bits a key take a word for 32 slots.
    const BucketShape two(1, rest_bits, 0, 2);
    const unsigned words = (shape.slots + 31) / 32;
    CHECK((two.slots <= shape.slots && two.slots + 1 + 64 * words / (8 + rest_bits) >= shape.slots));
  }
}

TEST_CASE("key set: several threads can insert keys and change values at the same time") {
  constexpr unsigned kThreads = 4;
  constexpr uint64_t kKeys = 20000;
  KeySetOptions options{true, 80, 33, 0};
  options.value_bits = 6;  // a bit for each thread, and a counter of 2 bits
  KeySet<1> set(options, {40});
  std::array<std::atomic<uint64_t>, kThreads> first{};
  std::atomic<uint64_t> inserted{0};
  for (int round = 0; round < 4; ++round) {
    std::vector<std::thread> threads;
    for (unsigned number = 0; number < kThreads; ++number) {
      threads.emplace_back([&, number] {
        KeySet<1>::Tally tally;
        for (uint64_t i = 0; i < kKeys; ++i) {
          const Key<1> key{low_bits(mixed(uint64_t(round) * kKeys + (i * 7 + number * 5003) % kKeys), 40)};
          inserted += set.insert(key, set.prefetch(key), tally) == KeySet<1>::Inserted::kNew ? 1 : 0;
          const std::optional<uint64_t> before =
              set.change_value(key, [&](uint64_t value) { return value | uint64_t{1} << number; });
          if (!before || (*before >> number & 1) != 0) std::abort();
          if (*before == 0) ++first[number];
        }
        set.settle(tally);
      });
    }
    for (std::thread& thread : threads) thread.join();
    uint64_t keys = 0;
    set.visit([&](const Key<1>&, uint64_t value) {
      ++keys;
      REQUIRE(value == (1U << kThreads) - 1);
    });
    REQUIRE(keys == set.size());
    REQUIRE(inserted == set.size());
    uint64_t together = 0;
    for (const auto& each : first) together += each;
    REQUIRE(together == set.size());  // one thread was the first for each key
    set.check_invariants();
    if (set.needs_growth()) grow(set);
    set.check_invariants();
  }
}

// Keys whose hashes follow each other from `first` on: they all belong to one bucket, or to two.
std::vector<uint64_t> keys_from_hash(unsigned bits, uint64_t first, uint64_t count) {
  const InvertibleMixer mixer(bits);
  std::vector<uint64_t> keys;
  for (uint64_t i = 0; i < count; ++i) keys.push_back(mixer.unmix((first + i) & mixer.mask()));
  return keys;
}

// Each visit takes one from the value of its key and of another one, until all are 0.
TEST_CASE("key set: several threads can visit keys while their values change") {
  constexpr uint64_t kFirst = 40;  // values
  for (const bool one_bucket : {false, true}) {
    KeySetOptions options{true, 80, 33, 0};
    options.value_bits = 11;
    KeySet<1> set(options, {40});
    const std::vector<uint64_t> words = keys_from_hash(40, uint64_t{5} << 36, one_bucket ? 600 : 20000);
    for (const uint64_t word : words) {
      set.insert({word});
      if (!one_bucket && set.needs_growth()) grow(set);
    }
    uint64_t total = 0;
    for (size_t i = 0; i < words.size(); ++i) {
      set.change_value({words[i]}, [&](uint64_t) { return kFirst + i % 5; });
      total += kFirst + i % 5;
    }
    std::atomic<uint64_t> taken{0};
    std::atomic<bool> failed{false};
    const auto take = [&](const Key<1>& key) {
      const std::optional<uint64_t> before =
          set.change_value(key, [](uint64_t value) { return value == 0 ? 0 : value - 1; });
      if (!before) failed = true;
      if (before && *before > 0) ++taken;
    };
    std::vector<std::thread> threads;
    for (unsigned number = 0; number < 4; ++number) {
      threads.emplace_back([&, number] {
        std::mt19937_64 random(number);
        for (int round = 0; round < 12; ++round) {
          for (size_t partition = 0; partition < KeySet<1>::kPartitions; ++partition) {
            set.visit_valued(partition, [&](const Key<1>& key, uint64_t value) {
              if (value == 0 || value > kFirst + 4) failed = true;
              take(key);
              take({words[random() % words.size()]});
            });
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    REQUIRE_FALSE(failed);
    uint64_t left = 0;
    set.visit([&](const Key<1>&, uint64_t value) { left += value; });
    REQUIRE(taken + left == total);
    REQUIRE(left == 0);
    set.check_invariants();
  }
}

TEST_CASE("key set: keys that all belong to one bucket are kept elsewhere") {
  constexpr uint64_t kCount = 3000;
  for (const unsigned bits : {43u, 62u}) {
    // In the middle, and around each end of a partition.
    const uint64_t partition = uint64_t{1} << (bits - KeySet<1>::kPartitionBits);
    const uint64_t end = partition << KeySet<1>::kPartitionBits;
    for (const uint64_t first : {partition / 3, partition - kCount / 2, 5 * partition - kCount / 2, end - kCount}) {
      for (const bool grows : {true, false}) {
        const std::vector<uint64_t> keys = keys_from_hash(bits, first, kCount);
        KeySet<1> set(kCompact, {bits});
        for (uint64_t i = 0; i < kCount; ++i) {
          REQUIRE(set.insert({keys[i]}) == KeySet<1>::Inserted::kNew);
          REQUIRE(set.insert({keys[i / 2]}) == KeySet<1>::Inserted::kSeen);
          if (grows && set.needs_growth()) grow(set);
        }
        for (const uint64_t key : keys) REQUIRE(set.insert({key}) == KeySet<1>::Inserted::kSeen);
        grow(set);
        for (const uint64_t key : keys) REQUIRE(set.insert({key}) == KeySet<1>::Inserted::kSeen);
        REQUIRE(set.size() == kCount);
        REQUIRE(set.memory_bytes() > kCount * sizeof(uint64_t));  // nearly all are in the spill
        std::vector<uint64_t> drained;
        drain(set, [&](const Key<1>& key) { drained.push_back(key[0]); });
        std::vector<uint64_t> expected = keys;
        std::sort(expected.begin(), expected.end());
        std::sort(drained.begin(), drained.end());
        REQUIRE(drained == expected);
      }
    }
  }
}

TEST_CASE("key set: key 0 and the largest keys are kept elsewhere, too") {
  for (const unsigned bits : {16u, 43u, 62u}) {
    const InvertibleMixer mixer(bits);
    for (const uint64_t key : {uint64_t{0}, mixer.mask(), mixer.mask() ^ 1}) {
      const uint64_t hash = mixer.mix(key);
      KeySet<1> set(kRoomy, {bits});
      // The key's buckets are full when it comes.
      uint64_t others = 0;
      for (uint64_t distance = 1; distance <= 400; ++distance) {
        for (const uint64_t each : {hash - distance, hash + distance}) {
          if (each > mixer.mask()) continue;
          REQUIRE(set.insert({mixer.unmix(each)}) == KeySet<1>::Inserted::kNew);
          ++others;
        }
      }
      CHECK(set.insert({key}) == KeySet<1>::Inserted::kNew);
      CHECK(set.insert({key}) == KeySet<1>::Inserted::kSeen);
      grow(set);
      CHECK(set.insert({key}) == KeySet<1>::Inserted::kSeen);
      bool found = false;
      uint64_t count = 0;
      drain(set, [&](const Key<1>& each) {
        found = found || each[0] == key;
        ++count;
      });
      CHECK(found);
      CHECK(count == others + 1);
    }
  }
}

TEST_CASE("key set: a sample has keys of the set, each once, and about as many as asked for") {
  for (const uint64_t count : {0ULL, 1ULL, 100ULL, 5000ULL, 40000ULL}) {
    KeySet<2> set(kRoomy, {62, 30}, groups_for<2>({62, 30}, 7));
    std::set<Key<2>> keys;
    while (keys.size() < count) {
      const auto key = key_of<2>(keys.size(), {62, 30}, false);
      keys.insert(key);
      static_cast<void>(set.insert(key));
      if (set.needs_growth()) grow(set);
    }
    const std::vector<uint64_t> words = set.sample(1000);
    std::set<Key<2>> sample;
    for (size_t i = 0; i < words.size(); i += 2) {
      const Key<2> key{words[i], words[i + 1]};
      REQUIRE(keys.count(key) == 1);
      REQUIRE(sample.insert(key).second);
    }
    CHECK(sample.size() >= std::min<uint64_t>(count, 500));
    CHECK(sample.size() <= 4000);
  }
}

TEST_CASE("key set: a probe made before other insertions is still good") {
  KeySet<2> set(kRoomy, {62, 30});
  const std::array<unsigned, 2> word_bits = {62, 30};
  for (uint64_t round = 0; round < 300; ++round) {
    std::vector<Key<2>> keys;
    std::vector<KeySet<2>::Probe> probes;
    KeySet<2>::Tally tally;
    for (uint64_t i = 0; i < 64; ++i) keys.push_back(key_of<2>(round * 48 + i, word_bits, false));
    for (const auto& key : keys) probes.push_back(set.prefetch(key));
    for (size_t i = 0; i < keys.size(); ++i) {
      const bool is_new = round == 0 || i >= 16;
      REQUIRE((set.insert(keys[i], probes[i], tally) == KeySet<2>::Inserted::kNew) == is_new);
    }
    if (set.needs_growth()) grow(set);
  }
  CHECK(set.size() == 300 * 48 + 16);
}

TEST_CASE("key set: a set says how much memory it has and how much more it will take", "[long]") {
#ifdef NDEBUG
  constexpr uint64_t kKeys = 6'000'000;
#else
  constexpr uint64_t kKeys = 600'000;
#endif
  for (const KeySetOptions& options : {kRoomy, kCompact}) {
    KeySet<1> set(options, {43});
    double most = 0;
    for (uint64_t i = 0; i < kKeys; ++i) {
      const auto inserted = set.insert({low_bits(i * 0x9e3779b97f4a7c15, 43)});
      if (inserted != KeySet<1>::Inserted::kNew) FAIL("number " << i << " was new");
      if (set.needs_growth()) {
        const uint64_t before = set.memory_bytes();
        const uint64_t announced = set.growth_bytes();
        grow(set);
        REQUIRE(set.memory_bytes() <= before + announced);  // it may even be less: the spill shrinks
      }
      if (i > 100'000) most = std::max(most, static_cast<double>(set.memory_bytes()) / static_cast<double>(i));
    }
    // Some partitions may be one growth behind, or before.
    const double expected = static_cast<double>(KeySet<1>(options, {43}).expected_bytes(kKeys));
    CHECK(static_cast<double>(set.memory_bytes()) < expected * 1.1);
    CHECK(static_cast<double>(set.memory_bytes()) > expected / 2.1);
    const double at_the_end = static_cast<double>(set.memory_bytes()) / static_cast<double>(kKeys);
    INFO("growth " << options.growth_percent << " %");
    CHECK(most < 11);
    CHECK(at_the_end > 3);
    if (kKeys > 5'000'000 && options.growth_percent == 13) CHECK(at_the_end < 5);
  }
}

TEST_CASE("key set: a set grows by no more than little memory that is left, down to a tenth") {
  for (const bool shared : {false, true}) {
    KeySetOptions options;
    options.shared = shared;
    options.small_bytes = 1 << 14;
    KeySet<1> set(options, {43});
    uint64_t growths = 0;
    for (uint64_t i = 0; i < 300'000; ++i) {
      REQUIRE(set.insert({low_bits(i * 0x9e3779b97f4a7c15, 43)}) == KeySet<1>::Inserted::kNew);
      if (!set.needs_growth()) continue;
      const uint64_t before = set.memory_bytes();
      const uint64_t spare = before * (growths % 4) / 5;  // none to three fifths
      const uint64_t least = set.least_growth_bytes();
      set.prepare_to_grow(spare);
      set.grow();
      REQUIRE(set.memory_bytes() <= before + std::max(spare, least));
      ++growths;
    }
    set.check_invariants();
    CHECK(set.size() == 300'000);
    CHECK(growths > 10);
    CHECK(set.least_bytes(300'000) <= set.expected_bytes(300'000) * 11 / 10);
  }
}

// Threads insert overlapping parts of `keys`, in different orders; every key must be new to exactly one of them. With
// `growing`, they stand still from time to time while the set grows.
template <unsigned W>
void insert_with_threads(const std::array<unsigned, W>& word_bits, KeySetOptions options,
                         const std::vector<Key<W>>& keys, bool same_order, bool growing, uint32_t values = 0) {
  constexpr size_t kThreads = 4;
  constexpr size_t kPause = 500;
  options.shared = true;
  KeySet<W> set(options, word_bits, groups_for<W>(word_bits, values));
  std::vector<std::atomic<uint32_t>> news(keys.size());
  uint64_t growths = 0;
  bool grows = false;
  std::barrier barrier(kThreads, [&]() noexcept {
    grows = growing && set.needs_growth();
    if (grows) set.prepare_to_grow();
    growths += grows ? 1 : 0;
  });
  const auto run = [&](size_t thread) {
    // The second half of the keys is for two of the threads only.
    std::vector<size_t> order;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (i < keys.size() / 2 || i % kThreads == thread || (i + 1) % kThreads == thread) order.push_back(i);
    }
    std::mt19937_64 random(thread);
    if (!same_order) std::shuffle(order.begin(), order.end(), random);
    const size_t rounds = keys.size() / kPause + 1;
    typename KeySet<W>::Tally tally;
    for (size_t round = 0; round < rounds; ++round) {
      const size_t begin = order.size() * round / rounds;
      const size_t end = order.size() * (round + 1) / rounds;
      for (size_t i = begin; i < end; ++i) {
        const auto& key = keys[order[i]];
        if (set.insert(key, set.prefetch(key), tally) == KeySet<W>::Inserted::kNew) ++news[order[i]];
      }
      barrier.arrive_and_wait();
      while (grows) {
        set.grow();  // all together
        barrier.arrive_and_wait();
      }
    }
    set.settle(tally);
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) threads.emplace_back(run, i);
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < keys.size(); ++i) REQUIRE(news[i] == 1);
  REQUIRE(set.size() == keys.size());
  if (growing) REQUIRE(growths > 0);
  std::vector<Key<W>> drained;
  drain(set, [&](const Key<W>& key) { drained.push_back(key); });
  std::vector<Key<W>> expected = keys;
  std::sort(expected.begin(), expected.end());
  std::sort(drained.begin(), drained.end());
  REQUIRE(drained == expected);
}

template <unsigned W>
std::vector<Key<W>> different_keys(size_t count, const std::array<unsigned, W>& word_bits) {
  std::set<Key<W>> keys;
  for (uint64_t i = 0; keys.size() < count; ++i) keys.insert(key_of<W>(i, word_bits, false));
  return {keys.begin(), keys.end()};
}

TEST_CASE("key set: of several threads each key is new to one") {
  const auto keys = different_keys<1>(20000, {43});
  for (const bool same_order : {true, false}) {
    insert_with_threads<1>({43}, kRoomy, keys, same_order, true);
    insert_with_threads<1>({43}, kCompact, keys, same_order, true);
    insert_with_threads<1>({43}, kRoomy, keys, same_order, false);  // most keys come to full buckets
    for (const uint32_t values : {3U, 1000U}) {
      insert_with_threads<1>({43}, kRoomy, keys, same_order, true, values);
      insert_with_threads<1>({43}, kRoomy, keys, same_order, false, values);
    }
  }
}

TEST_CASE("key set: several threads can insert keys of several words") {
  const std::array<unsigned, 4> word_bits = {62, 64, 64, 9};
  const auto keys = different_keys<4>(6000, word_bits);
  for (const bool growing : {true, false}) insert_with_threads<4>(word_bits, kCompact, keys, false, growing);
}

TEST_CASE("key set: several threads can insert keys that all belong to one bucket") {
  std::vector<Key<1>> keys;
  for (const uint64_t key : keys_from_hash(43, uint64_t{1} << 37, 2000)) keys.push_back({key});
  for (const bool same_order : {true, false}) insert_with_threads<1>({43}, kRoomy, keys, same_order, false);
  for (const bool same_order : {true, false}) insert_with_threads<1>({43}, kRoomy, keys, same_order, true);
}

TEST_CASE("key set: several threads can insert few keys, again and again") {
  for (int round = 0; round < 200; ++round) {
    const auto keys = different_keys<1>(40, {6});
    insert_with_threads<1>({6}, kRoomy, keys, true, false);
  }
}

TEST_CASE("key spill: keys go from one into a smaller one in time") {
  // In the order of their places that would take minutes.
  constexpr uint64_t kKeys = 400'000;
  const auto fill = [](KeySpill<1>& spill, const Key<1>& key) {
    if (spill.is_crowded()) spill.grow(false);
    static_cast<void>(spill.put(key, 0));
  };
  KeySpill<1> before;
  for (uint64_t i = 0; i < kKeys; ++i) fill(before, {{low_bits(mixed(i), 63)}});
  KeySpill<1> after;
  before.for_each([&](const Key<1>& key, uint64_t) { fill(after, key); });
  CHECK(after.count == kKeys);
  uint64_t found = 0;
  before.for_each([&](const Key<1>& key, uint64_t) { found += after.find(key) ? 1 : 0; });
  CHECK(found == kKeys);
}

}  // namespace
}  // namespace cmc
