#include "base/limits.h"

#include <vector>

#include "base/process_memory.h"

#include "tests/catch.h"

namespace cmc {
namespace {

class TestClock final : public Clock {
 public:
  [[nodiscard]] double wall_seconds() const override { return now; }
  [[nodiscard]] double cpu_seconds() const override { return now; }
  double now = 100;
};

TEST_CASE("limits: a limit that was not given is never reached") {
  TestClock clock;
  Limits limits({}, &clock);
  clock.now = 1e9;
  for (int i = 0; i < 1000; ++i) REQUIRE(!limits.reached(uint64_t{1} << 60));
  CHECK(limits.reason().empty());
}

TEST_CASE("limits: time is measured from the construction on, and the first reason stays") {
  TestClock clock;
  std::atomic<bool> interrupt{false};
  Limits limits({.memory_bytes = 0, .seconds = 2, .interrupt = &interrupt}, &clock);
  clock.now = 101.9;
  CHECK(!limits.reached());
  clock.now = 102;
  CHECK(limits.reached());
  interrupt = true;
  clock.now = 100;
  CHECK(limits.reached());
  CHECK(limits.reason() == "the time limit of 2 seconds was reached");
  CHECK(!limits.interrupted());
}

TEST_CASE("limits: an interrupt is seen") {
  std::atomic<bool> interrupt{false};
  Limits limits({.interrupt = &interrupt});
  CHECK(!limits.reached());
  interrupt = true;
  CHECK(limits.reached());
  CHECK(limits.interrupted());
}

TEST_CASE("limits: memory is looked at from time to time, and before a large growth") {
  const uint64_t limit = resident_bytes() + (uint64_t{64} << 20);
  Limits limits({.memory_bytes = limit});
  CHECK(!limits.reached());
  CHECK(limits.reached(uint64_t{65} << 20));
  Limits later({.memory_bytes = limit});
  CHECK(!later.reached());
  const std::vector<char> much(size_t{80} << 20, 'x');
  bool reached = false;
  for (int i = 0; i < 100; ++i) reached = later.reached();
  CHECK(reached);
  CHECK(much.back() == 'x');
}

}  // namespace
}  // namespace cmc
