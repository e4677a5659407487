#pragma once

#include <string>

namespace cmc {

// Of a file: a relative URI reference (RFC 3986) or, of an absolute path, a file: URI.
[[nodiscard]] std::string uri(const std::string& path);

}  // namespace cmc
