#include "checker/properties/stuttering.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/automata/claim_letters.h"
#include "checker/automata/stutter.h"
#include "checker/generator/product_generator.h"
#include "checker/properties/formula_check.h"
#include "ir/print.h"

namespace cmc {

namespace {

bool has_next(const Model& model, uint32_t formula) {
  if (formula == kNoFormula) return false;
  const Formula& node = model.formulas[formula];
  return node.op == Formula::Op::kNext || has_next(model, node.left) || has_next(model, node.right);
}

std::optional<std::string> obstacle_of_claim(const Model& product) {
  const Proctype& claim = product.claims[product.claim.claim];
  const Result<automata::LetterAutomaton> automaton = automata::letters_of_claim(product, claim);
  if (!automaton.ok()) return automaton.error();
  if (automata::is_closed_under_stuttering(automaton.value())) return std::nullopt;
  return "the claim may tell apart how often a state is repeated" + place_text(product, claim.place, " (", ")");
}

}  // namespace

std::optional<std::string> obstacle_to_stuttering(const Model& product) {
  const ClaimTraits traits = claim_traits(product);
  if (traits.uses_timeout || traits.uses_non_progress) return "the claim asks for timeout or np_";
  if (accept_labels_count(product)) return "accept labels of processes count together with the claim";
  const auto formula = std::ranges::find(product.properties, Property::Kind::kLtl, &Property::kind);
  if (formula == product.properties.end()) return obstacle_of_claim(product);
  if (!has_next(product, formula->formula)) return std::nullopt;
  return obstacle_of_claim(product) ? std::optional<std::string>("the formula has X") : std::nullopt;
}

}  // namespace cmc
