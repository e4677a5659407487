#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace cmc::solver {

// The commands that SMT-LIB2 text from a message may have.
enum class SmtText : uint8_t {
  kConstraint,  // declare, define, assert
  kSession,     // also check, ask about the result, push and pop
};

// Z3 writes files if an option says so (:regular-output-channel and others), and a few of its own commands do. So
// every command of the text must be one of a list, on which set-option is not. Error: the first one that is not, or
// text that Z3 might divide into commands in another way (backslashes, comments in #| |#).
[[nodiscard]] Status check_commands(std::string_view text, SmtText kind);

}  // namespace cmc::solver
