#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <type_traits>

#include "base/check.h"

namespace cmc {

// An array of plain values to which several threads append at the same time. Values stay where they are while they
// do, so there is only as much room as grow() has made, which nobody else may use the array during. Memory is taken
// from the system as it is used.
template <class T>
class AppendArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // Room for `capacity` values, of which the first `used` are there, and are T{}.
  void reset(uint32_t capacity, uint32_t used) {
    DCHECK(used <= capacity);
    set_capacity(capacity);
    std::uninitialized_fill_n(values_.get(), used, T{});
    used_ = used;
  }
  // At least twice as much, and as much as was asked for in vain; no more than numbers of 32 bits can name.
  void grow() { set_capacity(static_cast<uint32_t>(std::min(std::max(2 * capacity_, wanted_.load()), kMost))); }

  // The number of the first one; none: there is no room.
  [[nodiscard]] std::optional<uint32_t> append(std::span<const T> values) {
    const std::optional<uint32_t> first = reserve(values.size());
    if (first) std::uninitialized_copy(values.begin(), values.end(), values_.get() + *first);
    return first;
  }
  [[nodiscard]] std::optional<uint32_t> append(const T& value) { return append(std::span(&value, 1)); }
  // Of `count` values T{}, which the caller may change.
  [[nodiscard]] std::optional<uint32_t> append_empty(uint64_t count) {
    const std::optional<uint32_t> first = reserve(count);
    if (first) std::uninitialized_fill_n(values_.get() + *first, count, T{});
    return first;
  }

  // It is time to grow(). full(): it cannot.
  [[nodiscard]] bool scarce() const {
    return 4 * used() > 3 * capacity_ || wanted_.load(std::memory_order_relaxed) > capacity_;
  }
  [[nodiscard]] bool full() const { return scarce() && capacity_ == kMost; }

  [[nodiscard]] const T* data() const { return values_.get(); }
  [[nodiscard]] std::span<const T> all() const { return {values_.get(), used()}; }
  [[nodiscard]] uint32_t capacity() const { return static_cast<uint32_t>(capacity_); }
  [[nodiscard]] T& operator[](uint32_t index) { return values_.get()[index]; }
  [[nodiscard]] const T& operator[](uint32_t index) const { return values_.get()[index]; }
  [[nodiscard]] uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t used_bytes() const { return used() * sizeof(T); }

 private:
  static constexpr uint64_t kMost = 0xfffffffe;

  [[nodiscard]] std::optional<uint32_t> reserve(uint64_t count) {
    uint64_t first = used_.load(std::memory_order_relaxed);
    do {
      if (first + count > capacity_) {
        wanted_.store(first + count, std::memory_order_relaxed);
        return std::nullopt;
      }
    } while (!used_.compare_exchange_weak(first, first + count, std::memory_order_relaxed));
    return static_cast<uint32_t>(first);
  }
  void set_capacity(uint32_t capacity) {
    auto* const larger = static_cast<T*>(std::realloc(values_.get(), capacity * sizeof(T)));
    if (larger == nullptr) throw std::bad_alloc();
    static_cast<void>(values_.release());
    values_.reset(larger);
    capacity_ = capacity;
    wanted_ = 0;
  }
  struct Free {
    void operator()(T* values) const { std::free(values); }
  };

  std::unique_ptr<T[], Free> values_;
  uint64_t capacity_ = 0;
  alignas(64) std::atomic<uint64_t> used_{0};  // not in the cache line that all read
  std::atomic<uint64_t> wanted_{0};
};

}  // namespace cmc
