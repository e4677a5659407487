#pragma once

#include <cstdint>
#include <span>

#include "checker/generator/generator.h"

namespace cmc {

// The processes of a step; kNoProcess: none. Both are: it is a move of the claim.
struct Movers {
  uint8_t one = kNoProcess;
  uint8_t other = kNoProcess;  // the receiver of a rendezvous
  auto operator<=>(const Movers&) const = default;

  [[nodiscard]] bool any() const { return one != kNoProcess; }
  [[nodiscard]] bool shares(const Movers& with) const {
    const auto has = [&](uint8_t pid) { return pid != kNoProcess && (pid == with.one || pid == with.other); };
    return has(one) || has(other);
  }
};

// The switches between processes on a way that follows one whose last movers are `last`, which become those of this
// way: its steps that share no process with the one before. Moves of a claim are none.
[[nodiscard]] inline uint64_t count_switches(std::span<const Step> steps, Movers& last) {
  uint64_t switches = 0;
  for (const Step& step : steps) {
    if (step.pid == kNoProcess) continue;
    const Movers now{step.pid, step.partner};
    if (last.any() && !now.shares(last)) ++switches;
    last = now;
  }
  return switches;
}
[[nodiscard]] inline uint64_t count_switches(std::span<const Step> steps) {
  Movers last;
  return count_switches(steps, last);
}

}  // namespace cmc
