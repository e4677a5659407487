#include <fmt/format.h>

#include "checker/cli/options/texts.h"
#include "checker/report/style/style.h"
#include "checker/report/style/version.h"
#include "checker/spin/arguments.h"

namespace cmc {
namespace {

// Text as roff takes it: hyphens that can be copied, no line that looks like a request.
std::string roff(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool starts_line = i == 0 || text[i - 1] == '\n';
    if (starts_line && (c == '.' || c == '\'')) result += "\\&";
    result += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return result;
}

std::string head(const std::string& page, std::string_view summary) {
  std::string title = page;
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(".TH {} 1 \"\" \"cmc {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", roff(title), kVersion,
                     roff(page), roff(summary));
}

std::string as_example(std::string_view lines) {
  std::string text = ".PP\n.nf\n.RS 4\n" + roff(lines);
  if (!lines.ends_with('\n')) text += '\n';
  return text + ".RE\n.fi\n";
}

// "-q, --quiet", "--json[=FILE]": names bold, the value in italics.
std::string option_head(const OptionRow& row) {
  std::string text = "\\fB" + replaced(roff(row.names), ',', ", ") + "\\fR";
  if (row.value == nullptr) return text;
  if (!has_optional_value(row)) return text + " \\fI" + roff(row.value) + "\\fR";
  const std::string_view name(row.value + 1);
  return text + "[=\\fI" + roff(name.substr(0, name.size() - 1)) + "\\fR]";
}

std::string option_sections(const CommandRow& command) {
  std::string text;
  const char* section = nullptr;
  for (const OptionRow& row : option_table()) {
    if (!applies(row, command.command)) continue;
    if (section == nullptr || std::string_view(section) != row.section) {
      section = row.section;
      text += fmt::format(".SS \"{}\"\n", roff(section));
    }
    text += fmt::format(".TP\n{}\n{}\n", option_head(row), roff(row.help));
  }
  return text;
}

std::string exit_status(const std::string& codes) { return ".SH EXIT STATUS\n" + as_example(codes); }

}  // namespace

std::string man_page() {
  std::string text = head("cmc", "explicit-state model checker of Promela models");
  text += ".SH SYNOPSIS\n\\fBcmc\\fR \\fICOMMAND\\fR \\fIFILE\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n";
  text += roff(
      "Reads a Promela model, explores the states that it can reach, and decides whether an assertion can fail, "
      "whether a process can get stuck, whether anything can go wrong at run time, and whether formulas of "
      "linear temporal logic are true of all runs.\n");
  text += ".SH COMMANDS\n";
  for (const CommandRow& command : command_table()) {
    text += fmt::format(".TP\n\\fB{}\\fR \\fI{}\\fR\n{}; see \\fBcmc\\-{}\\fR(1)\n", command.name,
                        roff(command.arguments), roff(command.summary), command.name);
  }
  text += fmt::format(".TP\n\\fBspin\\fR \\fIOPTIONS MODEL\\fR\n{}; see \\fBcmc\\-spin\\fR(1)\n", roff(kSpinSummary));
  text += ".TP\n\\fBhelp\\fR [\\fICOMMAND\\fR]\nall options of a command\n";
  return text + exit_status(exit_codes_text()) + ".SH SEE ALSO\n\\fBspin\\fR(1)\n";
}

std::string man_page(const CommandRow& command) {
  std::string text = head(fmt::format("cmc-{}", command.name), command.summary);
  text += fmt::format(".SH SYNOPSIS\n\\fBcmc {}\\fR \\fI{}\\fR [\\fIOPTIONS\\fR]\n", command.name,
                      roff(command.arguments));
  text += fmt::format(".SH DESCRIPTION\n{}\n", roff(command.description));
  text += ".SH OPTIONS\n" + option_sections(command);
  if (hands_options_on(command))
    text += ".PP\nAnd the options of \\fBcmc\\-check\\fR(1) that are not about output.\n";
  text += fmt::format(".SH EXAMPLES\n{}", as_example(command.examples));
  return text + exit_status(exit_codes_text(command.command)) + ".SH SEE ALSO\n\\fBcmc\\fR(1)\n";
}

std::string spin_man_page() {
  std::string text = head("cmc-spin", kSpinSummary);
  text += ".SH SYNOPSIS\n\\fBcmc spin\\fR [\\fIOPTIONS\\fR] \\fIMODEL\\fR\n.SH DESCRIPTION\n";
  const std::string codes =
      "    0  done, as SPIN's verifier whatever a search found\n"
      "    1  wrong usage, an error in the model's text or in a random run\n";
  return text + as_example(spin::spin_help()) + exit_status(codes) +
         ".SH SEE ALSO\n\\fBcmc\\fR(1), \\fBspin\\fR(1)\n";
}

}  // namespace cmc
