#pragma once

#include "base/clock.h"

namespace cmc::test {

// Goes on when a test says so, and by so many seconds with each look at it.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(double a_look_takes = 0) : a_look_takes_(a_look_takes) {}
  double wall_seconds() const override { return now += a_look_takes_; }
  double cpu_seconds() const override { return now; }
  mutable double now = 1000;

 private:
  double a_look_takes_;
};

}  // namespace cmc::test
