#pragma once

#include <atomic>
#include <cstdint>

#include "base/result.h"
#include "studies/latency/study.h"

namespace cmc::latency {

struct Launched {
  RoundTrips trips;
  uint64_t involuntary_switches = 0;
};

// Measures in a process of its own, whose peer is a thread or a process of its own, too. Whatever happens to them,
// both have gone afterwards. REQUIRES: this process has one thread.
[[nodiscard]] Result<Launched> launch(const ChannelKind& kind, Placement placement, const MeasureOptions& options,
                                      const std::atomic<bool>& interrupted);

// The processors that this process may use.
[[nodiscard]] std::vector<int> allowed_processors();

}  // namespace cmc::latency
