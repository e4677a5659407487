#include "checker/shorten/effort.h"

#include "base/process_memory.h"

namespace cmc {

namespace {

uint64_t bytes_now() {
  release_freed();
  return resident_bytes();
}

}  // namespace

Effort::Effort(const SearchOptions& options, const Budget& budget, std::function<void()> on_wait)
    : options_(options),
      clock_(options.clock != nullptr ? *options.clock : system_clock_),
      begin_(clock_.wall_seconds()),
      budget_(budget),
      budget_begin_(begin_),
      cpu_begin_(clock_.cpu_seconds()),
      other_bytes_(bytes_now()),
      on_wait_(std::move(on_wait)) {}

bool Effort::is_used_up(double now) const {
  const double spent = now - budget_begin_;
  return spent >= budget_.seconds && (work_ >= budget_.least_work || spent >= budget_.most_seconds ||
                                      clock_.cpu_seconds() - cpu_begin_ >= budget_.most_cpu_seconds);
}

bool Effort::may_go_on(uint64_t memory_bytes) {
  const bool interrupted = options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed);
  const uint64_t limit = options_.memory_limit_bytes;
  const double now = clock_.wall_seconds();
  if (interrupted) {
    cut_ = "interrupt";
  } else if (limit > 0 && other_bytes_ + memory_bytes > limit) {
    cut_ = "memory";
  } else if (is_used_up(now)) {
    cut_ = "time";
  } else if (on_wait_ && now >= begin_ + kPatience) {
    std::exchange(on_wait_, nullptr)();
  }
  return cut_.empty();
}

void Effort::go_on_for(const Budget& budget) {
  if (cut_ == "interrupt") return;
  cut_.clear();
  budget_ = budget;
  budget_begin_ = clock_.wall_seconds();
  cpu_begin_ = clock_.cpu_seconds();
  work_ = 0;
}

}  // namespace cmc
