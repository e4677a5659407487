#include "checker/spin/merged_statements.h"

#include <algorithm>
#include <cstdint>

#include "ir/effects.h"

namespace cmc::spin {
namespace {

// Never blocks. A `skip` is a condition for SPIN; the other statements that do nothing are jumps.
bool is_eligible(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kSkip: return statement.text != "(1)";
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
    Machine& machine = machines_.emplace_back();
    machine.inside.resize(proctype.locations.size());
    machine.first = INT64_MIN;
    for (size_t i = 0; i < proctype.locations.size(); ++i) {
      for (const Edge& edge : proctype.locations[i].edges) {
        if (edge.atomic) machine.inside[edge.target] = true;
        // A selection, loop or block has a higher number than what it begins with.
        machine.first = std::max(machine.first, int64_t{edge.element} - static_cast<int64_t>(i));
      }
    }
  }
}

bool MergedStatements::begins(ProctypeId proctype, LocationId location, const Edge& edge) const {
  const Machine& machine = machines_[proctype];
  const Location& from = model_.proctypes[proctype].locations[location];
  const Statement& statement = model_.statements[edge.statement];
  if (edge.escape == 0 && escapes(from)) return false;
  const bool atomic = edge.atomic || machine.inside[location];
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
  return (atomic || is_local(statement)) && (from.labels.empty() || !is_own(machine, location, edge));
}

bool MergedStatements::continues(ProctypeId proctype, LocationId location) const {
  const Machine& machine = machines_[proctype];
  const Location& at = model_.proctypes[proctype].locations[location];
  if (at.edges.size() != 1 || !at.labels.empty() || escapes(at)) return false;
  const Edge& edge = at.edges.front();
  const Statement& statement = model_.statements[edge.statement];
  return is_eligible(statement) && is_own(machine, location, edge) &&
         (machine.inside[location] || is_local(statement));
}

bool MergedStatements::is_own(const Machine& machine, LocationId location, const Edge& edge) {
  return int64_t{edge.element} - int64_t{location} == machine.first;
}

bool MergedStatements::is_local(const Statement& statement) const {
  const auto is_process_s = [&](ExpressionId id) { return is_of_process(model_, id); };
  const bool assigns = statement.kind == StatementKind::kAssign && !statement.discard_target;
  return (!assigns || is_of_process(model_, statement.target)) && is_process_s(statement.expression) &&
         std::ranges::all_of(statement.operands, is_process_s);
}

}  // namespace cmc::spin
