#include "storage/sets/state_set.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include "storage/sets/chunked_array.h"
#include "tests/storage/numbers.h"

#include "tests/catch.h"

namespace cmc {
namespace {

// Fixed length or mixed lengths, with many repetitions, compared with std::map after every step and all at the end.
void compare_with_map(size_t min_size, size_t max_size, size_t steps, size_t distinct) {
  StateSet set;
  std::map<std::string, StateSet::Id> expected;
  std::vector<std::string> in_order;
  std::mt19937_64 random(min_size * 1000 + max_size);
  for (size_t i = 0; i < steps; ++i) {
    std::mt19937_64 content(random() % distinct);
    std::string state(min_size + content() % (max_size - min_size + 1), '\0');
    for (size_t k = 0; k < state.size() && k < 12; ++k) state[k] = static_cast<char>(content());
    const auto [place, is_new] = expected.try_emplace(state, static_cast<StateSet::Id>(in_order.size()));
    if (is_new) in_order.push_back(state);
    const StateSet::Inserted inserted = set.insert(view(state));
    REQUIRE(inserted.is_new == is_new);
    REQUIRE(inserted.id == place->second);
    REQUIRE(!inserted.hidden_differs);
  }
  REQUIRE(set.size() == in_order.size());
  for (size_t id = 0; id < in_order.size(); ++id) {
    REQUIRE(text(set.get(static_cast<StateSet::Id>(id))) == in_order[id]);
    REQUIRE(set.find(view(in_order[id])) == static_cast<StateSet::Id>(id));
  }
  REQUIRE(!set.find(view("no such state, and longer than twelve")));
}

TEST_CASE("state set: vectors of one length keep numbers and contents") { compare_with_map(20, 20, 100000, 40000); }
TEST_CASE("state set: vectors of all lengths, the empty one too, keep numbers and contents") {
  compare_with_map(0, 40, 100000, 40000);
}
TEST_CASE("state set: lengths around each length encoding are kept") {
  compare_with_map(245, 260, 20000, 5000);
  compare_with_map(65530, 65540, 400, 60);
}
TEST_CASE("state set: vectors larger than a chunk of the arena are kept") {
  compare_with_map((1 << 20) - 20, (1 << 20) + 20, 60, 20);
}

TEST_CASE("state set: a prefix is another vector, and so are zeros of other lengths") {
  StateSet set;
  for (size_t size = 0; size < 600; ++size) CHECK(set.insert(view(std::string(size, '\0'))).is_new);
  for (size_t size = 0; size < 600; ++size) CHECK(set.insert(view(std::string(size, '\0'))).id == size);
}

TEST_CASE("state set: hidden parts do not make states different, and the first one stays") {
  StateSet set(2);
  CHECK(set.insert(view("abstate")).is_new);
  const StateSet::Inserted same = set.insert(view("abstate"));
  CHECK((!same.is_new && !same.hidden_differs));
  const StateSet::Inserted other = set.insert(view("xystate"));
  CHECK((!other.is_new && other.id == 0 && other.hidden_differs));
  CHECK(text(set.get(0)) == "abstate");
  CHECK(set.insert(view("abother")).id == 1);
  set.replace_hidden(0, view("xy"));
  CHECK(text(set.get(0)) == "xystate");
  CHECK(text(set.get(1)) == "abother");
  CHECK(!set.insert(view("xystate")).hidden_differs);
}

TEST_CASE("state set: equal hash fragments are told apart by their bytes") {
  // All states claim the same hash: the worst that a hash function could do.
  StateSet set;
  constexpr uint64_t kHash = 0xffffffffffffffff;
  for (int round = 0; round < 2; ++round) {
    for (uint32_t i = 0; i < 500; ++i) {
      const StateSet::Inserted inserted = set.insert(view(std::to_string(i)), kHash);
      REQUIRE(inserted.id == i);
      REQUIRE(inserted.is_new == (round == 0));
    }
  }
}

TEST_CASE("state set: memory is the vectors and about 14 bytes each, at any size") {
  StateSet set;
  std::string state(24, '\0');
  for (uint64_t i = 0; i < 2000000; ++i) {
    store(reinterpret_cast<std::byte*>(state.data()), i);
    REQUIRE(set.insert(view(state)).is_new);
    if (i > 200000 && i % 10007 == 0) {
      const double each = static_cast<double>(set.memory_bytes() - (1 << 20)) / static_cast<double>(i);
      REQUIRE(each > 24 + 9);
      REQUIRE(each < 24 + 15);
    }
  }
}

TEST_CASE("state set: one insertion adds no more memory than announced") {
  StateSet set;
  std::string state(40, '\0');
  uint64_t largest = 0;
  for (uint64_t i = 0; i < 300000; ++i) {
    store(reinterpret_cast<std::byte*>(state.data()), i);
    const uint64_t before = set.memory_bytes();
    const uint64_t announced = set.growth_bytes(state.size());
    set.insert(view(state));
    const uint64_t added = set.memory_bytes() - before;
    REQUIRE(added <= announced);
    largest = std::max(largest, added);
  }
  CHECK(largest < (uint64_t{3} << 20));
}

TEST_CASE("state set: prefetching is harmless on an empty and on a full set") {
  StateSet set;
  for (uint32_t i = 0; i < 3000; ++i) {
    const std::string state = std::to_string(i * (i % 3));
    const uint64_t hash = set.hash(view(state));
    set.prefetch_slot(hash);
    set.prefetch_candidate(hash);
    set.insert(view(state), hash);
  }
  CHECK(set.size() > 1000);
}

TEST_CASE("state set: a chunked array is a stack and an array across its chunks") {
  ChunkedArray<uint32_t, 4> array;
  CHECK(array.empty());
  for (int round = 0; round < 3; ++round) {
    for (uint32_t i = 0; i < 1000; ++i) array.push_back(i);
    for (uint32_t i = 0; i < 1000; ++i) REQUIRE(array[i] == i);
    for (uint32_t i = 1000; i-- > 0;) {
      REQUIRE(array.back() == i);
      array.pop_back();
    }
    CHECK(array.empty());
  }
  const uint64_t memory = array.memory_bytes();
  array.push_back(1);
  CHECK(array.memory_bytes() == memory);  // a chunk in reserve
  CHECK(memory < 1000);                   // and only that one
}

TEST_CASE("state set: a chunked array that is finished has no more than its content") {
  for (const uint32_t count : {0u, 1u, 15u, 16u, 17u, 1000u}) {
    ChunkedArray<uint32_t, 4> array;
    for (uint32_t i = 0; i < count + 40; ++i) array.push_back(i);
    for (uint32_t i = 0; i < 40; ++i) array.pop_back();
    array.finish();
    REQUIRE(array.size() == count);
    for (uint32_t i = 0; i < count; ++i) REQUIRE(array[i] == i);
    const uint64_t memory = array.memory_bytes();
    array.finish();
    CHECK(array.memory_bytes() == memory);
    CHECK(memory >= count * sizeof(uint32_t));
    ChunkedArray<uint32_t, 4> other = std::move(array);
    CHECK(other.memory_bytes() == memory);
    array = {};
    array.push_back(7);
    CHECK(array[0] == 7);
  }
  ChunkedArray<uint32_t> large;
  large.push_back(1);
  CHECK(large.memory_bytes() > 100'000);
  large.finish();
  CHECK(large.memory_bytes() < 100);
}

TEST_CASE("state set: a chunked array that is drained hands out everything, and frees it on the way") {
  for (const uint32_t count : {0u, 1u, 16u, 17u, 1000u}) {
    ChunkedArray<uint32_t, 4> array;
    for (uint32_t i = 0; i < count; ++i) array.push_back(i);
    uint32_t next = 0;
    array.drain([&](uint32_t value) { REQUIRE(value == next++); });
    CHECK(next == count);
    CHECK(array.empty());
    CHECK(array.memory_bytes() == 0);
    array.push_back(7);
    CHECK(array[0] == 7);
  }
}

}  // namespace
}  // namespace cmc
