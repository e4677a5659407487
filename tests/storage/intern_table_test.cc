#include "storage/sets/intern_table.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/storage/numbers.h"

#include "tests/catch.h"

namespace cmc {
namespace {

TEST_CASE("intern table: contents are numbered in the order of their first appearance") {
  InternTable table;
  CHECK(table.size() == 0);
  CHECK(table.intern(view("b")) == 0);
  CHECK(table.intern(view("a")) == 1);
  CHECK(table.intern(view("b")) == 0);
  CHECK(table.intern(view("")) == 2);
  CHECK(table.intern(view("ab")) == 3);
  CHECK(table.intern({}) == 2);
  CHECK(table.intern(view("a")) == 1);
  CHECK(table.size() == 4);
  CHECK(text(table.get(0)) == "b");
  CHECK(text(table.get(1)) == "a");
  CHECK(table.get(2).empty());
  CHECK(text(table.get(3)) == "ab");
}

TEST_CASE("intern table: the empty string can be the first") {
  InternTable table;
  CHECK(table.intern({}) == 0);
  CHECK(table.intern({}) == 0);
  CHECK(table.intern(view("x")) == 1);
  CHECK(table.get(0).empty());
  CHECK(text(table.get(1)) == "x");
}

TEST_CASE("intern table: zeros of different lengths are different") {
  InternTable table;
  for (uint32_t size = 0; size < 500; ++size) REQUIRE(table.intern(view(std::string(size, '\0'))) == size);
  for (uint32_t size = 0; size < 500; ++size) REQUIRE(table.get(size).size() == size);
  for (uint32_t size = 0; size < 500; ++size) REQUIRE(table.intern(view(std::string(size, '\0'))) == size);
  CHECK(table.size() == 500);
}

TEST_CASE("intern table: numbers that share a place among the recent ones stay apart") {
  InternTable table;
  std::map<std::string, uint32_t> expected;
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    std::string content(random() % 7, '\0');
    for (char& byte : content) byte = static_cast<char>(random() % 3);
    const auto known = expected.emplace(content, static_cast<uint32_t>(expected.size())).first;
    REQUIRE(table.intern(view(content)) == known->second);
  }
}

TEST_CASE("intern table: numbers and contents stay as they are while the table grows") {
  InternTable table;
  std::map<std::string, uint32_t> expected;
  std::vector<std::string> in_order;
  std::vector<ByteView> views;
  std::mt19937_64 random(5);
  while (in_order.size() < 100'000) {
    std::mt19937_64 content(random() % 150'000);
    std::string bytes(content() % 24, '\0');
    for (char& byte : bytes) byte = static_cast<char>(content());
    if (content() % 1000 == 0) bytes.resize(5000 + content() % 40'000, 'x');  // longer than a block of the arena, too
    const auto [place, is_new] = expected.try_emplace(bytes, static_cast<uint32_t>(in_order.size()));
    REQUIRE(table.intern(view(bytes)) == place->second);
    if (!is_new) continue;
    in_order.push_back(bytes);
    views.push_back(table.get(place->second));
    REQUIRE(table.size() == in_order.size());
  }
  for (uint32_t id = 0; id < in_order.size(); ++id) {
    const ByteView now = table.get(id);
    REQUIRE(text(now) == in_order[id]);
    REQUIRE(now.data() == views[id].data());  // nothing has moved
    REQUIRE(table.intern(view(in_order[id])) == id);
  }
}

TEST_CASE("intern table: a table is as large as its contents and some 30 bytes for each") {
  InternTable table;
  std::string bytes(40, '\0');
  uint64_t reported = table.memory_bytes();
  for (uint32_t i = 0; i < 200'000; ++i) {
    store(reinterpret_cast<std::byte*>(bytes.data()), i);
    REQUIRE(table.intern(view(bytes)) == i);
    REQUIRE(table.memory_bytes() >= reported);
    reported = table.memory_bytes();
    if (i >= 1000) REQUIRE(reported >= uint64_t{i} * (40 + 16));
    if (i >= 1000) REQUIRE(reported <= uint64_t{i} * (40 + 53) + (1 << 15));
  }
  InternTable small;
  CHECK(small.intern(view("12345678")) == 0);
  CHECK(small.intern(view("87654321")) == 1);
  CHECK(small.memory_bytes() < 1000);
}

TEST_CASE("intern table: several threads get the same numbers and read each other's contents") {
  constexpr uint32_t kThreads = 4;
  constexpr uint32_t kContents = 20'000;
  InternTable table;
  const auto content = [](uint32_t number) { return std::string(number % 13, 'z') + std::to_string(number); };
  std::vector<std::vector<uint32_t>> ids(kThreads, std::vector<uint32_t>(kContents));
  std::atomic<uint64_t> wrong = 0;
  std::vector<std::atomic<uint32_t>> published(kContents);  // number + 1, of each content
  const auto run = [&](uint32_t thread) {
    std::vector<uint32_t> order(kContents);
    for (uint32_t i = 0; i < kContents; ++i) order[i] = i;
    std::mt19937_64 random(thread / 2);  // two threads go the same way at the same time
    std::shuffle(order.begin(), order.end(), random);
    uint32_t largest = 0;
    for (const uint32_t number : order) {
      const uint32_t id = table.intern(view(content(number)));
      ids[thread][number] = id;
      if (text(table.get(id)) != content(number)) ++wrong;
      published[number].store(id + 1, std::memory_order_release);
      const uint32_t other = (number * 7 + 1) % kContents;
      const uint32_t theirs = published[other].load(std::memory_order_acquire);
      if (theirs != 0 && text(table.get(theirs - 1)) != content(other)) ++wrong;
      const uint32_t size = table.size();
      if (size <= id || size < largest || size > kContents) ++wrong;
      largest = size;
    }
  };
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) threads.emplace_back(run, i);
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(table.size() == kContents);
  for (uint32_t i = 1; i < kThreads; ++i) CHECK(ids[i] == ids[0]);
  const std::set<uint32_t> different(ids[0].begin(), ids[0].end());
  CHECK(different.size() == kContents);
  CHECK(*different.rbegin() == kContents - 1);
}

}  // namespace
}  // namespace cmc
