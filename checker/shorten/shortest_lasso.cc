#include "checker/shorten/shortest_lasso.h"

#include <vector>

#include "base/check.h"
#include "base/components.h"

namespace cmc {

namespace {

using Id = StatementGraph::Id;

constexpr uint32_t kFar = 0xffffffff;
constexpr uint64_t kSpreadPerQuestion = 1024;
constexpr uint64_t kWorkPerQuestion = 128;  // the edges are there

struct Hop {  // an edge on a path
  Id source = 0;
  uint64_t edge = 0;
};

// The components of the expanded states.
StrongComponents components_of(const StatementGraph& graph) {
  const auto states = static_cast<uint32_t>(graph.expanded());
  return strong_components(states, [&](Id state, uint32_t i) {
    const uint64_t edge = graph.first_edge(state) + i;
    return edge < graph.end_edge(state) ? std::optional(graph.target(edge)) : std::nullopt;
  });
}

class LassoSearch {
 public:
  LassoSearch(StatementGraph& graph, Effort& effort, uint64_t memory_bytes)
      : graph_(graph),
        effort_(effort),
        memory_bytes_(memory_bytes),
        components_(components_of(graph).of),
        forwards_(components_.size(), kFar) {
    backwards_ = forwards_;
    reverse_edges();
  }

  std::optional<Lasso> run() {
    for (const Id accepting : graph_.accepting()) {
      if (graph_.depth_of(accepting) + 1 >= best_.steps) break;  // ascending in depth, too
      if (has_cycle(accepting)) try_state(accepting);
      if (!effort_.cut().empty()) break;
    }
    if (best_.steps == kFar) return std::nullopt;
    return lasso();
  }

 private:
  struct Best {
    uint64_t steps = kFar;  // of stem and loop
    Id accepting = 0;
    Id begin = 0;  // of the loop
  };

  [[nodiscard]] bool is_inside(Id state, uint32_t component) const {
    return state < components_.size() && components_[state] == component;
  }
  // Whether a cycle passes the state.
  [[nodiscard]] bool has_cycle(Id state) const {
    for (uint64_t edge = graph_.first_edge(state); edge < graph_.end_edge(state); ++edge) {
      if (is_inside(graph_.target(edge), components_[state])) return true;
    }
    return false;
  }

  // Edges by their targets, for walks backwards.
  void reverse_edges() {
    const uint64_t states = components_.size();
    first_sources_.resize(states + 1);
    const auto for_each_edge = [&](const auto& visit) {
      for (Id source = 0; source < states; ++source) {
        for (uint64_t edge = graph_.first_edge(source); edge < graph_.end_edge(source); ++edge) {
          const Id target = graph_.target(edge);
          if (is_inside(target, components_[source])) visit(source, target);
        }
      }
    };
    for_each_edge([&](Id, Id target) { ++first_sources_[target + uint64_t{1}]; });
    for (uint64_t i = 0; i < states; ++i) first_sources_[i + 1] += first_sources_[i];
    sources_.resize(first_sources_.back());
    std::vector<uint64_t> next(first_sources_.begin(), first_sources_.end() - 1);
    for_each_edge([&](Id source, Id target) { sources_[next[target]++] = source; });
  }

  // Improves best_ by the loops through an accepting state.
  void try_state(Id accepting) {
    const uint64_t depth = graph_.depth_of(accepting);
    const uint64_t longest =
        best_.steps - depth - 1;  // way from the state back to the stem, to be better than the best
    const std::vector<Id> behind = spread(accepting, longest, forwards_, [&](Id state, const auto& visit) {
      for (uint64_t edge = graph_.first_edge(state); edge < graph_.end_edge(state); ++edge) {
        const Id target = graph_.target(edge);
        if (is_inside(target, components_[accepting])) visit(target);
      }
    });
    const std::vector<Id> before = spread(accepting, best_.steps, backwards_, [&](Id state, const auto& visit) {
      for (uint64_t i = first_sources_[state]; i < first_sources_[state + uint64_t{1}]; ++i) visit(sources_[i]);
    });
    Best best = best_;
    const auto offer = [&](uint64_t steps, Id begin) {
      if (steps < best.steps || (steps == best.steps && best.accepting == accepting && begin < best.begin))
        best = {steps, accepting, begin};
    };
    for (const Id state : behind) {
      const uint64_t back = backwards_[state];
      if (state != accepting && back != kFar) offer(graph_.depth_of(state) + back + forwards_[state], state);
    }
    for (uint64_t i = first_sources_[accepting]; i < first_sources_[accepting + uint64_t{1}]; ++i) {
      if (forwards_[sources_[i]] != kFar) offer(depth + forwards_[sources_[i]] + 1, accepting);
    }
    for (const Id state : behind) forwards_[state] = kFar;
    for (const Id state : before) backwards_[state] = kFar;
    if (effort_.cut().empty()) best_ = best;
  }

