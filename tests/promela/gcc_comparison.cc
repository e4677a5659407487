#include "tests/promela/gcc_comparison.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>

namespace cmc::promela {
namespace {

std::string trimmed(const std::string& line) {
  const size_t first = line.find_first_not_of(" \t\r\f\v");
  if (first == std::string::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r\f\v") - first + 1);
}

bool is_line_marker(const std::string& line) {
  return line.starts_with("# ") && line.size() > 2 && line[2] >= '0' && line[2] <= '9';
}

}  // namespace

OutputLines to_lines(const std::vector<PpToken>& tokens) {
  OutputLines lines;
  for (const PpToken& token : tokens) {
    if (token.kind == PpToken::Kind::kEnd) break;
    if (token.starts_line) {
      lines.emplace_back();
    } else if (!token.joined) {
      lines.back() += ' ';
    }
    lines.back() += token.text;
  }
  for (std::string& line : lines) line = trimmed(line);
  return lines;
}

bool gcc_is_installed() { return std::system("gcc --version > /dev/null 2>&1") == 0; }

std::optional<OutputLines> gcc_lines(const std::string& path, const std::string& arguments) {
  const std::string command = "gcc -std=gnu99 -x c -E " + arguments + " '" + path + "' 2> /dev/null";
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string text;
  char block[4096];
  while (const size_t count = fread(block, 1, sizeof block, pipe)) text.append(block, count);
  if (pclose(pipe) != 0) return std::nullopt;

  OutputLines lines;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start, end - start);
    if (!is_line_marker(line) && !trimmed(line).empty()) lines.push_back(trimmed(line));
    start = end + 1;
  }
  return lines;
}

OutputLines our_lines(const std::string& path, const PreprocessorOptions& options) {
  Sources sources;
  Diagnostics diagnostics(sources);
  std::deque<std::string> arena;
  const Result<uint32_t> file = sources.load(path);
  if (!file.ok()) return {"error: " + file.error()};
  OutputLines lines = to_lines(preprocess(sources, file.value(), options, diagnostics, arena));
  if (diagnostics.error_count() > 0) lines.push_back("error: " + diagnostics.render(false));
  return lines;
}

}  // namespace cmc::promela
