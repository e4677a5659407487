#pragma once

#include <atomic>
#include <thread>

namespace cmc {

// A lock for sections that are shorter than putting a thread to sleep and waking it up, and seldom contended.
// Lockable, for std::unique_lock.
class SpinLock {
 public:
  [[nodiscard]] bool try_lock() {
    return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire);
  }
  void lock() {
    for (unsigned tries = 1; !try_lock(); ++tries) {
      if (tries % kTriesPerYield == 0) std::this_thread::yield();  // the holder may not be running
    }
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  static constexpr unsigned kTriesPerYield = 256;
  std::atomic<bool> held_{false};
};

}  // namespace cmc
