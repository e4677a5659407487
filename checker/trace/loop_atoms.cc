#include "checker/trace/loop_atoms.h"

#include <fmt/format.h>

#include "checker/properties/formula_check.h"
#include "checker/trace/explain.h"
#include "checker/trace/operands.h"
#include "ir/print.h"

namespace cmc {

LoopAtoms::LoopAtoms(const Model& model) : model_(model) {
  const Property* const property = formula_of_claim(model);
  if (property == nullptr) return;
  for (const ExpressionId atom : atoms_of(model, property->formula)) atoms_.push_back({atom, {}, false});
}

void LoopAtoms::add(ByteView state) {
  for (Atom& atom : atoms_) {
    if (atom.changes) continue;
    const std::optional<int32_t> value = value_of(model_, state, kNoProcess, atom.expression);
    if (!value) continue;
    atom.changes = atom.first && *atom.first != (*value != 0);
    atom.first = *value != 0;
  }
}

std::vector<std::string> LoopAtoms::lines(ByteView state, const WriteLog& log) const {
  std::vector<std::string> lines;
  for (const Atom& atom : atoms_) {
    if (!atom.first) continue;
    const std::string text = expression_text(model_, nullptr, atom.expression);
    if (atom.changes) {
      lines.push_back(fmt::format("{} changes again and again", text));
      continue;
    }
    std::string line = fmt::format("{} stays {}", text, *atom.first);
    for (const Operand& operand : deciding_operands(model_, state, kNoProcess, atom.expression)) {
      if (!operand.bytes) continue;
      const bool is_all = operand.name == text;
      line += is_all ? since(log, *operand.bytes) : fmt::format("; {}", operand_text(log, operand));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace cmc
