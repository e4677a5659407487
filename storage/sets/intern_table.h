#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/spin_lock.h"

namespace cmc {

// Numbers distinct byte strings from 0 in the order of their first appearance. Nothing is ever removed or moved.
//
// Thread-safe. Only what is new takes a lock: numbers are found by way of an index that is replaced by a larger one
// when it gets full, and kept for those who may still be reading it. A number may be used by any thread that got it
// from intern() or from another thread in a synchronised way.
class InternTable {
 public:
  InternTable() = default;
  InternTable(const InternTable&) = delete;
  InternTable& operator=(const InternTable&) = delete;
  ~InternTable();

  [[nodiscard]] uint32_t intern(ByteView bytes);
  [[nodiscard]] ByteView get(uint32_t id) const { return at(id).content(); }
  [[nodiscard]] uint32_t size() const { return size_.load(std::memory_order_acquire); }
  [[nodiscard]] uint64_t memory_bytes() const { return memory_bytes_.load(std::memory_order_relaxed); }

 private:
  // Short contents lie in the entry itself.
  static constexpr uint32_t kInlineBytes = 8;
  struct Entry {
    union {
      const std::byte* data;
      std::byte bytes[kInlineBytes];
      uint64_t value;  // of short contents: the bytes behind them are 0
    };
    uint32_t size;
    uint32_t hash;

    [[nodiscard]] ByteView content() const { return {size <= kInlineBytes ? bytes : data, size}; }
  };
  static_assert(sizeof(Entry) == 16);
  // Open addressing: number + 1, 0 is free.
  struct Index {
    explicit Index(size_t count) : mask(count - 1), slots(std::make_unique<std::atomic<uint32_t>[]>(count)) {}
    size_t mask;
    std::unique_ptr<std::atomic<uint32_t>[]> slots;
  };
  // The numbers of contents of up to 4 bytes that were asked for last: one load instead of three that wait for each
  // other. A slot is one word, so that threads see all of it or nothing.
  class Recent {
   public:
    [[nodiscard]] static bool fits(ByteView bytes) { return bytes.size() - 1 < kMostBytes; }
    [[nodiscard]] uint32_t find(uint64_t value, size_t size) const {
      const uint64_t slot = slots_[place(value)].load(std::memory_order_acquire);
      return (slot & kContent) == content(value, size) ? static_cast<uint32_t>(slot >> kContentBits) : kNone;
    }
    void note(uint64_t value, size_t size, uint32_t id) {
      if (id >> (64 - kContentBits) != 0) return;
      slots_[place(value)].store(content(value, size) | uint64_t{id} << kContentBits, std::memory_order_release);
    }

   private:
    static constexpr size_t kMostBytes = 4;
    static constexpr unsigned kContentBits = 35;  // the value and 3 bits for its size, which is 0 in a free slot
    static constexpr uint64_t kContent = (uint64_t{1} << kContentBits) - 1;
    static constexpr unsigned kPlaceBits = 4;
    static uint64_t content(uint64_t value, size_t size) { return value | uint64_t{size} << 32; }
    static size_t place(uint64_t value) { return value * 0x9e3779b97f4a7c15ULL >> (64 - kPlaceBits); }
    std::array<std::atomic<uint64_t>, size_t{1} << kPlaceBits> slots_{};
  };
  // Entries lie in segments that double: segment 0 has 16, so that number n is in segment log2(n/16 + 1).
  static constexpr uint32_t kFirstSegment = 16;
  static constexpr size_t kSegments = 28;
  static constexpr size_t kArenaBytes = size_t{1} << 14;
  static constexpr uint32_t kNone = 0xffffffff;

  static uint32_t segment_of(uint32_t id) {
    return 31u - static_cast<uint32_t>(__builtin_clz(id / kFirstSegment + 1));
  }
  static uint32_t segment_begin(uint32_t segment) { return kFirstSegment * ((1u << segment) - 1); }
  [[nodiscard]] const Entry& at(uint32_t id) const {
    const uint32_t segment = segment_of(id);
    return segments_[segment].load(std::memory_order_acquire)[id - segment_begin(segment)];
  }
  [[nodiscard]] uint32_t intern_whole(ByteView bytes);
  [[nodiscard]] uint32_t find(const Index& index, ByteView bytes, uint32_t hash) const;
  template <class Matches>
  [[nodiscard]] uint32_t find_entry(const Index& index, uint32_t hash, Matches&& matches) const;
  uint32_t append(ByteView bytes, uint32_t hash);
  static void enter(Index& index, uint32_t hash, uint32_t id);
  const std::byte* store_bytes(ByteView bytes);
  void grow_index();

  std::array<std::atomic<Entry*>, kSegments> segments_{};
  std::atomic<const Index*> index_{nullptr};
  Recent recent_;

  // What every new content changes, not in a cache line with what everybody reads.
  alignas(64) std::atomic<uint32_t> size_{0};
  std::atomic<uint64_t> memory_bytes_{0};
  SpinLock lock_;                                // of all below, and of changes
  std::vector<std::unique_ptr<Index>> indices_;  // the last one is in use
  std::vector<std::unique_ptr<std::byte[]>> arena_;
  std::byte* free_ = nullptr;
  size_t free_bytes_ = 0;
};

}  // namespace cmc
