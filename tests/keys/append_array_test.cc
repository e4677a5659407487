#include "checker/keys/append_array.h"

#include <numeric>
#include <thread>
#include <vector>

#include "tests/catch.h"

namespace cmc {
namespace {

TEST_CASE("append array: values are appended as long as there is room, and stay when there is more") {
  AppendArray<uint32_t> array;
  array.reset(8, 1);
  CHECK(array[0] == 0);
  CHECK(!array.scarce());
  const std::vector<uint32_t> five{1, 2, 3, 4, 5};
  REQUIRE(array.append(five) == 1u);
  CHECK(array.append(6u) == 6u);
  CHECK(array.scarce());
  const std::vector<uint32_t> thirty(30, 9);
  CHECK(!array.append(thirty).has_value());
  CHECK(array.used() == 7);
  array.grow();
  CHECK(!array.scarce());
  CHECK(array.append(thirty) == 7u);
  for (uint32_t i = 0; i < 7; ++i) CHECK(array[i] == i);
  CHECK(array[36] == 9);
  CHECK(array.used_bytes() == 37 * sizeof(uint32_t));
  array.reset(4, 0);
  CHECK(array.used() == 0);
  CHECK(array.append(std::span<const uint32_t>()) == 0u);
}

TEST_CASE("append array: what an array asked for in vain makes scarce, grow() gives") {
  AppendArray<uint64_t> array;
  array.reset(16, 0);
  const std::vector<uint64_t> many(1000, 1);
  CHECK(!array.append(many).has_value());
  CHECK(array.scarce());
  array.grow();
  CHECK(array.append(many).has_value());
}

TEST_CASE("append array: several threads append, each to places of its own") {
  AppendArray<uint32_t> array;
  constexpr uint32_t kThreads = 3;
  constexpr uint32_t kRounds = 2000;
  array.reset(kThreads * kRounds * 3, 0);
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (uint32_t i = 0; i < kRounds; ++i) {
        const uint32_t value = thread * kRounds + i;
        const std::array<uint32_t, 3> three{value, value, value};
        static_cast<void>(array.append(three));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE(array.used() == kThreads * kRounds * 3);
  std::vector<uint32_t> seen;
  for (uint32_t i = 0; i < array.used(); i += 3) {
    REQUIRE((array[i] == array[i + 1] && array[i] == array[i + 2]));
    seen.push_back(array[i]);
  }
  std::sort(seen.begin(), seen.end());
  std::vector<uint32_t> all(kThreads * kRounds);
  std::iota(all.begin(), all.end(), 0);
  CHECK(seen == all);
}

}  // namespace
}  // namespace cmc
