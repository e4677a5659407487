#pragma once

#include <chrono>
#include <cstdint>

#include "studies/latency/channel.h"

namespace cmc::latency {

// For loops that wait actively: looks at the clock now and then only. Begins at the first look.
class Deadline {
 public:
  [[nodiscard]] bool is_over() {
    if (++rounds_ % kRounds != 0) return false;
    const auto now = std::chrono::steady_clock::now();
    if (rounds_ == kRounds) start_ = now;
    return now - start_ > std::chrono::seconds(kPatienceSeconds);
  }

 private:
  static constexpr uint64_t kRounds = 4096;
  uint64_t rounds_ = 0;
  std::chrono::steady_clock::time_point start_;
};

inline void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace cmc::latency
