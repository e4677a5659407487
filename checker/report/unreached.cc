#include "checker/report/unreached.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "ir/effects.h"

namespace cmc {
namespace {

// A selection (also `do` and `atomic`) has copies of the edges of the statements that its options begin with.
class Unreached {
 public:
  Unreached(const Model& model, const Proctype& proctype, const std::vector<bool>& reached)
      : model_(model), proctype_(proctype), reached_(reached), silent_(proctype.locations.size()) {
    mark_silent();
  }

  std::vector<UnreachedStatement> list() const {
    std::vector<UnreachedStatement> result;
    for (size_t i = 1; i < proctype_.locations.size(); ++i) {
      const auto id = static_cast<LocationId>(i);
      if (counts_as_reached(id)) continue;
      const std::vector<Edge>& edges = proctype_.locations[i].edges;
      if (is_selection(i) && counts_as_reached(edges.back().target)) continue;
      for (const Edge& edge : edges) {
        if (!is_jump(statement_of(edge))) result.push_back({id, &statement_of(edge)});
      }
    }
    return result;
  }

 private:
  const Statement& statement_of(const Edge& edge) const { return model_.statements[edge.statement]; }
  bool counts_as_reached(LocationId id) const { return (id < reached_.size() && reached_[id]) || silent_[id]; }

  bool is_selection(size_t id) const {
    return proctype_.locations[id].generic &&
           std::ranges::any_of(proctype_.locations[id].edges,
                               [&](const Edge& edge) { return edge.escape == 0 && proctype_.owner(edge) != id; });
  }

  // What SPIN's verifier takes as reached from the start.
  void mark_silent() {
    std::vector<bool> entered(silent_.size());
    std::vector<uint32_t> copies(silent_.size());  // in selections
    entered[proctype_.start] = true;
    for (size_t i = 1; i < silent_.size(); ++i) {
      const Location& location = proctype_.locations[i];
      const bool selects = is_selection(i);
      if (location.edges.empty() || (location.generic && !selects)) silent_[i] = true;
      for (const Edge& edge : location.edges) {
        entered[edge.target] = true;
        if (edge.escape > 0) silent_[edge.escape] = true;
        if (edge.escape == 0 && selects) ++copies[proctype_.owner(edge)];
      }
    }
    for (size_t i = 1; i < silent_.size(); ++i) {
      const std::vector<Edge>& edges = proctype_.locations[i].edges;
      if (copies[i] > 0) silent_[i] = true;
      if (entered[i]) continue;
      // A selection that another one begins with, unless it is a loop.
      const bool only_begins = is_selection(i) && std::ranges::all_of(edges, [&](const Edge& edge) {
                                 return edge.escape > 0 || copies[proctype_.owner(edge)] > 1;
                               });
      // An option that is never executable is left out of the machine.
      const bool is_left_out = edges.size() == 1 && is_never(statement_of(edges.front()));
      if (only_begins || is_left_out) silent_[i] = true;
    }
  }
  bool is_never(const Statement& statement) const {
    if (statement.kind != StatementKind::kCondition) return false;
    const Expression& condition = model_.expressions[statement.expression];
    return condition.op == Operator::kConstant && condition.value == 0;
  }

  const Model& model_;
  const Proctype& proctype_;
  const std::vector<bool>& reached_;
  std::vector<bool> silent_;  // by location
};

}  // namespace

std::vector<UnreachedStatement> unreached_statements(const Model& model, const Proctype& proctype,
                                                     const std::vector<bool>& reached) {
  return Unreached(model, proctype, reached).list();
}

std::string unreached_text(const Statement& statement) {
  return statement.kind == StatementKind::kAtomicBlock ? fmt::format("D_STEP{}", statement.place.line)
                                                       : statement.text;
}

}  // namespace cmc
