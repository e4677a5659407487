#pragma once

#include "checker/por/accesses.h"
#include "checker/por/hindrances.h"

// When steps of one process and the future of another are in each other's way.

namespace cmc {

struct Cause {
  Hindrance::Kind kind = Hindrance::Kind::kNone;
  ComponentId component = kControlComponent;
};

// Whether something that the other process may do disturbs these steps, or they it. `younger`: the other one can end
// before this one has.
[[nodiscard]] Cause disturbance(const Present& present, const Future& future, bool younger);

// Whether a test of the one that nobody is ready for a handshake depends on where the other is.
[[nodiscard]] bool tests_of(const Future& one, const Future& other);

}  // namespace cmc
