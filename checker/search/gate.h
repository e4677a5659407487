#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>

namespace cmc {

// Lets one of several workers do something while all others stand still. Workers call check() between two pieces of work;
// one that waits for work is at rest (rest(), until its condition holds) and does not delay anybody.
class Gate {
 public:
  explicit Gate(uint32_t workers) : moving_(workers) {}

  // Runs `action` alone. If another worker is about to do so, waits for it instead and does not run: the caller looks
  // again whether there is anything left to do.
  template <class Action>
  void pause(Action&& action) {
    std::unique_lock lock(mutex_);
    if (closed_.load(std::memory_order_relaxed)) {
      stand(lock);
      return;
    }
    closed_.store(true, std::memory_order_relaxed);
    changed_.wait(lock, [&] { return moving_ == 1; });
    std::exception_ptr failure;
    try {
      action();
    } catch (...) {
      failure = std::current_exception();
    }
    closed_.store(false, std::memory_order_relaxed);
    changed_.notify_all();
    if (failure) std::rethrow_exception(failure);
  }

  void check() {
    if (!closed_.load(std::memory_order_relaxed)) [[likely]]
      return;
    std::unique_lock lock(mutex_);
    if (closed_.load(std::memory_order_relaxed)) stand(lock);
  }

  // For a worker that has nothing to do: runs `enter` and waits until `ready` holds, both under the gate's lock. Returns
  // when the gate is open again.
  template <class Enter, class Ready>
  void rest(Enter&& enter, Ready&& ready) {
    std::unique_lock lock(mutex_);
    --moving_;
    enter();
    changed_.notify_all();
    changed_.wait(lock, [&] { return !closed_.load(std::memory_order_relaxed) && ready(); });
    ++moving_;
  }

  // Changes something that rest() waits for.
  template <class Change>
  void change(Change&& change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }

  // All workers start again.
  void reset(uint32_t workers) { moving_ = workers; }

  // A worker that ends.
  void leave() {
    const std::lock_guard lock(mutex_);
    --moving_;
    changed_.notify_all();
  }

 private:
  void stand(std::unique_lock<std::mutex>& lock) {
    --moving_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !closed_.load(std::memory_order_relaxed); });
    ++moving_;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> closed_{false};
  uint32_t moving_;  // workers that are neither standing, nor at rest, nor gone
};

}  // namespace cmc
