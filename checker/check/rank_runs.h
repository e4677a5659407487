#pragma once

#include <memory>
#include <string>

#include "checker/checkpoint/checkpoints.h"
#include "checker/ranks/ranks.h"

namespace cmc {

// Checkpoints::create() and open() by all ranks of a search, each of which calls them: rank 0 has the directory, and
// the others follow. `ranks`: null for a search that is alone. `mirror`: a folder that has what is lost or damaged,
// see checker/checkpoint/mirror.h; empty: none.
[[nodiscard]] Result<std::unique_ptr<Checkpoints>> begin_run(Ranks* ranks, const std::string& directory, RunFile run);
[[nodiscard]] Result<std::unique_ptr<Checkpoints>> reopen_run(Ranks* ranks, const std::string& directory,
                                                              const std::string& mirror = {});

}  // namespace cmc
