#include "checker/search/cycles/hull.h"

#include <memory>
#include <vector>

#include "tests/cycles/random_graph.h"
#include "tests/support/part_of_day.h"

#include "tests/catch.h"

namespace cmc {
namespace {

template <unsigned W>
void insert_reachable(KeySet<W>& set, const NumberedGraph& graph, const NumberLayout<W>& layout) {
  const Expected expected(graph);
  for (uint32_t node = 0; node < graph.size(); ++node) {
    if (!expected.reachable[node]) continue;
    set.insert(layout.key(node));
    if (set.needs_growth()) {
      set.prepare_to_grow();
      set.grow();
    }
  }
}

struct HullRun {
  uint32_t threads = 1;
  unsigned value_bits = 2;
  uint64_t seed = 1;
};

template <unsigned W>
HullResult compare_hull(const NumberedGraph& graph, const HullRun& run) {
  const NumberLayout<W> layout(graph.size(), graph.size(), run.seed);
  KeySetOptions options;
  options.shared = run.threads > 1;
  options.value_bits = run.value_bits;
  KeySet<W> set(options, NumberLayout<W>::word_bits());
  insert_reachable(set, graph, layout);
  std::vector<std::unique_ptr<KeyedGraph<W>>> own;
  std::vector<KeyedGraph<W>*> graphs;
  for (uint32_t i = 0; i < run.threads; ++i)
    graphs.push_back(own.emplace_back(std::make_unique<KeyedGraph<W>>(graph, layout)).get());

  HullResult result = Hull<KeyedGraph<W>>(set, graphs, never_stop).run();
  REQUIRE_FALSE(result.stopped);
  const Expected expected(graph);
  const std::vector<bool> hull = expected.hull(graph);
  std::vector<bool> found(graph.size(), false);
  set.visit([&](const Key<W>& key, uint64_t value) { found[layout.number(key)] = value != 0; });
  REQUIRE(found == hull);
  REQUIRE(result.nodes == static_cast<uint64_t>(std::ranges::count(hull, true)));
  REQUIRE((result.nodes > 0) == expected.any());
  REQUIRE_FALSE(result.passes.empty());
  REQUIRE(result.passes.back().nodes == result.nodes);
  for (size_t i = 1; i < result.passes.size(); ++i) REQUIRE(result.passes[i].nodes <= result.passes[i - 1].nodes);
  uint64_t expansions = 0;
  for (const auto& each : own) expansions += each->expansions;
  for (const HullPass& pass : result.passes) expansions -= pass.expansions;
  REQUIRE(expansions == 0);
  return result;
}

// A chain of nodes, of which each leads to `arcs` copies of the next one, and at the end perhaps to itself.
NumberedGraph chain(uint32_t size, uint32_t arcs, bool cyclic) {
  NumberedGraph graph;
  graph.arcs.resize(size);
  graph.in_region.assign(size, true);
  for (uint32_t i = 0; i + 1 < size; ++i) {
    for (uint32_t arc = 0; arc < arcs; ++arc) graph.arcs[i].push_back({i + 1, 0});
  }
  if (cyclic) graph.arcs.back().push_back({size - 1, 0});
  return graph;
}

TEST_CASE("hull: equal to what Tarjan's algorithm finds, in random graphs", "[long]") {
  const test::PartOfDay part;
  std::mt19937_64 random(1);
  uint32_t accepting = 0;
  for (int i = 0; i < 5000; ++i) {
    const NumberedGraph graph = random_graph(random);
    const HullRun run{1, 2 + static_cast<unsigned>(i % 5), random()};
    if (!part.has(static_cast<uint64_t>(i))) continue;
    const HullResult result = i % 4 == 0 ? compare_hull<2>(graph, run) : compare_hull<1>(graph, run);
    accepting += result.nodes > 0 ? 1 : 0;
    if (i % 5 == 0) compare_hull<1>(graph, {2, run.value_bits, run.seed});
    if (i % 25 == 0) compare_hull<1>(graph, {8, run.value_bits, run.seed});
  }
  const uint64_t graphs = part.is_whole() ? 5000 : 5000 / test::kPartsOfDay;
  REQUIRE(accepting > graphs / 5);
  REQUIRE(accepting < graphs * 4 / 5);
}

TEST_CASE("hull: a chain is removed in one pass") {
  for (const uint32_t arcs : {1U, 2U}) {
    for (const uint32_t threads : {1U, 3U}) {
      REQUIRE(compare_hull<1>(chain(20000, arcs, false), {threads, 3, 7}).nodes == 0);
      const HullResult result = compare_hull<1>(chain(20000, arcs, true), {threads, 3, 7});
      REQUIRE(result.nodes == 1);
      // The region, then one trim: each node is expanded once, and once more when it is removed.
      REQUIRE(result.passes.size() == 2);
      REQUIRE(result.passes[1].expansions == 20000 + 19999);
    }
  }
}

TEST_CASE("hull: counts of predecessors that do not fit cost passes, not nodes") {
  NumberedGraph graph = chain(40, 3, false);
  const HullResult few = compare_hull<1>(graph, {1, 2, 1});
  REQUIRE(few.nodes == 0);
  REQUIRE(few.passes.size() > 30);
  REQUIRE(compare_hull<1>(graph, {1, 3, 1}).passes.size() == 2);
}

TEST_CASE("hull: more nodes are found than a thread's stack holds") {
  constexpr uint32_t kFan = 40000;
  NumberedGraph graph;
  graph.sets = 1;
  graph.arcs.resize(2 * kFan + 1);
  graph.in_region.assign(2 * kFan + 1, true);
  for (uint32_t i = 1; i <= kFan; ++i) {
    graph.arcs[0].push_back({i, 1});
    graph.arcs[i].push_back({kFan + i, 0});
  }
  for (const bool cyclic : {false, true}) {
    if (cyclic) graph.arcs[0].push_back({0, 1});
    for (const uint32_t threads : {1U, 2U}) {
      REQUIRE(compare_hull<1>(graph, {threads, 4, 5}).nodes == (cyclic ? 2 * kFan + 1 : 0));
    }
  }
}

TEST_CASE("hull: it can be stopped, and a graph that fails ends it") {
  const NumberedGraph graph = chain(5000, 2, true);
  for (const bool by_graph : {false, true}) {
    const NumberLayout<1> layout(graph.size(), by_graph ? 4000 : graph.size(), 3);
    KeySetOptions options;
    options.value_bits = 4;
    KeySet<1> set(options, NumberLayout<1>::word_bits());
    insert_reachable(set, graph, layout);
    KeyedGraph<1> keyed(graph, layout);
    KeyedGraph<1>* const graphs[] = {&keyed};
    int questions = 0;
    REQUIRE(Hull<KeyedGraph<1>>(set, graphs, [&](uint64_t) { return ++questions == 2 && !by_graph; }).run().stopped);
    REQUIRE(keyed.expansions < 5000);
  }
}

}  // namespace
}  // namespace cmc
