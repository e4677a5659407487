#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "studies/latency/channel.h"
#include "studies/latency/statistics.h"

namespace cmc::latency {

struct MeasureOptions {
  size_t bytes = kLeastBytes;  // of a message, both ways
  uint32_t rounds = 1000;      // data points
  uint32_t samples = 100;      // round trips of each round, of which the shortest is the data point
  double seconds = 60;         // then no further round begins
};

struct RoundTrips {
  std::vector<double> points_ns;
  Histogram all_ns;     // each round trip of all rounds
  double timer_ns = 0;  // what reading the clock took, which was subtracted from each
};

// Asks again and again, and takes the time. Error: the channel, or an answer that is not the one of the responder to
// the question that was asked. The first round is not counted: it warms up. `responder`: nothing if the other side
// chose its number itself (on another machine); then it has to keep it, and it must not be `asker`.
[[nodiscard]] Result<RoundTrips> measure(Channel& channel, uint32_t asker, std::optional<uint32_t> responder,
                                         const MeasureOptions& options);

// Answers until the last question, or until nothing comes any more.
void respond(Channel& channel, uint32_t responder);

// The median of what reading the clock twice takes.
[[nodiscard]] double timer_cost_ns();

}  // namespace cmc::latency
