#include "checker/spin/merged_statements.h"

#include <algorithm>

#include "ir/effects.h"

namespace cmc::spin {
namespace {

// Never blocks.
bool is_eligible(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kSkip: return is_jump(statement);
    case StatementKind::kAssign:
    case StatementKind::kAssert:
    case StatementKind::kPrintf:
    case StatementKind::kPrintm: return true;
    default: return false;
  }
}

bool escapes(const Location& location) {
  return std::ranges::any_of(location.edges, [](const Edge& edge) { return edge.escape != 0; });
}

}  // namespace

MergedStatements::MergedStatements(const Model& model)
    : model_(model), has_rendezvous_(std::ranges::any_of(model.channel_types, &ChannelType::rendezvous)) {
  for (const Proctype& proctype : model.proctypes) {
    std::vector<bool>& inside = inside_.emplace_back(proctype.locations.size());
    for (const Location& location : proctype.locations) {
      for (const Edge& edge : location.edges) {
        if (edge.atomic) inside[edge.target] = true;
      }
    }
  }
}

bool MergedStatements::begins(ProctypeId proctype, LocationId location, const Edge& edge) const {
  const Proctype& type = model_.proctypes[proctype];
  const Location& from = type.locations[location];
  const Statement& statement = model_.statements[edge.statement];
  if (edge.escape == 0 && escapes(from)) return false;
  const bool atomic = edge.atomic || inside_[proctype][location];
  switch (statement.kind) {
    case StatementKind::kCondition: return atomic || is_local(statement);
    case StatementKind::kReceive: return atomic;
    case StatementKind::kSend: return atomic && !has_rendezvous_;
    case StatementKind::kSkip:
      if (!is_eligible(statement)) return true;
      break;
    default:
      if (!is_eligible(statement)) return false;
  }
  return (atomic || is_local(statement)) && (from.labels.empty() || type.owner(edge) != location);
}

bool MergedStatements::continues(ProctypeId proctype, LocationId location) const {
  const Proctype& type = model_.proctypes[proctype];
  const Location& at = type.locations[location];
  if (at.edges.size() != 1 || !at.labels.empty() || escapes(at)) return false;
  const Edge& edge = at.edges.front();
  const Statement& statement = model_.statements[edge.statement];
  return is_eligible(statement) && type.owner(edge) == location &&
         (inside_[proctype][location] || is_local(statement));
}

bool MergedStatements::is_local(const Statement& statement) const {
  const auto is_process_s = [&](ExpressionId id) { return is_of_process(model_, id); };
  const bool assigns = statement.kind == StatementKind::kAssign && !statement.discard_target;
  return (!assigns || is_of_process(model_, statement.target)) && is_process_s(statement.expression) &&
         std::ranges::all_of(statement.operands, is_process_s);
}

}  // namespace cmc::spin
