#pragma once

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include <fmt/format.h>

// Long comparisons of many alike things take one part of seven a day, so that a week has them all: numbers i, i + 7,
// i + 14 and so on. CMC_PARTS=all in the environment takes all, CMC_DAY=N the part of another day.
// tests/support/part_of_day.py is the same for scripts.

namespace cmc::test {

inline constexpr uint64_t kPartsOfDay = 7;  // a prime: what recurs in such a list is not always in the same part

class PartOfDay {
 public:
  PartOfDay() {
    const char* const parts = std::getenv("CMC_PARTS");
    whole_ = parts != nullptr && std::string_view(parts) == "all";
    const char* const day = std::getenv("CMC_DAY");
    const uint64_t number =
        day != nullptr ? std::strtoull(day, nullptr, 10) : static_cast<uint64_t>(std::time(nullptr)) / 86400;
    part_ = number % kPartsOfDay;
    if (whole_) {
      fmt::print("all parts\n");
    } else {
      fmt::print("part {} of {}; again: CMC_DAY={}, all: CMC_PARTS=all\n", part_ + 1, kPartsOfDay, number);
    }
  }

  // Of the i-th thing of a list.
  [[nodiscard]] bool has(uint64_t i) const { return whole_ || i % kPartsOfDay == part_; }
  [[nodiscard]] bool is_whole() const { return whole_; }

 private:
  bool whole_ = false;
  uint64_t part_ = 0;
};

}  // namespace cmc::test
