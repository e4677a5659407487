#include "checker/properties/formula_check.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "checker/automata/evaluate.h"
#include "checker/reference/reference.h"

namespace cmc {

namespace {

void collect_atoms(const Model& model, uint32_t formula, std::vector<ExpressionId>& atoms) {
  if (formula == kNoFormula) return;
  const Formula& node = model.formulas[formula];
  if (node.op == Formula::Op::kAtom && std::ranges::find(atoms, node.atom) == atoms.end()) atoms.push_back(node.atom);
  collect_atoms(model, node.left, atoms);
  collect_atoms(model, node.right, atoms);
}

// The state with the mark of a system that is blocked (Observer in ir/model.h).
Bytes with_mark(const Model& product, ByteView state) {
  Bytes marked(state.begin(), state.end());
  marked[product.claim.offset + kFrameProctype] = std::byte{1};
  return marked;
}

}  // namespace

const Property* formula_of_claim(const Model& product) {
  if (!product.claim.exists()) return nullptr;
  const auto found = std::ranges::find(product.properties, Property::Kind::kLtl, &Property::kind);
  return found == product.properties.end() ? nullptr : &*found;
}

void name_violations(const Model& product, SearchResult& result) {
  if (formula_of_claim(product) == nullptr) return;
  for (FoundError& error : result.errors) {
    if (error.kind == ErrorKind{{}, RuntimeErrorKind::kClaimEnd}) error.message = kFormulaViolated;
  }
}

bool accept_labels_count(const Model& product) {
  return std::ranges::any_of(product.proctypes, [](const Proctype& proctype) {
    return std::ranges::any_of(proctype.locations, &Location::accepting);
  });
}

std::vector<ExpressionId> atoms_of(const Model& model, uint32_t formula) {
  std::vector<ExpressionId> atoms;
  collect_atoms(model, formula, atoms);
  return atoms;
}

std::string verify_formula(const Model& product, uint32_t formula, const FoundError& error,
                           SuccessorGenerator& reference) {
  const std::vector<ExpressionId> atoms = atoms_of(product, formula);
  std::vector<std::vector<int32_t>> letters;
  size_t loop_start = 0;
  bool known = true;
  bool system_moved = true;  // since the claim did
  const Result<ReplayEnd> end = replay_path(reference, error.path, [&](const ReplayEvent& event) {
    if (event.index == error.loop_start) loop_start = letters.size();
    const bool alone = !std::exchange(system_moved, event.step.pid != kNoProcess);
    if (event.step.pid != kNoProcess || !known) return;
    // A claim that moves twice has found the system blocked in between: np_ is 0 then.
    const Bytes marked = alone ? with_mark(product, event.before) : Bytes{};
    auto letter =
        evaluate_expressions(product, alone ? ByteView(marked) : event.before, kNoProcess, atoms, event.step.timeout);
    known = letter.has_value();
    if (known) letters.push_back(std::move(*letter));
  });
  if (!end.ok()) return end.error();
  if (!known) return {};
  if (letters.empty()) return "the claim has not moved";
  automata::Lasso word;
  word.length = letters.size();
  word.loop_start = error.loop_start == FoundError::kNoLoop ? letters.size() - 1 : loop_start;
  if (word.loop_start == word.length) return "the claim does not move in the loop";
  word.truth = [&](size_t position, ExpressionId atom) {
    return letters[position][static_cast<size_t>(std::ranges::find(atoms, atom) - atoms.begin())] != 0;
  };
  return automata::holds_on(word, product.formulas, formula) ? "the formula holds on this run" : "";
}

void verify_formulas(const Model& product, SearchResult& result, SuccessorGenerator& reference) {
  const Property* const property = formula_of_claim(product);
  if (property == nullptr || accept_labels_count(product)) return;
  keep_confirmed(result, [&](const FoundError& error) {
    const std::string failure = verify_formula(product, property->formula, error, reference);
    return failure.empty() ? "" : fmt::format("the formula '{}' is not false on it: {}", property->name, failure);
  });
}

}  // namespace cmc
