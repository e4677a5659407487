#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "checker/check/model_file.h"
#include "checker/cli/options/options.h"

namespace cmc {

[[nodiscard]] Result<std::string> read_standard_input();

// How the options say that models are read.
[[nodiscard]] ModelRequest model_request(const Options& options);

struct Session;

// Reads and compiles options.model. Diagnostics go to standard error, and what is wrong to where --json says; none:
// there was an error, or the command would write over a file that the model is read from.
[[nodiscard]] std::optional<LoadedModel> load_model(const Session& session);
// The same for a file of `sources`.
[[nodiscard]] std::optional<LoadedModel> load_source(const Options& options, promela::Sources sources, uint32_t file,
                                                     const ErrorListener& on_error = nullptr);
// The text of the file, or of standard input if it is "-", to be compiled.
[[nodiscard]] Result<uint32_t> load_text(const std::string& file, promela::Sources& sources);

}  // namespace cmc
