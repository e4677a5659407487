#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"

// What the runs of `cmc tune` measured. Each combination runs several times, because one run says nothing about how
// much of a difference is chance.

namespace cmc {

struct TuneSample {
  double cpu_seconds = 0;
  double wall_seconds = 0;
  uint64_t memory_bytes = 0;           // at the peak
  std::optional<uint64_t> pages_read;  // this and the following: only with a store
  std::optional<uint64_t> pages_written;
  std::optional<uint64_t> cache_failures;
  std::optional<uint64_t> bytes_written;
  std::optional<uint64_t> disk_bytes;  // at the peak
  std::optional<double> disk_wait_seconds;
};

// What the best run has least of. kPages: read and written. What has no store has 0 pages and bytes on disk.
enum class TuneMeasure : uint8_t { kTime, kCpu, kMemory, kDisk, kPages };
inline constexpr EnumName<TuneMeasure> kTuneMeasureNames[] = {{"time", TuneMeasure::kTime},
                                                              {"cpu", TuneMeasure::kCpu},
                                                              {"memory", TuneMeasure::kMemory},
                                                              {"disk", TuneMeasure::kDisk},
                                                              {"pages", TuneMeasure::kPages}};

[[nodiscard]] double value_of(const TuneSample& sample, TuneMeasure measure);
// With its unit: "2.0 s", "80.0 MB", "4,711 pages".
[[nodiscard]] std::string measured_text(double value, TuneMeasure measure);

// The median, and the quartiles as the spread around it.
struct TuneSpread {
  double low = 0;
  double median = 0;
  double high = 0;
};
[[nodiscard]] TuneSpread spread_of(const std::vector<TuneSample>& samples, TuneMeasure measure);

// Whether a difference may be chance: the spreads overlap.
[[nodiscard]] bool overlap(const TuneSpread& a, const TuneSpread& b);

// "±3%": half of the spread, as a share of the median; empty for less than two samples.
[[nodiscard]] std::string spread_text(const std::vector<TuneSample>& samples, TuneMeasure measure);

// Each figure is the median of it. REQUIRES: there is a sample.
[[nodiscard]] TuneSample median_of(const std::vector<TuneSample>& samples);

}  // namespace cmc
