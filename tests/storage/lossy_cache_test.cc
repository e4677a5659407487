#include "storage/cache/lossy_cache.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tests/catch.h"

namespace cmc {
namespace {

template <unsigned W>
Key<W> key_of(uint64_t number, const std::array<unsigned, W>& bits) {
  std::mt19937_64 random(number);
  Key<W> key{};
  key[0] = random() >> (64 - bits[0]);
  for (unsigned i = 1; i < W; ++i) key[i] = bits[i] == 0 ? 0 : random() >> (64 - bits[i]);
  return key;
}

// Insertions and reclaims at random (ahead 0: one entry replaces another); after each step the cache is what the set
// is.
template <unsigned W>
void compare_with_set(uint64_t capacity, const std::array<unsigned, W>& bits, Evaluator evaluator, uint64_t ahead,
                      size_t steps) {
  LossyCache<W> cache(capacity, evaluator, bits[0], bits);
  std::set<Key<W>> expected;
  std::mt19937_64 random(capacity + W);
  uint64_t own = 0;
  const auto sink = [&](const Key<W>& victim, Meta meta) {
    REQUIRE(expected.erase(victim) == 1);
    own -= meta.copy() ? 0 : 1;
  };
  for (size_t i = 0; i < steps; ++i) {
    const Key<W> key = key_of<W>(random() % (3 * capacity + 5), bits);
    if (random() % 4 == 0) cache.set_outgoing(key, random() % 20);
    REQUIRE(cache.meet(key) == (expected.count(key) == 1));
    if (expected.count(key) == 1) continue;
    if (cache.crowded() && ahead > 0) {
      const uint64_t before = cache.size();
      REQUIRE(cache.reclaim(ahead, sink) == std::min(ahead, before));
      REQUIRE(cache.size() == before - std::min(ahead, before));
    }
    const Meta meta = random() % 3 == 0 ? first_meta(evaluator).as_copy() : first_meta(evaluator);
    own += meta.copy() ? 0 : 1;
    if (cache.crowded() || !cache.insert(key, meta)) cache.replace(key, meta, sink);
    expected.insert(key);
    REQUIRE(cache.size() <= capacity);
    REQUIRE(cache.size() == expected.size());
    REQUIRE(cache.own() == own);
  }
  for (const Key<W>& key : expected) REQUIRE(cache.contains(key));
  std::set<Key<W>> all;
  cache.for_each([&](const Key<W>& key, Meta) { REQUIRE(all.insert(key).second); });
  REQUIRE(all == expected);
  REQUIRE(cache.reclaim(capacity + 1, sink) == cache.capacity() - (cache.capacity() - all.size()));
  REQUIRE(cache.size() == 0);
  REQUIRE(expected.empty());
}

TEST_CASE("lossy cache: it is a set that loses what it says it loses", "[long]") {
  for (const Evaluator evaluator :
       {Evaluator::kAge, Evaluator::kIncoming, Evaluator::kOutgoing, Evaluator::kCombined}) {
    for (const uint64_t capacity : {1u, 2u, 16u, 100u, 5000u}) {
      for (const uint64_t ahead : {uint64_t{0}, uint64_t{1}, capacity / 32 + 1, capacity}) {
        const size_t steps = capacity > 1000 && ahead == 1 ? 20000 : 10 * capacity + 200;
        compare_with_set<1>(capacity, {40}, evaluator, ahead, steps);
        compare_with_set<1>(capacity, {62}, evaluator, ahead, steps / 4 + 50);
        compare_with_set<2>(capacity, {40, 64}, evaluator, ahead, steps / 4 + 50);
        compare_with_set<4>(capacity, {40, 1, 0, 33}, evaluator, ahead, steps / 4 + 50);
      }
    }
  }
  compare_with_set<16>(100, {62, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64}, Evaluator::kAge, 7,
                       1000);
}

TEST_CASE("lossy cache: what is replaced is far away") {
  // 3 entries among several buckets: where a key belongs there is often nothing to replace.
  compare_with_set<16>(3, {62, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64}, Evaluator::kAge, 0, 3000);
  compare_with_set<1>(40, {62}, Evaluator::kCombined, 0, 3000);
}

TEST_CASE("lossy cache: it works with few different hashes") {
  // All belong to a few buckets: there is no room near their home long before the cache is full.
  LossyCache<2> cache(100000, Evaluator::kAge, 40, {40, 30});
  std::set<Key<2>> expected;
  uint64_t refused = 0;
  for (uint64_t i = 0; i < 3000; ++i) {
    const Key<2> key{i % 3, i};
    if (!cache.insert(key)) {
      ++refused;
      cache.replace(key, first_meta(Evaluator::kAge),
                    [&](const Key<2>& victim, Meta) { REQUIRE(expected.erase(victim) == 1); });
    }
    expected.insert(key);
  }
  REQUIRE(refused > 0);
  REQUIRE(expected.size() == cache.size());
  for (const Key<2>& key : expected) REQUIRE(cache.contains(key));
}

TEST_CASE("lossy cache: it fills up to its capacity") {
  for (const uint64_t capacity : {1u, 3u, 15u, 16u, 17u, 1000u, 300000u}) {
    LossyCache<1> cache(capacity, Evaluator::kCombined, 43, {43});
    uint64_t lost = 0;
    uint64_t i = 0;
    for (; !cache.crowded(); ++i) REQUIRE(cache.insert(key_of<1>(i, {43})));
    REQUIRE(i >= capacity * 84 / 100);
    REQUIRE(i <= capacity);
    // From then on buckets fill up one by one.
    for (; !cache.full(); ++i) {
      REQUIRE(i < 20 * capacity);
      cache.replace(key_of<1>(i, {43}), first_meta(Evaluator::kCombined), [&](const Key<1>&, Meta) { ++lost; });
    }
    REQUIRE(cache.size() == capacity);
    REQUIRE(cache.size() == i - lost);
    REQUIRE(lost < 3 * capacity);
    if (capacity == 300000) REQUIRE(lost > 0);
  }
}

TEST_CASE("lossy cache: it takes the memory that it says") {
  LossyCache<1> cache(1000000, Evaluator::kAge, 43, {43});
  REQUIRE(cache.memory_bytes() < 5800000);
  REQUIRE(cache.memory_bytes() >= LossyCache<1>::bytes_for(1000000, 43, 0));
  REQUIRE(cache.memory_bytes() <= LossyCache<1>::bytes_for(1000000, 43, 0) + 8192);
  REQUIRE(LossyCache<1>::bytes_for(100000000, 43, 0) < 500000000);
}

// Which of 1000 states are left, after 500 have been reclaimed, of which every second one was met, or had many
// successors.
TEST_CASE("lossy cache: evaluators keep what they are for") {
  for (const Evaluator evaluator : {Evaluator::kIncoming, Evaluator::kOutgoing, Evaluator::kCombined}) {
    LossyCache<1> cache(1200, evaluator, 40, {40});
    for (uint64_t i = 0; i < 1000; ++i) REQUIRE(cache.insert(key_of<1>(i, {40})));
    for (uint64_t i = 0; i < 1000; ++i) {
      if (evaluator != Evaluator::kIncoming) cache.set_outgoing(key_of<1>(i, {40}), i % 2 == 0 ? 10 : 1);
      if (evaluator != Evaluator::kOutgoing && i % 2 == 0) REQUIRE(cache.meet(key_of<1>(i, {40})));
    }
    cache.reclaim(500, [](const Key<1>&, Meta) {});
    for (uint64_t i = 0; i < 1000; ++i) REQUIRE(cache.contains(key_of<1>(i, {40})) == (i % 2 == 0));
  }
  LossyCache<1> cache(1200, Evaluator::kAge, 40, {40});
  for (uint64_t i = 0; i < 1000; ++i) REQUIRE(cache.insert(key_of<1>(i, {40})));
  cache.reclaim(500, [](const Key<1>&, Meta) {});  // the others are older now
  for (uint64_t i = 1000; i < 1500; ++i) REQUIRE(cache.insert(key_of<1>(i, {40})));
  cache.reclaim(500, [](const Key<1>&, Meta) {});
  for (uint64_t i = 0; i < 1500; ++i) REQUIRE(cache.contains(key_of<1>(i, {40})) == (i >= 1000));
}

}  // namespace
}  // namespace cmc
