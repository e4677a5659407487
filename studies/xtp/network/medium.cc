#include "studies/xtp/network/medium.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

#include <sys/mman.h>
#include <time.h>

#include "base/check.h"

namespace cmc::xtp {
namespace {

constexpr uint64_t kLoss = 1;
constexpr uint64_t kCorruption = 2;
constexpr uint64_t kDuplication = 3;
constexpr uint64_t kWhichBit = 4;

// SplitMix64 (Steele, Lea, Flood 2014), one output of it.
uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

}  // namespace

uint64_t RealTimer::now_ns() const {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t Link::draw(uint64_t what) const {
  return mix(mix(mix(options_.seed) ^ (direction_ << 56 | counts_.sent)) ^ what);
}

bool Link::happens(double probability, uint64_t what) const {
  return static_cast<double>(draw(what) >> 11) * 0x1p-53 < probability;
}

void Link::send(size_t bytes, uint64_t now_ns) {
  DCHECK(bytes > 0 && bytes <= kMaxPacketBytes);
  const uint64_t transmission_ns =
      options_.bytes_per_second > 0
          ? static_cast<uint64_t>(static_cast<double>(bytes) * 1e9 / options_.bytes_per_second)
          : 0;
  free_ns_ = std::max(free_ns_, now_ns) + transmission_ns;
  const bool lost = happens(options_.loss, kLoss);
  const bool corrupted = happens(options_.corruption, kCorruption);
  const bool twice = happens(options_.duplication, kDuplication);
  const uint64_t bit = draw(kWhichBit) % (8 * bytes);
  ++counts_.sent;
  if (lost) {
    ++counts_.lost;
    return;
  }
  uint64_t head = head_.load(std::memory_order_relaxed);
  if (full(head)) {
    ++counts_.overflowed;
    return;
  }
  Slot& slot = slots_[head % kSlots];
  slot.size = bytes;
  slot.due_ns = free_ns_ + options_.delay_ns;
  if (corrupted) {
    slot.bytes[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    ++counts_.corrupted;
  }
  ++head;
  if (twice && !full(head)) {
    Slot& copy = slots_[head % kSlots];
    copy.size = slot.size;
    copy.due_ns = slot.due_ns;
    std::memcpy(copy.bytes.data(), slot.bytes.data(), bytes);
    ++counts_.duplicated;
    if (corrupted) ++counts_.corrupted;
    ++head;
  }
  head_.store(head, std::memory_order_release);
}

std::span<const std::byte> Link::front(uint64_t now_ns) const {
  const uint64_t tail = tail_.load(std::memory_order_relaxed);
  if (tail == head_.load(std::memory_order_acquire)) return {};
  const Slot& slot = slots_[tail % kSlots];
  if (slot.due_ns > now_ns) return {};
  return {slot.bytes.data(), slot.size};
}

void Link::drop() {
  delivered_.store(delivered_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

uint64_t Link::next_arrival() const {
  const uint64_t tail = tail_.load(std::memory_order_relaxed);
  if (tail == head_.load(std::memory_order_acquire)) return UINT64_MAX;
  return slots_[tail % kSlots].due_ns;
}

MediumCounts Link::counts() const {
  MediumCounts counts = counts_;
  counts.delivered = delivered_.load();
  return counts;
}

MediumMemory::MediumMemory(const MediumOptions& options) {
  void* const memory =
      mmap(nullptr, 2 * sizeof(Link), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "shared memory of the network");
  links_ = static_cast<Link*>(memory);
  for (size_t direction = 0; direction < 2; ++direction) {
    new (links_ + direction) Link;
    links_[direction].configure(options, direction);
  }
}

MediumMemory::~MediumMemory() { munmap(links_, 2 * sizeof(Link)); }

}  // namespace cmc::xtp
