#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <span>

#include <semaphore.h>
#include <sys/mman.h>

#include "base/result.h"
#include "studies/latency/channel.h"

namespace cmc::latency {

// What flows in one direction. The two parties' variables are in cache lines of their own.
struct Direction {
  alignas(64) std::atomic<uint32_t> state{0};
  alignas(64) sem_t token;
  alignas(64) std::byte message[kMostBytes];

  void put(ByteView from) { std::memcpy(message, from.data(), from.size()); }
  // The size. What was never written is a message of kLeastBytes zeros.
  [[nodiscard]] size_t take(std::span<std::byte> into) const {
    const size_t bytes = std::min<size_t>(frame_of(message).bytes, kMostBytes);
    std::memcpy(into.data(), message, std::max(bytes, kLeastBytes));
    return std::max(bytes, kLeastBytes);
  }
};

// Memory that a process shares with the children that it has from then on.
struct SharedBlock {
  alignas(64) std::atomic<uint32_t> lock{0};
  alignas(64) std::atomic<uint32_t> turn{0};
  Direction to_responder;
  Direction to_asker;

  [[nodiscard]] Direction& outgoing(Side side) { return side == Side::kAsker ? to_responder : to_asker; }
  [[nodiscard]] Direction& incoming(Side side) { return side == Side::kAsker ? to_asker : to_responder; }
};

struct Unmap {
  void operator()(SharedBlock* block) const { ::munmap(block, sizeof(SharedBlock)); }
};
using SharedBlockPtr = std::unique_ptr<SharedBlock, Unmap>;
[[nodiscard]] Result<SharedBlockPtr> make_shared_block();

// A link in a block of its own, whose sides `open` opens.
using OpenSide = std::function<std::unique_ptr<Channel>(SharedBlock& block, Side side)>;
[[nodiscard]] Result<std::unique_ptr<Link>> make_shared_link(OpenSide open);

// As make_semaphore_link, on a block that the caller has. REQUIRES: it lives as long as the channels.
[[nodiscard]] std::unique_ptr<Channel> open_semaphores(SharedBlock& block, Side side);

}  // namespace cmc::latency
