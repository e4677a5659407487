#include <algorithm>

#include <fmt/format.h>

#include "base/files/file.h"
#include "checker/check/model_file.h"
#include "checker/cli/commands.h"
#include "checker/cli/signals.h"
#include "promela/format/format.h"

namespace cmc {
namespace {

constexpr size_t kContext = 3;  // lines around what a diff shows

std::vector<std::string_view> lines_with_ends(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// As `diff -u`. Both have the same number of lines.
std::string diff(const std::string& name, std::string_view before, std::string_view after) {
  const std::vector<std::string_view> old_lines = lines_with_ends(before);
  const std::vector<std::string_view> new_lines = lines_with_ends(after);
  const size_t count = std::min(old_lines.size(), new_lines.size());
  std::string text = fmt::format("--- {0}\n+++ {0}\n", name);
  const auto add = [&](char mark, std::string_view line) {
    text += mark;
    text += line;
    if (!line.ends_with('\n')) text += "\n\\ No newline at end of file\n";
  };
  for (size_t at = 0; at < count; ++at) {
    if (old_lines[at] == new_lines[at]) continue;
    const size_t begin = at - std::min(at, kContext);
    size_t end = at;  // behind the hunk: no change follows soon
    for (size_t i = at; i < std::min(count, end + 2 * kContext + 1); ++i) {
      if (old_lines[i] != new_lines[i]) end = i;
    }
    end = std::min(end + kContext + 1, count);
    text += fmt::format("@@ -{0},{1} +{0},{1} @@\n", begin + 1, end - begin);
    for (size_t i = begin; i < end;) {
      if (old_lines[i] == new_lines[i]) {
        add(' ', old_lines[i++]);
        continue;
      }
      size_t last = i;
      while (last < end && old_lines[last] != new_lines[last]) add('-', old_lines[last++]);
      while (i < last) add('+', new_lines[i++]);
    }
    at = end - 1;
  }
  return text;
}

// The exit code for one file.
int lay_out(const Session& session, const std::string& file) {
  const FmtOptions& options = session.options.fmt;
  const bool is_standard_input = file == kStandardOutput;
  promela::Sources sources;
  Result<std::string> before = is_standard_input ? read_standard_input() : read_file(file, promela::kMaxFileBytes);
  if (!before.ok()) return refuse(before.error());
  const std::string name = is_standard_input ? "<stdin>" : file;
  const uint32_t number = sources.add(name, before.value());
  promela::Diagnostics diagnostics(sources);
  const promela::CompileOptions reading = compile_options(session.options.reading);
  if (!promela::parses(sources, number, reading, diagnostics)) {
    print_to_stderr(diagnostics.render(wants_color(session.options.output.color, stderr)));
    return kExitUsage;
  }
  const std::string after = promela::formatted(before.value(), options.layout);
  if (const auto difference = promela::difference(before.value(), after, name, reading.preprocessor))
    return refuse(fmt::format("'{}' is left as it is: laid out, it {}", name, *difference));
  const bool changes = after != before.value();
  if (options.diff && changes) session.output.print(diff(name, before.value(), after));
  if (options.check && !options.diff && changes) session.output.print(name + "\n");
  if (options.check) return changes ? kExitViolated : kExitHolds;
  if (options.diff) return kExitHolds;
  if (is_standard_input) {
    session.output.print(after);
  } else if (changes) {
    if (const Status written = write_file_atomically(file, after); !written.ok()) return refuse(written.error());
  }
  return kExitHolds;
}

}  // namespace

int run_fmt(const Session& session) {
  int exit_code = kExitHolds;
  for (const std::string& file : session.options.fmt.files) {
    if (session.interrupted) return interrupted_exit_code();
    exit_code = std::max(exit_code, lay_out(session, file));
  }
  return exit_code;
}

}  // namespace cmc
