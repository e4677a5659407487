#pragma once

#include <string>
#include <vector>

#include "checker/cli/options/options.h"

namespace cmc {

// What a check reads.
struct ReadText {
  std::vector<std::string> files;  // the model and its includes, as the preprocessor found them
  std::string hash;                // of the text behind the preprocessor and of --ltl; empty: it has errors
};
[[nodiscard]] ReadText read_text(const Options& check);

// Two checks with the same key find the same: the text, the options as words in their order, the version and the
// bytes of this program. 40 hexadecimal digits.
[[nodiscard]] std::string verdict_key(const std::string& text_hash, const std::vector<std::string>& arguments);

}  // namespace cmc
