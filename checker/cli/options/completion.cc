#include <sstream>

#include <fmt/format.h>

#include "checker/cli/options/texts.h"
#include "checker/cli/options/tune_grid.h"
#include "checker/report/style/style.h"

namespace cmc {
namespace {

constexpr const char* kRemark = "# Completion of cmc, made of its option table.\n";

// The first clause of the help, which fits beside a name.
std::string short_help(const OptionRow& row) {
  const std::string_view help = row.help;
  size_t end = help.size();
  for (const std::string_view stop : {". ", "; ", ": ", " ("}) end = std::min(end, help.find(stop));
  return std::string(help.substr(0, end));
}

bool has_value(const OptionRow& row) { return row.value != nullptr; }

std::string fish_word(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return result + "'";
}

std::string zsh_spec(const OptionRow& row, const std::string& name) {
  std::string help;
  for (const char c : short_help(row)) help += c == '[' || c == ']' ? std::string("\\") + c : std::string(1, c);
  std::string spec = "*" + name;
  if (has_value(row)) spec += has_optional_value(row) ? "=-" : name.starts_with("--") ? "=" : "-";
  spec += "[" + help + "]";
  if (!has_value(row)) return shell_quote(spec);
  const std::vector<std::string> choices = choices_of(row);
  const std::string action = choices.empty() ? "_files" : fmt::format("({})", fmt::join(choices, " "));
  const std::string_view value = row.value;
  return shell_quote(fmt::format("{}{}:{}:{}", spec, has_optional_value(row) ? ":" : "",
                                 has_optional_value(row) ? value.substr(1, value.size() - 2) : value, action));
}

}  // namespace

std::vector<const OptionRow*> options_of(const CommandRow& command) {
  std::vector<const OptionRow*> rows;
  for (const OptionRow& row : option_table()) {
    if (applies(row, command.command) || (hands_options_on(command) && is_tunable(row))) rows.push_back(&row);
  }
  return rows;
}

// The option is asked to take an impossible value, and its answer lists those that it knows.
std::vector<std::string> choices_of(const OptionRow& row) {
  constexpr std::string_view kList = "is not one of: ";
  if (!has_value(row)) return {};
  Options scratch;
  const Status set = row.set(scratch, "\x01");
  const size_t begin = set.ok() ? std::string::npos : set.error().find(kList);
  if (begin == std::string::npos) return {};
  std::vector<std::string> names;
  std::istringstream words(set.error().substr(begin + kList.size()));
  for (std::string name; words >> name;) {
    if (name.ends_with(',')) name.pop_back();
    names.push_back(name.substr(0, name.find(':') + 1 == 0 ? name.size() : name.find(':') + 1));
  }
  return names;
}

std::string bash_completion() {
  std::string commands = "help";
  std::string values;
  std::string options;
  for (const CommandRow& command : command_table()) {
    commands += fmt::format(" {}", command.name);
    std::string names = "--help";
    for (const OptionRow* const row : options_of(command)) {
      for (const std::string& name : names_of(*row)) {
        names += " " + name;
        const std::vector<std::string> choices = choices_of(*row);
        if (!choices.empty())
          values += fmt::format("    {}:{}) words={} ;;\n", command.name, name,
                                shell_quote(fmt::format("{}", fmt::join(choices, " "))));
      }
    }
    options += fmt::format("      {}) words={} ;;\n", command.name, shell_quote(names));
  }
  return std::string(kRemark) +
         "_cmc() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    words=" +
         shell_quote(commands) +
         "\n"
         "  else\n"
         "    case $command:${COMP_WORDS[COMP_CWORD-1]} in\n"
         "    help:*) words=" +
         shell_quote(commands) + " ;;\n" + values +
         "    esac\n"
         "  fi\n"
         "  if [[ -z $words && $word == -* ]]; then\n"
         "    case $command in\n" +
         options +
         "    esac\n"
         "  fi\n"
         "  if [[ -n $words ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "  else\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
         "  fi\n"
         "}\n"
         "complete -F _cmc cmc\n";
}

std::string zsh_completion() {
  std::string text = std::string("#compdef cmc\n") + kRemark +
                     "_cmc() {\n  local -a commands\n  commands=(\n    'help:all options of a command'\n";
  for (const CommandRow& command : command_table())
    text += fmt::format("    {}\n", shell_quote(fmt::format("{}:{}", command.name, command.summary)));
  text +=
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $command in\n"
      "    help) _describe command commands ;;\n";
  for (const CommandRow& command : command_table()) {
    text += fmt::format("    {})\n      _arguments -s '--help[this text]'", command.name);
    for (const OptionRow* const row : options_of(command)) {
      for (const std::string& name : names_of(*row)) text += " \\\n        " + zsh_spec(*row, name);
    }
    text += " \\\n        '*:file:_files' ;;\n";
  }
  return text + "  esac\n}\n_cmc \"$@\"\n";
}

std::string fish_completion() {
  std::string text = kRemark;
  text += "complete -c cmc -n __fish_use_subcommand -f -a help -d 'all options of a command'\n";
  for (const CommandRow& command : command_table()) {
    text += fmt::format("complete -c cmc -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                        fish_word(command.summary));
    for (const OptionRow* const row : options_of(command)) {
      text += fmt::format("complete -c cmc -n '__fish_seen_subcommand_from {}'", command.name);
      for (const std::string& name : names_of(*row))
        text +=
            name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
      text += " -d " + fish_word(short_help(*row));
      const std::vector<std::string> choices = choices_of(*row);
      if (!choices.empty()) {
        text += " -x -a " + fish_word(fmt::format("{}", fmt::join(choices, " ")));
      } else if (has_value(*row) && !has_optional_value(*row)) {
        text += " -r";
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace cmc
