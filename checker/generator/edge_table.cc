#include "checker/generator/edge_table.h"

#include <algorithm>

#include "checker/generator/trace_rules.h"
#include "ir/channel_names.h"

namespace cmc {

namespace {

bool is_control(const Statement& statement) {
  return statement.kind == StatementKind::kSkip || statement.kind == StatementKind::kElse;
}

}  // namespace

EdgeTable::EdgeTable(const Model& model)
    : asks_others(std::ranges::any_of(model.expressions,
                                      [](const Expression& each) { return each.op == Operator::kEnabled; })) {
  const ChannelNames names(model);
  for (const Proctype& proctype : model.proctypes) {
    add(model, names, proctype);
    has_provided = has_provided || proctype.provided != kNoExpression;
  }
  if (model.claim.exists()) add(model, names, model.claims[model.claim.claim]);
}

void EdgeTable::add(const Model& model, const ChannelNames& names, const Proctype& proctype) {
  FastProctype& fast = proctypes.emplace_back();
  fast.provided = proctype.provided;
  fast.deterministic = proctype.deterministic;
  fast.receives_from_any = proctype.provided != kNoExpression;
  fast.receives_from.resize(model.channels.size() + 1);
  for (const Location& location : proctype.locations) {
    fast.first_edges.push_back(static_cast<uint32_t>(edges.size()));
    uint16_t number = 0;
    for (const Edge& edge : location.edges) {
      const Statement& statement = model.statements[edge.statement];
      const bool pure_condition =
          statement.kind == StatementKind::kCondition && model.expressions[statement.expression].op != Operator::kRun;
      const bool block = statement.kind == StatementKind::kAtomicBlock;
      edges.push_back(FastEdge{edge.statement, edge.target, edge.escape, number++, statement.kind, edge.atomic,
                               !pure_condition && !is_control(statement), statement.poll,
                               model.trace.exists() && (block || is_event(statement)),
                               block ? add_body(model, statement) : 0});
      fast.receives_from_any = fast.receives_from_any || block;
      if (!edges.back().receives()) continue;
      const auto channels = names.of(statement.channel);
      fast.receives_from_any = fast.receives_from_any || !channels;
      for (size_t i = 0; channels && i < channels->size(); ++i) fast.receives_from[(*channels)[i]] = true;
    }
  }
  fast.first_edges.push_back(static_cast<uint32_t>(edges.size()));
}

// Returns the number of the first alternative.
uint32_t EdgeTable::add_body(const Model& model, const Statement& block) {
  std::vector<uint32_t> begins;
  uint32_t end = static_cast<uint32_t>(body.size());
  for (const DeterministicNode& node : block.body) {
    begins.push_back(node.alternatives.empty() ? BodyEdge::kBlocks : end);
    end += static_cast<uint32_t>(node.alternatives.size());
  }
  for (const DeterministicNode& node : block.body) {
    for (const DeterministicNode::Alternative& alternative : node.alternatives) {
      const Statement& statement = model.statements[alternative.statement];
      const uint32_t next = alternative.next == DeterministicNode::kDone ? BodyEdge::kDone : begins[alternative.next];
      body.push_back({alternative.statement, next, is_control(statement), statement.kind == StatementKind::kSend,
                      statement.kind == StatementKind::kChoose, model.trace.exists() && is_event(statement),
                      &alternative == &node.alternatives.back()});
    }
  }
  return begins.front();
}

}  // namespace cmc
