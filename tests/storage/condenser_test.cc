#include "storage/sets/condenser.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "storage/sets/key_groups.h"
#include "storage/sets/key_set.h"
#include "tests/storage/numbers.h"

#include "tests/catch.h"

namespace cmc {
namespace {

// Groups that cover the words, of which the first `tabled` have numbers for about `share` of 16 of their values.
template <unsigned W>
struct Divided {
  std::vector<KeyGroup> groups;
  std::array<unsigned, W> word_bits{};
};
template <unsigned W>
Divided<W> divide(std::mt19937_64& random, const std::array<unsigned, W>& word_bits, bool tables) {
  Divided<W> divided{{}, word_bits};
  for (unsigned word = 0; word < W; ++word) {
    // A third of the words has parts of equal widths that fill it, the whole word perhaps, and all values of them.
    const unsigned equal = random() % 3 == 0 ? 1u << random() % 7 : 0;
    for (unsigned at = 0; at < word_bits[word];) {
      const unsigned left = word_bits[word] - at;
      const unsigned most = random() % 4 == 0 ? 64 : KeyGroup::kMostTableBits;
      const unsigned wanted = equal > 0 ? equal : 1 + static_cast<unsigned>(random() % most);
      const unsigned bits = std::min(left, wanted);
      KeyGroup group{static_cast<uint8_t>(word), static_cast<uint8_t>(at), static_cast<uint8_t>(bits), 0};
      if (tables && equal == 0 && bits <= KeyGroup::kMostTableBits && random() % 4 != 0) {
        group.values = 1 + static_cast<uint32_t>(random() % (uint64_t{1} << bits));
      }
      divided.groups.push_back(group);
      at += bits;
    }
  }
  return divided;
}

// A key whose groups have few values, so that most have numbers.
template <unsigned W>
Key<W> random_key(std::mt19937_64& random, const Divided<W>& divided, unsigned values) {
  Key<W> key{};
  for (const KeyGroup& group : divided.groups) {
    const uint64_t value = (random() % values) * 0x9e3779b97f4a7c15ULL >> 7;
    key[group.word] |= low_bits(value, group.bits) << group.shift;
  }
  return key;
}

template <unsigned W>
void check_inverse(const std::array<unsigned, W>& word_bits, uint64_t seed) {
  std::mt19937_64 random(seed);
  const Divided<W> divided = divide<W>(random, word_bits, true);
  Condenser<W> condenser(word_bits, divided.groups);
  std::set<Key<W>> short_forms;
  std::set<Key<W>> refused;
  std::set<Key<W>> keys;
  for (int i = 0; i < 2000; ++i) {
    const Key<W> key = random_key(random, divided, i % 3 == 0 ? 1000 : 5);
    Key<W> shorter;
    const bool condensed = condenser.condense(key, shorter);
    // A key has a shorter form always or never.
    if (refused.count(key) > 0) REQUIRE(!condensed);
    if (!condensed) REQUIRE(keys.count(key) == 0);
    if (!condensed) refused.insert(key);
    if (i % 7 == 0 && !condensed) REQUIRE(!condenser.condense(key, shorter));
    if (!condensed) continue;
    REQUIRE(condenser.expand(shorter) == key);
    for (unsigned word = 0; word < W; ++word) {
      REQUIRE(low_bits(shorter[word], condenser.word_bits()[word]) == shorter[word]);
      REQUIRE(condenser.word_bits()[word] <= (word == 0 ? kFirstWordBits : 64));
    }
    const bool is_new = keys.insert(key).second;
    REQUIRE(short_forms.insert(shorter).second == is_new);
  }
}

TEST_CASE("condenser: a condensed key can be got back, and others have other short forms", "[long]") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    check_inverse<1>({62}, seed);
    check_inverse<1>({static_cast<unsigned>(1 + seed % 62)}, seed);
    check_inverse<2>({62, 64}, seed);
    check_inverse<2>({5, 17}, seed);
    check_inverse<4>({62, 64, 64, 64}, seed);
    check_inverse<4>({62, 64, 1, 0}, seed);
    check_inverse<16>({62, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64}, seed);
  }
}

// The product of two such words has 128 bits.
TEST_CASE("condenser: words all of whose bits are used are not put into one") {
  const std::vector<KeyGroup> groups = {{0, 0, 8, 3}, {1, 0, 64, 0}, {2, 0, 64, 0}, {3, 0, 64, 0}};
  Condenser<4> condenser({8, 64, 64, 64}, groups);
  CHECK(condenser.shortens());
  CHECK(condenser.word_bits() == std::array<unsigned, 4>{62, 64, 64, 4});
  const Key<4> key{1, ~uint64_t{0}, 77, uint64_t{1} << 63};
  Key<4> shorter;
  REQUIRE(condenser.condense(key, shorter));
  CHECK(condenser.expand(shorter) == key);
}

// A set hashes word 0: with few bits there, few places would be used, and most keys would be kept elsewhere.
TEST_CASE("condenser: the first word is filled, though a wide part does not fit there") {
  std::vector<KeyGroup> groups;
  for (uint8_t i = 0; i < 5; ++i) groups.push_back({0, static_cast<uint8_t>(10 * i), 10, 3});
  groups.push_back({1, 0, 64, 0});
  KeySet<2> set({}, {50, 64}, groups);
  std::mt19937_64 random(1);
  for (uint64_t i = 0; i < 2'000'000; ++i) {
    set.insert({i % 3, random()});
    if (set.needs_growth()) {
      set.prepare_to_grow();
      set.grow();
    }
  }
  CHECK(set.key_bits() == 72);
  CHECK(set.memory_bytes() < 19 * set.size());  // 21 with 8 bits in word 0
}

