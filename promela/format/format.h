#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "promela/compile.h"

// `cmc fmt`: a text with the indentation and the spaces of the house.

namespace cmc::promela {

struct Layout {
  uint32_t indent = 2;  // columns of a level
  bool tabs = false;    // a level is a tab, which is `indent` wide
};

// Lines stay: what stands in a line afterwards stood in it before, in the same order. Only blanks at the beginning of
// lines, at their ends, and between tokens differ; lines of the preprocessor keep theirs. A text that is its own
// result stays as it is. Any bytes are accepted, but only what parses is laid out well.
[[nodiscard]] std::string formatted(std::string_view text, const Layout& layout);

// The judge of formatted(), with which it shares nothing: what the front end would read differently in `after`, as
// the second half of a sentence. None: nothing; comments are the same, too. `name`,
// `options`: of its file, and with which it is read.
[[nodiscard]] std::optional<std::string> difference(std::string_view before, std::string_view after,
                                                    const std::string& name, const PreprocessorOptions& options);

}  // namespace cmc::promela
