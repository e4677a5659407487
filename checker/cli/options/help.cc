#include <fmt/format.h>

#include "base/lines.h"
#include "checker/cli/options/options.h"
#include "checker/cli/options/tune_grid.h"
#include "checker/report/style/style.h"
#include "checker/report/style/version.h"

namespace cmc {
namespace {

constexpr size_t kWidth = 80;
constexpr size_t kHelpColumn = 26;

// Breaks a paragraph into lines of at most kWidth characters; the first starts at column `at`, the others are
// indented.
std::string wrap(std::string_view text, size_t at, size_t indent) {
  std::string result;
  size_t column = at;
  bool starts_line = true;
  while (!text.empty()) {
    const size_t length = std::min(text.find(' '), text.size());
    if (!starts_line && column + 1 + length > kWidth) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
      starts_line = true;
    }
    if (!starts_line) {
      result += ' ';
      ++column;
    }
    result += text.substr(0, length);
    column += length;
    starts_line = false;
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return result;
}

std::string with_hanging_help(const std::string& left, std::string_view help) {
  std::string head = pad_right("  " + left, kHelpColumn);
  if (head.size() > kHelpColumn || head.back() != ' ') head += '\n' + std::string(kHelpColumn, ' ');
  return head + wrap(help, kHelpColumn, kHelpColumn) + '\n';
}

std::string option_names(const OptionRow& row) {
  const std::string names = replaced(row.names, ',', ", ");
  if (row.value == nullptr) return names;
  if (has_optional_value(row)) return fmt::format("{}[={}", names, row.value + 1);
  return names + ' ' + row.value;
}

std::string indented(std::string_view lines) {
  std::string result;
  for (const std::string_view line : lines_of(lines)) result += fmt::format("  {}\n", line);
  return result;
}

std::string tunable_options() {
  std::string names;
  for (const OptionRow& row : option_table()) {
    if (is_tunable(row)) names += (names.empty() ? "" : " ") + long_name(row);
  }
  return names;
}

}  // namespace

std::string general_help() {
  std::string text = fmt::format(
      "cmc {}: checks Promela models exhaustively: every reachable state, exactly.\n\n"
      "Usage: cmc COMMAND FILE [OPTIONS]\n\n"
      "Commands:\n",
      kVersion);
  for (const CommandRow& command : command_table()) text += with_hanging_help(command.name, command.summary);
  text += with_hanging_help("spin", kSpinSummary);
  text += with_hanging_help("help [COMMAND]", "this text, or the help of a command with all its options");
  text +=
      "\nExamples:\n"
      "  cmc check model.pml       is the model free of errors?\n"
      "  cmc help check            all options of check\n"
      "\n";
  text += "Exit codes:\n" + exit_codes_text();
  return text;
}

std::string command_help(const CommandRow& command) {
  std::string text =
      fmt::format("Usage: cmc {}{}{} [OPTIONS]\n\n{}\n", command.name, *command.arguments == 0 ? "" : " ",
                  command.arguments, wrap(command.description, 0, 0));
  const bool of_a_model = std::string_view(command.arguments).find("MODEL") != std::string_view::npos;
  if (of_a_model) text += "MODEL is a Promela file";
  const bool reads_again = command.command == Command::kTune || command.command == Command::kExplore;
  if (of_a_model) text += reads_again ? ".\n" : "; - reads the model from standard input.\n";
  text += '\n';
  text += "Examples:\n" + indented(command.examples);
  const char* section = nullptr;
  for (const OptionRow& row : option_table()) {
    if (!applies(row, command.command)) continue;
    if (section == nullptr || std::string_view(section) != row.section) {
      section = row.section;
      text += fmt::format("\n{}:\n", section);
    }
    text += with_hanging_help(option_names(row), row.help);
  }
  if (section == nullptr) text += "\nOptions:\n";
  text += with_hanging_help("-h, --help", "this text");
  if (hands_options_on(command)) {
    const bool lists = command.command == Command::kTune;
    text += fmt::format("\nAnd the options of `cmc check`{}:\n  ",
                        lists ? ", each with a value or a list of values" : "") +
            wrap(tunable_options(), 2, 2) + '\n';
  }
  text += '\n';
  text += "Exit codes:\n" + exit_codes_text(command.command);
  return text;
}

}  // namespace cmc
