#include "ir/scratch.h"

#include <algorithm>
#include <optional>

#include "ir/effects.h"

namespace cmc {

namespace {

using Written = std::vector<bool>;       // by byte of the hidden variables
using AtPlace = std::optional<Written>;  // none: no path to there is known yet

// What is written on both paths. Returns whether `at` has changed.
bool meet(AtPlace& at, const Written& more) {
  if (!at) {
    at = more;
    return true;
  }
  bool changed = false;
  for (size_t i = 0; i < more.size(); ++i) {
    if (!(*at)[i] || more[i]) continue;
    (*at)[i] = false;
    changed = true;
  }
  return changed;
}

class Scratch {
 public:
  Scratch(const Model& model, bool closes_chains)
      : model_(model),
        nothing_(model.hidden_bytes),
        follows_atomic_(closes_chains && !model.claim.exists() && !model.uses_priority),
        covered_(model.expressions.size()) {}

  // Whether each read of a hidden variable has a write before it in its step.
  bool is_all() {
    for (const Proctype& proctype : model_.proctypes) look_at(proctype);
    if (depends_) return false;
    // Who else reads: claims, formulas, initial values, `provided`.
    for (size_t i = 0; i < model_.expressions.size(); ++i) {
      if (reads_hidden(model_, model_.expressions[i]) && !covered_[i]) return false;
    }
    return true;
  }

 private:
  void look_at(const Proctype& proctype) {
    std::vector<AtPlace> written(proctype.locations.size());
    written[proctype.start] = nothing_;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t from = 1; from < written.size(); ++from) {
        if (!written[from]) continue;
        for (const Edge& edge : proctype.locations[from].edges) {
          const Statement& statement = model_.statements[edge.statement];
          const bool goes_on = goes_on_behind(proctype, edge);
          changed |= meet(written[edge.target], goes_on ? behind(statement, *written[from]) : nothing_);
        }
      }
    }
    for (size_t from = 1; from < written.size(); ++from) {
      if (!written[from]) continue;  // as is the location of a guard that the selection has a copy of
      for (const Edge& edge : proctype.locations[from].edges)
        check(model_.statements[edge.statement], *written[from]);
    }
  }

  // Whether the step is certain to go on at the edge's target.
  bool goes_on_behind(const Proctype& proctype, const Edge& edge) const {
    if (!follows_atomic_ || !edge.atomic || proctype.provided != kNoExpression) return false;
    if (model_.has_rendezvous && hands_over(model_.statements[edge.statement])) return false;
    return std::ranges::any_of(proctype.locations[edge.target].edges,
                               [&](const Edge& next) { return never_blocks(model_.statements[next.statement]); });
  }
  // By a handshake another process may go on.
  bool hands_over(const Statement& statement) const {
    bool found = false;
    for_each_statement(model_, statement, [&](const Statement& each) {
      found |= each.kind == StatementKind::kSend || each.kind == StatementKind::kReceive;
    });
    return found;
  }
  // An `else` is executable unless another edge is.
  bool never_blocks(const Statement& statement) const {
    switch (statement.kind) {
      case StatementKind::kSkip:
      case StatementKind::kElse:
      case StatementKind::kAssert:
      case StatementKind::kPrintf:
      case StatementKind::kPrintm:
      case StatementKind::kAssign: return !creates_process(statement);
      case StatementKind::kAtomicBlock:
        return statement.guard == kNoExpression || model_.expressions[statement.guard].op == Operator::kNoRendezvous;
      default: return false;
    }
  }
  bool creates_process(const Statement& statement) const {
    bool found = false;
    for_each_expression(model_, statement, [&](const Expression& e) { found |= e.op == Operator::kRun; });
    return found;
  }

  // What is written behind a statement.
  Written behind(const Statement& statement, Written written) const {
    if (statement.kind == StatementKind::kAtomicBlock) {
      return at_nodes(statement, written).back().value_or(Written(model_.hidden_bytes, true));  // none: it never ends
    }
    if (statement.kind != StatementKind::kAssign && statement.kind != StatementKind::kReceive) return written;
    for_each_written(model_, statement, [&](const VariableReference& target) {
      if (!is_hidden(model_, target) || !target.indices.empty()) return;
      std::fill_n(written.begin() + target.offset, target.type.bytes, true);
    });
    return written;
  }
  // What is written at the nodes of a d_step, and last behind it.
  std::vector<AtPlace> at_nodes(const Statement& block, const Written& before) const {
    std::vector<AtPlace> written(block.body.size() + 1);
    if (block.body.empty()) {
      written.back() = before;
      return written;
    }
    written.front() = before;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t node = 0; node < block.body.size(); ++node) {
        if (!written[node]) continue;
        for (const DeterministicNode::Alternative& each : block.body[node].alternatives) {
          AtPlace& next = each.next == DeterministicNode::kDone ? written.back() : written[each.next];
          changed |= meet(next, behind(model_.statements[each.statement], *written[node]));
        }
      }
    }
    return written;
  }

  void check(const Statement& statement, const Written& written) {
    if (statement.kind != StatementKind::kAtomicBlock) {
      for_each_expression(model_, statement, [&](const Expression& e) { check(e, written); });
      return;
    }
    for_each_expression(model_, statement.guard, [&](const Expression& e) { check(e, written); });
    const std::vector<AtPlace> at = at_nodes(statement, written);
    for (size_t node = 0; node < statement.body.size(); ++node) {
      if (!at[node]) continue;
      for (const DeterministicNode::Alternative& each : statement.body[node].alternatives) {
        check(model_.statements[each.statement], *at[node]);
      }
    }
  }
  void check(const Expression& e, const Written& written) {
    if (!reads_hidden(model_, e)) return;
    covered_[static_cast<size_t>(&e - model_.expressions.data())] = true;
    const size_t end = std::min<size_t>(e.reference.offset + extent(e.reference), model_.hidden_bytes);
    for (size_t i = e.reference.offset; i < end; ++i) depends_ |= !written[i];
  }

  const Model& model_;
  const Written nothing_;
  const bool follows_atomic_;
  std::vector<bool> covered_;  // by expression: it is part of a statement of a process
  bool depends_ = false;
};

}  // namespace

bool depends_on_hidden(const Model& model, bool closes_chains) {
  if (model.hidden_bytes == 0 || !reads_hidden_variable(model)) return false;
  const bool embedded_c = std::ranges::any_of(
      model.properties, [](const Property& property) { return property.kind == Property::Kind::kEmbeddedC; });
  return embedded_c || !Scratch(model, closes_chains).is_all();
}

uint32_t ignored_bytes(const Model& model) { return reads_hidden_variable(model) ? 0 : model.hidden_bytes; }

}  // namespace cmc
