#include "checker/native/c_text.h"

namespace cmc::native {

std::string comment_text(std::string_view text) {
  constexpr size_t kLongest = 200;
  std::string safe;
  for (const char c : text.substr(0, kLongest)) {
    const bool ends_comment = c == '/' && safe.ends_with('*');
    const bool begins_comment = c == '*' && safe.ends_with('/');
    if (ends_comment || begins_comment) safe += ' ';
    safe += c < ' ' || c > '~' || c == '\\' ? '?' : c;
  }
  return text.size() > kLongest ? safe + "..." : safe;
}

}  // namespace cmc::native
