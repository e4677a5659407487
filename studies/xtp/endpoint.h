#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "studies/xtp/network/medium.h"

// One end of the protocol of models/xtp/, as users see it: the same for hand-written and generated programs.

namespace cmc::xtp {

// What an end tells its user, from within Endpoint::work(). Must not call the end.
class User {
 public:
  virtual ~User() = default;
  virtual void data(std::span<const std::byte> payload) = 0;  // valid during the call
  virtual void closed() = 0;
};

// Of an end's packets, in their order: none: it is damaged. Behind what has arrived, before what that leads to.
using PacketObserver = std::function<void(bool sent, const std::optional<Header>& packet)>;

struct EndpointOptions {
  uint64_t timeout_ns = 5'000'000;  // without any event, until packets are repeated
  uint32_t window = 4;
  PacketObserver observer = nullptr;
};

struct EndpointCounts {
  uint64_t sent = 0;
  uint64_t received = 0;
  uint64_t damaged = 0;   // of those received
  uint64_t repeated = 0;  // timeouts
};

class Endpoint {
 public:
  virtual ~Endpoint() = default;

  // Room for the next message, of up to kMaxPayloadBytes; null: the window is shut. Then send(): the first message
  // of a connection opens it.
  [[nodiscard]] virtual std::byte* room() = 0;
  virtual void send(size_t bytes, bool first) = 0;
  // After all messages; false: not now.
  virtual bool close() = 0;
  // Leaves what is not acknowledged; false: not now.
  virtual bool abort() = 0;

  // Does all that can be done now. True: something was done.
  virtual bool work() = 0;
  // When a timeout is due; UINT64_MAX: nothing is waited for.
  [[nodiscard]] virtual uint64_t deadline_ns() const = 0;
  [[nodiscard]] virtual EndpointCounts counts() const = 0;
};

}  // namespace cmc::xtp
