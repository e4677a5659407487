#include "checker/spin/local_locations.h"

#include <algorithm>

#include "ir/effects.h"

namespace cmc::spin {
namespace {

class Locality {
 public:
  Locality(const Model& model, const Proctype& proctype) : model_(model), proctype_(proctype) {
    assigned_.resize(proctype.variables.size());
    for (const VariableReference& parameter : proctype.parameters) assign(parameter);
    for (const Initializer& initializer : proctype.initializers) {
      if (initializer.channel < 0) assign(initializer.target);
    }
    for_each_edge_statement([&](size_t, const Statement& statement) {
      for_each_written(model, statement, [&](const VariableReference& reference) { assign(reference); });
    });
  }

  [[nodiscard]] std::vector<bool> locations() {
    const bool all = !model_.uses_priority && is_own(proctype_.provided);
    std::vector<bool> local(proctype_.locations.size(), all);
    for_each_edge_statement([&](size_t location, const Statement& statement) {
      if (!is_own(statement)) local[location] = false;
    });
    return local;
  }

 private:
  void assign(const VariableReference& reference) {
    const bool local = reference.space == Space::kLocal && reference.variable < assigned_.size();
    if (local) assigned_[reference.variable] = true;
  }
  template <class Visit>
  void for_each_edge_statement(const Visit& visit) const {
    for (size_t i = 0; i < proctype_.locations.size(); ++i) {
      for (const Edge& edge : proctype_.locations[i].edges) visit(i, model_.statements[edge.statement]);
    }
  }
  [[nodiscard]] bool is_own_channel(ExpressionId id) const {
    const Expression& channel = model_.expressions[id];
    return channel.op == Operator::kVariable && channel.reference.space == Space::kLocal &&
           channel.reference.variable < assigned_.size() && !assigned_[channel.reference.variable];
  }
  // REQUIRES: an own channel. Another process takes part then.
  [[nodiscard]] bool is_rendezvous(ExpressionId id) const {
    return std::ranges::any_of(proctype_.initializers, [&](const Initializer& initializer) {
      return initializer.channel >= 0 && initializer.target.variable == model_.expressions[id].reference.variable &&
             model_.channel_types[proctype_.channels[static_cast<size_t>(initializer.channel)].type].rendezvous();
    });
  }
  [[nodiscard]] bool is_own(const Expression& e) const {
    switch (e.op) {
      case Operator::kVariable: return e.reference.space == Space::kLocal;
      case Operator::kLength:
      case Operator::kFull:
      case Operator::kEmpty:
      case Operator::kNotFull:
      case Operator::kNotEmpty:
      case Operator::kPoll: return is_own_channel(e.operands[0]);
      case Operator::kProcessCount:
      case Operator::kLast:
      case Operator::kTimeout:
      case Operator::kNonProgress:
      case Operator::kEmbeddedC:
      case Operator::kRun:
      case Operator::kEnabled:
      case Operator::kLocationOf:
      case Operator::kPriorityOf:
      case Operator::kRemoteLocation:
      case Operator::kRemoteVariable: return false;
      default: return true;
    }
  }
  [[nodiscard]] bool is_own(ExpressionId id) const {
    bool own = true;
    for_each_expression(model_, id, [&](const Expression& e) { own = own && is_own(e); });
    return own;
  }
  [[nodiscard]] bool is_own(const Statement& statement) const {
    bool own = true;
    for_each_expression(model_, statement, [&](const Expression& e) { own = own && is_own(e); });
    for_each_written(model_, statement,
                     [&](const VariableReference& target) { own = own && target.space == Space::kLocal; });
    for_each_statement(model_, statement, [&](const Statement& each) {
      const bool uses_channel = each.kind == StatementKind::kSend || each.kind == StatementKind::kReceive;
      own = own && (!uses_channel || is_own_channel(each.channel)) && each.kind != StatementKind::kSetPriority &&
            each.kind != StatementKind::kEmbeddedC && each.kind != StatementKind::kEndProcess;
    });
    return own && !(statement.kind == StatementKind::kSend && is_rendezvous(statement.channel));
  }

  const Model& model_;
  const Proctype& proctype_;
  std::vector<bool> assigned_;  // by variable: it may name channels of others
};

}  // namespace

std::vector<bool> local_locations(const Model& model, const Proctype& proctype) {
  return Locality(model, proctype).locations();
}

}  // namespace cmc::spin
