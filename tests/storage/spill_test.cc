#include "storage/pages/spill.h"

#include <deque>
#include <random>
#include <vector>

#include "storage/pages/trail_log.h"
#include "tests/support/memory_files.h"

#include "tests/catch.h"

namespace cmc {
namespace {

struct Record {
  uint64_t number = 0;
  uint32_t more = 0;
  uint32_t zero = 0;
};

Record record(uint64_t number) { return {number, static_cast<uint32_t>(number * 7), 0}; }

// Pushes and pops at random, growing, then shrinking; false: an error, after which nothing is asked any more.
template <class Spill, bool kLastInFirstOut>
bool compare_with_deque(FileSystem& files, uint64_t memory_bytes, size_t steps, uint64_t& most_memory) {
  Spill spill(files, "/spill", memory_bytes);
  std::deque<uint64_t> expected;
  std::mt19937_64 random(memory_bytes + steps);
  Record taken;
  for (size_t i = 0; i < steps; ++i) {
    if (random() % 100 < (i < steps / 2 ? 65 : 40)) {
      if (!spill.push(record(i)).ok()) return false;
      expected.push_back(i);
    } else {
      const Result<bool> some = spill.pop(taken);
      if (!some.ok()) return false;
      REQUIRE(some.value() == !expected.empty());
      if (!some.value()) continue;
      const uint64_t number = kLastInFirstOut ? expected.back() : expected.front();
      REQUIRE(taken.number == number);
      REQUIRE(taken.more == static_cast<uint32_t>(number * 7));
      kLastInFirstOut ? expected.pop_back() : expected.pop_front();
    }
    REQUIRE(spill.size() == expected.size());
    if (i % 16 == 0) spill.check_invariants();
    most_memory = std::max(most_memory, spill.memory_bytes());
  }
  while (!expected.empty()) {
    const Result<bool> some = spill.pop(taken);
    if (!some.ok()) return false;
    REQUIRE(some.value());
    REQUIRE(taken.number == (kLastInFirstOut ? expected.back() : expected.front()));
    kLastInFirstOut ? expected.pop_back() : expected.pop_front();
  }
  const Result<bool> some = spill.pop(taken);
  REQUIRE((some.ok() && !some.value()));
  return true;
}

TEST_CASE("spill: queue and stack keep their order and their memory") {
  for (const uint64_t memory : {0u, 100u, 1000u, 20000u, 10000000u}) {
    MemoryFileSystem files;
    uint64_t queue_bytes = 0;
    uint64_t stack_bytes = 0;
    REQUIRE(compare_with_deque<SpillQueue<Record>, false>(files, memory, 30000, queue_bytes));
    REQUIRE(compare_with_deque<SpillStack<Record>, true>(files, memory, 30000, stack_bytes));
    if (memory >= 20000) {
      REQUIRE(queue_bytes < memory + memory / 4);
      REQUIRE(stack_bytes < memory + memory / 4);
    }
    REQUIRE(files.all().empty());
  }
}

TEST_CASE("spill: a queue that has room makes no file, and a file's places are used again") {
  MemoryFileSystem files;
  SpillQueue<Record> roomy(files, "/roomy", 1 << 20);
  for (uint64_t i = 0; i < 40000; ++i) REQUIRE(roomy.push(record(i)).ok());
  REQUIRE(files.all().empty());
  SpillQueue<Record> queue(files, "/queue", 3000);
  Record taken;
  uint64_t next = 0;
  for (uint64_t i = 0; i < 100000; ++i) {
    REQUIRE(queue.push(record(i)).ok());
    if (i < 1000) continue;
    REQUIRE(queue.pop(taken).value());
    REQUIRE(taken.number == next++);
  }
  REQUIRE(files.total_bytes() < 40000);
}

TEST_CASE("spill: faults at every operation are errors") {
  for (const Fault fault : kFaults) {
    uint64_t failures = 0;
    for (uint64_t operation = 0;; ++operation) {
      for (const bool stack : {false, true}) {
        MemoryFileSystem memory;
        FaultyFiles files(memory, fault, operation);
        uint64_t bytes = 0;
        const bool ok = stack ? compare_with_deque<SpillStack<Record>, true>(files, 400, 400, bytes)
                              : compare_with_deque<SpillQueue<Record>, false>(files, 400, 400, bytes);
        if (!ok) ++failures;
        if (!files.happened()) REQUIRE(ok);
      }
      if (operation > 120) break;
    }
    REQUIRE(failures > 5);
  }
}

TEST_CASE("spill: a stack is visited from the bottom to the top, and stays as it is") {
  MemoryFileSystem files;
  SpillStack<Record> stack(files, "/stack", 1000);
  std::vector<uint64_t> visited;
  const auto visit = [&](const Record& each) -> Status {
    visited.push_back(each.number);
    if (each.number == 2500) return Error{"enough"};
    return Success{};
  };
  REQUIRE(stack.for_each(visit).ok());
  REQUIRE(visited.empty());
  for (uint64_t i = 0; i < 2000; ++i) REQUIRE(stack.push(record(i)).ok());
  REQUIRE(stack.for_each(visit).ok());
  REQUIRE(visited.size() == 2000);
  for (uint64_t i = 0; i < 2000; ++i) REQUIRE(visited[i] == i);
  Record taken;
  REQUIRE(stack.pop(taken).value());
  REQUIRE(taken.number == 1999);
  for (uint64_t i = 2000; i < 3000; ++i) REQUIRE(stack.push(record(i)).ok());
  visited.clear();
  REQUIRE(!stack.for_each(visit).ok());
  REQUIRE(visited.back() == 2500);
}

TEST_CASE("spill: a queue is visited from the oldest to the newest, and stays as it is") {
  MemoryFileSystem files;
  SpillQueue<Record> queue(files, "/queue", 1000);
  uint64_t next = 0;
  Record taken;
  // In RAM only, with a file, and with parts of chunks at both ends.
  for (const uint64_t end : {uint64_t{0}, uint64_t{20}, uint64_t{2000}, uint64_t{3001}}) {
    while (next < end) REQUIRE(queue.push(record(next++)).ok());
    for (uint64_t i = 0; i < end / 100; ++i) REQUIRE(queue.pop(taken).value());
    std::vector<uint64_t> visited;
    const auto visit = [&](const Record& each) -> Status {
      visited.push_back(each.number);
      return each.number == 2500 ? Status(Error{"enough"}) : Success{};
    };
    REQUIRE(queue.for_each(visit).ok() == (end <= 2500));
    for (size_t i = 1; i < visited.size(); ++i) REQUIRE(visited[i] == visited[i - 1] + 1);
    if (end <= 2500) REQUIRE(visited.size() == queue.size());
    if (end > 0) REQUIRE(visited.back() == std::min<uint64_t>(end - 1, 2500));
    queue.check_invariants();
  }
  REQUIRE(queue.pop(taken).value());
  REQUIRE(taken.number == 50);
}

std::vector<uint64_t> expected_path(const std::vector<std::pair<uint64_t, uint64_t>>& steps, uint64_t number) {
  std::vector<uint64_t> path;
  for (; number != TrailLog::kRoot; number = steps[number].first) path.insert(path.begin(), steps[number].second);
  return path;
}

TEST_CASE("trail log: paths begin at the root") {
  for (const size_t chunk : {size_t{1}, size_t{100}, TrailLog::kChunkBytes}) {
    MemoryFileSystem files;
    TrailLog log(files, "/trails", chunk);
    REQUIRE(log.path_to(TrailLog::kRoot).value().indices.empty());
    std::vector<std::pair<uint64_t, uint64_t>> steps(1);
    std::mt19937_64 random(chunk);
    for (uint64_t number = 1; number < 5000; ++number) {
      const uint64_t parent =
          random() % 4 == 0 ? random() % number : number - 1 - random() % std::min<uint64_t>(number, 3);
      const uint64_t index = random() % 100 == 0 ? random() : random() % 6;
      steps.emplace_back(parent, index);
      const Result<uint64_t> given = log.append(parent, index);
      REQUIRE(given.ok());
      REQUIRE(given.value() == number);
      if (number % 97 == 0) REQUIRE(log.path_to(number / 2).value().indices == expected_path(steps, number / 2));
    }
    for (uint64_t number = 0; number < 5000; number += 61)
      REQUIRE(log.path_to(number).value().indices == expected_path(steps, number));
    REQUIRE(log.path_to(4999).value().indices == expected_path(steps, 4999));
  }
}

TEST_CASE("trail log: a long path is read, and faults are errors") {
  for (const Fault fault : kFaults) {
    uint64_t failures = 0;
    for (uint64_t operation = 0; operation < 100; ++operation) {
      MemoryFileSystem memory;
      FaultyFiles files(memory, fault, operation);
      TrailLog log(files, "/trails", 64);
      bool ok = true;
      for (uint64_t number = 1; ok && number < 1000; ++number) ok = log.append(number - 1, number % 5).ok();
      if (ok) {
        const Result<TrailLog::Path> path = log.path_to(999);
        ok = path.ok();
        if (ok) {
          REQUIRE(path.value().indices.size() == 999);
          for (uint64_t i = 0; i < 999; ++i) REQUIRE(path.value().indices[i] == (i + 1) % 5);
        }
      }
      if (!ok) ++failures;
      if (!files.happened()) REQUIRE(ok);
      if (is_reported(fault)) REQUIRE(ok == !files.happened());
    }
    REQUIRE(failures > 5);
  }
}

}  // namespace
}  // namespace cmc
