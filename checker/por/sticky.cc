#include "checker/por/sticky.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "base/components.h"

namespace cmc {

namespace {

class Cutting {
 public:
  explicit Cutting(std::span<const std::vector<CycleEdge>* const> cycles) {
    for (const std::vector<CycleEdge>* each : cycles) {
      std::ranges::stable_sort(edges_.emplace_back(*each), {}, &CycleEdge::source);
    }
    changed_.resize(edges_.size(), true);
  }

  std::vector<std::vector<LocationId>> run() {
    std::vector<std::vector<LocationId>> sticky(edges_.size());
    const auto cut = [&](const Choice& choice) {
      sticky[choice.process].push_back(choice.location);
      std::erase_if(edges_[choice.process], [&](const CycleEdge& edge) { return edge.source == choice.location; });
      changed_[choice.process] = true;
    };
    prune_each();
    for (size_t process = 0; process < edges_.size(); ++process) {
      for (;;) {
        const auto creates = std::ranges::find(edges_[process], true, &CycleEdge::creates);
        if (creates == edges_[process].end()) break;
        cut({process, creates->source});
      }
    }
    for (;;) {
      prune();
      const std::optional<Choice> next = choose();
      if (!next) break;
      cut(*next);
    }
    for (std::vector<LocationId>& each : sticky) std::ranges::sort(each);
    return sticky;
  }

 private:
  struct Choice {
    size_t process = 0;
    LocationId location = 0;
  };

  // Takes away what cannot be on a cycle of a process, whatever the others do. Whether there was something.
  bool prune_each() {
    bool any = false;
    for (size_t process = 0; process < edges_.size(); ++process) {
      if (!changed_[process]) continue;
      while (keep_components(edges_[process]) || cut_by_locals(edges_[process])) any = true;
      changed_[process] = false;
    }
    return any;
  }

  // And what cannot be, because the others do not go along.
  void prune() {
    for (bool changed = true; changed;) {
      changed = prune_each();
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
      for (size_t process = 0; process < edges_.size(); ++process) {
        if (std::erase_if(edges_[process], starves) > 0) changed = changed_[process] = true;
      }
    }
  }

  // A local has in the end what it had at first, too. Whether edges were taken away for that.
  static bool cut_by_locals(std::vector<CycleEdge>& edges) {
    std::set<uint32_t> offsets;
    for (const CycleEdge& edge : edges) {
      for (const LocalUse& use : edge.locals) offsets.insert(use.offset);
    }
    return std::ranges::any_of(
        offsets, [&](uint32_t offset) { return cut_flag(edges, offset) || cut_counter(edges, offset); });
  }

  template <class Test>
  static bool uses_local(const CycleEdge& edge, uint32_t offset, const Test& test) {
    return std::ranges::any_of(edge.locals, [&](const LocalUse& use) { return use.offset == offset && test(use); });
  }

  // If all that is done with a local is to set it to one value, then no cycle does so and passes a guard that is
  // false then: guards that are not on a cycle without such an edge are on none.
  static bool cut_flag(std::vector<CycleEdge>& edges, uint32_t offset) {
    std::optional<int32_t> value;
    for (const CycleEdge& edge : edges) {
      for (const LocalUse& use : edge.locals) {
        if (use.offset != offset || !writes(use)) continue;
        if (use.kind != LocalUse::Kind::kSet || value.value_or(use.value) != use.value) return false;
        value = use.value;
      }
    }
    if (!value) return false;
    const auto sets = [&](const CycleEdge& edge) { return uses_local(edge, offset, writes); };
    const auto refutes = [&](const CycleEdge& edge) {
      return uses_local(edge, offset, [&](const LocalUse& use) { return is_false(use, *value); });
    };
    return cut_unless_cyclic(edges, sets, refutes) || cut_unless_cyclic(edges, refutes, sets);
  }

  // If all that is done with a local is to add to it, and no cycle does so without a guard that it is not too large,
  // then none does: it would grow for ever.
  static bool cut_counter(std::vector<CycleEdge>& edges, uint32_t offset) {
    int64_t added = 0;
    int64_t most = INT64_MAX;
    int64_t bound = INT64_MIN;
    for (const CycleEdge& edge : edges) {
      for (const LocalUse& use : edge.locals) {
        if (use.offset != offset) continue;
        if (use.kind == LocalUse::Kind::kIsAtMost) bound = std::max(bound, int64_t{use.value});
        if (!writes(use)) continue;
        if (use.kind != LocalUse::Kind::kAdd) return false;
        added += use.value;
        most = std::min(most, int64_t{use.most});
      }
    }
    if (added == 0 || bound == INT64_MIN || bound + added > most) return false;
    const auto adds = [&](const CycleEdge& edge) { return uses_local(edge, offset, writes); };
    const auto limits = [&](const CycleEdge& edge) {
      return uses_local(edge, offset, [](const LocalUse& use) { return use.kind == LocalUse::Kind::kIsAtMost; });
    };
    std::vector<CycleEdge> unlimited = edges;
    std::erase_if(unlimited, limits);
    keep_components(unlimited);
    if (std::ranges::any_of(unlimited, adds)) return false;  // there it may wrap around
    return std::erase_if(edges, adds) > 0;
  }

