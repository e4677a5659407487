#pragma once

#include <string>

// For commands that run `cmc check` in a process of its own, so that one that crashes or takes all memory ends
// nothing but itself.

namespace cmc {

// The path of this program.
[[nodiscard]] std::string own_program();

// A path as one word of a command line that is not taken for an option.
[[nodiscard]] std::string path_argument(const std::string& path);

// The line that explains a run without a result: the first diagnostic for a bad model (`first`), otherwise the last
// line printed.
[[nodiscard]] std::string telling_line(const std::string& text, bool first);

}  // namespace cmc
