#include "studies/latency/statistics.h"

#include <cmath>
#include <random>

#include "tests/catch.h"

namespace cmc::latency {
namespace {

// Table 1 of the study that the method comes from: mean, standard deviation of 1,000 points, half the width of the
// interval, latency.
struct Row {
  double mean;
  double deviation;
  double half_width;
  double latency;
};
constexpr Row kTable[] = {{291.79, 132.08, 8.19, 145.89},       {270.53, 16.51, 1.03, 135.26},
                          {6462.41, 2892.88, 179.30, 3231.21},  {3106.23, 2866.43, 177.66, 1553.11},
                          {20623.13, 1069.45, 66.28, 10311.57}, {29339.63, 1886.5, 116.93, 14669.82},
                          {17645.23, 1645.56, 101.99, 8822.62}, {74127.36, 5842.38, 362.11, 37063.68}};

TEST_CASE("latency statistics: the eight intervals and latencies of the study are computed") {
  for (const Row& row : kTable) {
    INFO(row.mean);
    CHECK(std::abs(half_width_95(row.deviation, 1000) - row.half_width) <= 0.01);
    CHECK(std::abs(row.mean / 2 - row.latency) <= 0.01);
  }
}

TEST_CASE("latency statistics: mean and sample standard deviation are right") {
  const Summary summary = summarise(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});
  CHECK(summary.count == 8);
  CHECK(summary.mean == 5);
  CHECK(std::abs(summary.deviation - std::sqrt(32.0 / 7)) < 1e-12);
  CHECK(summarise(std::vector<double>{3}).deviation == 0);
  CHECK(summarise({}).count == 0);
}

TEST_CASE("latency statistics: correlation of neighbours is right, and so is the interval that allows for it") {
  std::mt19937 random(1);
  std::normal_distribution<double> noise;
  std::vector<double> independent;
  std::vector<double> walking;
  for (int i = 0; i < 4000; ++i) {
    independent.push_back(noise(random));
    walking.push_back(walking.empty() ? 0 : 0.9 * walking.back() + noise(random));
  }
  CHECK(std::abs(*lag1_autocorrelation(independent)) < 0.06);
  CHECK(std::abs(*lag1_autocorrelation(walking) - 0.9) < 0.05);
  // Of a first-order process the true interval is sqrt((1 + r) / (1 - r)) = 4.4 times as wide.
  CHECK(*batch_half_width_95(independent) < 2 * summarise(independent).half_width);
  CHECK(*batch_half_width_95(walking) > 2.5 * summarise(walking).half_width);
  CHECK(!lag1_autocorrelation(std::vector<double>{1, 2}));
  CHECK(!lag1_autocorrelation(std::vector<double>{5, 5, 5, 5}));
  CHECK(!batch_half_width_95(std::vector<double>(39)));
}

TEST_CASE("latency statistics: the histogram is exact for small numbers, and off by 1/32 for large ones") {
  Histogram histogram;
  for (uint64_t i = 1; i <= 100'000; ++i) histogram.add(i);
  CHECK(histogram.total() == 100'000);
  CHECK(histogram.most() == 100'000);
  CHECK(histogram.quantile(0) == 1);
  CHECK(histogram.quantile(0.0002) == 20);
  for (const double share : {0.5, 0.9, 0.99, 0.999}) {
    const double exact = share * 100'000;
    const auto found = static_cast<double>(histogram.quantile(share));
    CHECK(found <= exact);
    CHECK(found > exact * (1 - 1.0 / 32));
  }
  Histogram other;
  other.add(UINT64_MAX);
  histogram.add(other);
  CHECK(histogram.most() == UINT64_MAX);
  CHECK(histogram.total() == 100'001);
  uint64_t counted = 0;
  uint64_t last = 0;
  for (const Histogram::Row& row : histogram.rows()) {
    CHECK((counted == 0 || row.from > last));
    last = row.from;
    counted += row.count;
  }
  CHECK(counted == 100'001);
  CHECK(Histogram().quantile(0.5) == 0);
}

}  // namespace
}  // namespace cmc::latency
