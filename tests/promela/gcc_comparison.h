#pragma once

#include <optional>
#include <string>
#include <vector>

#include "promela/preprocessor/preprocessor.h"

// The preprocessor's output as lines of text, as gcc prints it, and gcc's own.

namespace cmc::promela {

// Lines without blank ones, line markers and indentation. Equal lines mean equal tokens, line starts and spaces.
using OutputLines = std::vector<std::string>;

[[nodiscard]] OutputLines to_lines(const std::vector<PpToken>& tokens);

[[nodiscard]] bool gcc_is_installed();
// Nothing if gcc refuses the file.
[[nodiscard]] std::optional<OutputLines> gcc_lines(const std::string& path, const std::string& arguments = "");

// The preprocessor's lines for a file; errors are appended as a line "error: ...".
[[nodiscard]] OutputLines our_lines(const std::string& path, const PreprocessorOptions& options = {});

}  // namespace cmc::promela
