#include "checker/shorten/fewest_switches.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "checker/result/switches.h"

namespace cmc {
namespace {

using Id = StatementGraph::Id;

constexpr uint64_t kLooksPerQuestion = 256;

// The best way to a state among those that end with the same movers.
struct Way {
  uint64_t switches = 0;
  Id source = 0;
  uint64_t edge = 0;
  Movers before;  // whose way to the source it continues
};
using Ways = std::map<Movers, Way>;

class Search {
 public:
  Search(StatementGraph& graph, std::span<const PathEnd> ends, Effort& effort)
      : graph_(graph), ends_(ends), effort_(effort), depth_(graph.depth_of(ends.front().state)) {}

  std::optional<SwitchingPath> run() {
    if (!mark() || !go_forward()) return std::nullopt;
    return best();
  }

 private:
  // By level: the states from which an end can be reached in time. False: the effort is spent.
  bool mark() {
    marked_.resize(depth_ + 1);
    for (const PathEnd& end : ends_) marked_[depth_].push_back(end.state);
    sort_last(depth_);
    uint64_t looked = 0;
    for (uint64_t level = depth_; level-- > 0;) {
      for (Id state = graph_.first_of_level(level); state < graph_.first_of_level(level + 1); ++state) {
        if (looked++ % kLooksPerQuestion == 0 && !may_go_on()) return false;
        for (uint64_t edge = graph_.first_edge(state); edge < graph_.end_edge(state); ++edge) {
          if (!is_marked(level + 1, graph_.target(edge))) continue;
          marked_[level].push_back(state);
          break;
        }
      }
    }
    return true;
  }
  void sort_last(uint64_t level) {
    auto& marked = marked_[level];
    std::ranges::sort(marked);
    marked.erase(std::unique(marked.begin(), marked.end()), marked.end());
  }
  [[nodiscard]] bool is_marked(uint64_t level, Id state) const {
    return std::ranges::binary_search(marked_[level], state);
  }

  bool go_forward() {
    ways_[0][Movers{}] = Way{};
    uint64_t looked = 0;
    for (uint64_t level = 0; level < depth_; ++level) {
      for (const Id state : marked_[level]) {
        if (looked++ % kLooksPerQuestion == 0 && !may_go_on()) return false;
        expand(level, state);
      }
    }
    return true;
  }
  void expand(uint64_t level, Id state) {
    const Ways known = ways_[state];
    graph_.visit_edges(state, [&](uint64_t edge, Id target, std::span<const Step> steps) {
      effort_.spend(1);
      if (!is_marked(level + 1, target)) return;
      Ways& ways = ways_[target];
      for (const auto& [before, way] : known) {
        Movers last = before;
        const uint64_t switches = way.switches + count_switches(steps, last);
        const auto [found, is_new] = ways.try_emplace(last, Way{switches, state, edge, before});
        if (!is_new && switches < found->second.switches) found->second = {switches, state, edge, before};
      }
    });
  }

  [[nodiscard]] SwitchingPath best() {
    std::optional<SwitchingPath> best;
    Movers best_last;
    for (size_t i = 0; i < ends_.size(); ++i) {
      for (const auto& [last, way] : ways_[ends_[i].state]) {
        Movers movers = last;
        const uint64_t switches = way.switches + count_switches(ends_[i].steps, movers);
        if (best && switches >= best->switches) continue;
        best = SwitchingPath{{}, i, switches};
        best_last = last;
      }
    }
    CHECK(best);
    std::vector<std::pair<Id, uint64_t>> edges;
    Movers last = best_last;
    for (Id state = ends_[best->end].state; state != 0;) {
      const Way& way = ways_.at(state).at(last);
      edges.emplace_back(way.source, way.edge);
      last = way.before;
      state = way.source;
    }
    for (size_t i = edges.size(); i-- > 0;) graph_.append_steps(edges[i].first, edges[i].second, best->path);
    best->path.insert(best->path.end(), ends_[best->end].steps.begin(), ends_[best->end].steps.end());
    return std::move(*best);
  }

  [[nodiscard]] bool may_go_on() {
    constexpr uint64_t kWayBytes = 200;
    return effort_.may_go_on(graph_.memory_bytes() + ways_.size() * kWayBytes);
  }

  StatementGraph& graph_;
  std::span<const PathEnd> ends_;
  Effort& effort_;
  const uint64_t depth_;
  std::vector<std::vector<Id>> marked_;
  std::map<Id, Ways> ways_;
};

}  // namespace

std::optional<SwitchingPath> path_with_fewest_switches(StatementGraph& graph, std::span<const PathEnd> ends,
                                                       Effort& effort) {
  return Search(graph, ends, effort).run();
}

}  // namespace cmc
