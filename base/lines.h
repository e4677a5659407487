#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace cmc {

// The lines of a text, without their newlines; valid as long as the text is. A newline at the end begins no line.
[[nodiscard]] inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace cmc
