#pragma once

#include <string>

#include "studies/xtp/endpoint.h"

namespace cmc::xtp {

// The packets of an end as lines of JSON, which `cmc conform` holds against models/xtp/flat.pml:
// {"event": "sent", "side": 0, "type": "FIRST", "key": 0, "xkey": 1, "sreq": 1, "seq": 0, "ack": 0, "credit": 4}, the
// same with "came", and {"event": "damaged", "side": 1}. Replaces the file. Throws std::system_error if it cannot be
// written.
[[nodiscard]] PacketObserver write_packets_to(const std::string& path, size_t side);

}  // namespace cmc::xtp