  static bool writes(const LocalUse& use) {
    return use.kind == LocalUse::Kind::kSet || use.kind == LocalUse::Kind::kAdd ||
           use.kind == LocalUse::Kind::kChange;
  }
  static bool is_false(const LocalUse& use, int32_t value) {
    switch (use.kind) {
      case LocalUse::Kind::kIs: return use.value != value;
      case LocalUse::Kind::kIsNot: return use.value == value;
      case LocalUse::Kind::kIsAtMost: return value > use.value;
      default: return false;
    }
  }

  // Takes away the doubtful edges that are on no cycle without the others. Whether there were some.
  template <class Other, class Doubtful>
  static bool cut_unless_cyclic(std::vector<CycleEdge>& edges, const Other& other, const Doubtful& doubtful) {
    if (std::ranges::none_of(edges, doubtful)) return false;
    std::vector<CycleEdge> rest = edges;
    std::erase_if(rest, other);
    keep_components(rest);
    return std::erase_if(edges, [&](const CycleEdge& edge) {
             return doubtful(edge) && std::ranges::find(rest, edge) == rest.end();
           }) > 0;
  }

  // Keeps edges inside strongly connected components. Whether some were not.
  static bool keep_components(std::vector<CycleEdge>& edges) {
    if (edges.empty()) return false;
    uint32_t locations = 0;
    for (const CycleEdge& edge : edges) locations = std::max({locations, edge.source + 1U, edge.target + 1U});
    std::vector<uint32_t> first(locations + size_t{1});  // by source, which edges are in the order of
    for (const CycleEdge& edge : edges) ++first[edge.source + size_t{1}];
    for (size_t i = 0; i < locations; ++i) first[i + 1] += first[i];
    const StrongComponents components = strong_components(locations, [&](uint32_t location, uint32_t i) {
      const uint32_t edge = first[location] + i;
      return edge < first[location + size_t{1}] ? std::optional<uint32_t>(edges[edge].target) : std::nullopt;
    });
    return std::erase_if(edges, [&](const CycleEdge& edge) {
             return components.of[edge.source] != components.of[edge.target];
           }) > 0;
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

  std::vector<std::vector<CycleEdge>> edges_;  // by process; of each, by source
  std::vector<bool> changed_;                  // by process: some have been taken away since prune_each()
};

}  // namespace

std::vector<std::vector<LocationId>> sticky_locations(std::span<const std::vector<CycleEdge>* const> cycles) {
  return Cutting(cycles).run();
}

std::vector<std::vector<LocationId>> sticky_locations(std::span<const std::vector<CycleEdge>* const> cycles,
                                                      std::span<const std::vector<uint8_t>> groups) {
  std::vector<const std::vector<CycleEdge>*> ordered(cycles.begin(), cycles.end());
  std::vector<size_t> from(cycles.size());  // by place, whose cycles are there
  std::iota(from.begin(), from.end(), size_t{0});
  for (const std::vector<uint8_t>& group : groups) {
    std::vector<uint8_t> sorted = group;
    std::ranges::stable_sort(sorted, [&](uint8_t a, uint8_t b) { return *cycles[a] < *cycles[b]; });
    for (size_t i = 0; i < group.size(); ++i) {
      from[group[i]] = sorted[i];
      ordered[group[i]] = cycles[sorted[i]];
    }
  }
  const std::vector<std::vector<LocationId>> in_order = sticky_locations(ordered);
  std::vector<std::vector<LocationId>> sticky(cycles.size());
  for (size_t i = 0; i < from.size(); ++i) sticky[from[i]] = in_order[i];
  for (const std::vector<uint8_t>& group : groups) {
    std::map<std::vector<CycleEdge>, std::set<LocationId>> of_equals;
    for (const uint8_t i : group) of_equals[*cycles[i]].insert(sticky[i].begin(), sticky[i].end());
    for (const uint8_t i : group) sticky[i].assign(of_equals[*cycles[i]].begin(), of_equals[*cycles[i]].end());
  }
  return sticky;
}

}  // namespace cmc
