#pragma once

#include <functional>
#include <memory>

#include "studies/xtp/profiles.h"

// Two users, two ends and a network between them.

namespace cmc::xtp {

// Makes an end. All that it is given outlives it.
using EndpointMaker = std::function<std::unique_ptr<Endpoint>(Link& out, Link& in, User& user, const Timer& timer,
                                                              const EndpointOptions& options)>;

struct SideReport {
  EndpointCounts packets;
  uint64_t received = 0;  // messages
  uint64_t mistakes = 0;
};
struct SessionReport {
  bool done = false;  // all connections came to their end in time
  std::array<SideReport, 2> sides;
  std::array<MediumCounts, 2> links;
  std::vector<uint64_t> round_trips_ns;
  uint64_t seconds_ns = 0;  // how long it took: CPU time (run_virtual), real time
};

// In one process and in virtual time: the clock jumps when nothing can be done. Deterministic: the same parameters
// and makers give the same packets. `seconds_ns` is the time that users and ends need, without the network's delays.
// Gives up after `most_virtual_ns`.
[[nodiscard]] SessionReport run_virtual(const Parameters& parameters, const EndpointMaker& initiator,
                                        const EndpointMaker& responder, uint64_t most_virtual_ns);

// In two processes, in real time. Gives up after `most_ns`. Throws std::system_error if there is no second process.
[[nodiscard]] SessionReport run_real(const Parameters& parameters, const EndpointMaker& initiator,
                                     const EndpointMaker& responder, uint64_t most_ns);

}  // namespace cmc::xtp
