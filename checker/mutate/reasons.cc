#include "checker/mutate/reasons.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/reference/reference.h"
#include "checker/result/replay.h"
#include "checker/trace/recorder.h"

namespace cmc::mutate {
namespace {

void add_statements(const Model& model, const cmc::Location& location, std::set<SourcePlace>& places) {
  places.insert(location.place);
  for (const Edge& edge : location.edges) {
    const cmc::Statement& statement = model.statements[edge.statement];
    places.insert(statement.place);
    for (const DeterministicNode& node : statement.body) {
      for (const DeterministicNode::Alternative& each : node.alternatives) {
        if (each.statement != kNoStatement) places.insert(model.statements[each.statement].place);
      }
    }
  }
}

bool same_variable(const VariableReference& one, const VariableReference& other) {
  return one.space == other.space && one.variable == other.variable;
}

// All that is evaluated to assign something to the variable.
std::set<ExpressionId> own_expressions(const Model& model, const VariableReference& variable) {
  std::vector<ExpressionId> open;
  for (const cmc::Statement& each : model.statements) {
    if (each.kind == cmc::StatementKind::kAssign && same_variable(each.target, variable))
      open.push_back(each.expression);
  }
  std::set<ExpressionId> own;
  while (!open.empty()) {
    const ExpressionId next = open.back();
    open.pop_back();
    if (next == kNoExpression || !own.insert(next).second) continue;
    const std::vector<ExpressionId>& operands = model.expressions[next].operands;
    open.insert(open.end(), operands.begin(), operands.end());
  }
  return own;
}

}  // namespace

std::set<SourcePlace> unreached_statements(const Model& model, const ReachedLocations& reached) {
  std::set<SourcePlace> with_process, without;
  for (size_t p = 0; p < reached.reached.size() && p < model.proctypes.size(); ++p) {
    const std::vector<cmc::Location>& locations = model.proctypes[p].locations;
    for (size_t at = 0; at < locations.size() && at < reached.reached[p].size(); ++at) {
      if (reached.reached[p][at]) add_statements(model, locations[at], with_process);
      if (reached.reached[p][at] || locations[at].generic) continue;
      for (const Edge& edge : locations[at].edges) {
        const cmc::Statement& statement = model.statements[edge.statement];
        if (statement.kind != cmc::StatementKind::kSkip) without.insert(statement.place);
      }
    }
  }
  std::erase_if(without, [&](const SourcePlace& place) { return with_process.contains(place); });
  return without;
}

bool can_be_compared(const Model& model) {
  const bool looks_at_places = std::ranges::any_of(
      model.expressions, [](const cmc::Expression& each) { return each.op == cmc::Operator::kLocationOf; });
  const bool has_c = std::ranges::any_of(
      model.properties, [](const cmc::Property& each) { return each.kind == cmc::Property::Kind::kEmbeddedC; });
  return model.guards.empty() && model.hidden_bytes == 0 && !looks_at_places && !has_c;
}

bool assigns_unread(const Model& model, const SourcePlace& place) {
  const auto statement = std::ranges::find_if(model.statements, [&](const cmc::Statement& each) {
    return each.kind == cmc::StatementKind::kAssign && each.place == place && !each.discard_target;
  });
  if (place.line == 0 || statement == model.statements.end()) return false;
  const std::set<ExpressionId> own = own_expressions(model, statement->target);
  for (ExpressionId id = 0; id < model.expressions.size(); ++id) {
    const cmc::Expression& each = model.expressions[id];
    const bool reads = each.op == cmc::Operator::kVariable || each.op == cmc::Operator::kRemoteVariable;
    if (reads && same_variable(each.reference, statement->target) && !own.contains(id)) return false;
  }
  return true;
}

std::vector<std::string> run_texts(const Model& model, std::span<const Step> run) {
  std::vector<std::string> lines;
  TraceRecorder recorder(model);
  const std::unique_ptr<SuccessorGenerator> reference = make_reference_generator(model);
  uint64_t number = 0;
  const Result<ReplayEnd> end = replay_path(*reference, run, [&](const ReplayEvent& event) {
    if (number == 0) recorder.start(event.before);
    const TraceStep step = recorder.record({++number, event.step, event.before, event.after, event.errors});
    std::string line =
        fmt::format("{} line {}: {}", process_label(step.text.actor), step.text.actor.line, step.text.actor.text);
    if (step.text.partner) {
      line += fmt::format(" => {} line {}: {}", process_label(*step.text.partner), step.text.partner->line,
                          step.text.partner->text);
    }
    const std::vector<std::string> changes = change_texts(step);
    if (!changes.empty()) line += fmt::format("  [{}]", fmt::join(changes, ", "));
    for (const RuntimeError& error : event.errors) line += fmt::format("  {}", error.message);
    lines.push_back(std::move(line));
  });
  return end.ok() ? lines : std::vector<std::string>{};
}

}  // namespace cmc::mutate
