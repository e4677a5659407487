#pragma once

#include <string>

#include "checker/checkpoint/checkpoints.h"

// What is in a directory of checkpoints, for a person and for programs (cmc.run/1).

namespace cmc {

[[nodiscard]] std::string run_text(const std::string& directory, const RunOverview& overview);
[[nodiscard]] std::string run_json(const std::string& directory, const RunOverview& overview);

}  // namespace cmc
