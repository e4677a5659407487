#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace cmc::latency {

struct PeerAddress {
  std::string host;
  uint16_t port = 0;
};
// "HOST:PORT"; the port is 1 to 65534, as the next one is used, too.
[[nodiscard]] Result<PeerAddress> parse_peer(const std::string& text);

}  // namespace cmc::latency
