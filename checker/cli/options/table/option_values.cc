#include "checker/cli/options/table/option_values.h"

#include <unistd.h>

#include "base/files/file.h"
#include "base/text.h"
#include "base/units.h"

namespace cmc::rows {
namespace {

template <class T>
Status take(const Result<T>& parsed, T& out) {
  return parsed.ok() ? assign(out, parsed.value()) : Status(Error{parsed.error()});
}

}  // namespace

Status whole_number(const std::string& text, uint64_t& out) {
  const std::optional<uint64_t> number = parse_number<uint64_t>(text);
  return number ? assign(out, *number) : Status(Error{fmt::format("'{}' is not a whole number from 0 on", text)});
}

Status duration(const std::string& text, double& seconds) { return take(parse_duration(text), seconds); }
Status size(const std::string& text, uint64_t& out) { return take(parse_size(text), out); }
Status percentage(const std::string& text, double& out) { return take(parse_percent(text), out); }

Status file_name(const std::string& text, std::string& out) {
  if (text.empty()) return Error{"the name of the file is empty"};
  if (text == "-")
    return Error{"the name of a file is needed: only --json writes to standard output (a file '-' is './-')"};
  if (text.starts_with("--"))
    return Error{fmt::format("'{}' looks like an option; is the name of the file missing?", text)};
  out = text;
  return Success{};
}

Status json_file(const std::string& text, std::string& out) {
  if (text != kStandardOutput && descriptor_named(text) != STDOUT_FILENO) return file_name(text, out);
  out = kStandardOutput;
  return Success{};
}

std::string short_size(uint64_t size) {
  constexpr std::string_view kUnits = "KMGT";  // as parse_size() takes them
  size_t unit = 0;
  while (unit < kUnits.size() && size >= 1024 && size % 1024 == 0) {
    size /= 1024;
    ++unit;
  }
  return unit == 0 ? std::to_string(size) : fmt::format("{}{}", size, kUnits[unit - 1]);
}

}  // namespace cmc::rows
