#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "checker/plain/simple_search.h"
#include "checker/result/replay.h"
#include "ir/effects.h"
#include "tests/search/graph_generator.h"
#include "tests/support/part_of_day.h"

#include "tests/catch.h"

namespace cmc {
namespace {

using Node = GraphGenerator::Node;
using Edge = GraphGenerator::Edge;

SearchOptions all_errors(SearchOptions::Order order = SearchOptions::Order::kDepthFirst) {
  SearchOptions options;
  options.order = order;
  options.max_errors = 0;
  return options;
}

SearchOptions breadth_first() {
  SearchOptions options;
  options.order = SearchOptions::Order::kBreadthFirst;
  return options;
}

SearchResult search(GraphGenerator& generator, const SearchOptions& options, const Model& model = graph_model()) {
  return run_search(generator, model, options);
}

SearchResult search_graph(const std::vector<std::vector<Edge>>& graph, const SearchOptions& options) {
  GraphGenerator generator([&](uint64_t number, uint8_t, Node& node) { node.edges = graph[number]; });
  return search(generator, options);
}

// A width x height grid, steps to the right and down.
GraphGenerator grid(uint64_t width, uint64_t height) {
  return GraphGenerator([=](uint64_t number, uint8_t, Node& node) {
    if (number % width + 1 < width) node.edges.push_back({number + 1});
    if (number / width + 1 < height) node.edges.push_back({number + width});
  });
}

TEST_CASE("simple engine: a grid has its known states, transitions and depth in both orders") {
  for (const auto order : {SearchOptions::Order::kDepthFirst, SearchOptions::Order::kBreadthFirst}) {
    GraphGenerator generator = grid(40, 30);
    const SearchResult result = search(generator, all_errors(order));
    CHECK(result.states_stored == 1200);
    CHECK(result.transitions == 39 * 30 + 40 * 29);
    CHECK(result.states_matched == result.transitions - 1199);
    CHECK(result.depth_reached == 68);
    CHECK(result.state_bytes_max == 8);
    CHECK(result.verdict() == Verdict::kHolds);
    CHECK(result.all_expanded);
    CHECK(generator.calls == 1200);  // each state is expanded once
  }
}

TEST_CASE("simple engine: one state with a self-loop has one state and one transition") {
  const SearchResult result = search_graph({{{0}}}, all_errors());
  CHECK(result.states_stored == 1);
  CHECK(result.transitions == 1);
  CHECK(result.states_matched == 1);
  CHECK(result.depth_reached == 0);
}

TEST_CASE("simple engine: a sibling is entered where depth-first search meets it first") {
  // 0 -> 1, 0 -> 2, 1 -> 2: the way to 2 leads through 1.
  CHECK(search_graph({{{1}, {2}}, {{2}}, {}}, all_errors()).depth_reached == 2);
  CHECK(search_graph({{{1}, {2}}, {{2}}, {}}, all_errors(SearchOptions::Order::kBreadthFirst)).depth_reached == 1);
}

TEST_CASE("simple engine: depth counts the steps of an atomic sequence, and a rendezvous as two") {
  CHECK(search_graph({{{1, 5}}, {{2, 1, 0, true}}, {}}, all_errors()).depth_reached == 7);
  // To a known state SPIN goes one step less far.
  CHECK(search_graph({{{1}}, {{0, 5}}}, all_errors()).depth_reached == 5);
  CHECK(search_graph({{{1}}, {{0, 1, 0, true}}}, all_errors()).depth_reached == 2);
  CHECK(search_graph({{{1, 5}}, {}}, all_errors(SearchOptions::Order::kBreadthFirst)).depth_reached == 1);
}

// The search of SPIN's verifier as a recursive function over a set of numbers.
class PlainSearch {
 public:
  explicit PlainSearch(const std::vector<std::vector<Edge>>& graph) : graph_(graph) {}

