#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "checker/cli/options.h"
#include "ir/model.h"
#include "promela/source.h"

namespace cmc {

struct LoadedModel {
  promela::Sources sources;  // its files have the numbers that places in the model have
  Model model;
  std::string file;  // as the user wrote it; "<stdin>" for -
  std::string sha1;  // of the file's bytes
};

[[nodiscard]] Result<std::string> read_standard_input();

// Told of an error in a model: the place, as far as it is known (line 0: it is not), and the message.
using ErrorListener = std::function<void(const std::string& file, uint32_t line, const std::string& message)>;

// Reads and compiles options.model. Diagnostics go to standard error, errors to `on_error`, too; none: there was an
// error, or the command would write over a file that the model is read from.
[[nodiscard]] std::optional<LoadedModel> load_model(const Options& options, const ErrorListener& on_error = nullptr);
// The same for a file of `sources`.
[[nodiscard]] std::optional<LoadedModel> compile_model(const Options& options, promela::Sources sources,
                                                       uint32_t file, const ErrorListener& on_error = nullptr);
// The text of options.model, to be compiled.
[[nodiscard]] Result<uint32_t> load_text(const Options& options, promela::Sources& sources);

}  // namespace cmc
