#include "checker/result/edge_walk.h"

#include "base/check.h"

namespace cmc {

namespace {

void collect_started(const Model& model, ExpressionId id, std::vector<ProctypeId>& started) {
  if (id == kNoExpression) return;
  const Expression& expression = model.expressions[id];
  for (const ExpressionId operand : expression.operands) collect_started(model, operand, started);
  if (expression.op == Operator::kRun) started.push_back(expression.proctype);
}

void collect_started(const Model& model, const Statement& statement, std::vector<ProctypeId>& started) {
  collect_started(model, statement.expression, started);
  for (const ExpressionId operand : statement.operands) collect_started(model, operand, started);
  for (const DeterministicNode& node : statement.body) {
    for (const DeterministicNode::Alternative& alternative : node.alternatives) {
      collect_started(model, model.statements[alternative.statement], started);
    }
  }
}

}  // namespace

EdgeWalk::EdgeWalk(const Model& model) : model_(model), has_claim_(model.claim.exists()) {
  for (const Proctype& proctype : model.proctypes) {
    frame_bytes_.push_back(proctype.frame_bytes);
    add(proctype);
  }
  if (has_claim_) add(model.claims[model.claim.claim]);
}

void EdgeWalk::add(const Proctype& proctype) {
  std::vector<uint32_t>& first_edge = first_edges_.emplace_back();
  for (const Location& location : proctype.locations) {
    first_edge.push_back(edges());
    for (const Edge& edge : location.edges) {
      const Statement& statement = model_.statements[edge.statement];
      Effect& effect = effects_.emplace_back();
      effect.ends_process = statement.kind == StatementKind::kEndProcess;
      collect_started(model_, statement, effect.started);
    }
  }
  first_edge.push_back(edges());
}

void EdgeWalk::enter(ByteView state) {
  processes_.clear();
  if (frame_bytes_.empty()) return;  // a model of a test, whose states are no Promela states
  const uint8_t count = load<uint8_t>(state.data() + model_.process_count_offset());
  size_t frame = model_.global_bytes;
  for (uint8_t pid = 0; pid < count; ++pid) {
    const ProctypeId proctype = load<ProctypeId>(state.data() + frame + kFrameProctype);
    DCHECK(proctype < model_.proctypes.size());
    processes_.push_back(proctype);
    frame += frame_bytes_[proctype];
  }
}

bool EdgeWalk::apply_effect(uint32_t edge) {
  if (edge == kNoEdge) return false;
  const Effect& effect = effects_[edge];
  processes_.insert(processes_.end(), effect.started.begin(), effect.started.end());
  if (effect.ends_process && !processes_.empty()) processes_.pop_back();
  return effect.ends_process || !effect.started.empty();
}

}  // namespace cmc
