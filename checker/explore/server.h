#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "checker/session/walk.h"

namespace cmc::explore {

struct ServerOptions {
  uint16_t port = 0;    // 0: any one that is free
  std::string program;  // cmc, for checks
  std::string trail;    // the run at first; empty: none
  std::string origin;   // of the trail, for its mistakes
  // Ends so long after the last page was closed, if there was one.
  double closed_seconds = 5;
};

// Serves the page of `cmc explore` until it says that it is over, the last page is closed, or `interrupted`. `ready`
// is told the address once. Error: the port is in use, or the trail is none of this model.
[[nodiscard]] Status serve(session::Walk& walk, const ServerOptions& options,
                           const std::function<void(const std::string& address)>& ready,
                           const std::atomic<bool>& interrupted);

}  // namespace cmc::explore
