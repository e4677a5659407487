#include "base/clock.h"

#include "tests/catch.h"

namespace cmc {
namespace {

TEST_CASE("clock: the clocks of the system go forward") {
  const SystemClock clock;
  const double wall = clock.wall_seconds();
  const double cpu = clock.cpu_seconds();
  while (clock.cpu_seconds() < cpu + 0.01) {
  }
  CHECK(clock.wall_seconds() >= wall + 0.009);
}

}  // namespace
}  // namespace cmc
