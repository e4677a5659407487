#include "base/fine_clock.h"

#include "tests/catch.h"

namespace cmc {
namespace {

TEST_CASE("fine clock: the clocks of a thread go forward") {
  const int64_t time = fine_nanoseconds();
  const uint64_t switches = thread_context_switches();
  volatile uint64_t sum = 0;
  for (uint64_t i = 0; i < 100'000; ++i) sum = sum + i;
  CHECK(fine_nanoseconds() > time);
  CHECK(thread_context_switches() >= switches);
}

}  // namespace
}  // namespace cmc
