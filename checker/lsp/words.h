#pragma once

#include <string_view>
#include <vector>

#include "ir/expression.h"

// What can be said of a text without parsing it, so also of one with errors.

namespace cmc::lsp {

struct Word {
  SourcePlace place;
  std::string_view text;
  bool is_directive = false;  // behind the # of a line of the preprocessor: the "define" of "#define"
};

// Words outside comments and strings, and pairs of lines that belong together.
struct Words {
  std::vector<Word> words;
  struct Fold {
    uint32_t first = 0;  // lines, from 0
    uint32_t last = 0;
    bool is_comment = false;
  };
  std::vector<Fold> folds;  // { }, do od, if fi, comments
};
[[nodiscard]] Words read_words(std::string_view text, uint32_t file);

}  // namespace cmc::lsp
