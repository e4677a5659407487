#include "checker/properties/warnings.h"

#include "checker/reference/reference.h"

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

}  // namespace

std::vector<std::string> warnings_of(const PropertyEntry& entry, const Model& product, const SearchResult& result) {
  std::vector<std::string> warnings;
  if (product.claim.exists() && result.verdict() == Verdict::kHolds && !can_begin(product)) {
    warnings.emplace_back(entry.kind == PropertyKind::kLtl
                              ? "the initial state alone makes the formula true, whatever happens later"
                              : "vacuous: the claim has no run, because it cannot move in the initial state");
  }
  if (entry.kind == PropertyKind::kAcceptanceCycle && entry.property == kNoProperty) {
    warnings.emplace_back("vacuous: no process has an accept label");
  }
  return warnings;
}

}  // namespace cmc
