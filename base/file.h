#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cmc {

[[nodiscard]] Result<std::string> read_file(const std::string& path);

// Replaces the content of the file `path`: readers see either the old or the new content, also if the machine stops
// in the middle (a temporary file beside it is written, flushed and renamed). A pipe or a device (/dev/null) is
// written to directly.
[[nodiscard]] Status write_file_atomically(const std::string& path, std::string_view content);

}  // namespace cmc
