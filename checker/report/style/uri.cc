#include "checker/report/style/uri.h"

#include <string_view>

#include <fmt/format.h>

namespace cmc {

std::string uri(const std::string& path) {
  std::string result = path.starts_with('/') ? "file://" : "";
  const bool looks_like_a_scheme =
      !path.starts_with('/') && path.substr(0, path.find('/')).find(':') != std::string::npos;
  if (looks_like_a_scheme) result += "./";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/:@!$&'()*+,;=").find(c) != std::string_view::npos;
    result += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

}  // namespace cmc
