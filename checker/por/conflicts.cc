#include "checker/por/conflicts.h"

#include <algorithm>
#include <optional>

namespace cmc {

using Kind = Hindrance::Kind;

Cause disturbance(const Present& present, const Future& future, bool younger) {
  if (future.sees_all) return {Kind::kEverything};
  if (younger) {  // whoever uses a channel has this row
    const std::optional<uint32_t> gone = present.against[Access::kChange].common(future.destroys);
    if (gone) return {Kind::kComponent, static_cast<ComponentId>(*gone)};
  }
  for (size_t i = 0; i < kAccesses; ++i) {
    const std::optional<uint32_t> common = present.against.sets[i].common(future.uses.sets[i]);
    if (common) return {Kind::kComponent, static_cast<ComponentId>(*common)};
  }
  if ((present.any_channel && future.uses_channels) || (present.uses_channels && future.any_channel))
    return {Kind::kUnknownChannel};
  // Pids are given in order.
  if (present.creates && (future.creates || future.sees_processes)) return {Kind::kProcesses};
  if (present.ends && (future.creates || future.sees_processes)) return {Kind::kProcesses};
  if (present.sees_processes && future.creates) return {Kind::kProcesses};
  return {Kind::kNone};
}

bool tests_of(const Future& one, const Future& other) {
  if (one.tested_handshakes.empty()) return false;
  if (other.any_channel) return true;
  return std::ranges::any_of(other.uses.sets,
                             [&](const ComponentSet& each) { return each.meets(one.tested_handshakes); });
}

}  // namespace cmc
