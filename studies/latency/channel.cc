#include "studies/latency/channel.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/check.h"
#include "studies/latency/links.h"

namespace cmc::latency {

namespace {

using MadeLink = Result<std::unique_ptr<Link>>;

// Longer than a round trip of those who are awake, shorter than most questions to a solver.
constexpr uint32_t kHybridMicroseconds = 50;

constexpr ChannelKind kKinds[] = {
    {"spin threads", "spin", true, true, make_spin_link},
    {"spin", "spin", false, true, make_spin_link},
    {"semaphore threads", "semaphore", true, false, make_semaphore_link},
    {"semaphore", "semaphore", false, false, make_semaphore_link},
    {"futex", "futex", false, false, [] { return make_futex_link(0); }},
    {"hybrid", "hybrid", false, false, [] { return make_futex_link(kHybridMicroseconds); }},
    {"unix", "unix", false, false, make_unix_link},
    {"tcp", "tcp", false, false, make_tcp_link},
    {"zmq inproc", "zmq", true, false, [] { return make_zmq_link(ZmqTransport::kInproc); }},
    {"zmq ipc", "zmq", false, false, [] { return make_zmq_link(ZmqTransport::kIpc); }},
    {"zmq-tcp", "zmq-tcp", false, false, [] { return make_zmq_link(ZmqTransport::kTcp); }},
};

}  // namespace

Frame frame_of(ByteView message) {
  CHECK(message.size() >= kLeastBytes);
  Frame frame;
  std::memcpy(&frame, message.data(), sizeof frame);
  return frame;
}

void put_frame(const Frame& frame, std::span<std::byte> message) {
  CHECK(message.size() >= kLeastBytes);
  std::memcpy(message.data(), &frame, sizeof frame);
}

Error nothing_came() { return Error{fmt::format("nothing came for {} s", kPatienceSeconds)}; }

std::span<const ChannelKind> channel_kinds() { return kKinds; }

const ChannelKind* find_kind(std::string_view name) {
  const auto* found = std::ranges::find_if(kKinds, [&](const ChannelKind& kind) { return name == kind.name; });
  return found == std::end(kKinds) ? nullptr : found;
}

}  // namespace cmc::latency
