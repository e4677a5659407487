#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "promela/lower/lowering.h"
#include "promela/sema/constant_value.h"

// Claims, formulas and the list of properties.

namespace cmc::promela {

using ast::Op;
using Context = ExpressionLowering::Context;

namespace {

Formula::Op formula_op(Op op) {
  switch (op) {
    case Op::kNot: return Formula::Op::kNot;
    case Op::kAnd: return Formula::Op::kAnd;
    case Op::kOr: return Formula::Op::kOr;
    case Op::kImplies: return Formula::Op::kImplies;
    case Op::kEquivalent: return Formula::Op::kEquivalent;
    case Op::kNext: return Formula::Op::kNext;
    case Op::kAlways: return Formula::Op::kAlways;
    case Op::kEventually: return Formula::Op::kEventually;
    case Op::kUntil: return Formula::Op::kUntil;
    case Op::kRelease: return Formula::Op::kRelease;
    case Op::kWeakUntil: return Formula::Op::kWeakUntil;
    default: CHECK(!"a connective");
  }
}

}  // namespace

// ---------------------------------------------------------------------------------------------------- claims

void Lowering::lower_claims() {
  for (const auto& claim : analysis_.proctypes) {
    if (claim->runs()) continue;
    const ast::Proctype& syntax = *claim->syntax;
    const auto index = static_cast<uint32_t>(model_.claims.size());
    CHECK(index < claim_flows_.size());
    emit_.enter(claim->is_trace() ? Context::kTrace : Context::kClaim);
    model_.claims.push_back(lower_proctype(*claim, *claim_flows_[index]));
    emit_.enter(Context::kProcess);
    if (!model_.claims.back().channels.empty()) {
      error(syntax.location, "a claim or trace cannot have a channel of its own");
    }
    if (claim->is_trace()) warn_of_jumps(model_.claims.back());
    const bool never = claim->is_never();
    const auto kind = never                                        ? Property::Kind::kNeverClaim
                      : syntax.kind == ast::Proctype::Kind::kTrace ? Property::Kind::kTrace
                                                                   : Property::Kind::kNotrace;
    model_.properties.push_back({kind, never ? syntax.name : "", syntax.location.place, index});
  }
}

void Lowering::warn_of_jumps(const Proctype& trace) {
  std::vector<bool> reached(trace.locations.size());
  std::vector<LocationId> open = {trace.start};
  reached[trace.start] = true;
  while (!open.empty()) {
    const ::cmc::Location& location = trace.locations[open.back()];
    open.pop_back();
    for (const Edge& edge : location.edges) {
      const Statement& statement = model_.statements[edge.statement];
      if (statement.kind == StatementKind::kSkip) {
        diagnostics_.warning({statement.place, 0},
                             "in a trace this jump is a step of its own, which every event takes, as in SPIN");
      }
      if (!reached[edge.target]) open.push_back(edge.target);
      reached[edge.target] = true;
    }
  }
}

// ---------------------------------------------------------------------------------------------------- formulas

void Lowering::lower_formulas() {
  emit_.enter(Context::kClaim);
  for (const ast::Unit& unit : program_.units) {
    if (!unit.ltl) continue;
    Property property;
    property.kind = Property::Kind::kLtl;
    property.name = unit.ltl->name;
    property.place = unit.ltl->location.place;
    if (unit.ltl->scope) {
      if (!unit.ltl->scope->empty()) emit_.enter(Context::kProcess);
      property.formula = add({Formula::Op::kAtom, kNoFormula, kNoFormula, emit_.lower(*unit.ltl->formula)});
      emit_.enter(Context::kClaim);
    } else {
      property.formula = lower_formula(*unit.ltl->formula);
    }
    model_.properties.push_back(std::move(property));
  }
  emit_.enter(Context::kProcess);
}

uint32_t Lowering::lower_formula(const ast::Expression& e) {
  if (e.is_atom) return lower_atom(e);
  Formula formula;
  formula.op = formula_op(e.op);
  formula.left = lower_formula(*e.operands[0]);
  if (e.operands.size() > 1) formula.right = lower_formula(*e.operands[1]);
  return add(formula);
}

uint32_t Lowering::lower_atom(const ast::Expression& e) {
  Formula formula;
  if (const std::optional<int32_t> value = constant_value(e)) {
    formula.op = *value != 0 ? Formula::Op::kTrue : Formula::Op::kFalse;
    return add(formula);
  }
  formula.op = Formula::Op::kAtom;
  const auto [known, is_new] = atoms_.try_emplace(to_text(e), kNoExpression);
  if (is_new) known->second = emit_.lower(e);
  formula.atom = known->second;
  return add(formula);
}

uint32_t Lowering::add(Formula formula) {
  CHECK(model_.formulas.size() < kNoFormula);
  model_.formulas.push_back(formula);
  return static_cast<uint32_t>(model_.formulas.size() - 1);
}

// ---------------------------------------------------------------------------------------------------- the rest

void Lowering::collect_properties() {
  const auto add = [this](Property::Kind kind, const std::string& name, const SourcePlace& place) {
    model_.properties.push_back({kind, name, place, kNoClaim});
  };
  for (const ast::Unit& unit : program_.units) {
    if (unit.c) add(Property::Kind::kEmbeddedC, unit.c->keyword, unit.c->location.place);
  }
  for (const ::cmc::Proctype& proctype : model_.proctypes) {
    for (const ::cmc::Location& location : proctype.locations) {
      for (const std::string& label : location.labels) {
        if (label.starts_with("accept")) add(Property::Kind::kAcceptanceCycle, label, location.place);
        if (label.starts_with("progress")) add(Property::Kind::kNonProgressCycle, label, location.place);
      }
    }
  }
  for (const Location& place : program_.embedded_c) add(Property::Kind::kEmbeddedC, "", place.place);
}

// Beside a claim they decide which of its cycles are accepting.
void Lowering::warn_of_accept_labels() {
  const auto is_claim = [](const Property& property) {
    return property.kind == Property::Kind::kNeverClaim || property.kind == Property::Kind::kLtl;
  };
  const auto claim = std::ranges::find_if(model_.properties, is_claim);
  if (claim == model_.properties.end()) return;
  constexpr size_t kMostLabels = 10;
  size_t count = 0;
  std::string labels;
  std::optional<SourcePlace> first;
  for (const ::cmc::Proctype& proctype : model_.proctypes) {
    for (const ::cmc::Location& location : proctype.locations) {
      for (const std::string& label : location.labels) {
        if (!label.starts_with("accept")) continue;
        if (!first) first = location.place;
        if (++count <= kMostLabels) labels += fmt::format("{}{}@{}", count == 1 ? "" : ", ", proctype.name, label);
      }
    }
  }
  if (!first) return;
  if (count > kMostLabels) labels += fmt::format(" and {} more", count - kMostLabels);
  diagnostics_.warning({*first, 0},
                       fmt::format("accept labels of processes count as a claim's own, as in SPIN: a cycle through "
                                   "{} violates every claim and formula that can follow it",
                                   labels));
  diagnostics_.note({claim->place, 0}, fmt::format("here is '{}'", claim->name));
}

}  // namespace cmc::promela
