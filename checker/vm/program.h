#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "checker/vm/instruction.h"
#include "ir/model.h"

// Bytecode of a model: one piece of code for every test, effect and message of its statements and for every
// expression that is evaluated on its own.

namespace cmc::vm {

inline constexpr uint32_t kBlockedAddress = 0;
inline constexpr uint32_t kExecutableAddress = 1;
inline constexpr uint32_t kNoCode = 0xffffffff;

struct StatementCode {
  uint32_t test = kExecutableAddress;     // kExecutableAddress: always executable, nothing to run
  uint32_t execute = kExecutableAddress;  // kExecutableAddress: changes nothing
  uint32_t message = kNoCode;             // of a send
  bool compiled = false;
};

struct Program {
  std::vector<Instruction> code;
  std::vector<StatementCode> statements;  // by StatementId
  std::vector<uint32_t> expressions;      // by ExpressionId; kNoCode: part of other code only
  uint32_t longest_message = 0;           // operands of the longest send
};

// REQUIRES: a model that validate() accepts.
[[nodiscard]] Program compile(const Model& model);

// One line per instruction; a line above each piece of code says what it belongs to.
void disassemble(const Program& program, std::ostream& out);

}  // namespace cmc::vm
