#include "base/durations.h"

#include <algorithm>
#include <bit>

namespace cmc {
namespace {

constexpr size_t kFarAbove = 5;       // powers of two
constexpr size_t kLeastOutlier = 14;  // bucket: from 8 microseconds on
constexpr uint64_t kLeastMeasurements = 100;
constexpr uint64_t kMostOutliersPerHundred = 1;

}  // namespace

void Durations::add(int64_t nanoseconds, uint64_t times) {
  const auto width = static_cast<size_t>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(nanoseconds, 0))));
  Bucket& bucket = buckets_[std::min(width, buckets_.size() - 1)];
  bucket.count += times;
  bucket.nanoseconds += nanoseconds * static_cast<int64_t>(times);
}

void Durations::merge(const Durations& other) {
  for (size_t i = 0; i < buckets_.size(); ++i) {
    buckets_[i].count += other.buckets_[i].count;
    buckets_[i].nanoseconds += other.buckets_[i].nanoseconds;
  }
}

Durations::Summary Durations::all() const {
  Summary sum;
  for (const Bucket& bucket : buckets_) {
    sum.count += bucket.count;
    sum.nanoseconds += bucket.nanoseconds;
  }
  return sum;
}

size_t Durations::median_bucket() const {
  const uint64_t half = (all().count + 1) / 2;
  uint64_t below = 0;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    below += buckets_[i].count;
    if (below >= half && below > 0) return i;
  }
  return 0;
}

int64_t Durations::median() const {
  const Bucket& bucket = buckets_[median_bucket()];
  return bucket.count == 0 ? 0 : bucket.nanoseconds / static_cast<int64_t>(bucket.count);
}

Durations::Summary Durations::summary() const {
  Summary sum = all();
  if (sum.count < kLeastMeasurements) return sum;
  Summary outliers;
  for (size_t i = std::max(median_bucket() + kFarAbove, kLeastOutlier); i < buckets_.size(); ++i) {
    outliers.count += buckets_[i].count;
    outliers.nanoseconds += buckets_[i].nanoseconds;
  }
  if (outliers.count * 100 > sum.count * kMostOutliersPerHundred) return sum;
  sum.count -= outliers.count;
  sum.nanoseconds -= outliers.nanoseconds;
  sum.outliers = outliers.count;
  sum.outlier_nanoseconds = outliers.nanoseconds;
  return sum;
}

}  // namespace cmc
