#include "checker/cli/options/split_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/cli/options/spin_words.h"
#include "checker/cli/options/texts.h"
#include "checker/cli/options/tune_grid.h"
#include "promela/text/diagnostic.h"

namespace cmc {
namespace {

class Splitter {
 public:
  Splitter(const CommandRow& command, const std::vector<std::string>& words)
      : command_(command), rows_(options_of(command)), words_(words) {
    if (command.command != Command::kResume) return;
    for (const OptionRow& row : option_table()) {
      if (applies(row, Command::kCheck)) rows_.push_back(&row);
    }
  }

  CommandLine split() {
    bool options_end = false;
    while (next_ < words_.size()) {
      const std::string& word = words_[next_++];
      if (!word.starts_with('-') || word == kStandardOutput) {
        line_.names.push_back(word);
      } else if (options_end) {
        line_.names.push_back("./" + word);  // so that no program that is handed it takes it for an option
      } else if (word == "--") {
        options_end = true;
      } else if (word.starts_with("--")) {
        take_long(word);
      } else {
        take_short(word);
      }
    }
    return std::move(line_);
  }

 private:
  // The command's own option, before one of check that it hands on: -j of test.
  [[nodiscard]] const OptionRow* find(const std::string& name) const {
    const OptionRow* found = nullptr;
    for (const OptionRow* const row : rows_) {
      const std::vector<std::string> names = names_of(*row);
      if (std::ranges::find(names, name) == names.end()) continue;
      if (applies(*row, command_.command)) return row;
      found = row;
    }
    return found;
  }

  void take_long(const std::string& word) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const OptionRow* const row = known(name, name);
    if (row == nullptr) return;
    if (equals == std::string::npos) return take(*row, name, std::nullopt);
    if (row->value == nullptr) return note(fmt::format("{} takes no value", name));
    if (equals + 1 == word.size()) return note(fmt::format("{} needs a value", name));
    take(*row, name, word.substr(equals + 1));
  }

  void take_short(const std::string& word) {
    for (size_t i = 1; i < word.size(); ++i) {
      const std::string name = {'-', word[i]};
      const std::string rest = word.substr(i + 1);
      const OptionRow* const row = known(name, i == 1 ? word.substr(0, word.find('=')) : name + rest);
      if (row == nullptr) return;
      take(*row, name, rest.empty() || row->value == nullptr ? std::nullopt : std::optional(rest));
      if (row->value != nullptr) return;
    }
  }

  // Null: it asks for help, or is unknown.
  const OptionRow* known(const std::string& name, const std::string& as_written) {
    const OptionRow* const row = find(name);
    if (name == "-h" || name == "--help") {
      line_.help = true;
    } else if (row == nullptr) {
      note(fmt::format("unknown option '{}'{}", as_written, hint(name, as_written)));
    }
    return row;
  }

  // What may have been meant by an unknown option.
  [[nodiscard]] std::string hint(const std::string& name, const std::string& as_written) const {
    if (std::string of_spin = spin_option_hint(command_.command, as_written); !of_spin.empty()) return of_spin;
    const std::vector<std::string> others = commands_with(name);
    if (name.starts_with("--") && !others.empty()) {
      const bool many = others.size() > 3;
      const std::vector<std::string> shown(others.begin(), many ? others.begin() + 2 : others.end());
      return fmt::format("; it is an option of {}{}", fmt::join(shown, ", "), many ? " and others" : "");
    }
    if (as_written.ends_with(".pml")) return fmt::format("; a file of that name is ./{}", as_written);
    if (as_written.size() == 2) return "";  // all letters are alike
    std::vector<std::string> names = {"--help"};
    for (const OptionRow* const each : rows_) names.push_back(long_name(*each));
    return promela::did_you_mean(as_written, {names.begin(), names.end()});
  }

  [[nodiscard]] static std::vector<std::string> commands_with(const std::string& option) {
    std::vector<std::string> commands;
    for (const CommandRow& command : command_table()) {
      const auto has = [&](const OptionRow& row) {
        const std::vector<std::string> names = names_of(row);
        return applies(row, command.command) && std::ranges::find(names, option) != names.end();
      };
      if (std::ranges::any_of(option_table(), has)) commands.push_back(fmt::format("`cmc {}`", command.name));
    }
    return commands;
  }

  void take(const OptionRow& row, const std::string& name, std::optional<std::string> value) {
    if (row.value == nullptr) return line_.options.push_back({&row, ""});
    if (!value && has_optional_value(row)) {
      value = kStandardOutput;
      if (next_ < words_.size() && words_[next_] == kStandardOutput) {
        ++next_;
        line_.dash = true;
      }
    }
    if (!value && next_ < words_.size()) value = words_[next_++];
    if (!value) return note(fmt::format("{} needs a value", name));
    line_.options.push_back({&row, std::move(*value)});
  }

  void note(std::string mistake) {
    if (line_.mistake.empty()) line_.mistake = std::move(mistake);
  }

  const CommandRow& command_;
  std::vector<const OptionRow*> rows_;
  const std::vector<std::string>& words_;
  size_t next_ = 0;
  CommandLine line_;
};

}  // namespace

CommandLine split_words(const CommandRow& command, const std::vector<std::string>& words) {
  return Splitter(command, words).split();
}

}  // namespace cmc
