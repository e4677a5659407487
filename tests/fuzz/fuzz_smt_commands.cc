#include <cstddef>
#include <cstdint>
#include <string_view>

#include "solver-bridge/worker/smt_commands.h"
#include "tests/fuzz/input.h"

// libFuzzer target: any bytes are SMT-LIB2 text. What may be in a constraint may be in a session.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using cmc::solver::SmtText;
  const std::string_view text = cmc::fuzz::as_text(data, size);
  const cmc::Status constraint = cmc::solver::check_commands(text, SmtText::kConstraint);
  const cmc::Status session = cmc::solver::check_commands(text, SmtText::kSession);
  if (constraint.ok() && !session.ok()) __builtin_trap();
  if (!session.ok() && session.error().empty()) __builtin_trap();  // refused without a word
  return 0;
}
