#include "checker/report/tune/tune_samples.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "base/units.h"
#include "checker/report/style/style.h"

namespace cmc {
namespace {

// Between the values at both sides of the place. REQUIRES: values are sorted, and there is one.
double quantile(const std::vector<double>& values, double share) {
  const double place = share * static_cast<double>(values.size() - 1);
  const size_t below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

template <class T>
T middle(std::vector<T> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

template <class T>
T median_field(const std::vector<TuneSample>& samples, T TuneSample::*field) {
  std::vector<T> values;
  for (const TuneSample& sample : samples) values.push_back(sample.*field);
  return middle(std::move(values));
}

}  // namespace

double value_of(const TuneSample& sample, TuneMeasure measure) {
  switch (measure) {
    case TuneMeasure::kTime: return sample.wall_seconds;
    case TuneMeasure::kCpu: return sample.cpu_seconds;
    case TuneMeasure::kMemory: return static_cast<double>(sample.memory_bytes);
    case TuneMeasure::kDisk: return static_cast<double>(sample.disk_bytes.value_or(0));
    case TuneMeasure::kPages: break;
  }
  return static_cast<double>(sample.pages_read.value_or(0)) + static_cast<double>(sample.pages_written.value_or(0));
}

std::string measured_text(double value, TuneMeasure measure) {
  constexpr double kMost = 1e18;  // beyond it no count is meant
  const auto whole = static_cast<uint64_t>(std::llround(std::clamp(value, 0.0, kMost)));
  switch (measure) {
    case TuneMeasure::kTime:
    case TuneMeasure::kCpu: return format_seconds(value);
    case TuneMeasure::kMemory:
    case TuneMeasure::kDisk: return format_size(whole);
    case TuneMeasure::kPages: break;
  }
  return plural(whole, "page");
}

TuneSpread spread_of(const std::vector<TuneSample>& samples, TuneMeasure measure) {
  CHECK(!samples.empty());
  std::vector<double> values;
  for (const TuneSample& sample : samples) values.push_back(value_of(sample, measure));
  std::ranges::sort(values);
  return {quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)};
}

bool overlap(const TuneSpread& a, const TuneSpread& b) { return a.low <= b.high && b.low <= a.high; }

std::string spread_text(const std::vector<TuneSample>& samples, TuneMeasure measure) {
  if (samples.size() < 2) return "";
  const TuneSpread spread = spread_of(samples, measure);
  if (spread.median <= 0) return "";
  return fmt::format("±{:.0f}%", 50 * (spread.high - spread.low) / spread.median);
}

TuneSample median_of(const std::vector<TuneSample>& samples) {
  CHECK(!samples.empty());
  TuneSample median;
  median.cpu_seconds = spread_of(samples, TuneMeasure::kCpu).median;
  median.wall_seconds = spread_of(samples, TuneMeasure::kTime).median;
  median.memory_bytes = median_field(samples, &TuneSample::memory_bytes);
  median.pages_read = median_field(samples, &TuneSample::pages_read);
  median.pages_written = median_field(samples, &TuneSample::pages_written);
  median.cache_failures = median_field(samples, &TuneSample::cache_failures);
  median.bytes_written = median_field(samples, &TuneSample::bytes_written);
  median.disk_bytes = median_field(samples, &TuneSample::disk_bytes);
  median.disk_wait_seconds = median_field(samples, &TuneSample::disk_wait_seconds);
  return median;
}

}  // namespace cmc
