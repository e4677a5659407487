#include "checker/guards/selections.h"

#include <set>

namespace cmc::guards {

namespace {

class Collector {
 public:
  explicit Collector(const Model& model) : model_(model) {}

  std::vector<Selection> collect() {
    for (const Proctype& proctype : model_.proctypes) {
      known_.clear();
      for (const LocationId id : reachable(proctype)) add_location(proctype, proctype.locations[id]);
    }
    return std::move(found_);
  }

 private:
  static std::vector<LocationId> reachable(const Proctype& proctype) {
    std::vector<bool> seen(proctype.locations.size());
    std::vector<LocationId> reached;
    const auto visit = [&](LocationId id) {
      if (id == 0 || seen[id]) return;
      seen[id] = true;
      reached.push_back(id);
    };
    visit(proctype.start);
    for (size_t i = 0; i < reached.size(); ++i) {
      for (const Edge& edge : proctype.locations[reached[i]].edges) {
        visit(edge.target);
        visit(edge.escape);
      }
    }
    return reached;
  }

  void add_location(const Proctype& proctype, const Location& location) {
    Selection selection{&proctype, location.place, {}};
    for (const Edge& edge : location.edges) {
      if (edge.escape != 0) continue;
      selection.options.push_back(edge.statement);
      for (const DeterministicNode& node : model_.statements[edge.statement].body) add_node(proctype, node);
    }
    add(std::move(selection));
  }

  void add_node(const Proctype& proctype, const DeterministicNode& node) {
    Selection selection{&proctype, {}, {}};
    for (const DeterministicNode::Alternative& each : node.alternatives) selection.options.push_back(each.statement);
    if (!selection.options.empty()) selection.place = model_.statements[selection.options.front()].place;
    add(std::move(selection));
  }

  void add(Selection selection) {
    if (known_.insert(selection.options).second) found_.push_back(std::move(selection));
  }

  const Model& model_;
  std::vector<Selection> found_;
  std::set<std::vector<StatementId>> known_;  // of this proctype
};

}  // namespace

std::vector<Selection> selections(const Model& model) { return Collector(model).collect(); }

}  // namespace cmc::guards
