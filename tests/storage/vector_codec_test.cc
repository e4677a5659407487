#include "storage/pages/vector_codec.h"

#include <random>
#include <vector>

#include "tests/catch.h"

namespace cmc {
namespace {

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

Bytes difference(const Bytes& vector, const Bytes& before) {
  Bytes written;
  put_difference(written, vector, before);
  return written;
}

void round_trip(const Bytes& vector, const Bytes& before) {
  const Bytes written = difference(vector, before);
  Bytes read = before;
  REQUIRE(get_difference(written.data(), written.data() + written.size(), read) == written.data() + written.size());
  REQUIRE(read == vector);
  // PageBuilder::fits()
  REQUIRE(written.size() <= vector.size() + 20);
  for (size_t bytes = 0; bytes < written.size(); ++bytes) {
    read = before;
    REQUIRE(get_difference(written.data(), written.data() + bytes, read) == nullptr);
  }
}

TEST_CASE("vector codec: what is written is the least") {
  const Bytes zeroes(100);
  CHECK(difference(zeroes, zeroes) == bytes_of({100, 100, 0}));
  CHECK(difference({}, zeroes) == bytes_of({0}));
  CHECK(difference(bytes_of({1, 2}), {}) == bytes_of({2, 0, 2, 1, 2}));
  Bytes changed = zeroes;
  changed[10] = std::byte{7};
  CHECK(difference(changed, zeroes) == bytes_of({100, 10, 1, 7, 89, 0}));
  changed[13] = std::byte{8};  // two equal ones in between
  CHECK(difference(changed, zeroes) == bytes_of({100, 10, 4, 7, 0, 0, 8, 86, 0}));
  changed[13] = std::byte{0};
  changed[14] = std::byte{8};  // three
  CHECK(difference(changed, zeroes) == bytes_of({100, 10, 1, 7, 3, 1, 8, 85, 0}));
}

TEST_CASE("vector codec: what is written is read, and nothing that is cut off") {
  std::mt19937 random(1);  // NOLINT: the same every time
  for (int i = 0; i < 3000; ++i) {
    Bytes before(random() % 400);
    for (std::byte& each : before) each = static_cast<std::byte>(random() % 3);
    Bytes vector = before;
    vector.resize(random() % 3 == 0 ? random() % 400 : before.size());
    const unsigned rarity = 1U << random() % 7;
    for (std::byte& each : vector) {
      if (random() % rarity == 0) each = static_cast<std::byte>(random() % 256);
    }
    round_trip(vector, before);
  }
}

TEST_CASE("vector codec: any bytes are safe, and a vector never has more than was there and was read") {
  std::mt19937 random(2);  // NOLINT: the same every time
  const Bytes start(20, std::byte{5});
  for (int i = 0; i < 200000; ++i) {
    Bytes bytes(random() % 12);
    for (std::byte& each : bytes) each = static_cast<std::byte>(random() % 4 == 0 ? random() % 256 : random() % 8);
    Bytes vector = start;
    const std::byte* const end = get_difference(bytes.data(), bytes.data() + bytes.size(), vector);
    REQUIRE(vector.size() <= start.size() + bytes.size());
    if (end != nullptr) REQUIRE(end <= bytes.data() + bytes.size());
  }
  // Equal bytes that the one before does not have; none at all, for ever.
  for (const Bytes& wrong : {bytes_of({22, 22, 0}), bytes_of({22, 21, 1, 0}), bytes_of({3, 0, 0, 3, 0})}) {
    Bytes vector = start;
    CHECK(get_difference(wrong.data(), wrong.data() + wrong.size(), vector) == nullptr);
  }
}

}  // namespace
}  // namespace cmc
