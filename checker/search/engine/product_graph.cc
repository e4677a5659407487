#include "checker/search/engine/product_graph.h"

#include <algorithm>

namespace cmc {

bool keys_tell_partners(const Model& model) {
  if (model.uses_priority) return false;
  if (!model.has_rendezvous) return true;
  return std::ranges::none_of(model.proctypes, [&](const Proctype& proctype) {
    for (size_t number = 1; number < proctype.locations.size(); ++number) {
      for (const Edge& edge : proctype.locations[number].edges) {
        const StatementKind kind = model.statements[edge.statement].kind;
        const bool receives = kind == StatementKind::kReceive || kind == StatementKind::kAtomicBlock;
        if (receives && (edge.atomic || edge.target == number)) return true;
      }
    }
    return false;
  });
}

}  // namespace cmc
