#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "studies/latency/channel.h"
#include "studies/latency/measure.h"
#include "studies/latency/peer_address.h"

namespace cmc::latency {

// Where the two parties run.
enum class Placement : uint8_t { kUnpinned, kOneCore, kTwoCores };
struct PlacementName {
  const char* name;
  Placement placement;
};
[[nodiscard]] std::span<const PlacementName> placement_names();
[[nodiscard]] const char* name_of(Placement placement);

struct StudyOptions {
  std::vector<const ChannelKind*> kinds;
  std::vector<size_t> sizes = {16, 256, 4096, 65536};
  std::vector<Placement> placements = {Placement::kUnpinned, Placement::kOneCore, Placement::kTwoCores};
  uint32_t rounds = 1000;  // over all launches
  uint32_t samples = 100;
  uint32_t launches = 5;
  std::optional<PeerAddress> peer;  // measured instead of processes of this machine; placements do not matter then
  double seconds = 150;             // for everything; what does not fit in has fewer rounds
};

// One channel with one size at one placement. The first size at the first placement has all rounds and is the main
// row of its channel; other sizes and placements have a tenth, and are only combined with the first of the other.
struct Cell {
  const ChannelKind* kind = nullptr;
  size_t bytes = 0;
  Placement placement = Placement::kUnpinned;
  bool is_main = false;

  std::vector<std::vector<double>> launches_ns;  // data points of each launch
  Histogram all_ns;
  double timer_ns = 0;                // of the last launch
  uint64_t involuntary_switches = 0;  // of both parties
  std::string error;                  // of the first launch that failed; empty: none did

  [[nodiscard]] std::vector<double> points_ns() const;  // of all launches, one after the other
};

struct Study {
  std::vector<Cell> cells;
  std::string load_before;  // as /proc/loadavg has it
  std::string load_after;
  unsigned processors = 0;  // that this process may use
  double seconds = 0;
  bool is_interrupted = false;
};

// Each launch has processes of its own and measures all cells, in a random order. REQUIRES: this process has one
// thread. `progress` is told how many of how many measurements are done.
[[nodiscard]] Study run_study(const StudyOptions& options, const std::atomic<bool>& interrupted,
                              const std::function<void(size_t done, size_t all)>& progress);

// The machine's load in the last 1, 5 and 15 minutes.
[[nodiscard]] std::string load_text();

}  // namespace cmc::latency
