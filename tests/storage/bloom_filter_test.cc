#include "storage/sets/bloom_filter.h"

#include <random>
#include <set>

#include "tests/catch.h"

namespace cmc {
namespace {

TEST_CASE("Bloom filter: it never forgets, and counts what it does") {
  for (unsigned hashes = 1; hashes <= BloomFilter::kMostHashes; ++hashes) {
    BloomFilter filter(40000, hashes);
    std::mt19937_64 random(hashes);
    std::set<uint64_t> inserted;
    uint64_t resolved = 0;
    for (int i = 0; i < 4000; ++i) {
      const uint64_t hash = random();
      if (!filter.query(hash)) {
        ++resolved;
        REQUIRE(inserted.count(hash) == 0);
      }
      filter.insert(hash);
      inserted.insert(hash);
      REQUIRE(filter.query(hash));
    }
    for (const uint64_t hash : inserted) REQUIRE(filter.query(hash));
    const BloomFilter::Figures& figures = filter.figures();
    REQUIRE(figures.entries == 4000);
    REQUIRE(figures.queries == 12000);
    REQUIRE(figures.resolved == resolved);
    REQUIRE(figures.bits_set <= std::min<uint64_t>(filter.bits(), 4000 * hashes));
    if (hashes == 1) {
      REQUIRE(figures.bits_set == resolved);
      REQUIRE(figures.partial_collisions == 0);
    } else {
      REQUIRE(figures.partial_collisions > 0);
    }
    REQUIRE(4000 - resolved < (hashes <= 4 ? 400 : 600));  // errors
  }
}

TEST_CASE("Bloom filter: the smallest one stops when it is full") {
  BloomFilter filter(1, 8);
  REQUIRE(filter.bits() == 512);
  REQUIRE_FALSE(filter.query(0));
  for (uint64_t i = 0; i < 10000; ++i) filter.insert(i * 0x9e3779b97f4a7c15ULL);
  REQUIRE(filter.figures().bits_set > 512 / 16 * 15);  // then it stops
  REQUIRE(filter.figures().bits_set <= 512 / 16 * 15 + 8);
  REQUIRE(filter.figures().entries == 10000);
  for (uint64_t i = 0; i < 20000; ++i) REQUIRE(filter.query(i));
  REQUIRE(filter.figures().resolved == 1);
}

TEST_CASE("Bloom filter: a nearly full one says so, and a saturated one has everything") {
  BloomFilter filter(51200, 3);
  std::mt19937_64 random(1);
  while (!filter.nearly_saturated()) filter.insert(random());
  REQUIRE(filter.figures().bits_set >= 51200 / 4 * 3);
  REQUIRE(filter.figures().bits_set < 51200 / 4 * 3 + 4);
  BloomFilter other(51200, 3);
  REQUIRE_FALSE(other.query(7));
  other.saturate();
  for (uint64_t i = 0; i < 1000; ++i) REQUIRE(other.query(random()));
  other.insert(8);
  REQUIRE(other.figures().bits_set == 51200);
  REQUIRE(other.figures().entries == 1);
  REQUIRE(other.figures().resolved == 1);
}

}  // namespace
}  // namespace cmc
