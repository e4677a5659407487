#include "promela/text/source.h"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/files/file.h"

namespace cmc::promela {
namespace {

// A line ends with CR LF, as under Windows, with a CR alone, as on old Macs, or with LF: one text may mix them, as
// gcc -E has it.
std::string with_newlines(std::string text) {
  size_t end = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const bool cr = text[at] == '\r';
    text[end++] = cr ? '\n' : text[at];
    if (cr && at + 1 < text.size() && text[at + 1] == '\n') ++at;
  }
  text.resize(end);
  return text;
}

std::vector<size_t> find_line_starts(std::string_view text) {
  std::vector<size_t> starts = {0};
  for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    starts.push_back(at + 1);
  return starts;
}

std::string normal_path(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::absolute(path, ignored).lexically_normal().string();
}

}  // namespace

void Sources::replace(const std::string& path, std::string text) { texts_[normal_path(path)] = std::move(text); }

void Sources::provide(std::string path, std::string text) {
  has_only_texts_ = true;
  texts_[std::move(path)] = std::move(text);
}

const std::string* Sources::text_instead_of(const std::string& path) const {
  if (texts_.empty()) return nullptr;
  const auto found = texts_.find(has_only_texts_ ? path : normal_path(path));
  return found == texts_.end() ? nullptr : &found->second;
}

bool Sources::is_file(const std::string& path) const {
  if (text_instead_of(path) != nullptr) return true;
  std::error_code ignored;
  return !has_only_texts_ && std::filesystem::exists(path, ignored) && !std::filesystem::is_directory(path, ignored);
}

bool Sources::is_regular_file(const std::string& path) const {
  std::error_code ignored;
  return text_instead_of(path) != nullptr || std::filesystem::is_regular_file(path, ignored) ||
         std::filesystem::canonical(path, ignored) == "/dev/null";
}

Result<uint32_t> Sources::load(const std::string& path) {
  if (const std::string* const text = text_instead_of(path)) return add(path, *text);
  if (has_only_texts_) return Error{fmt::format("there is no '{}'", path)};
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Error{fmt::format("'{}' is a directory, not a file", path)};
  std::ifstream in(path, std::ios::binary);
  if (!in) return system_error("open", path, errno);
  std::string text;
  char block[1 << 16];
  while (in.read(block, sizeof block) || in.gcount() > 0) {
    text.append(block, static_cast<size_t>(in.gcount()));
    if (text.size() > kMaxFileBytes) return Error{fmt::format("'{}' is larger than 64 MiB", path)};
  }
  if (in.bad()) return Error{fmt::format("cannot read '{}'", path)};
  return add(path, std::move(text));
}

uint32_t Sources::add(std::string name, std::string text) {
  File& file = files_.emplace_back();
  file.name = std::move(name);
  file.text = with_newlines(std::move(text));
  file.line_starts = find_line_starts(file.text);
  return static_cast<uint32_t>(files_.size() - 1);
}

std::string_view Sources::line(uint32_t file, uint32_t line) const {
  if (file >= files_.size()) return {};
  const File& from = files_[file];
  if (line == 0 || line > from.line_starts.size()) return {};
  const size_t start = from.line_starts[line - 1];
  const size_t newline = from.text.find('\n', start);
  const size_t end = newline == std::string::npos ? from.text.size() : newline;
  return std::string_view(from.text).substr(start, end - start);
}

ExpansionId Sources::add_expansion(Expansion expansion) {
  expansions_.push_back(std::move(expansion));
  return static_cast<ExpansionId>(expansions_.size());
}

}  // namespace cmc::promela
