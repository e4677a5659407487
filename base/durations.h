#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cmc {

// How long something took, many times: by powers of two, so that rare long durations can be told from what is usual.
class Durations {
 public:
  // A measurement that stands for `times` of them, which have not been measured. It can be below 0, if the cost of
  // measuring was subtracted.
  void add(int64_t nanoseconds, uint64_t times = 1);
  void merge(const Durations& other);

  struct Summary {
    uint64_t count = 0;  // without the outliers
    int64_t nanoseconds = 0;
    uint64_t outliers = 0;
    int64_t outlier_nanoseconds = 0;

    [[nodiscard]] double mean() const {
      return count == 0 ? 0 : static_cast<double>(nanoseconds) / static_cast<double>(count);
    }
  };
  // Outliers are durations some 32 times as long as the median, of at least 8 microseconds, if there are at least a
  // hundred measurements and at most one in a hundred is such. (What happens more often is no accident.)
  [[nodiscard]] Summary summary() const;
  // Nothing counts as an outlier.
  [[nodiscard]] Summary all() const;
  // The mean of those in the power of two in which the median is.
  [[nodiscard]] int64_t median() const;

 private:
  struct Bucket {
    uint64_t count = 0;
    int64_t nanoseconds = 0;
  };
  [[nodiscard]] size_t median_bucket() const;

  std::array<Bucket, 48> buckets_;  // [b]: 2^(b-1) to 2^b - 1 nanoseconds; [0]: 0 and less
};

}  // namespace cmc