  void visit(uint64_t number, uint64_t depth) {
    visited.insert(number);
    max_depth = std::max(max_depth, depth);
    for (const Edge& edge : graph_[number]) {
      ++transitions;
      const uint64_t cost = edge.steps + (edge.rendezvous ? 1 : 0);
      if (visited.count(edge.target) == 0) {
        visit(edge.target, depth + cost);
      } else {
        ++matched;
        max_depth = std::max(max_depth, depth + cost - 1);
      }
    }
  }

  std::set<uint64_t> visited;
  uint64_t transitions = 0;
  uint64_t matched = 0;
  uint64_t max_depth = 0;

 private:
  const std::vector<std::vector<Edge>>& graph_;
};

TEST_CASE("simple engine: random graphs have the counts and depth of a plain recursive search") {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::vector<Edge>> graph(1 + random() % 60);
    for (std::vector<Edge>& edges : graph) {
      edges.resize(random() % 5);
      for (Edge& edge : edges) {
        edge = {random() % graph.size(), 1 + static_cast<uint32_t>(random() % 3), 0, random() % 4 == 0};
      }
    }
    PlainSearch plain(graph);
    plain.visit(0, 0);
    const SearchResult depth_first = search_graph(graph, all_errors());
    INFO("seed " << seed);
    REQUIRE(depth_first.states_stored == plain.visited.size());
    REQUIRE(depth_first.transitions == plain.transitions);
    REQUIRE(depth_first.states_matched == plain.matched);
    REQUIRE(depth_first.depth_reached == plain.max_depth);
    const SearchResult other = search_graph(graph, all_errors(SearchOptions::Order::kBreadthFirst));
    REQUIRE(other.states_stored == plain.visited.size());
    REQUIRE(other.transitions == plain.transitions);
    REQUIRE(other.states_matched == plain.matched);
  }
}

TEST_CASE("simple engine: an invalid end state is a violation with its path, and no error if not asked for") {
  GraphGenerator generator([](uint64_t number, uint8_t, Node& node) {
    if (number < 9) {
      node.edges = {{number + 1}};
    } else {
      node.invalid_end = true;
    }
  });
  const SearchResult result = search(generator, {});
  CHECK(result.verdict() == Verdict::kViolated);
  CHECK(!result.all_expanded);
  REQUIRE(result.errors.size() == 1);
  CHECK(error_kind_name(result.errors[0].kind) == std::string("invalid end state"));
  CHECK(result.errors[0].depth == 9);
  CHECK(result.errors[0].has_path);
  CHECK(result.errors[0].path.size() == 9);
  CHECK(verify_error(result.errors[0], generator).empty());

  SearchOptions options;
  options.check_end_states = false;
  CHECK(search(generator, options).verdict() == Verdict::kHolds);
}

// A binary tree; odd leaves fail.
GraphGenerator failing_tree(uint64_t leaves) {
  return GraphGenerator([=](uint64_t number, uint8_t, Node& node) {
    if (number + 1 < leaves) {
      node.edges = {{2 * number + 1}, {2 * number + 2}};
    } else if (number % 2 == 1) {
      node.failures.push_back({RuntimeErrorKind::kIndexOutOfBounds, "index", 1, 7});
    }
  });
}

TEST_CASE("simple engine: max_errors stops at exactly that many, and zero never") {
  for (const uint64_t wanted : {1u, 2u, 31u}) {
    GraphGenerator generator = failing_tree(64);
    SearchOptions options;
    options.max_errors = wanted;
    const SearchResult result = search(generator, options);
    CHECK(result.error_count == wanted);
    CHECK(result.errors.size() == wanted);
    CHECK(!result.all_expanded);
    CHECK(result.reasons.empty());
    CHECK(result.transitions == result.states_stored + result.states_matched - 1);
  }
  GraphGenerator generator = failing_tree(64);
  const SearchResult result = search(generator, all_errors());
  CHECK(result.error_count == 32);
  CHECK(result.states_stored == 127);
  CHECK(result.all_expanded);
  CHECK(result.verdict() == Verdict::kViolated);
}

TEST_CASE("simple engine: errors beyond the limits of paths and of entries are still counted") {
  GraphGenerator generator = failing_tree(64);
  SearchOptions options = all_errors();
  options.max_trails = 3;
  options.max_reported_errors = 10;
  const SearchResult result = search(generator, options);
  CHECK(result.error_count == 32);
  REQUIRE(result.errors.size() == 10);
  for (size_t i = 0; i < result.errors.size(); ++i) {
    CHECK(result.errors[i].has_path == (i == 0));  // one for each kind and place
    CHECK(result.errors[i].depth == 7);
    CHECK(result.errors[i].path.size() == (i == 0 ? 7 : 0));
  }
}

TEST_CASE("simple engine: an assertion that fails does not end the exploration behind it") {
  GraphGenerator generator([](uint64_t number, uint8_t, Node& node) {
    if (number < 5) node.edges = {{number + 1}};
    if (number == 2) node.failures.push_back({RuntimeErrorKind::kAssertion, "assertion violated: x", 1, 0});
  });
  const SearchResult result = search(generator, all_errors());
  CHECK(result.error_count == 1);
  CHECK(result.states_stored == 6);
  CHECK(error_kind_name(result.errors[0].kind) == std::string("assertion"));
  CHECK(result.errors[0].message == "assertion violated: x");
  CHECK(result.errors[0].path.size() == 3);
}

TEST_CASE("simple engine: breadth-first search finds a shortest path where depth-first search goes the long way") {
  // A ring of 1000; state 990 is bad, 10 steps backwards from the start.
  GraphGenerator generator([](uint64_t number, uint8_t, Node& node) {
    node.edges = {{(number + 1) % 1000}, {(number + 999) % 1000}};
    if (number == 990) node.failures.push_back({RuntimeErrorKind::kDivisionByZero, "division by zero", 1, 5});
  });
  const SearchResult depth_first = search(generator, {});
  const SearchResult shortest = search(generator, breadth_first());
  REQUIRE(depth_first.errors.size() == 1);
  REQUIRE(shortest.errors.size() == 1);
  CHECK(depth_first.errors[0].path.size() == 991);
  CHECK(depth_first.errors[0].depth == 991);
  CHECK(shortest.errors[0].path.size() == 11);
  CHECK(shortest.errors[0].depth == 11);
  CHECK(verify_error(depth_first.errors[0], generator).empty());
  CHECK(verify_error(shortest.errors[0], generator).empty());
}

TEST_CASE("simple engine: every path of a random graph leads to its error") {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::vector<Node> graph(1 + random() % 40);
    for (Node& node : graph) {
      node.edges.resize(random() % 4);
      for (Edge& edge : node.edges) edge = {random() % graph.size()};
      if (random() % 5 == 0) node.failures.push_back({RuntimeErrorKind::kDivisionByZero, "division", 1, 100});
      node.invalid_end = node.edges.empty() && node.failures.empty();
    }
    GraphGenerator generator([&](uint64_t number, uint8_t, Node& node) { node = graph[number]; });
    for (const auto order : {SearchOptions::Order::kDepthFirst, SearchOptions::Order::kBreadthFirst}) {
      const SearchResult result = search(generator, all_errors(order));
      for (const FoundError& error : result.errors) {
        if (error.has_path) REQUIRE(verify_error(error, generator).empty());
        if (error.has_path) REQUIRE(error.path.size() == error.depth);
      }
      REQUIRE((result.error_count > 0) == (result.verdict() == Verdict::kViolated));
    }
  }
}

