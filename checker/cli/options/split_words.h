#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checker/cli/options/options.h"

namespace cmc {

struct GivenOption {
  const OptionRow* row = nullptr;
  std::string value;  // of a flag: empty
};

struct CommandLine {
  std::vector<GivenOption> options;  // in their order, because -D and -U depend on it
  std::vector<std::string> names;    // the words that are no options: files, an action
  bool help = false;
  bool dash = false;    // behind an option without its value: the model, if no other one is named
  std::string mistake;  // the first one: an unknown option, a value that is missing or too much
};

// Takes the words behind a command apart: --name VALUE, --name=VALUE, -x VALUE, -xVALUE, flags, also as -xy, and --,
// behind which all words are names. A value that may be left out stands behind `=`, so that no model is taken for it;
// left out it is kStandardOutput. `--json -` is `--json`, too, as it was in version 0.1.0.
[[nodiscard]] CommandLine split_words(const CommandRow& command, const std::vector<std::string>& words);

}  // namespace cmc
