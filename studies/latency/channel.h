#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/result.h"

namespace cmc::latency {

// What every message begins with. Whoever answers puts his own number into `sender`, so that the asker sees that it
// was the peer who answered, and this question.
struct Frame {
  uint64_t number = 0;  // of the question, from 1
  uint32_t sender = 0;
  uint32_t bytes = 0;  // of the whole message
};
inline constexpr size_t kLeastBytes = sizeof(Frame);
inline constexpr size_t kMostBytes = size_t{64} << 10;
inline constexpr uint64_t kLastNumber = UINT64_MAX;  // a question without an answer: the responder ends
static_assert(kLeastBytes == 16);

[[nodiscard]] Frame frame_of(ByteView message);  // REQUIRES: at least kLeastBytes
void put_frame(const Frame& frame, std::span<std::byte> message);

// One end of a way to talk. Of one thread.
class Channel {
 public:
  virtual ~Channel() = default;

  // REQUIRES: kLeastBytes to kMostBytes, and every message was answered before the next one is sent.
  [[nodiscard]] virtual Status send(ByteView message) = 0;
  // The size of the message, which is at least kLeastBytes. REQUIRES: room for kMostBytes. Error: the channel is
  // closed, or nothing came within kPatienceSeconds.
  [[nodiscard]] virtual Result<size_t> receive(std::span<std::byte> into) = 0;
};
inline constexpr int kPatienceSeconds = 5;
[[nodiscard]] Error nothing_came();

enum class Side : uint8_t { kAsker, kResponder };

// Both ends of a channel before they are opened. Made before the second thread or process is, which opens its end in
// its own memory.
class Link {
 public:
  virtual ~Link() = default;
  [[nodiscard]] virtual Result<std::unique_ptr<Channel>> open(Side side) = 0;
};

struct ChannelKind {
  const char* name;    // "zmq ipc"
  const char* family;  // "zmq", as the command line has it
  bool is_in_process;  // between two threads
  bool is_active;      // waits actively without end: a processor is lost
  Result<std::unique_ptr<Link>> (*make)();
};
// In the order in which they are shown.
[[nodiscard]] std::span<const ChannelKind> channel_kinds();
[[nodiscard]] const ChannelKind* find_kind(std::string_view name);  // null: there is none

}  // namespace cmc::latency
