#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>

#include "base/check.h"

namespace cmc {

// Stops all workers so that they can change shared data together. A worker calls check() from time to time and says
// where it stands: at a boundary between two batches, where the data of the whole search is consistent, or elsewhere.
// A pause asks for one of the two:
//
//   kAnywhere   no worker uses the shared data: a table can grow
//   kBoundary   the whole search is consistent: it can be saved or migrated
//
// A worker that waits for work is at rest (rest(), until its condition holds), which is a boundary and delays no
// other worker.
class Gate {
 public:
  enum class Where : uint8_t { kAnywhere, kBoundary };

  explicit Gate(uint32_t workers) : moving_(workers) {}

  // Waits until all other workers stand still, runs `prepare` and, if that returns true, runs `work` in this thread
  // and in the standing ones at the same time; returns when all are done. If another worker has already closed the
  // gate, helps that worker instead, if this one may stand here; the caller then checks whether its own work is still
  // needed. An exception of any of them is thrown here. REQUIRES: the caller is at a boundary, or asks for kAnywhere.
  template <class Prepare>
  void pause(Where where, Prepare&& prepare, const std::function<void()>& work) {
    std::unique_lock lock(mutex_);
    if (closed_.load(std::memory_order_relaxed) != kOpen) {
      if (stops(where)) stand(lock);
      return;
    }
    closed_.store(where == Where::kAnywhere ? kClosed : kClosedAtBoundaries, std::memory_order_relaxed);
    changed_.wait(lock, [&] { return moving_ == 1; });
    failure_ = nullptr;
    if (prepare()) {
      work_ = &work;
      ++round_;
      changed_.notify_all();
      take_part(lock);
      changed_.wait(lock, [&] { return working_ == 0; });
      DCHECK(moving_ == 1);
      work_ = nullptr;
    }
    closed_.store(kOpen, std::memory_order_relaxed);
    changed_.notify_all();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  // Stands still while a pause asks for it.
  void check(Where where) {
    if (!stops(where)) [[likely]]
      return;
    std::unique_lock lock(mutex_);
    if (stops(where)) stand(lock);
  }

  // For an idle worker: runs `enter` and waits until `ready` holds, both under the gate's lock.
  // Returns when the gate is open again.
  template <class Enter, class Ready>
  void rest(Enter&& enter, Ready&& ready) {
    std::unique_lock lock(mutex_);
    DCHECK(moving_ > 0);
    --moving_;
    enter();
    changed_.notify_all();
    changed_.wait(lock, [&] { return closed_.load(std::memory_order_relaxed) == kOpen && ready(); });
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
    DCHECK(moving_ > 0 && working_ == 0);
    --moving_;
    changed_.notify_all();
  }

 private:
  enum Closed : uint8_t { kOpen, kClosedAtBoundaries, kClosed };

  [[nodiscard]] bool stops(Where where) const {
    const Closed closed = closed_.load(std::memory_order_relaxed);
    return closed == kClosed || (closed == kClosedAtBoundaries && where == Where::kBoundary);
  }
  void stand(std::unique_lock<std::mutex>& lock) {
    DCHECK(moving_ > 0);
    --moving_;
    changed_.notify_all();
    uint64_t seen = round_;
    for (;;) {
      changed_.wait(lock, [&] { return closed_.load(std::memory_order_relaxed) == kOpen || round_ != seen; });
      if (closed_.load(std::memory_order_relaxed) == kOpen) break;
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
  std::atomic<Closed> closed_{kOpen};
  uint32_t moving_;  // workers that are neither standing, nor at rest, nor gone
  uint64_t round_ = 0;
  const std::function<void()>* work_ = nullptr;
  uint32_t working_ = 0;
  std::exception_ptr failure_;
};

}  // namespace cmc