TEST_CASE("condenser: a key without groups stays as it is") {
  Condenser<2> condenser({40, 7});
  CHECK(!condenser.shortens());
  CHECK(condenser.word_bits() == std::array<unsigned, 2>{40, 7});
  CHECK(condenser.memory_bytes() == 0);
  Key<2> shorter;
  REQUIRE(condenser.condense({12345, 99}, shorter));
  CHECK(shorter == Key<2>{12345, 99});
  CHECK(condenser.expand({12345, 99}) == Key<2>{12345, 99});
  // The same with groups that take all values.
  const std::vector<KeyGroup> whole = {{0, 0, 40, 0}, {1, 0, 7, 0}};
  CHECK(!Condenser<2>({40, 7}, whole).shortens());
}

TEST_CASE("condenser: groups of few values take few bits, together, and what is left of a bit is for more values") {
  // 74^4 * 3^4 * 2^7: 38.2 bits.
  std::vector<KeyGroup> groups;
  for (uint8_t i = 0; i < 4; ++i) groups.push_back({0, static_cast<uint8_t>(7 * i), 7, 74});
  for (uint8_t i = 0; i < 4; ++i) groups.push_back({0, static_cast<uint8_t>(28 + 2 * i), 2, 3});
  groups.push_back({0, 36, 7, 0});
  Condenser<1> condenser({43}, groups);
  CHECK(condenser.word_bits()[0] == 39);
  // All 82 numbers or so that fit are given out, then no more.
  unsigned known = 0;
  for (uint64_t value = 0; value < 128; ++value) {
    Key<1> shorter;
    known += condenser.condense({value}, shorter) ? 1 : 0;
  }
  CHECK(known >= 74);
  CHECK(known < 90);
}

TEST_CASE("condenser: keys of two words that fit into one take one") {
  std::vector<KeyGroup> groups;
  for (uint8_t i = 0; i < 4; ++i) groups.push_back({0, static_cast<uint8_t>(13 * i), 13, 100});
  for (uint8_t i = 0; i < 4; ++i) groups.push_back({1, static_cast<uint8_t>(13 * i), 13, 100});
  Condenser<2> condenser({52, 52}, groups);
  CHECK(condenser.word_bits()[0] == 54);
  CHECK(condenser.word_bits()[1] == 0);
}

TEST_CASE("condenser: several threads condense the same keys to the same") {
  constexpr unsigned kThreads = 4;
  for (uint64_t round = 0; round < 30; ++round) {
    std::mt19937_64 random(round);
    const Divided<2> divided = divide<2>(random, {62, 50}, true);
    std::vector<Key<2>> keys;
    for (int i = 0; i < 500; ++i) keys.push_back(random_key(random, divided, 300));
    Condenser<2> condenser(divided.word_bits, divided.groups);
    std::array<std::vector<Key<2>>, kThreads> results;
    std::vector<std::thread> threads;
    for (unsigned number = 0; number < kThreads; ++number) {
      threads.emplace_back([&, number] {
        for (size_t i = 0; i < keys.size(); ++i) {
          const size_t at = (i + number * 125) % keys.size();
          Key<2> shorter;
          results[number].push_back(condenser.condense(keys[at], shorter) ? shorter : Key<2>{~uint64_t{0}, 0});
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (size_t i = 0; i < keys.size(); ++i) {
      Key<2> shorter;
      if (!condenser.condense(keys[i], shorter)) shorter = {~uint64_t{0}, 0};
      for (unsigned number = 0; number < kThreads; ++number) {
        REQUIRE(results[number][(i + (kThreads - number) * 125) % keys.size()] == shorter);
      }
      if (shorter[0] != ~uint64_t{0}) REQUIRE(condenser.expand(shorter) == keys[i]);
    }
  }
}

TEST_CASE("condenser: fields that depend on each other are found") {
  // Fields 0 and 3 are equal, 1 and 4 differ by one, 2 is anything, 5 never changes.
  const std::vector<KeyField> fields = {{0, 0, 6}, {0, 6, 5},  {0, 11, 6}, {1, 0, 6},
                                        {1, 6, 5}, {1, 11, 3}, {0, 0, 0}};
  std::mt19937_64 random(1);
  std::vector<uint64_t> sample;
  for (int i = 0; i < 16384; ++i) {
    const uint64_t a = random() % 50;
    const uint64_t b = random() % 31;
    sample.push_back(a | b << 6 | (random() % 64) << 11);
    sample.push_back(a | (b + 1) << 6 | 5u << 11);
  }
  const std::vector<FieldGroup> groups = find_groups(sample, 2, fields);
  std::vector<unsigned> times(fields.size());
  bool first = false;
  bool second = false;
  for (const FieldGroup& group : groups) {
    const std::set<uint32_t> members(group.fields.begin(), group.fields.end());
    for (const uint32_t field : members) ++times[field];
    first = first || (members.count(0) == 1 && members.count(3) == 1);
    second = second || (members.count(1) == 1 && members.count(4) == 1);
    CHECK(group.values > 0);
  }
  CHECK(first);
  CHECK(second);
  for (const unsigned each : times) CHECK(each <= 1);
  CHECK(times[6] == 0);
}

TEST_CASE("condenser: a sample that does not show all values makes no groups") {
  std::mt19937_64 random(1);
  const std::vector<KeyField> fields = {{0, 0, 6}, {0, 6, 6}, {0, 12, 12}, {0, 24, 20}};
  std::vector<uint64_t> sample;
  for (int i = 0; i < 1000; ++i) sample.push_back(low_bits(random(), 44));
  CHECK(find_groups(sample, 1, fields).empty());
  CHECK(find_groups({}, 1, fields).size() <= 3);
}

}  // namespace
}  // namespace cmc
