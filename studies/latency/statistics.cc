#include "studies/latency/statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cmc::latency {

namespace {

constexpr double kNormal975 = 1.959963984540054;  // quantile of N(0; 1)
constexpr size_t kBatches = 20;
constexpr double kStudent975 = 2.093024054;  // quantile of Student's t with kBatches - 1 degrees of freedom

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double squares_around(std::span<const double> values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

}  // namespace

double half_width_95(double deviation, size_t count) {
  return kNormal975 * deviation / std::sqrt(static_cast<double>(count));
}

Summary summarise(std::span<const double> values) {
  Summary summary{.count = values.size()};
  if (values.empty()) return summary;
  summary.mean = mean_of(values);
  if (values.size() < 2) return summary;
  summary.deviation = std::sqrt(squares_around(values, summary.mean) / static_cast<double>(values.size() - 1));
  summary.half_width = half_width_95(summary.deviation, values.size());
  return summary;
}

std::optional<double> lag1_autocorrelation(std::span<const double> values) {
  if (values.size() < 3) return std::nullopt;
  const double mean = mean_of(values);
  const double squares = squares_around(values, mean);
  if (squares <= 0) return std::nullopt;
  double products = 0;
  for (size_t i = 0; i + 1 < values.size(); ++i) products += (values[i] - mean) * (values[i + 1] - mean);
  return products / squares;
}

std::optional<double> batch_half_width_95(std::span<const double> values) {
  const size_t size = values.size() / kBatches;
  if (size < 2) return std::nullopt;
  std::array<double, kBatches> means;
  for (size_t i = 0; i < kBatches; ++i) means[i] = mean_of(values.subspan(i * size, size));
  return kStudent975 * summarise(means).deviation / std::sqrt(static_cast<double>(kBatches));
}

// Values below 2^kBits have a class each; each power of two above has 2^kBits classes.
size_t Histogram::class_of(uint64_t value) {
  const auto width = static_cast<unsigned>(std::bit_width(value));
  if (width <= kBits) return value;
  const unsigned shift = width - kBits - 1;
  return (size_t{shift} << kBits) + (value >> shift);
}

uint64_t Histogram::first_of(size_t number) {
  const size_t power = number >> kBits;
  if (power < 2) return number;
  return ((number & ((size_t{1} << kBits) - 1)) + (size_t{1} << kBits)) << (power - 1);
}

void Histogram::add(const Histogram& other) {
  for (size_t i = 0; i < kClasses; ++i) counts_[i] += other.counts_[i];
  total_ += other.total_;
  most_ = std::max(most_, other.most_);
}

uint64_t Histogram::quantile(double share) const {
  const auto wanted = static_cast<uint64_t>(std::ceil(share * static_cast<double>(total_)));
  uint64_t seen = 0;
  for (size_t i = 0; i < kClasses; ++i) {
    seen += counts_[i];
    if (seen >= std::max<uint64_t>(wanted, 1)) return first_of(i);
  }
  return 0;
}

std::vector<Histogram::Row> Histogram::rows() const {
  std::vector<Row> rows;
  for (size_t i = 0; i < kClasses; ++i) {
    if (counts_[i] > 0) rows.push_back({first_of(i), counts_[i]});
  }
  return rows;
}

}  // namespace cmc::latency
