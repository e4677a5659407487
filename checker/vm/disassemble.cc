#include <array>
#include <map>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "base/check.h"
#include "checker/generator/generator.h"
#include "checker/vm/program.h"

namespace cmc::vm {
namespace {

constexpr std::array<OpcodeDescription, kOpcodeCount> kDescriptions = {{
#define CMC_VM_DESCRIPTION(name, mnemonic, operands, meaning) {mnemonic, operands, meaning},
    CMC_VM_INSTRUCTIONS(CMC_VM_DESCRIPTION)
#undef CMC_VM_DESCRIPTION
}};

std::string operand(char format, const Instruction& instruction) {
  const uint32_t c = static_cast<uint32_t>(instruction.c);
  switch (format) {
    case 'A': return fmt::format("r{}", instruction.a);
    case 'B': return fmt::format("r{}", instruction.b);
    case 'C': return fmt::format("r{}", instruction.c);
    case 'L': return fmt::format("r{}", instruction.b & 0xff);
    case 'H': return fmt::format("{}", (instruction.b >> 8) == 0 ? "0" : fmt::format("r{}", instruction.b >> 8));
    case 'a': return std::to_string(static_cast<int8_t>(instruction.a));
    case 'b': return std::to_string(static_cast<int16_t>(instruction.b));
    case 'c': return std::to_string(instruction.c);
    case 'y': return std::to_string(instruction.b);
    case 'z': return std::to_string(instruction.a);
    case 'o': return std::to_string(c & 0xffff);
    case 'n': return std::to_string(c >> 16);
    case 'k': return runtime_error_name(static_cast<RuntimeErrorKind>(instruction.a));
    case 't': return fmt::format("-> {}", instruction.c);
    default: break;
  }
  CHECK(false);
}

std::string operands(const Instruction& instruction, const char* format) {
  std::string text;
  for (const char* at = format; *at != '\0'; ++at) {
    if (*at == '%') {
      text += operand(*++at, instruction);
    } else {
      text += *at;
    }
  }
  return text;
}

std::map<uint32_t, std::string> titles(const Program& program) {
  std::map<uint32_t, std::string> result;
  const auto add = [&](uint32_t address, const std::string& title) {
    if (address == kNoCode || address <= kExecutableAddress) return;
    std::string& at = result[address];
    at += (at.empty() ? "" : ", ") + title;
  };
  for (size_t i = 0; i < program.statements.size(); ++i) {
    add(program.statements[i].test, fmt::format("statement {} test", i));
    add(program.statements[i].execute, fmt::format("statement {} execute", i));
    add(program.statements[i].message, fmt::format("statement {} message", i));
  }
  for (size_t i = 0; i < program.expressions.size(); ++i)
    add(program.expressions[i], fmt::format("expression {}", i));
  return result;
}

}  // namespace

const OpcodeDescription& describe(Opcode opcode) { return kDescriptions[static_cast<size_t>(opcode)]; }

void disassemble(const Program& program, std::ostream& out) {
  const std::map<uint32_t, std::string> title_at = titles(program);
  for (uint32_t address = 0; address < program.code.size(); ++address) {
    const auto title = title_at.find(address);
    if (title != title_at.end()) out << title->second << ":\n";
    const Instruction& instruction = program.code[address];
    const OpcodeDescription& description = describe(static_cast<Opcode>(instruction.opcode));
    const std::string text = operands(instruction, description.operands);
    out << fmt::format("{:5}  {}{}{}\n", address, description.name, text.empty() ? "" : " ", text);
  }
}

}  // namespace cmc::vm
