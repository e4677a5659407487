#pragma once

#include <string>
#include <vector>

#include "checker/cli/options/options.h"

// Texts that are installed with the program, made of the tables of options and commands.

namespace cmc {

// In roff, for man(1); the names of the pages are cmc and cmc-COMMAND.
[[nodiscard]] std::string man_page();
[[nodiscard]] std::string man_page(const CommandRow& command);
[[nodiscard]] std::string spin_man_page();  // cmc-spin

// Completion of commands, options, values and file names.
[[nodiscard]] std::string bash_completion();
[[nodiscard]] std::string zsh_completion();
[[nodiscard]] std::string fish_completion();

// The rows of one command: its own and, of `test` and `tune`, those of check that it hands on.
[[nodiscard]] std::vector<const OptionRow*> options_of(const CommandRow& command);

// The values that an option knows by name; empty: it takes other values.
[[nodiscard]] std::vector<std::string> choices_of(const OptionRow& row);

}  // namespace cmc
