#include "base/durations.h"

#include "base/fine_clock.h"

#include "tests/catch.h"

namespace cmc {
namespace {

TEST_CASE("durations add up, with what they stand for") {
  Durations durations;
  CHECK(durations.all().count == 0);
  CHECK(durations.median() == 0);
  durations.add(100);
  durations.add(200, 3);
  durations.add(-10);
  const Durations::Summary all = durations.all();
  CHECK(all.count == 5);
  CHECK(all.nanoseconds == 690);
  CHECK(all.mean() == 138);
  CHECK(durations.median() == 200);
  Durations more;
  more.add(310);
  more.merge(durations);
  CHECK(more.all().nanoseconds == 1000);
  CHECK(more.all().count == 6);
}

TEST_CASE("only rare durations far above the median are outliers") {
  Durations durations;
  for (int i = 0; i < 300; ++i) durations.add(100);
  CHECK(durations.summary().outliers == 0);
  durations.add(5'000);  // short
  durations.add(2'000'000);
  Durations::Summary summary = durations.summary();
  CHECK(summary.outliers == 1);
  CHECK(summary.outlier_nanoseconds == 2'000'000);
  CHECK(summary.count == 301);
  CHECK(summary.nanoseconds == 35'000);
  CHECK(durations.all().count == 302);
  for (int i = 0; i < 10; ++i) durations.add(2'000'000);  // not rare any more
  CHECK(durations.summary().outliers == 0);
  CHECK(durations.summary().count == 312);

  Durations few;
  few.add(100);
  few.add(2'000'000);
  CHECK(few.summary().outliers == 0);
}

TEST_CASE("the clocks of a thread go forward") {
  const int64_t time = fine_nanoseconds();
  const uint64_t switches = thread_context_switches();
  volatile uint64_t sum = 0;
  for (uint64_t i = 0; i < 100'000; ++i) sum = sum + i;
  CHECK(fine_nanoseconds() > time);
  CHECK(thread_context_switches() >= switches);
}

}  // namespace
}  // namespace cmc