TEST_CASE("simple engine: a path of many millions of states needs no recursion", "[long]") {
#ifdef NDEBUG
  const uint64_t length = uint64_t{test::PartOfDay().is_whole() ? 10U : 2U} * 1'000'000;
#else
  const uint64_t length = 1'000'000;
#endif
  GraphGenerator generator([=](uint64_t number, uint8_t, Node& node) {
    if (number + 1 < length) {
      node.edges = {{number + 1}, {number / 2}};
    } else {
      node.invalid_end = true;
    }
  });
  const SearchResult result = search(generator, {});
  CHECK(result.states_stored == length);
  CHECK(result.transitions == 2 * (length - 1));
  CHECK(result.depth_reached == length - 1);
  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors[0].path.size() == length - 1);
}

TEST_CASE("simple engine: the failing step of an atomic sequence comes behind its prefix") {
  GraphGenerator generator([](uint64_t number, uint8_t, Node& node) {
    if (number == 0) node.edges = {{1, 4}};
    if (number == 1) node.failures.push_back({RuntimeErrorKind::kDivisionByZero, "division by zero", 3, 2});
  });
  const SearchResult result = search(generator, {});
  REQUIRE(result.errors.size() == 1);
  REQUIRE(result.errors[0].path.size() == 7);
  CHECK(result.errors[0].depth == 7);
  CHECK(result.errors[0].path[3].location == 3);
  CHECK(result.errors[0].path[6].location == 2);
  CHECK(result.errors[0].path[6].edge == 2);
}

