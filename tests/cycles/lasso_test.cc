#include "checker/search/cycles/lasso.h"

#include <vector>

#include "checker/search/cycles/hull.h"
#include "tests/cycles/random_graph.h"

#include "tests/catch.h"

namespace cmc {
namespace {

template <unsigned W>
void find_from_hull(const NumberedGraph& graph, uint64_t seed) {
  const NumberLayout<W> layout(graph.size(), graph.size(), seed);
  KeySetOptions options;
  options.value_bits = 3;
  KeySet<W> set(options, NumberLayout<W>::word_bits());
  const Expected expected(graph);
  for (uint32_t node = 0; node < graph.size(); ++node) {
    if (expected.reachable[node]) set.insert(layout.key(node));
  }
  KeyedGraph<W> keyed(graph, layout);
  KeyedGraph<W>* const graphs[] = {&keyed};
  if (Hull<KeyedGraph<W>>(set, graphs, never_stop).run().nodes == 0) return;

  const auto lasso = find_lasso_in_hull(keyed, layout.key(0), set, {}, NumberLayout<W>::word_bits(), never_stop);
  REQUIRE(lasso);
  REQUIRE(is_accepting_lasso(graph, layout.arcs(lasso->run), lasso->loop));
}

TEST_CASE("lasso: one is found from the hull of random graphs", "[long]") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const NumberedGraph graph = random_graph(random);
    if (i % 2 == 0) {
      find_from_hull<1>(graph, random());
    } else {
      find_from_hull<2>(graph, random());
    }
  }
}

// 0 -> 1 -> ... -> size - 1 -> 0, one set, with its mark on the edge from `marked`.
NumberedGraph ring(uint32_t size, uint32_t marked) {
  NumberedGraph graph;
  graph.sets = 1;
  graph.arcs.resize(size);
  graph.in_region.assign(size, true);
  for (uint32_t i = 0; i < size; ++i) graph.arcs[i].push_back({(i + 1) % size, i == marked});
  return graph;
}

TEST_CASE("lasso: the loop goes through an edge of each set and back") {
  const NumberedGraph graph = ring(100, 63);
  const NumberLayout<1> layout(100, 100, 1);
  KeyedGraph<1> keyed(graph, layout);
  PathSearch paths(keyed, NumberLayout<1>::word_bits(), never_stop);
  std::vector<MarkedEdge<1>> run{{layout.key(0), 0}};
  REQUIRE(paths.go_on(run, [&](const MarkedEdge<1>& edge) { return edge.target == layout.key(60); }));
  REQUIRE(run.size() == 61);
  const auto lasso = with_loop(paths, run);
  REQUIRE(lasso);
  REQUIRE(lasso->loop == 60);
  REQUIRE(is_accepting_lasso(graph, layout.arcs(lasso->run), lasso->loop));
  REQUIRE(lasso->run.size() == 161);
}

TEST_CASE("lasso: a search for a path can be stopped") {
  const NumberedGraph graph = ring(5000, 4000);
  const NumberLayout<1> layout(5000, 5000, 1);
  KeyedGraph<1> keyed(graph, layout);
  PathSearch paths(keyed, NumberLayout<1>::word_bits(), [](uint64_t bytes) { return bytes > 60000; });
  REQUIRE_FALSE(with_loop(paths, {{layout.key(0), 0}}));
  REQUIRE(keyed.expansions < 5000);
}

}  // namespace
}  // namespace cmc
