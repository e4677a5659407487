#include "checker/automata/degeneralize.h"

#include <map>
#include <utility>
#include <vector>

#include "checker/automata/components.h"

namespace cmc::automata {

namespace {

using Edge = Graph::Edge;

class Degeneralization {
 public:
  explicit Degeneralization(const Graph& graph)
      : graph_(graph), components_(components_of(graph)), sure_(graph.states.size(), graph.all_marks) {
    std::vector<Marks> common(components_.count(), graph.all_marks);
    std::vector<Marks> present(components_.count(), 0);
    for (uint32_t state = 0; state < graph.states.size(); ++state) {
      const uint32_t component = components_.of[state];
      for (const Edge& edge : graph.states[state]) {
        if (components_.of[edge.target] != component) continue;
        common[component] &= edge.marks;
        present[component] |= edge.marks;
        sure_[state] &= edge.marks;
      }
    }
    for (size_t i = 0; i < components_.count(); ++i) {
      accepting_.push_back(components_.nontrivial[i] && present[i] == graph.all_marks);
      std::vector<Marks>& counted = counted_.emplace_back();
      for (Marks rest = graph.all_marks & ~common[i]; accepting_[i] && rest != 0; rest &= rest - 1) {
        counted.push_back(rest & -rest);
      }
    }
  }

  std::optional<Graph> run(GraphLimits limits) {
    size_t edge_count = 0;
    copy_of(0, level_behind(0, 0, 0));
    for (uint32_t number = 0; number < copies_.size(); ++number) {
      const Copy copy = copies_[number];
      std::vector<Edge> edges;
      for (const Edge& edge : graph_.states[copy.state]) {
        const bool stays = components_.of[copy.state] == components_.of[edge.target];
        const size_t level =
            stays ? level_behind(copy.level, edge.marks, edge.target) : level_behind(0, 0, edge.target);
        edges.push_back({copy_of(edge.target, level), edge.cube, accepts(copy) ? kAccepting : 0});
      }
      edge_count += edges.size();
      if (number == limits.states || edge_count > limits.edges) return std::nullopt;
      result_.states.push_back(std::move(edges));
    }
    enter_last_copies();
    result_.all_marks = kAccepting;
    return std::move(result_);
  }

 private:
  static constexpr Marks kAccepting = 1;

  struct Copy {
    uint32_t state = 0;
    size_t level = 0;  // so many of the marks that count have been met
    friend auto operator<=>(const Copy&, const Copy&) = default;
  };

  [[nodiscard]] const std::vector<Marks>& counted(uint32_t state) const { return counted_[components_.of[state]]; }

  [[nodiscard]] bool accepts(const Copy& copy) const {
    return accepting_[components_.of[copy.state]] && copy.level == counted(copy.state).size();
  }

  // The marks that all edges of `target` have in its component are met soon: they count at once.
  [[nodiscard]] size_t level_behind(size_t level, Marks met, uint32_t target) const {
    const std::vector<Marks>& marks = counted(target);
    if (level == marks.size()) level = 0;
    while (level < marks.size() && ((met | sure_[target]) & marks[level]) != 0) ++level;
    return level;
  }

  uint32_t copy_of(uint32_t state, size_t level) {
    const auto [place, is_new] = numbers_.try_emplace({state, level}, static_cast<uint32_t>(copies_.size()));
    if (is_new) copies_.push_back({state, level});
    return place->second;
  }

  // All copies of a state accept the same words. A run that enters a component starts at the copy that it could not
  // leave for good, so that others can turn out to be superfluous.
  void enter_last_copies() {
    const Components components = components_of(result_);
    std::vector<uint32_t> last(graph_.states.size(), 0);
    std::vector<bool> known(graph_.states.size(), false);
    for (uint32_t number = 0; number < copies_.size(); ++number) {
      const uint32_t state = copies_[number].state;
      if (known[state] && components.of[number] >= components.of[last[state]]) continue;
      last[state] = number;
      known[state] = true;
    }
    for (uint32_t number = 0; number < copies_.size(); ++number) {
      for (Edge& edge : result_.states[number]) {
        const uint32_t state = copies_[edge.target].state;
        if (components_.of[state] != components_.of[copies_[number].state]) edge.target = last[state];
      }
    }
    make_initial(last[0]);
  }

  void make_initial(uint32_t state) {
    std::swap(result_.states[0], result_.states[state]);
    for (auto& edges : result_.states) {
      for (Edge& edge : edges) edge.target = edge.target == 0 ? state : edge.target == state ? 0 : edge.target;
    }
  }

  const Graph& graph_;
  Components components_;
  std::vector<Marks> sure_;                  // by state: all edges inside the component have them
  std::vector<bool> accepting_;              // by component
  std::vector<std::vector<Marks>> counted_;  // by component, in the order in which they count
  std::vector<Copy> copies_;                 // by number of the copy
  std::map<Copy, uint32_t> numbers_;
  Graph result_;
};

}  // namespace

std::optional<Graph> degeneralize(const Graph& graph, GraphLimits limits) {
  return Degeneralization(graph).run(limits);
}

}  // namespace cmc::automata
