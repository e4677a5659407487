#include "checker/report/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace cmc {
namespace {

constexpr size_t kFewestLooks = 8;
constexpr size_t kFewestPoints = 6;
constexpr size_t kMostLooks = 512;  // beyond it every second one is dropped
constexpr double kShares[] = {1, 0.7, 0.5};
constexpr size_t kFewestGuesses = 2;
constexpr double kWiden = 2;
constexpr double kWidest = 4;
constexpr double kMostGrowth = 30;   // more is not guessed: as many times the states that there are
constexpr double kFineSteps = 1000;  // of a curve: from the first level that was seen to the last one
constexpr uint64_t kMostSteps = 5000;

struct Point {
  double level = 0;  // 0: the last one; the others are negative, down to about -1
  double log_size = 0;
};

// a + b x + c x^2
struct Parabola {
  double a = 0;
  double b = 0;
  double c = 0;
};

// The one with the least squares of distances, by Cramer's rule.
std::optional<Parabola> fit(std::span<const Point> points) {
  std::array<double, 5> power{};  // sums of x^0 to x^4
  std::array<double, 3> right{};  // sums of y x^0 to y x^2
  for (const Point& point : points) {
    double x = 1;
    for (size_t i = 0; i < power.size(); ++i, x *= point.level) {
      power[i] += x;
      if (i < right.size()) right[i] += x * point.log_size;
    }
  }
  using Column = std::array<double, 3>;
  const auto determinant = [](const Column& u, const Column& v, const Column& w) {
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - v[0] * (u[1] * w[2] - u[2] * w[1]) +
           w[0] * (u[1] * v[2] - u[2] * v[1]);
  };
  const Column c0 = {power[0], power[1], power[2]};
  const Column c1 = {power[1], power[2], power[3]};
  const Column c2 = {power[2], power[3], power[4]};
  const double whole = determinant(c0, c1, c2);
  if (!(std::abs(whole) > 1e-12)) return std::nullopt;
  return Parabola{determinant(right, c1, c2) / whole, determinant(c0, right, c2) / whole,
                  determinant(c0, c1, right) / whole};
}

// The sum of the levels that are still to come, if `length` levels have been seen. None: more than `most`.
std::optional<double> sum_of_rest(const Parabola& curve, double length, double most) {
  const double levels = std::max(1.0, length / kFineSteps);  // that one step stands for
  double sum = 0;
  for (uint64_t i = 1; i < kMostSteps; ++i) {
    const double x = static_cast<double>(i) * levels / length;
    const double log_size = curve.a + curve.b * x + curve.c * x * x;
    if (log_size < 0) return sum;  // less than one state
    sum += levels * std::exp(log_size);
    if (!(sum <= most)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

void StateEstimator::add(const Progress& progress) {
  if (!in_levels_) return;
  if (!looks_.empty() && progress.states < looks_.back().states) looks_.clear();  // it has begun again
  if (!looks_.empty() && progress.depth <= looks_.back().level) return;
  looks_.push_back({progress.depth, progress.states});
  if (looks_.size() > kMostLooks) {
    std::vector<Look> half;
    for (size_t i = 0; i < looks_.size(); i += 2) half.push_back(looks_[i]);
    looks_ = std::move(half);
  }
  guess();
}

void StateEstimator::guess() {
  estimate_.reset();
  if (looks_.size() < kFewestLooks) return;
  const double last = static_cast<double>(looks_.back().level);
  const double length = last - static_cast<double>(looks_.front().level);
  std::vector<Point> points;
  for (size_t i = 0; i + 1 < looks_.size(); ++i) {
    const double levels = static_cast<double>(looks_[i + 1].level - looks_[i].level);
    const double states = static_cast<double>(looks_[i + 1].states - looks_[i].states);
    if (states <= 0) continue;
    const double middle = static_cast<double>(looks_[i].level) + (levels + 1) / 2;
    points.push_back({(middle - last) / length, std::log(states / levels)});
  }
  const double states = static_cast<double>(looks_.back().states);
  std::vector<double> guesses;  // of what is still to come
  for (const double share : kShares) {
    const size_t count = static_cast<size_t>(static_cast<double>(points.size()) * share);
    if (count < kFewestPoints) continue;
    const std::optional<Parabola> curve = fit(std::span(points).last(count));
    if (!curve || curve->c >= 0) continue;
    const std::optional<double> rest = sum_of_rest(*curve, length, kMostGrowth * states);
    if (rest) guesses.push_back(*rest);
  }
  if (guesses.size() < kFewestGuesses) return;
  std::ranges::sort(guesses);
  const double low = states + guesses.front() / kWiden;
  const double high = states + guesses.back() * kWiden;
  if (high > kWidest * low) return;
  estimate_ = {static_cast<uint64_t>(states + guesses[guesses.size() / 2]), static_cast<uint64_t>(low),
               static_cast<uint64_t>(high)};
}

}  // namespace cmc
