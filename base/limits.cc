#include "base/limits.h"

#include <fmt/format.h>

#include "base/process_memory.h"
#include "base/units.h"

namespace cmc {

Limits::Limits(const Bounds& bounds, const Clock* clock)
    : bounds_(bounds), clock_(clock != nullptr ? *clock : system_clock_), start_(clock_.wall_seconds()) {}

bool Limits::reached(uint64_t growth_bytes) {
  if (!reason_.empty()) return true;
  if (bounds_.interrupt != nullptr && bounds_.interrupt->load(std::memory_order_relaxed)) {
    interrupted_ = true;
    reason_ = "it was interrupted";
  } else if (bounds_.seconds > 0 && elapsed_seconds() >= bounds_.seconds) {
    reason_ = fmt::format("the time limit of {:g} seconds was reached", bounds_.seconds);
  } else if (bounds_.memory_bytes > 0 && (questions_++ % kQuestionsPerLook == 0 || growth_bytes >= kLargeGrowth) &&
             resident_bytes() + growth_bytes > bounds_.memory_bytes) {
    reason_ = fmt::format("the memory limit of {} was reached", format_size(bounds_.memory_bytes));
  }
  return !reason_.empty();
}

}  // namespace cmc
