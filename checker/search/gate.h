#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>

namespace cmc {

// Lets several workers change together what they otherwise only use, while none of them uses it. Workers call check()
// between two pieces of work; one that waits for work is at rest (rest(), until its condition holds) and does not
// delay anybody.
class Gate {
 public:
  explicit Gate(uint32_t workers) : moving_(workers) {}

  // When all others stand still, runs `prepare` and, if that returns true, `work` in this thread and in those that
  // stand, at the same time; returns when all are done. If another worker has closed the gate, helps that one
  // instead: the caller looks again whether there is anything left to do. An exception of any of them is thrown here.
  template <class Prepare>
  void pause(Prepare&& prepare, const std::function<void()>& work) {
    std::unique_lock lock(mutex_);
    if (closed_.load(std::memory_order_relaxed)) {
      stand(lock);
      return;
    }
    closed_.store(true, std::memory_order_relaxed);
    changed_.wait(lock, [&] { return moving_ == 1; });
    failure_ = nullptr;
    if (prepare()) {
      work_ = &work;
      ++round_;
      changed_.notify_all();
      take_part(lock);
      changed_.wait(lock, [&] { return working_ == 0; });
      work_ = nullptr;
    }
    closed_.store(false, std::memory_order_relaxed);
    changed_.notify_all();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  void check() {
    if (!closed_.load(std::memory_order_relaxed)) [[likely]]
      return;
    std::unique_lock lock(mutex_);
    if (closed_.load(std::memory_order_relaxed)) stand(lock);
  }

  // For a worker that has nothing to do: runs `enter` and waits until `ready` holds, both under the gate's lock.
  // Returns when the gate is open again.
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
    uint64_t seen = round_;
    for (;;) {
      changed_.wait(lock, [&] { return !closed_.load(std::memory_order_relaxed) || round_ != seen; });
      if (!closed_.load(std::memory_order_relaxed)) break;
      seen = round_;
      if (work_ != nullptr) take_part(lock);
    }
    ++moving_;
  }
  void take_part(std::unique_lock<std::mutex>& lock) {
    const std::function<void()>& work = *work_;
    ++working_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure) failure_ = failure;
    --working_;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> closed_{false};
  uint32_t moving_;  // workers that are neither standing, nor at rest, nor gone
  uint64_t round_ = 0;
  const std::function<void()>* work_ = nullptr;
  uint32_t working_ = 0;
  std::exception_ptr failure_;
};

}  // namespace cmc
