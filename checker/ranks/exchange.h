#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace cmc {

// How the ranks of a search, numbered from 0, reach each other: bytes only. Messages from one rank to another arrive
// once, whole and in their order; whoever uses it checks that all the same (Ranks). One thread at a time.
class Exchange {
 public:
  struct Message {
    uint32_t from = 0;
    Bytes bytes;
  };

  virtual ~Exchange() = default;
  [[nodiscard]] virtual uint32_t rank() const = 0;
  [[nodiscard]] virtual uint32_t ranks() const = 0;
  // Returns at once, whether the other rank receives or not.
  virtual void send(uint32_t to, Bytes bytes) = 0;
  // None: there is none now.
  [[nodiscard]] virtual std::optional<Message> receive() = 0;
  // Of messages that were sent and that nobody has begun to receive.
  [[nodiscard]] virtual uint64_t unsent_bytes() = 0;
};

}  // namespace cmc