class FailingStart final : public SuccessorGenerator {
 public:
  void initial(SuccessorBatch& out) override {
    out.errors.push_back({RuntimeErrorKind::kDivisionByZero, "division", {}, 0, 0});
  }
  bool process_successors(ByteView, uint8_t, bool, TouchTrace*, SuccessorBatch&) override {
    FAIL("not asked for processes");
    return false;
  }
  void successors(ByteView, SuccessorBatch&) override { FAIL("there is no state"); }
};

TEST_CASE("simple engine: an initializer that fails is a violation without states") {
  for (const uint64_t max_errors : {0u, 1u}) {
    FailingStart generator;
    SearchOptions options;
    options.max_errors = max_errors;
    const SearchResult result = run_search(generator, graph_model(), options);
    CHECK(result.verdict() == Verdict::kViolated);
    CHECK(result.states_stored == 0);
    CHECK(result.transitions == 0);
    CHECK(result.states_matched == 0);
    REQUIRE(result.errors.size() == 1);
    CHECK(result.errors[0].has_path);
    CHECK(result.errors[0].path.empty());
    CHECK(verify_error(result.errors[0], generator).empty());
  }
}

TEST_CASE("simple engine: embedded C is no error but a reason, once") {
  GraphGenerator generator([](uint64_t number, uint8_t, Node& node) {
    if (number < 5) node.edges = {{number + 1}};
    node.failures.push_back({RuntimeErrorKind::kEmbeddedC, "c_code", 1, 5});
  });
  const SearchResult result = search(generator, {});
  CHECK(result.error_count == 0);
  CHECK(result.states_stored == 6);
  CHECK(result.verdict() == Verdict::kIncomplete);
  REQUIRE(result.reasons.size() == 1);
  CHECK(info(result.reasons[0].kind).name == std::string("embedded-c"));
}

TEST_CASE("simple engine: endless atomic sequences are counted, and are no reason") {
  GraphGenerator generator([](uint64_t number, uint8_t, Node& node) {
    if (number < 5) node.edges = {{number + 1}};
    node.endless_atomic = number % 2 == 0;
  });
  const SearchResult result = search(generator, {});
  CHECK(result.endless_atomic == 3);
  CHECK(result.verdict() == Verdict::kHolds);
}

