#include "checker/search/cycles/scc_search.h"

#include <memory>
#include <vector>

#include "checker/search/cycles/lasso.h"
#include "tests/cycles/random_graph.h"
#include "tests/support/part_of_day.h"

#include "tests/catch.h"

namespace cmc {
namespace {

// The graph is searched with keys of more and more numbers, of W and of V words in turn.
template <unsigned W, unsigned V>
class GrowingSearch {
 public:
  GrowingSearch(const NumberedGraph& graph, uint32_t known, uint64_t seed)
      : graph_(graph), expected_(graph), known_(known), seed_(seed) {}

  uint32_t layouts = 0;
  uint32_t stops = 0;

  void run() {
    const NumberLayout<W> layout(graph_.size(), known_, seed_);
    auto search = std::make_unique<SccSearch<W>>(KeySetOptions{}, NumberLayout<W>::word_bits());
    search->start(layout.key(0));
    go_on<W, V>(std::move(search), layout);
  }

 private:
  template <unsigned A, unsigned B>
  void go_on(std::unique_ptr<SccSearch<A>> search, const NumberLayout<A>& layout) {
    using End = typename SccSearch<A>::End;
    ++layouts;
    KeyedGraph<A> keyed(graph_, layout);
    End end = End::kStopped;
    for (; end == End::kStopped; ++stops) {
      end = search->run(keyed, [&](uint64_t bytes) {
        REQUIRE(bytes > 0);
        return true;
      });
    }
    if (end != End::kNotExpanded) return compare(*search, layout, keyed, end == End::kFound);
    REQUIRE(known_ < graph_.size());
    known_ = std::min(graph_.size(), 2 * known_);
    const NumberLayout<B> next(graph_.size(), known_, ++seed_);
    auto wider = std::make_unique<SccSearch<B>>(KeySetOptions{}, NumberLayout<B>::word_bits());
    const uint64_t depth = search->depth();
    wider->take_over(*search, [&](const Key<A>& key) { return next.key(layout.number(key)); });
    REQUIRE(wider->depth() == depth);
    search.reset();
    go_on<B, A>(std::move(wider), next);
  }
  template <unsigned A>
  void compare(SccSearch<A>& search, const NumberLayout<A>& layout, KeyedGraph<A>& keyed, bool found) {
    REQUIRE(found == expected_.any());
    if (!found) {
      REQUIRE(search.nodes() == static_cast<uint64_t>(std::ranges::count(expected_.reachable, true)));
      REQUIRE(search.depth() == 0);
      return;
    }
    const Key<A> first = search.component_node();
    REQUIRE(expected_.on_accepting_cycle(layout.number(first)));
    for (uint32_t node = 0; node < graph_.size(); ++node) {
      if (!search.in_component(layout.key(node))) continue;
      REQUIRE(expected_.component[node] == expected_.component[layout.number(first)]);
    }
    const auto lasso =
        with_loop_in_component(keyed, search, NumberLayout<A>::word_bits(), never_stop, search.path_to_component());
    REQUIRE(lasso);
    REQUIRE(lasso->run[lasso->loop].target == first);
    REQUIRE(is_accepting_lasso(graph_, layout.arcs(lasso->run), lasso->loop));
  }

  const NumberedGraph& graph_;
  const Expected expected_;
  uint32_t known_;
  uint64_t seed_;
};

TEST_CASE("components: a cycle is found iff Tarjan's algorithm finds one, in random graphs, through layouts",
          "[long]") {
  const test::PartOfDay part;
  std::mt19937_64 random(2);
  uint32_t most_layouts = 0;
  for (int i = 0; i < 5000; ++i) {
    const NumberedGraph graph = random_graph(random);
    const uint32_t known = i % 2 == 0 ? graph.size() : 1 + static_cast<uint32_t>(random() % graph.size());
    const uint64_t seed = random();
    if (!part.has(static_cast<uint64_t>(i))) continue;
    if (i % 4 < 2) {
      GrowingSearch<1, 2> search(graph, known, seed);
      search.run();
      most_layouts = std::max(most_layouts, search.layouts);
    } else {
      GrowingSearch<2, 1> search(graph, known, seed);
      search.run();
    }
  }
  REQUIRE(most_layouts > 4);
}

// A random graph of many nodes, with one acceptance set, whose edges lead to greater numbers but for a few at the
// end.
NumberedGraph large_graph(uint32_t size, bool accepting) {
  std::mt19937_64 random(size);
  NumberedGraph graph;
  graph.sets = 2;
  graph.arcs.resize(size);
  graph.in_region.assign(size, true);
  const auto below = [&](uint64_t end) { return static_cast<uint32_t>(random() % end); };
  for (uint32_t i = 0; i + 1 < size; ++i) {
    graph.arcs[i].push_back({i + 1, below(2)});
    graph.arcs[i].push_back({i + 1 + below(size - i - 1), below(2)});
    graph.arcs[i].push_back({i - below(std::min(i + 1, 50U)), below(2)});
  }
  graph.arcs[size - 2].push_back({size - 10, accepting ? 2U : 1U});
  return graph;
}

TEST_CASE("components: in a large graph the set grows, and a search goes on with another layout") {
  for (const bool accepting : {false, true}) {
    const NumberedGraph graph = large_graph(60000, accepting);
    for (const uint32_t known : {60000U, 300U}) {
      GrowingSearch<1, 2> search(graph, known, 3);
      search.run();
      REQUIRE(search.stops > (accepting ? 0 : 50));
      REQUIRE(search.layouts == (known < 1000 ? 9 : 1));
    }
  }
}

TEST_CASE("components: a search can start at other nodes") {
  NumberedGraph graph;
  graph.sets = 1;
  graph.arcs = {{{1, 1}}, {{2, 0}}, {{1, 0}}, {{4, 1}, {1, 1}}, {{3, 0}}};
  graph.in_region.assign(5, true);
  const NumberLayout<1> layout(5, 5, 1);
  KeyedGraph<1> keyed(graph, layout);
  SccSearch<1> search({}, NumberLayout<1>::word_bits());
  for (const uint32_t node : {0U, 2U}) {
    search.start(layout.key(node));
    REQUIRE(search.run(keyed, never_stop) == SccSearch<1>::End::kNone);
    REQUIRE(search.nodes() == 3);
  }
  search.start(layout.key(4));
  REQUIRE(search.run(keyed, never_stop) == SccSearch<1>::End::kFound);
  REQUIRE(search.in_component(layout.key(3)));
  REQUIRE_FALSE(search.in_component(layout.key(1)));
  REQUIRE(search.path_to_component().size() == 1);
  REQUIRE(search.path_to_component().front().target == layout.key(4));
}

}  // namespace
}  // namespace cmc
