#include "checker/cli/commands/child_check.h"

#include <filesystem>
#include <system_error>

namespace cmc {

std::string own_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

std::string path_argument(const std::string& path) { return path.starts_with('-') ? "./" + path : path; }

std::string telling_line(const std::string& text, bool first) {
  const size_t last = text.find_last_not_of("\r\n");
  if (last == std::string::npos) return "";
  const size_t before = text.find_last_of('\n', last);
  const size_t begin = first || before == std::string::npos ? 0 : before + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace cmc