TEST_CASE("simple engine: undecided properties never let a verdict be holds, and are named with their place") {
  Model model = graph_model();
  model.properties = {{Property::Kind::kLtl, "p1", {0, 12, 1}, kNoClaim},
                      {Property::Kind::kNeverClaim, "", {0, 30, 1}, kNoClaim},
                      {Property::Kind::kAcceptanceCycle, "accept_a", {0, 5, 1}, kNoClaim},
                      {Property::Kind::kEmbeddedC, "", {0, 2, 1}, kNoClaim},
                      {Property::Kind::kNotrace, "x", {}, kNoClaim}};
  GraphGenerator generator = grid(2, 2);
  const SearchResult result = search(generator, {}, model);
  CHECK(result.verdict() == Verdict::kIncomplete);
  CHECK(result.all_expanded);
  REQUIRE(result.reasons.size() == 5);
  CHECK(info(result.reasons[0].kind).name == std::string("undecided"));
  CHECK(result.reasons[0].text == "the LTL property 'p1' (graph.pml:12) is not decided by this search");
  CHECK(result.reasons[1].text == "the never claim (graph.pml:30) is not decided by this search");
  CHECK(result.reasons[2].text ==
        "the absence of acceptance cycles through label 'accept_a' (graph.pml:5) is not decided by this search");
  CHECK(info(result.reasons[3].kind).name == std::string("embedded-c"));
  CHECK(result.reasons[4].text == "the notrace assertion 'x' is not decided by this search");
}

// A diamond whose two sides leave different hidden bytes; behind it, the hidden byte decides about an error.
GraphGenerator hidden_diamond() {
  return GraphGenerator(
      [](uint64_t number, uint8_t hidden, Node& node) {
        if (number == 0) node.edges = {{1, 1, 1}, {2, 1, 2}};
        if (number == 1 || number == 2) node.edges = {{3, 1, hidden}};
        if (number == 3) node.edges = {{hidden == 1 ? uint64_t{4} : uint64_t{5}, 1, hidden}};
      },
      true);
}

Model model_that_reads_hidden() {
  Model model = graph_model(true);
  Expression read;
  read.op = Operator::kVariable;
  read.reference.offset = 0;
  model.expressions = {read};
  return model;
}

TEST_CASE("simple engine: a merge of different hidden parts is a reason if and only if something reads them") {
  GraphGenerator generator = hidden_diamond();
  const SearchResult harmless = search(generator, {}, graph_model(true));
  CHECK(harmless.states_stored == 5);
  CHECK(harmless.verdict() == Verdict::kHolds);
  const SearchResult doubtful = search(generator, {}, model_that_reads_hidden());
  CHECK(doubtful.verdict() == Verdict::kIncomplete);
  REQUIRE(doubtful.reasons.size() == 1);
  CHECK(info(doubtful.reasons[0].kind).name == std::string("hidden"));
}

TEST_CASE("simple engine: reading hidden variables without a merge is no reason") {
  GraphGenerator generator(
      [](uint64_t number, uint8_t hidden, Node& node) {
        if (number < 5) node.edges = {{number + 1, 1, static_cast<uint8_t>(hidden + 1)}};
      },
      true);
  CHECK(search(generator, {}, model_that_reads_hidden()).verdict() == Verdict::kHolds);
}

TEST_CASE("simple engine: depth-first search carries the hidden part along its path, also into a known state") {
  // 0 -> 1 and 0 -> 2 (hidden 9); 1 -> 2 (hidden 7) comes first on the path: state 2 must be entered with 7.
  uint8_t seen = 0;
  GraphGenerator generator(
      [&](uint64_t number, uint8_t hidden, Node& node) {
        if (number == 0) node.edges = {{1, 1, 1}, {2, 1, 9}};
        if (number == 1) node.edges = {{2, 1, 7}};
        if (number == 2) {
          seen = hidden;
          node.invalid_end = true;
        }
      },
      true);
  const SearchResult result = search(generator, {}, graph_model(true));
  CHECK(seen == 7);
  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors[0].path.size() == 2);
}

TEST_CASE("simple engine: a remote local at offset zero is no hidden variable") {
  Model model = model_that_reads_hidden();
  CHECK(reads_hidden_variable(model));
  model.expressions[0].reference.space = Space::kLocal;
  CHECK(!reads_hidden_variable(model));
  model.expressions[0].reference.space = Space::kGlobal;
  model.expressions[0].reference.offset = 1;
  CHECK(!reads_hidden_variable(model));
}

}  // namespace
}  // namespace cmc
