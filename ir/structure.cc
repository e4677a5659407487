#include "ir/structure.h"

namespace cmc {

namespace {

void append_structure(const Model& model, const VariableReference& reference, StructureKey& key) {
  const ScalarType& type = reference.type;
  key.insert(key.end(), {static_cast<uint32_t>(reference.space), reference.offset, static_cast<uint32_t>(type.basic),
                         type.bits, type.bytes, type.mtype_set});
  key.push_back(static_cast<uint32_t>(reference.indices.size()));
  for (const VariableReference::Index& index : reference.indices) {
    key.insert(key.end(), {index.count, index.stride});
    append_structure(model, index.expression, key);
  }
}

}  // namespace

void append_structure(const Model& model, ExpressionId id, StructureKey& key) {
  const Expression& e = model.expressions[id];
  key.insert(key.end(),
             {static_cast<uint32_t>(e.op), e.flag, e.proctype, static_cast<uint32_t>(e.value), e.statement});
  key.push_back(static_cast<uint32_t>(e.operands.size()));
  for (const ExpressionId operand : e.operands) append_structure(model, operand, key);
  append_structure(model, e.reference, key);
  key.push_back(static_cast<uint32_t>(e.arguments.size()));
  for (const ReceiveArgument& argument : e.arguments) {
    key.push_back(static_cast<uint32_t>(argument.kind));
    if (argument.kind == ReceiveArgument::Kind::kMatch) append_structure(model, argument.match, key);
    append_structure(model, argument.store, key);
  }
  if (e.op != Operator::kEmbeddedC) return;
  key.push_back(static_cast<uint32_t>(e.text.size()));
  key.insert(key.end(), e.text.begin(), e.text.end());
}

}  // namespace cmc
