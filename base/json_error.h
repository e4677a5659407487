#pragma once

#include <string>
#include <string_view>

namespace cmc {

// What an exception of the JSON library says, for people: without "[json.exception.parse_error.101] ".
[[nodiscard]] inline std::string json_error_text(std::string_view what) {
  const size_t end = what.find("] ");
  if (what.starts_with("[json.exception.") && end != std::string_view::npos) what.remove_prefix(end + 2);
  return std::string(what);
}

}  // namespace cmc
