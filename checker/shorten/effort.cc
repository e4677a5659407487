#include "checker/shorten/effort.h"

#include "base/process_memory.h"

namespace cmc {

namespace {

uint64_t bytes_now() {
  release_freed();
  return resident_bytes();
}

}  // namespace

Effort::Effort(const SearchOptions& options, double seconds, std::function<void()> on_wait)
    : options_(options),
      clock_(options.clock != nullptr ? *options.clock : system_clock_),
      begin_(clock_.wall_seconds()),
      end_(begin_ + seconds),
      other_bytes_(bytes_now()),
      on_wait_(std::move(on_wait)) {}

bool Effort::may_go_on(uint64_t memory_bytes) {
  const bool interrupted = options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed);
  const uint64_t limit = options_.memory_limit_bytes;
  const double now = clock_.wall_seconds();
  if (interrupted) {
    cut_ = "interrupt";
  } else if (limit > 0 && other_bytes_ + memory_bytes > limit) {
    cut_ = "memory";
  } else if (now >= end_) {
    cut_ = "time";
  } else if (on_wait_ && now >= begin_ + kPatience) {
    std::exchange(on_wait_, nullptr)();
  }
  return cut_.empty();
}

void Effort::go_on_for(double seconds) {
  if (cut_ == "interrupt") return;
  cut_.clear();
  end_ = clock_.wall_seconds() + seconds;
}

}  // namespace cmc
