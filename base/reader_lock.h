#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "base/check.h"

namespace cmc {

// A readers-writer lock for a fixed number of readers, which read often and briefly, and for rare writers. A reader
// writes only its own cache line, so readers do not disturb each other (Hsieh and Weihl, "Scalable reader-writer
// locks for parallel systems", 1992). Lockable for writers, for std::unique_lock.
class ReaderLock {
 public:
  explicit ReaderLock(uint32_t readers) : count_(readers), readers_(std::make_unique<Reader[]>(readers)) {}

  // The reader reads as long as this object lives.
  class Reading {
   public:
    explicit Reading(std::atomic<bool>& active) : active_(active) {}
    ~Reading() { active_.store(false, std::memory_order_release); }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    std::atomic<bool>& active_;
  };
  // Lets the reader `number` read. Calls while_waiting() again and again while there is a writer. REQUIRES: this
  // reader does not read yet and is not the writer.
  template <class WhileWaiting>
  [[nodiscard]] Reading read(uint32_t number, WhileWaiting&& while_waiting) {
    DCHECK(number < count_);
    std::atomic<bool>& active = readers_[number].active;
    DCHECK(!active.load(std::memory_order_relaxed));
    enter(active, while_waiting);
    return Reading(active);
  }

  // Runs `work` while the reader `number` interrupts its reading. REQUIRES: it reads.
  template <class Work, class WhileWaiting>
  void pause(uint32_t number, Work&& work, WhileWaiting&& while_waiting) {
    std::atomic<bool>& active = readers_[number].active;
    DCHECK(active.load(std::memory_order_relaxed));
    active.store(false, std::memory_order_release);
    work();
    enter(active, while_waiting);
  }

  void lock() {
    writers_.lock();
    closed_.store(true);
    for (uint32_t i = 0; i < count_; ++i) {
      while (readers_[i].active.load()) std::this_thread::yield();
    }
  }
  void unlock() {
    closed_.store(false, std::memory_order_release);
    writers_.unlock();
  }

 private:
  template <class WhileWaiting>
  [[gnu::always_inline]] void enter(std::atomic<bool>& active, WhileWaiting&& while_waiting) {
    for (;;) {
      // Either the writer sees that, or it is seen here that there is a writer: both are sequentially consistent.
      active.store(true);
      if (!closed_.load()) [[likely]]
        return;
      active.store(false, std::memory_order_release);
      while (closed_.load(std::memory_order_relaxed)) while_waiting();
    }
  }

  struct alignas(64) Reader {
    std::atomic<bool> active{false};
  };
  const uint32_t count_;
  const std::unique_ptr<Reader[]> readers_;
  std::mutex writers_;
  std::atomic<bool> closed_{false};
};

}  // namespace cmc
