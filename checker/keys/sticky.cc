#include "checker/keys/sticky.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace cmc {

namespace {

class Cutting {
 public:
  explicit Cutting(std::span<const std::vector<CycleEdge>* const> cycles) {
    for (const std::vector<CycleEdge>* each : cycles) edges_.push_back(*each);
  }

  std::vector<std::vector<LocationId>> run() {
    std::vector<std::vector<LocationId>> sticky(edges_.size());
    for (;;) {
      prune();
      const std::optional<Choice> next = choose();
      if (!next) break;
      sticky[next->process].push_back(next->location);
      std::erase_if(edges_[next->process], [&](const CycleEdge& edge) { return edge.source == next->location; });
    }
    for (std::vector<LocationId>& each : sticky) std::ranges::sort(each);
    return sticky;
  }

 private:
  struct Choice {
    size_t process = 0;
    LocationId location = 0;
  };

  // Takes away what cannot be on a cycle.
  void prune() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::vector<CycleEdge>& each : edges_) changed |= keep_components(each);
      std::set<ComponentId> sent;
      std::set<ComponentId> received;
      bool sends_any = false;
      bool receives_any = false;
      for (const std::vector<CycleEdge>& each : edges_) {
        for (const CycleEdge& edge : each) {
          if (edge.sends != kControlComponent) sent.insert(edge.sends);
          if (edge.receives != kControlComponent) received.insert(edge.receives);
          sends_any |= edge.sends_any;
          receives_any |= edge.receives_any;
        }
      }
      const auto starves = [&](const CycleEdge& edge) {
        return (edge.receives != kControlComponent && !sends_any && !sent.contains(edge.receives)) ||
               (edge.sends != kControlComponent && !receives_any && !received.contains(edge.sends));
      };
      for (std::vector<CycleEdge>& each : edges_) changed |= std::erase_if(each, starves) > 0;
    }
  }

  // Keeps edges inside strongly connected components (Tarjan, 1972). Whether some were not.
  static bool keep_components(std::vector<CycleEdge>& edges) {
    if (edges.empty()) return false;
    size_t locations = 0;
    for (const CycleEdge& edge : edges)
      locations = std::max({locations, edge.source + size_t{1}, edge.target + size_t{1}});
    std::vector<uint32_t> first(locations + 1);  // by source, which edges are in the order of
    for (const CycleEdge& edge : edges) ++first[edge.source + size_t{1}];
    for (size_t i = 0; i < locations; ++i) first[i + 1] += first[i];
    struct Visit {
      LocationId location;
      uint32_t next;
    };
    std::vector<uint32_t> number(locations);
    std::vector<uint32_t> lowest(locations);
    std::vector<uint32_t> component(locations);
    std::vector<LocationId> open;
    std::vector<Visit> visits;
    uint32_t entered = 0;
    uint32_t components = 0;
    const auto enter = [&](LocationId location) {
      number[location] = lowest[location] = ++entered;
      open.push_back(location);
      visits.push_back({location, first[location]});
    };
    for (const CycleEdge& root : edges) {
      if (number[root.source] == 0) enter(root.source);
      while (!visits.empty()) {
        Visit& visit = visits.back();
        const LocationId at = visit.location;
        if (visit.next < first[at + size_t{1}]) {
          const LocationId target = edges[visit.next++].target;
          if (number[target] == 0) {
            enter(target);
          } else if (component[target] == 0) {
            lowest[at] = std::min(lowest[at], number[target]);
          }
          continue;
        }
        visits.pop_back();
        if (!visits.empty()) {
          uint32_t& before = lowest[visits.back().location];
          before = std::min(before, lowest[at]);
        }
        if (lowest[at] != number[at]) continue;
        ++components;
        for (;;) {
          const LocationId last = open.back();
          open.pop_back();
          component[last] = components;
          if (last == at) break;
        }
      }
    }
    return std::erase_if(edges,
                         [&](const CycleEdge& edge) { return component[edge.source] != component[edge.target]; }) > 0;
  }

  // Where many edges meet, and rather where others look on than where a process is by itself: there it has to wait
  // for them anyway.
  [[nodiscard]] std::optional<Choice> choose() const {
    std::optional<Choice> best;
    uint64_t best_score = 0;
    for (size_t process = 0; process < edges_.size(); ++process) {
      std::map<LocationId, std::pair<uint64_t, uint64_t>> degrees;
      std::set<LocationId> shared;
      for (const CycleEdge& edge : edges_[process]) {
        ++degrees[edge.source].first;
        ++degrees[edge.target].second;
        if (edge.shared) shared.insert(edge.source);
      }
      for (const auto& [location, degree] : degrees) {
        const uint64_t score = degree.first * degree.second * 2 + (shared.contains(location) ? 1 : 0);
        if (score <= best_score) continue;
        best_score = score;
        best = Choice{process, location};
      }
    }
    return best;
  }

  std::vector<std::vector<CycleEdge>> edges_;  // by process
};

}  // namespace

std::vector<std::vector<LocationId>> sticky_locations(std::span<const std::vector<CycleEdge>* const> cycles) {
  return Cutting(cycles).run();
}

}  // namespace cmc
