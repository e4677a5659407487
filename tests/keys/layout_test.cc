#include "checker/keyspace/layout.h"

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <vector>

#include "tests/catch.h"

namespace cmc {
namespace {

// What every layout must be: returns the words that it takes.
size_t check_layout(const Layout& layout, const std::vector<uint8_t>& widths) {
  REQUIRE(layout.size() == widths.size());
  std::vector<uint64_t> used;
  unsigned bits = 0;
  for (size_t c = 0; c < widths.size(); ++c) {
    const Layout::Field field = layout.field(static_cast<ComponentId>(c));
    REQUIRE(field.width == widths[c]);
    bits += field.width;
    if (field.width == 0) {
      REQUIRE(field.mask() == 0);
      continue;
    }
    if (field.word >= used.size()) used.resize(field.word + size_t{1});
    REQUIRE(field.shift + field.width <= (field.word == 0 ? kFirstWordBits : 64));
    REQUIRE(field.mask() >> field.shift == (uint64_t{1} << field.width) - 1);
    REQUIRE((used[field.word] & field.mask()) == 0);
    used[field.word] |= field.mask();
  }
  REQUIRE(layout.bits() == bits);
  REQUIRE(layout.words() >= used.size());
  unsigned least = 1;
  while (least < used.size()) least = next_key_width(least);
  REQUIRE(layout.words() == least);
  for (unsigned word = 0; word < layout.words(); ++word) {
    const unsigned used_bits = word < used.size() ? static_cast<unsigned>(std::bit_width(used[word])) : 0;
    REQUIRE(layout.word_bits(word) == used_bits);
    // No holes: all bits below are used.
    if (used_bits > 0) REQUIRE(used[word] == ~uint64_t{0} >> (64 - used_bits));
  }
  REQUIRE(layout.word_bits(1000) == 0);
  return used.size();
}

TEST_CASE("layout: a layout of nothing has one word of no bits") {
  check_layout(Layout(), {});
  check_layout(Layout(std::vector<uint8_t>{}), {});
  check_layout(Layout(std::vector<uint8_t>(20, 0)), std::vector<uint8_t>(20, 0));
  CHECK(Layout().field(7).width == 0);
  CHECK(Layout().words() == 1);
}

TEST_CASE("layout: fields do not overlap, do not straddle words, and leave two bits of word 0") {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<uint8_t> widths(random() % 60);
    const unsigned widest = 1 + static_cast<unsigned>(random() % 32);
    for (uint8_t& width : widths) width = static_cast<uint8_t>(random() % 3 == 0 ? 0 : random() % (widest + 1));
    const Layout layout(widths);
    const size_t words = check_layout(layout, widths);
    if (words > kMaxKeyWords) continue;

    // Values put in come out.
    std::array<uint64_t, kMaxKeyWords> key{};
    std::vector<uint32_t> values;
    for (size_t c = 0; c < widths.size(); ++c) {
      values.push_back(static_cast<uint32_t>(random() & ((uint64_t{1} << widths[c]) - 1)));
      const Layout::Field field = layout.field(static_cast<ComponentId>(c));
      key[field.word] |= uint64_t{values.back()} << field.shift;
    }
    for (size_t c = 0; c < widths.size(); ++c)
      REQUIRE(layout.get(key.data(), static_cast<ComponentId>(c)) == values[c]);
    REQUIRE(key[0] >> kFirstWordBits == 0);
    // A component that the layout does not know has number 0.
    REQUIRE(layout.get(key.data(), static_cast<ComponentId>(widths.size())) == 0);
  }
}

TEST_CASE("layout: words are filled, and their number is a width of keys") {
  CHECK(Layout(std::vector<uint8_t>(62, 1)).words() == 1);
  CHECK(Layout(std::vector<uint8_t>(63, 1)).words() == 2);
  CHECK(Layout(std::vector<uint8_t>(62 + 64, 1)).words() == 2);
  CHECK(Layout(std::vector<uint8_t>(62 + 64 + 1, 1)).words() == 4);
  CHECK(Layout(std::vector<uint8_t>(62 + 3 * 64 + 1, 1)).words() == 16);
  CHECK(Layout(std::vector<uint8_t>(62 + 7 * 64 + 1, 1)).words() == 16);
  CHECK(Layout(std::vector<uint8_t>(62 + 15 * 64, 1)).words() == 16);
  CHECK(Layout(std::vector<uint8_t>(62 + 15 * 64 + 1, 1)).words() > kMaxKeyWords);
  CHECK(Layout(std::vector<uint8_t>(31, 32)).words() == 16);
  CHECK(Layout(std::vector<uint8_t>(32, 32)).words() > kMaxKeyWords);
}

TEST_CASE("layout: a layout that is far too wide is still told from one that is not") {
  for (const size_t count : {600u, 1000u, 10000u}) {
    const Layout layout(std::vector<uint8_t>(count, 32));
    CHECK(layout.words() > kMaxKeyWords);
    CHECK(layout.bits() == 32 * count);
  }
}

TEST_CASE("layout: narrow fields fill the gaps that wide ones leave") {
  // Two fields of 30 bits leave 4 bits in each word but the first.
  std::vector<uint8_t> widths(29, 4);
  std::fill_n(widths.begin(), 20, uint8_t{30});
  CHECK(check_layout(Layout(widths), widths) == 10);
  widths.push_back(2);
  CHECK(check_layout(Layout(widths), widths) == 10);
  widths.push_back(1);
  CHECK(check_layout(Layout(widths), widths) == 11);
}

TEST_CASE("layout: keys are compared and combined word by word") {
  const Key<4> a{{1, 2, 3, 4}};
  Key<4> b = a;
  CHECK(a == b);
  for (unsigned i = 0; i < 4; ++i) {
    b = a;
    b[i] ^= uint64_t{1} << 63;
    CHECK(!(a == b));
    CHECK(!(a ^ b).is_zero());
    CHECK((a ^ b ^ b) == a);
    CHECK((a & b) == a);
  }
  CHECK((a ^ a).is_zero());
  CHECK(Key<16>{}.is_zero());
}

}  // namespace
}  // namespace cmc
