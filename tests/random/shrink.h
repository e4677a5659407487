#pragma once

#include <functional>
#include <string>

// Makes a Promela text smaller while a property of it persists: delta debugging on the tree of its brackets (also
// `if`/`fi`, `do`/`od`), then on runs of tokens. It knows no grammar: `persists` must refuse broken
// texts.

namespace cmc::random {

[[nodiscard]] std::string shrink(const std::string& text, const std::function<bool(const std::string&)>& persists,
                                 double seconds);

}  // namespace cmc::random
