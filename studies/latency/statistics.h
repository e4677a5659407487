#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cmc::latency {

// Mean, sample standard deviation (n - 1), and half the width of the interval that contains the true mean with 95 %:
// c * s / sqrt(n), c from the normal distribution. The interval assumes more than 30 values that are independent.
struct Summary {
  size_t count = 0;
  double mean = 0;
  double deviation = 0;
  double half_width = 0;
};
[[nodiscard]] Summary summarise(std::span<const double> values);
[[nodiscard]] double half_width_95(double deviation, size_t count);

// Correlation of each value with the next one: 0 if they are independent. None: less than three values, or all are
// equal.
[[nodiscard]] std::optional<double> lag1_autocorrelation(std::span<const double> values);

// Half the width of the 95 % interval of the mean from the means of 20 batches of consecutive values (Conway 1963),
// which need not be independent. None: less than 40 values.
[[nodiscard]] std::optional<double> batch_half_width_95(std::span<const double> values);

// Counts of whole numbers in classes whose width is at most 1/32 of their values: linear within each power of two (as
// Tene's HdrHistogram, 2012).
class Histogram {
 public:
  void add(uint64_t value) {
    ++counts_[class_of(value)];
    ++total_;
    if (value > most_) most_ = value;
  }
  void add(const Histogram& other);
  [[nodiscard]] uint64_t total() const { return total_; }
  [[nodiscard]] uint64_t most() const { return most_; }
  // The least value that at least this share of the values does not exceed, up to the width of a class. 0: empty.
  [[nodiscard]] uint64_t quantile(double share) const;

  struct Row {
    uint64_t from = 0;
    uint64_t count = 0;
  };
  [[nodiscard]] std::vector<Row> rows() const;  // classes that are not empty, ascending

 private:
  static constexpr unsigned kBits = 5;
  static constexpr size_t kClasses = (64 - kBits + 1) << kBits;

  [[nodiscard]] static size_t class_of(uint64_t value);
  [[nodiscard]] static uint64_t first_of(size_t number);

  std::array<uint64_t, kClasses> counts_{};
  uint64_t total_ = 0;
  uint64_t most_ = 0;
};

}  // namespace cmc::latency