  // The states within `longest` steps, and how far each is. neighbours(state, visit) calls visit(neighbour).
  template <class Neighbours>
  std::vector<Id> spread(Id from, uint64_t longest, std::vector<uint32_t>& distance, const Neighbours& neighbours) {
    std::vector<Id> queue{from};
    distance[from] = 0;
    for (size_t i = 0; i < queue.size() && distance[queue[i]] < longest; ++i) {
      if (++spread_ % kSpreadPerQuestion == 0) {
        effort_.spend(kWorkPerQuestion);
        if (!effort_.may_go_on(memory_bytes_)) break;
      }
      const uint32_t next = distance[queue[i]] + 1;
      neighbours(queue[i], [&](Id neighbour) {
        if (distance[neighbour] != kFar) return;
        distance[neighbour] = next;
        queue.push_back(neighbour);
      });
    }
    return queue;
  }

  Lasso lasso() {
    Lasso lasso;
    lasso.path = graph_.path_to(best_.begin);
    lasso.loop_start = lasso.path.size();
    lasso.edges = best_.steps;
    if (best_.begin != best_.accepting) walk(best_.begin, best_.accepting, lasso.path);
    walk(best_.accepting, best_.begin, lasso.path);
    return lasso;
  }

  // Appends the first one of the shortest paths with at least one edge, inside the component.
  void walk(Id from, Id to, std::vector<Step>& path) {
    std::vector<Hop> reached(1);  // by place in the queue: how its state was reached, and from which place
    std::vector<size_t> origins(1);
    std::vector<Id> queue{from};
    forwards_[from] = 0;
    std::vector<Hop> way;
    for (size_t i = 0; way.empty(); ++i) {
      CHECK(i < queue.size());
      const Id state = queue[i];
      for (uint64_t edge = graph_.first_edge(state); edge < graph_.end_edge(state) && way.empty(); ++edge) {
        const Id target = graph_.target(edge);
        if (target == to) {
          way.push_back({state, edge});
          for (size_t at = i; at != 0; at = origins[at]) way.push_back(reached[at]);
        } else if (is_inside(target, components_[from]) && forwards_[target] == kFar) {
          forwards_[target] = 0;
          queue.push_back(target);
          reached.push_back({state, edge});
          origins.push_back(i);
        }
      }
    }
    for (const Id state : queue) forwards_[state] = kFar;
    for (size_t i = way.size(); i-- > 0;) graph_.append_steps(way[i].source, way[i].edge, path);
  }

  StatementGraph& graph_;
  Effort& effort_;
  const uint64_t memory_bytes_;
  const std::vector<uint32_t> components_;  // by expanded state
  std::vector<uint64_t> first_sources_;
  std::vector<Id> sources_;
  std::vector<uint32_t> forwards_;   // steps from the accepting state that is tried
  std::vector<uint32_t> backwards_;  // to it
  uint64_t spread_ = 0;
  Best best_;
};

}  // namespace

std::optional<Lasso> find_shortest_lasso(StatementGraph& graph, Effort& effort) {
  constexpr uint64_t kBytesPerState = 60;  // of the class above, edges apart
  const uint64_t needed = graph.expanded() * kBytesPerState + graph.edges() * sizeof(Id);
  if (graph.accepting().empty() || !effort.may_go_on(graph.memory_bytes() + needed)) return std::nullopt;
  return LassoSearch(graph, effort, graph.memory_bytes() + needed).run();
}

}  // namespace cmc
