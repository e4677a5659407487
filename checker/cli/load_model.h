#pragma once

#include <optional>
#include <string>

#include "checker/cli/options.h"
#include "checker/model/model.h"

namespace cmc {

struct LoadedModel {
  Model model;
  std::string file;  // as the user wrote it; "<stdin>" for -
  std::string sha1;  // of the file's bytes
};

// Reads and compiles options.model. Diagnostics go to standard error; none: there was an error.
[[nodiscard]] std::optional<LoadedModel> load_model(const Options& options);

}  // namespace cmc
