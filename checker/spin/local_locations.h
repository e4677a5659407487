#pragma once

#include <vector>

#include "ir/model.h"

namespace cmc::spin {

// By location, whether all that a process does and asks there is its own: its variables, its pid, and channels that
// it owns, through variables that never name another one; but no handshake.
[[nodiscard]] std::vector<bool> local_locations(const Model& model, const Proctype& proctype);

}  // namespace cmc::spin
