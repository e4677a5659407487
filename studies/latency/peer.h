#pragma once

#include <atomic>
#include <functional>

#include "base/result.h"
#include "studies/latency/launch.h"
#include "studies/latency/peer_address.h"

// The other side in another container or on another machine: TCP at a port, ZeroMQ over TCP at the next one. Nothing
// is encrypted, and whoever reaches the ports gets his messages back.

namespace cmc::latency {

// Can the kind of channel reach other machines?
[[nodiscard]] bool reaches_peers(const ChannelKind& kind);

// REQUIRES: reaches_peers(kind).
[[nodiscard]] Result<Launched> measure_peer(const PeerAddress& address, const ChannelKind& kind,
                                            const MeasureOptions& options);

// Answers, one asker after the other, until it is interrupted. `ready` is called when it listens.
[[nodiscard]] Status serve(const PeerAddress& address, const std::atomic<bool>& interrupted,
                           const std::function<void()>& ready);

}  // namespace cmc::latency
