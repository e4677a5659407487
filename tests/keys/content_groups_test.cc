#include "checker/keyspace/content_groups.h"

#include <random>
#include <set>
#include <vector>

#include "tests/catch.h"

namespace cmc {
namespace {

// Whether the groups have all used bits of the layout, each once.
void check_cover(const Layout& layout, const std::vector<KeyGroup>& groups) {
  std::vector<uint64_t> taken(layout.words());
  for (const KeyGroup& group : groups) {
    const uint64_t mask = (~uint64_t{0} >> (64 - group.bits)) << group.shift;
    REQUIRE((taken[group.word] & mask) == 0);
    taken[group.word] |= mask;
  }
  for (unsigned word = 0; word < layout.words(); ++word) {
    const unsigned used = layout.word_bits(word);
    REQUIRE(taken[word] == (used == 0 ? 0 : ~uint64_t{0} >> (64 - used)));
  }
}

TEST_CASE("content groups: groups have all bits of keys of any layout, each once") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<uint8_t> widths(1 + random() % 60);
    for (uint8_t& width : widths) width = static_cast<uint8_t>(random() % (round % 2 == 0 ? 4 : 18));
    ContentGroups groups;
    std::vector<ComponentId> components;
    for (size_t c = 0; c < widths.size(); ++c) components.push_back(static_cast<ComponentId>(c));
    std::shuffle(components.begin(), components.end(), random);
    for (size_t c = 0; c < components.size();) {
      const size_t end = std::min(components.size(), c + 1 + random() % 5);
      groups.components.emplace_back(components.begin() + static_cast<ptrdiff_t>(c),
                                     components.begin() + static_cast<ptrdiff_t>(end));
      groups.values.push_back(5);
      c = end + random() % 2;
    }
    const Layout plain(widths);
    const Layout grouped(widths, 1, groups.components);
    if (plain.words() > kMaxKeyWords) continue;
    CHECK(grouped.words() <= plain.words());
    CHECK(grouped.bits() == plain.bits());
    grouped.check_invariants();
    for (size_t c = 0; c < widths.size(); ++c) {
      CHECK(grouped.field(static_cast<ComponentId>(c)).width == widths[c]);
    }
    check_cover(grouped, groups.bits(grouped));
    check_cover(plain, groups.bits(plain));
    check_cover(plain, ContentGroups().bits(plain));
    // What is narrow enough has a group.
    unsigned numbered = 0;
    for (const KeyGroup& group : groups.bits(grouped)) numbered += group.values > 0 ? 1 : 0;
    unsigned narrow = 0;
    for (const std::vector<ComponentId>& each : groups.components) {
      unsigned width = 0;
      for (const ComponentId component : each) width += widths[component];
      narrow += width > 0 && width <= KeyGroup::kMostTableBits ? 1 : 0;
    }
    if (plain.words() == 1) CHECK(numbered == narrow);
    CHECK(numbered <= narrow);
  }
}

TEST_CASE("content groups: components that depend on each other are found in keys") {
  const std::vector<uint8_t> widths = {0, 5, 20, 5, 1};
  const Layout layout(widths);
  std::mt19937_64 random(1);
  std::vector<uint64_t> sample;
  for (int i = 0; i < 10000; ++i) {
    const uint64_t a = random() % 32;
    sample.push_back(a << layout.field(1).shift | a << layout.field(3).shift |
                     (random() % 2) << layout.field(4).shift | (random() % 1000) << layout.field(2).shift);
  }
  const ContentGroups groups = ContentGroups::find(layout, sample);
  std::set<ComponentId> together;
  for (const auto& group : groups.components) {
    const std::set<ComponentId> members(group.begin(), group.end());
    if (members.count(1) == 1) together = members;
    CHECK(members.count(2) == 0);
  }
  CHECK(together.count(3) == 1);
}

}  // namespace
}  // namespace cmc
