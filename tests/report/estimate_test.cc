#include "checker/report/estimate.h"

#include <cmath>

#include "tests/catch.h"

namespace cmc {
namespace {

// Levels whose sizes are a bell; the search is looked at once in each.
std::vector<double> bell(double peak, double width, size_t levels) {
  std::vector<double> sizes;
  for (size_t i = 0; i < levels; ++i) {
    const double x = (static_cast<double>(i) - static_cast<double>(levels) / 2) / width;
    sizes.push_back(std::max(1.0, std::floor(peak * std::exp(-x * x))));
  }
  return sizes;
}

// What is known when the first `share` of the states have been found.
std::optional<StateEstimate> estimate_at(const std::vector<double>& sizes, double share, bool in_levels = true) {
  double total = 0;
  for (const double size : sizes) total += size;
  StateEstimator estimator(in_levels);
  Progress progress;
  double states = 0;
  for (size_t i = 0; i < sizes.size() && states < share * total; ++i) {
    states += sizes[i];
    progress.states = static_cast<uint64_t>(states);
    progress.depth = i;
    estimator.add(progress);
  }
  return estimator.estimate();
}

TEST_CASE("estimate: a bell of levels is seen, and its end is near the right one") {
  const std::vector<double> sizes = bell(1e6, 20, 120);
  double total = 0;
  for (const double size : sizes) total += size;
  for (const double share : {0.5, 0.7, 0.9, 0.99}) {
    INFO(share);
    const std::optional<StateEstimate> estimate = estimate_at(sizes, share);
    REQUIRE(estimate);
    CHECK(estimate->low <= estimate->states);
    CHECK(estimate->states <= estimate->high);
    CHECK(static_cast<double>(estimate->low) <= total * 1.01);
    CHECK(static_cast<double>(estimate->high) >= total * 0.99);
    CHECK(std::abs(static_cast<double>(estimate->states) - total) < 0.2 * total);
  }
}

TEST_CASE("estimate: nothing is said where nothing is known") {
  std::vector<double> grows;
  for (double size = 1; size < 1e7; size *= 1.3) grows.push_back(std::floor(size));
  CHECK(!estimate_at(grows, 1));
  CHECK(!estimate_at(std::vector<double>(100, 1000), 1));
  CHECK(!estimate_at(bell(1e6, 20, 120), 0.7, false));
  CHECK(!estimate_at({1, 10, 100}, 1));
  CHECK(!estimate_at(std::vector<double>(100, 0), 1));
  CHECK(!StateEstimator(true).estimate());
}

TEST_CASE("estimate: a search that begins again, or has millions of levels, leaves it right") {
  StateEstimator estimator(true);
  const auto add = [&](uint64_t depth, uint64_t states) {
    Progress progress;
    progress.depth = depth;
    progress.states = states;
    estimator.add(progress);
  };
  const std::vector<double> sizes = bell(1e5, 10, 60);
  double states = 0;
  for (size_t i = 0; i < 40; ++i) add(i, static_cast<uint64_t>(states += sizes[i]));
  CHECK(estimator.estimate());
  add(0, 1);
  add(1, 10);
  CHECK(!estimator.estimate());
  for (uint64_t i = 2; i < 3000; ++i) add(i * 100, 10 + i * 1000);
  CHECK(!estimator.estimate());
}

}  // namespace
}  // namespace cmc
