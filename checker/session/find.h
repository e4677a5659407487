#pragma once

#include <cstdint>

#include "base/limits.h"
#include "base/result.h"
#include "checker/session/session.h"

namespace cmc::session {

struct Found {
  enum class Outcome : uint8_t { kFound, kNowhere, kLimit } outcome = Outcome::kNowhere;
  uint64_t states = 0;  // that were looked at
};

// Looks for the nearest state, from where the run is, in which the expression is not 0 as process `pid` sees it:
// breadth first, over basic steps. The run then goes there; each step on the way was taken by the reference
// interpreter, too. Else it stays. kNowhere: all states that can be reached from here were looked at. Error: the two
// interpreters disagree.
[[nodiscard]] Result<Found> find(Session& session, const Expression& expression, uint8_t pid, Limits& limits);

}  // namespace cmc::session
