#include "checker/shorten/shortest_lasso.h"

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace cmc {

namespace {

using Id = StatementGraph::Id;

constexpr uint32_t kFar = 0xffffffff;
constexpr uint64_t kStatesPerQuestion = 1024;

struct Hop {  // an edge on a path
  Id source = 0;
  uint64_t edge = 0;
};

// The expanded states, their edges and strongly connected components (Tarjan, 1972).
class Components {
 public:
  explicit Components(const StatementGraph& graph) : graph_(graph), states_(graph.expanded()) {
    number_.resize(states_);
    lowest_.resize(states_);
    component_.resize(states_);
    for (Id root = 0; root < states_; ++root) {
      if (number_[root] == 0) search(root);
    }
    visits_ = {};
    open_ = {};
    number_ = lowest_ = {};
  }

  [[nodiscard]] uint64_t states() const { return states_; }
  [[nodiscard]] bool is_inside(Id state, Id component) const {
    return state < states_ && component_[state] == component;
  }
  [[nodiscard]] Id of(Id state) const { return component_[state]; }
  // Whether a cycle passes the state.
  [[nodiscard]] bool has_cycle(Id state) const {
    for (uint64_t edge = graph_.first_edge(state); edge < graph_.end_edge(state); ++edge) {
      if (is_inside(graph_.target(edge), component_[state])) return true;
    }
    return false;
  }

 private:
  struct Visit {
    Id state = 0;
    uint64_t next_edge = 0;
  };

  void enter(Id state) {
    number_[state] = lowest_[state] = ++entered_;
    visits_.push_back({state, graph_.first_edge(state)});
    open_.push_back(state);
  }
  void search(Id root) {
    enter(root);
    while (!visits_.empty()) {
      Visit& visit = visits_.back();
      const Id state = visit.state;
      if (visit.next_edge < graph_.end_edge(state)) {
        const Id target = graph_.target(visit.next_edge++);
        if (target >= states_) continue;
        if (number_[target] == 0) {
          enter(target);
        } else if (component_[target] == 0) {
          lowest_[state] = std::min(lowest_[state], number_[target]);
        }
        continue;
      }
      visits_.pop_back();
      if (!visits_.empty()) {
        Id& lowest = lowest_[visits_.back().state];
        lowest = std::min(lowest, lowest_[state]);
      }
      if (lowest_[state] == number_[state]) close(state);
    }
  }
  void close(Id root) {
    ++components_;
    for (Id state = root + 1; state != root;) {
      state = open_.back();
      open_.pop_back();
      component_[state] = components_;
    }
  }

  const StatementGraph& graph_;
  const uint64_t states_;
  std::vector<Id> number_;  // in order of discovery, from 1; 0: not found
  std::vector<Id> lowest_;
  std::vector<Id> component_;  // from 1; 0: still open
  std::vector<Visit> visits_;
  std::vector<Id> open_;
  Id entered_ = 0;
  Id components_ = 0;
};

class LassoSearch {
 public:
  LassoSearch(StatementGraph& graph, Effort& effort, uint64_t memory_bytes)
      : graph_(graph),
        effort_(effort),
        memory_bytes_(memory_bytes),
        components_(graph),
        forwards_(components_.states(), kFar) {
    backwards_ = forwards_;
    reverse_edges();
  }

  std::optional<Lasso> run() {
    for (const Id accepting : graph_.accepting()) {
      if (graph_.depth_of(accepting) + 1 >= best_.steps) break;  // ascending in depth, too
      if (components_.has_cycle(accepting)) try_state(accepting);
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

  // Edges by their targets, for walks backwards.
  void reverse_edges() {
    const uint64_t states = components_.states();
    first_sources_.resize(states + 1);
    const auto for_each_edge = [&](const auto& visit) {
      for (Id source = 0; source < states; ++source) {
        for (uint64_t edge = graph_.first_edge(source); edge < graph_.end_edge(source); ++edge) {
          const Id target = graph_.target(edge);
          if (components_.is_inside(target, components_.of(source))) visit(source, target);
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
        if (components_.is_inside(target, components_.of(accepting))) visit(target);
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
      if (++spread_ % kStatesPerQuestion == 0 && !effort_.may_go_on(memory_bytes_)) break;
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
        } else if (components_.is_inside(target, components_.of(from)) && forwards_[target] == kFar) {
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
  const Components components_;
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
