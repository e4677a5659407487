#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "checker/checkpoint/manifest.h"

// What is in the directory of a run, or in a mirror of it.

namespace cmc {

[[nodiscard]] std::vector<std::string> names_in(const std::string& directory);
// Those of manifests, the newest first.
[[nodiscard]] std::vector<uint64_t> epochs_in(const std::string& directory);
[[nodiscard]] Result<Manifest> read_manifest(const std::string& directory, uint64_t epoch);
// A manifest's own, and those of its files.
[[nodiscard]] std::vector<std::string> file_names(const Manifest& manifest);
// Removes what a checkpoint has left there, but not the files with these names.
void remove_checkpoints_but(const std::vector<std::string>& names, const std::string& directory);

}  // namespace cmc
