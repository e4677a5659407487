#include "checker/search/engine/gate.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/catch.h"

namespace cmc {
namespace {

void in_threads(uint32_t count, const std::function<void(uint32_t)>& work) {
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < count; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

const std::function<void()> kNoWork = [] {};
constexpr Gate::Where kAnywhere = Gate::Where::kAnywhere;
constexpr Gate::Where kBoundary = Gate::Where::kBoundary;

TEST_CASE("gate: a single worker passes its gate at once") {
  Gate gate(1);
  gate.check(kAnywhere);
  int prepared = 0;
  int worked = 0;
  gate.pause(
      kAnywhere, [&] { return ++prepared > 0; }, [&] { ++worked; });
  CHECK(prepared == 1);
  CHECK(worked == 1);
  gate.pause(
      kAnywhere,
      [&] {
        ++prepared;
        return false;  // nothing to do
      },
      [&] { ++worked; });
  CHECK(prepared == 2);
  CHECK(worked == 1);
  gate.check(kAnywhere);
}

TEST_CASE("gate: while one prepares, all others stand still; the work is shared") {
  constexpr uint32_t kWorkers = 4;
  constexpr int kRounds = 1500;
  constexpr uint32_t kParts = 16;
  Gate gate(kWorkers);
  std::atomic<int> moving = 0;  // workers between two looks at the gate
  std::atomic<int> wrong = 0;
  uint64_t guarded = 0;  // no atomic: only changed while the others stand
  uint64_t pauses = 0;
  std::vector<uint64_t> done(kParts, 0);
  std::atomic<uint32_t> next_part = 0;
  const std::function<void()> work = [&] {
    if (moving != 0) ++wrong;
    for (;;) {
      const uint32_t part = next_part.fetch_add(1);
      if (part >= kParts) return;
      ++done[part];
    }
  };
  in_threads(kWorkers, [&](uint32_t number) {
    uint64_t seen = 0;
    for (int i = 0; i < kRounds; ++i) {
      ++moving;
      if (guarded < seen) ++wrong;  // reads what others change behind the gate
      seen = guarded;
      --moving;
      if (i % 7 == static_cast<int>(number)) {
        gate.pause(
            kAnywhere,
            [&] {
              if (moving != 0) ++wrong;
              ++guarded;
              ++pauses;
              next_part = 0;
              return true;
            },
            work);
      }
      gate.check(kAnywhere);
    }
    gate.leave();
  });
  CHECK(wrong == 0);
  CHECK(pauses > 0);
  CHECK(guarded == pauses);
  for (const uint64_t count : done) CHECK(count == pauses);
}

TEST_CASE("gate: workers that stand take part in the work") {
  constexpr uint32_t kWorkers = 3;
  Gate gate(kWorkers);
  std::atomic<uint32_t> taking_part = 0;
  std::atomic<bool> over = false;
  in_threads(kWorkers, [&](uint32_t number) {
    if (number == 0) {
      // Ends only if all three are in it at the same time.
      gate.pause(
          kAnywhere, [] { return true; },
          [&] {
            ++taking_part;
            while (taking_part < kWorkers) std::this_thread::yield();
          });
      over = true;
    }
    while (!over) gate.check(kAnywhere);
    gate.leave();
  });
  CHECK(taking_part == kWorkers);
}

TEST_CASE("gate: who finds the gate closed helps and does not prepare again") {
  constexpr uint32_t kWorkers = 2;
  Gate gate(kWorkers);
  std::atomic<uint32_t> prepared = 0;
  std::atomic<uint32_t> wrong = 0;
  std::atomic<uint64_t> needed = 0;
  in_threads(kWorkers, [&](uint32_t) {
    for (int i = 0; i < 2000; ++i) {
      ++needed;
      gate.pause(
          kAnywhere,
          [&] {
            ++prepared;
            if (needed == 0) return false;  // another one did it while this one waited
            needed = 0;
            return true;
          },
          kNoWork);
      if (needed > kWorkers) ++wrong;  // at most what the other has asked for since
    }
    gate.leave();
  });
  CHECK(wrong == 0);
  CHECK(prepared >= 2000);
  CHECK(prepared <= 4000);
}

TEST_CASE("gate: a worker that rests does not hold up others, and wakes up when there is something") {
  constexpr uint32_t kWorkers = 4;
  constexpr uint32_t kItems = 2000;
  Gate gate(kWorkers);
  std::deque<uint32_t> items;  // under the gate's lock
  uint32_t waiting = 0;
  bool no_more = false;
  std::atomic<uint64_t> sum = 0;
  std::atomic<uint32_t> pauses = 0;
  uint64_t guarded = 0;
  in_threads(kWorkers, [&](uint32_t number) {
    if (number == 0) {
      for (uint32_t i = 1; i <= kItems; ++i) {
        gate.change([&] { items.push_back(i); });
        if (i % 10 == 0) {
          gate.pause(
              kAnywhere,
              [&] {
                ++guarded;
                ++pauses;
                return true;
              },
              kNoWork);
        }
        gate.check(kAnywhere);
      }
      gate.change([&] { no_more = true; });
    }
    for (;;) {
      uint32_t item = 0;
      gate.rest([&] { ++waiting; },
                [&] {
                  if (items.empty()) return no_more;
                  item = items.front();
                  items.pop_front();
                  --waiting;
                  return true;
                });
      if (item == 0) break;
      sum += item + (guarded > kItems ? 1 : 0);
      gate.check(kAnywhere);
    }
    gate.leave();
  });
  CHECK(sum == uint64_t{kItems} * (kItems + 1) / 2);
  CHECK(pauses == kItems / 10);
  CHECK(waiting == kWorkers);
}

TEST_CASE("gate: a worker that is gone does not hold up others") {
  Gate gate(3);
  std::atomic<bool> done = false;
  in_threads(3, [&](uint32_t number) {
    if (number == 0) {
      gate.pause(
          kAnywhere, [&] { return done = true; }, kNoWork);
    } else if (number == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    gate.leave();
  });
  CHECK(done);
  gate.reset(1);
  gate.pause(
      kAnywhere,
      [&] {
        done = false;
        return false;
      },
      kNoWork);
  CHECK(!done);
}

TEST_CASE("gate: what the work throws, in whatever thread, is thrown where it was asked for") {
  constexpr uint32_t kWorkers = 3;
  for (const uint32_t failing : {0u, 1u, 2u}) {
    Gate gate(kWorkers);
    std::atomic<uint32_t> caught = 0;
    std::atomic<uint32_t> taking_part = 0;
    std::atomic<bool> over = false;
    in_threads(kWorkers, [&](uint32_t number) {
      if (number == 0) {
        try {
          gate.pause(
              kAnywhere, [] { return true; },
              [&] {
                const uint32_t order = taking_part++;
                while (taking_part < kWorkers) std::this_thread::yield();
                if (order == failing) throw std::runtime_error("x");
              });
        } catch (const std::runtime_error&) {
          ++caught;
        }
        // The gate is open, and can be used again.
        gate.pause(
            kAnywhere, [] { return true; }, kNoWork);
        over = true;
      }
      while (!over) gate.check(kAnywhere);
      gate.leave();
    });
    CHECK(caught == 1);
    CHECK(taking_part == kWorkers);
  }
}

TEST_CASE("gate: a pause at boundaries lets workers finish what they are in the middle of") {
  constexpr uint32_t kWorkers = 3;
  constexpr int kRounds = 2000;
  Gate gate(kWorkers);
  std::atomic<int> in_the_middle = 0;
  std::atomic<int> wrong = 0;
  std::atomic<uint64_t> pauses = 0;
  const std::function<void()> work = [&] {
    if (in_the_middle != 0) ++wrong;
  };
  in_threads(kWorkers, [&](uint32_t number) {
    for (int round = 0; round < kRounds; ++round) {
      ++in_the_middle;
      gate.check(kAnywhere);  // does not stand: only boundaries are asked for
      gate.check(kAnywhere);
      --in_the_middle;
      gate.check(kBoundary);
      if (round % 50 == static_cast<int>(number)) {
        gate.pause(
            kBoundary,
            [&] {
              if (in_the_middle != 0) ++wrong;
              ++pauses;
              return true;
            },
            work);
      }
    }
    gate.leave();
  });
  CHECK(wrong == 0);
  CHECK(pauses > 0);
}

TEST_CASE("gate: a worker that pauses others in the middle of its work does not hold up a pause at boundaries") {
  constexpr uint32_t kWorkers = 3;
  Gate gate(kWorkers);
  std::atomic<uint64_t> grown = 0;
  std::atomic<uint64_t> saved = 0;
  in_threads(kWorkers, [&](uint32_t) {
    for (int round = 0; round < 1000; ++round) {
      gate.pause(
          kAnywhere, [&] { return ++grown > 0; }, kNoWork);
      gate.check(kAnywhere);
      gate.pause(
          kBoundary, [&] { return ++saved > 0; }, kNoWork);
      gate.check(kBoundary);
    }
    gate.leave();
  });
  CHECK(grown > 0);
  CHECK(saved > 0);
}

}  // namespace
}  // namespace cmc
