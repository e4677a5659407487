#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "checker/cli/commands.h"
#include "checker/properties/decide.h"

namespace cmc {

[[nodiscard]] bool wants_profile(const Options& options);

// Writes the profile of the first of these searches that has one to the files that the options name. Returns what is
// to be printed. Error: there is none, with the reason, or a file cannot be written.
[[nodiscard]] Result<std::string> write_profile(const Session& session, const std::vector<PropertyResult>& results,
                                                const RunDescription& run);

}  // namespace cmc
