#include "checker/properties/warnings.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/units.h"
#include "checker/automata/constant_word.h"
#include "checker/automata/translate.h"
#include "checker/reference/reference.h"
#include "ir/print.h"

namespace cmc {

namespace {

bool can_begin(const Model& product) {
  const std::unique_ptr<SuccessorGenerator> reference = make_reference_generator(product);
  SuccessorBatch initial;
  reference->initial(initial);
  if (initial.entries.empty()) return true;
  for (const bool timeout : {false, true}) {
    SuccessorBatch moves;
    reference->claim_moves(initial.state(initial.entries.front()), timeout, nullptr, moves);
    if (!moves.entries.empty() || !moves.errors.empty()) return true;
  }
  return false;
}

// Translation leaves only states from which something is accepted, and the initial one.
bool accepts_nothing(const Result<automata::Automaton>& automaton) {
  return automaton.ok() && automaton.value().states.front().edges.empty();
}

// Empty: there is none.
std::string warning_of_formula(const Model& product, uint32_t formula, bool begins) {
  if (accepts_nothing(automata::automaton_of_violations(product, formula))) {
    return "vacuous: the formula is true on every run of every model";
  }
  if (!automata::has_constant_word(product, formula) && accepts_nothing(automata::automaton_of(product, formula)))
    return "the formula is false on every run of every model";
  return begins ? "" : "the initial state alone makes the formula true; no continuation can make it false";
}

}  // namespace

bool rules_out(const Model& product, uint32_t formula, ExpressionId atom) {
  Model model = product;  // for formula && <> atom
  const auto add = [&](Formula node) {
    model.formulas.push_back(node);
    return static_cast<uint32_t>(model.formulas.size() - 1);
  };
  const uint32_t itself = add({Formula::Op::kAtom, kNoFormula, kNoFormula, atom});
  const uint32_t sometime = add({Formula::Op::kEventually, itself, kNoFormula, kNoExpression});
  const uint32_t both = add({Formula::Op::kAnd, formula, sometime, kNoExpression});
  return !automata::has_constant_word(model, both) && accepts_nothing(automata::automaton_of(model, both));
}

std::vector<std::string> warnings_of_atoms(const Model& product, const std::vector<ExpressionId>& never_true) {
  std::vector<std::string> warnings;
  for (const ExpressionId atom : never_true) {
    warnings.push_back(fmt::format("'{}' is never true", expression_text(product, nullptr, atom)));
  }
  return warnings;
}

std::vector<std::string> warnings_of_overflows(const Model& model, const SearchResult& result) {
  constexpr size_t kMost = 10;
  std::vector<SearchResult::OverflowNote> notes = result.overflows;
  std::ranges::sort(notes, {}, &SearchResult::OverflowNote::place);
  std::vector<std::string> warnings;
  for (const SearchResult::OverflowNote& note : std::span(notes).first(std::min(kMost, notes.size()))) {
    warnings.push_back(place_text(model, note.place, "", ": ") + note.message);
  }
  if (notes.size() > kMost) {
    warnings.push_back(fmt::format("values that do not fit: {} more", plural(notes.size() - kMost, "statement")));
  }
  return warnings;
}

std::vector<std::string> warnings_of(const PropertyEntry& entry, const Model& product, const SearchResult& result) {
  std::vector<std::string> warnings;
  const bool begins = !product.claim.exists() || result.verdict() != Verdict::kHolds || can_begin(product);
  if (entry.kind == PropertyKind::kLtl) {
    const std::string warning = warning_of_formula(product, product.properties.back().formula, begins);
    if (!warning.empty()) warnings.push_back(warning);
  } else if (!begins) {
    warnings.emplace_back("vacuous: the claim has no run, because it cannot move in the initial state");
  }
  if (entry.kind == PropertyKind::kAcceptanceCycle && entry.property == kNoProperty) {
    warnings.emplace_back("vacuous: no process has an accept label");
  }
  return warnings;
}

}  // namespace cmc
