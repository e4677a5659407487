#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "studies/xtp/packet.h"

// A network between two ends, in memory that two processes may share: delay, rate, loss, damage and doubled packets.
//
// A packet is written by its sender into a slot of a ring and read there by its receiver: one copy. What happens to
// packet number n of a direction depends on the seed, the direction and n only, so the same packets meet the same
// fate in every run. Packets keep their order.

namespace cmc::xtp {

struct MediumOptions {
  uint64_t delay_ns = 900'000;
  double bytes_per_second = 0;  // 0: no limit
  double loss = 0;              // probabilities
  double corruption = 0;
  double duplication = 0;
  uint64_t seed = 1;
};

struct MediumCounts {
  uint64_t sent = 0;
  uint64_t lost = 0;
  uint64_t overflowed = 0;  // the ring was full
  uint64_t duplicated = 0;
  uint64_t corrupted = 0;  // a doubled packet counts twice
  uint64_t delivered = 0;  // sent - lost - overflowed + duplicated, but for those under way
};

// Where time comes from: the system's monotonic clock, or a time that the caller sets.
class Timer {
 public:
  virtual ~Timer() = default;
  [[nodiscard]] virtual uint64_t now_ns() const = 0;
};
class RealTimer final : public Timer {
 public:
  [[nodiscard]] uint64_t now_ns() const override;
};
class VirtualTimer final : public Timer {
 public:
  [[nodiscard]] uint64_t now_ns() const override { return now_; }
  void advance_to(uint64_t time_ns) { now_ = time_ns > now_ ? time_ns : now_; }

 private:
  uint64_t now_ = 0;
};

// One direction: one sender, one receiver. Lies in zeroed, possibly shared memory (MediumMemory).
class Link {
 public:
  void configure(const MediumOptions& options, uint64_t direction) {
    options_ = options;
    direction_ = direction;
  }

  // The sender's: room for a packet of up to kMaxPacketBytes, then how long it is.
  [[nodiscard]] std::byte* slot() { return slots_[head_.load(std::memory_order_relaxed) % kSlots].bytes.data(); }
  void send(size_t bytes, uint64_t now_ns);

  // The receiver's: the oldest packet that has arrived by now, empty if there is none; drop() makes room.
  [[nodiscard]] std::span<const std::byte> front(uint64_t now_ns) const;
  void drop();
  // When the oldest packet under way arrives; UINT64_MAX: there is none.
  [[nodiscard]] uint64_t next_arrival() const;

  // REQUIRES: both ends are at rest.
  [[nodiscard]] MediumCounts counts() const;

 private:
  static constexpr size_t kSlots = 64;
  struct Slot {
    uint64_t due_ns;
    size_t size;
    std::array<std::byte, kMaxPacketBytes> bytes;
  };
  [[nodiscard]] bool happens(double probability, uint64_t what) const;
  [[nodiscard]] uint64_t draw(uint64_t what) const;
  [[nodiscard]] bool full(uint64_t head) const {
    // One slot stays free: slot() is the sender's at all times.
    return head - tail_.load(std::memory_order_acquire) + 1 >= kSlots;
  }

  MediumOptions options_;
  uint64_t direction_ = 0;
  uint64_t free_ns_ = 0;  // when the last packet has left
  MediumCounts counts_;   // the sender's part
  std::atomic<uint64_t> delivered_{0};
  std::atomic<uint64_t> head_{0};
  std::atomic<uint64_t> tail_{0};
  std::array<Slot, kSlots> slots_;
};

// Two links in a mapping that a child process inherits.
class MediumMemory {
 public:
  explicit MediumMemory(const MediumOptions& options);
  ~MediumMemory();
  MediumMemory(const MediumMemory&) = delete;
  MediumMemory& operator=(const MediumMemory&) = delete;

  // Packets of side 0 go through link 0.
  [[nodiscard]] Link& link(size_t from) { return links_[from]; }

 private:
  Link* links_ = nullptr;
};

}  // namespace cmc::xtp
