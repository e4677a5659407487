#include <fmt/format.h>

#include "checker/suite/suite.h"

// Workflow commands of GitHub Actions: lines on standard output that mark a line of a file.

namespace cmc::suite {
namespace {

// As the toolkit's command.ts escapes the text and, with two more characters, the properties.
std::string escaped(const std::string& text, bool property) {
  std::string result;
  for (const char c : valid_utf8(text)) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    result += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return result;
}

}  // namespace

std::string github_annotation(const Case& each) {
  const bool failed = each.status == Case::Status::kFailed;
  if (!failed && each.status != Case::Status::kError) return "";
  std::string text = fmt::format("{}", fmt::join(each.messages, "\n"));
  if (!each.text.empty()) text += fmt::format("\nexpect: {}", each.text);
  const std::string& file = each.mistake ? each.mistake->file : each.model;
  const uint32_t line = each.mistake ? each.mistake->line : each.line;
  return fmt::format("::error file={},line={},title={}::{}\n", escaped(file, true), std::max(line, 1u),
                     failed ? "broken expectation" : "no verdict", escaped(text, false));
}

}  // namespace cmc::suite
