#include "base/clock.h"

#include <ctime>

namespace cmc {

namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

double SystemClock::wall_seconds() const { return seconds_of(CLOCK_MONOTONIC); }

double SystemClock::cpu_seconds() const { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace cmc
