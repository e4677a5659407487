#include "checker/report/unreached.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

namespace cmc {
namespace {

class Unreached {
 public:
  Unreached(const Model& model, const Proctype& proctype, const std::vector<bool>& reached)
      : model_(model), proctype_(proctype), reached_(reached) {
    for (size_t i = 1; i < proctype.locations.size(); ++i) {
      for (const Edge& edge : proctype.locations[i].edges) {
        holders_[edge.element].push_back(static_cast<LocationId>(i));
        if (edge.escape > 0) escapes_.insert(edge.escape);
      }
    }
  }

  std::vector<UnreachedStatement> list() const {
    std::vector<UnreachedStatement> result;
    for (size_t i = 1; i < proctype_.locations.size(); ++i) {
      const auto id = static_cast<LocationId>(i);
      if (is_reached(id) || is_silent(id) || is_listed_elsewhere(id) || escapes_.contains(id)) continue;
      const std::vector<Edge>& edges = proctype_.locations[i].edges;
      if (proctype_.locations[i].generic && is_reached(edges.back().target)) continue;
      for (const Edge& edge : edges) {
        if (!is_jump(statement_of(edge))) result.push_back({id, &statement_of(edge)});
      }
    }
    return result;
  }

 private:
  const Statement& statement_of(const Edge& edge) const { return model_.statements[edge.statement]; }
  bool is_reached(LocationId id) const { return id < reached_.size() && reached_[id]; }

  static bool is_jump(const Statement& statement) {
    return statement.kind == StatementKind::kSkip && statement.text != "(1)";
  }

  // A jump, `skip` or `else` of its own; the inside of a d_step has no edges.
  bool is_silent(LocationId id) const {
    const std::vector<Edge>& edges = proctype_.locations[id].edges;
    if (edges.empty()) return true;
    if (edges.size() > 1 || !proctype_.locations[id].generic) return false;
    const Statement& statement = statement_of(edges.front());
    return statement.kind == StatementKind::kSkip || statement.kind == StatementKind::kElse;
  }

  // Whether a later location, that of the selection or sequence which begins here, has copies of all edges. SPIN
  // numbers a selection behind everything that is in it.
  bool is_listed_elsewhere(LocationId id) const {
    const std::vector<Edge>& edges = proctype_.locations[id].edges;
    for (const LocationId candidate : holders_.at(edges.front().element)) {
      if (candidate <= id) continue;
      const bool has_all = std::all_of(edges.begin(), edges.end(), [&](const Edge& edge) {
        const std::vector<LocationId>& holders = holders_.at(edge.element);
        return std::find(holders.begin(), holders.end(), candidate) != holders.end();
      });
      if (has_all) return true;
    }
    return false;
  }

  const Model& model_;
  const Proctype& proctype_;
  const std::vector<bool>& reached_;
  std::unordered_map<uint32_t, std::vector<LocationId>> holders_;  // by element: the locations with an edge of it
  std::unordered_set<LocationId> escapes_;                         // where escapes of `unless` begin
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
