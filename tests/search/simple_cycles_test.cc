#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "checker/plain/simple_search.h"

#include "tests/catch.h"

// Random products as plain graphs. What the engine says about cycles is compared with the transitive closure of the
// graph, and a lasso is followed step by step.

namespace cmc {
namespace {

constexpr uint32_t kClaimFrame = kHeaderBytes;
constexpr uint32_t kNumber = kClaimFrame + kFrameHeaderBytes;  // where a state has its node's number
constexpr uint32_t kHolder = 1;                                // Model::atomic_holder_offset()
constexpr LocationId kAccepting = 2;

struct DrawnEdge {
  size_t target = 0;
  uint8_t pid = kNoProcess;
  uint8_t partner = kNoProcess;
};

struct DrawnNode {
  std::vector<DrawnEdge> edges;
  uint8_t processes = 0;
  bool blocked = false;     // only the claim moves
  bool by_timeout = false;  // processes move while `timeout` is 1 only
  uint8_t can_move = 0;     // a bit by process: it can move by itself
  bool claim_accepts = false;
  std::optional<uint8_t> acceptor;  // a process at an accepting location

  [[nodiscard]] bool accepting() const { return claim_accepts || acceptor.has_value(); }
  [[nodiscard]] bool disabled(uint8_t pid) const {
    return blocked || pid >= processes || ((can_move >> pid) & 1) == 0;
  }
};
using Graph = std::vector<DrawnNode>;

Model model_of_graphs() {
  Model model;
  model.files = {"graph.pml"};
  Proctype automaton;
  automaton.locations.resize(3);
  automaton.locations[kAccepting].accepting = true;
  automaton.start = 1;
  model.proctypes = {automaton};
  model.claims = {automaton};
  model.claim = {0, kClaimFrame};
  model.global_bytes = kNumber + sizeof(uint32_t);
  return model;
}

class ProductOfGraph final : public SuccessorGenerator {
 public:
  explicit ProductOfGraph(const Graph& graph) : graph_(graph) {}

  void initial(SuccessorBatch& out) override { append(0, out); }
  void successors(ByteView state, SuccessorBatch& out) override {
    const size_t number = number_of(state);
    for (size_t i = 0; i < graph_[number].edges.size(); ++i) {
      const DrawnEdge& edge = graph_[number].edges[i];
      SuccessorBatch::Entry& entry = append(edge.target, out);
      entry.path_begin = static_cast<uint32_t>(out.steps.size());
      Step step;
      step.location = static_cast<LocationId>(number);
      step.edge = static_cast<uint16_t>(i);
      out.steps.push_back(step);
      step.pid = edge.pid;
      step.partner = edge.partner;
      out.steps.push_back(step);
      entry.path_count = 2;
    }
  }
  bool process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace*, SuccessorBatch&) override {
    const DrawnNode& node = graph_[number_of(state)];
    REQUIRE(pid < node.processes);
    return ((node.can_move >> pid) & 1) != 0 && (timeout || !node.by_timeout);
  }

 private:
  static size_t number_of(ByteView state) { return load<uint32_t>(state.data() + kNumber); }

  SuccessorBatch::Entry& append(size_t number, SuccessorBatch& out) const {
    const DrawnNode& node = graph_[number];
    SuccessorBatch::Entry& entry = out.entries.emplace_back();
    entry.offset = static_cast<uint32_t>(out.bytes.size());
    entry.size = kNumber + 4 + node.processes * kFrameHeaderBytes;
    out.bytes.resize(out.bytes.size() + entry.size);
    std::byte* const state = out.bytes.data() + entry.offset;
    store(state, node.processes);
    store(state + kHolder, kNoProcess);
    store(state + kClaimFrame + kFrameProctype, static_cast<uint8_t>(node.blocked));
    store(state + kClaimFrame + kFrameLocation, node.claim_accepts ? kAccepting : LocationId{1});
    store(state + kNumber, static_cast<uint32_t>(number));
    for (uint8_t pid = 0; pid < node.processes; ++pid) {
      std::byte* const frame = state + kNumber + 4 + pid * kFrameHeaderBytes;
      store(frame + kFrameLocation, node.acceptor == pid ? kAccepting : LocationId{1});
    }
    return entry;
  }

  const Graph& graph_;
};

Graph random_graph(std::mt19937& random) {
  const auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
  const size_t size = 1 + below(9);
  const size_t most_edges = 1 + below(3);
  const size_t acceptance = 1 + below(8);
  Graph graph(size);
  for (DrawnNode& node : graph) {
    node.processes = static_cast<uint8_t>(below(8) == 0 ? below(3) : 3);
    node.blocked = below(6) == 0 || node.processes == 0;
    node.by_timeout = below(6) == 0;
    node.can_move = static_cast<uint8_t>(below(3) == 0 ? 7 : below(8));
    node.claim_accepts = below(acceptance) == 0;
    if (node.processes > 0 && below(2 * acceptance) == 0) node.acceptor = static_cast<uint8_t>(below(node.processes));
    const size_t edges = below(most_edges + 1);
    for (size_t i = 0; i < edges; ++i) {
      DrawnEdge edge;
      edge.target = below(size);
      if (!node.blocked) {
        edge.pid = static_cast<uint8_t>(below(node.processes));
        node.can_move = static_cast<uint8_t>(node.can_move | 1 << edge.pid);
        const auto partner = static_cast<uint8_t>(below(node.processes));
        if (partner != edge.pid && below(4) == 0) edge.partner = partner;
      }
      node.edges.push_back(edge);
    }
  }
  return graph;
}

// reach[u][v]: a path of one edge or more leads from u to v.
std::vector<std::vector<bool>> closure(const Graph& graph) {
  std::vector<std::vector<bool>> reach(graph.size(), std::vector<bool>(graph.size()));
  for (size_t u = 0; u < graph.size(); ++u) {
    for (const DrawnEdge& edge : graph[u].edges) reach[u][edge.target] = true;
  }
  for (size_t via = 0; via < graph.size(); ++via) {
    for (size_t u = 0; u < graph.size(); ++u) {
      for (size_t v = 0; v < graph.size(); ++v) reach[u][v] = reach[u][v] || (reach[u][via] && reach[via][v]);
    }
  }
  return reach;
}

bool has_cycle(const Graph& graph, Fairness fairness) {
  const std::vector<std::vector<bool>> reach = closure(graph);
  for (size_t u = 0; u < graph.size(); ++u) {
    if ((u != 0 && !reach[0][u]) || !reach[u][u] || !graph[u].accepting()) continue;
    const auto together = [&](size_t v) { return reach[u][v] && reach[v][u]; };
    std::set<uint8_t> waiting;
    for (uint8_t pid = 0; pid < 3; ++pid) waiting.insert(pid);
    for (size_t v = 0; v < graph.size(); ++v) {
      if (!together(v)) continue;
      for (uint8_t pid = 0; pid < 3; ++pid) {
        if (graph[v].disabled(pid)) waiting.erase(pid);
      }
      for (const DrawnEdge& edge : graph[v].edges) {
        if (!together(edge.target)) continue;
        waiting.erase(edge.pid);
        waiting.erase(edge.partner);
      }
    }
    if (fairness == Fairness::kNone || waiting.empty()) return true;
  }
  return false;
}

// Follows the path of an error, whose loop must be what it says.
void check_lasso(const Graph& graph, const FoundError& error, Fairness fairness) {
  REQUIRE(error.has_path);
  REQUIRE(error.loop_start % 2 == 0);
  REQUIRE(error.loop_start < error.path.size());
  size_t at = 0;
  size_t loop = 0;
  bool accepting = false;
  std::set<uint8_t> waiting = {0, 1, 2};
  for (size_t i = 0; i < error.path.size(); i += 2) {
    const Step& step = error.path[i];
    REQUIRE(step.location == at);
    if (i == error.loop_start) loop = at;
    const DrawnNode& node = graph[at];
    const DrawnEdge& edge = node.edges.at(step.edge);
    if (i >= error.loop_start) {
      accepting = accepting || node.accepting();
      for (uint8_t pid = 0; pid < 3; ++pid) {
        if (node.disabled(pid) || edge.pid == pid || edge.partner == pid) waiting.erase(pid);
      }
    }
    at = edge.target;
  }
  CHECK(at == loop);
  CHECK(accepting);
  CHECK((fairness == Fairness::kNone || waiting.empty()));
}

TEST_CASE("simple engine: it finds acceptance cycles exactly where there are some") {
  std::mt19937 random(1);
  const Model model = model_of_graphs();
  int found = 0;
  int unfair = 0;
  for (int i = 0; i < 4000; ++i) {
    const Graph graph = random_graph(random);
    INFO("graph " << i);
    for (const Fairness fairness : {Fairness::kNone, Fairness::kWeak}) {
      ProductOfGraph generator(graph);
      SearchOptions options;
      options.find_cycles = true;
      options.fairness = fairness;
      if (i % 2 == 1) options.order = SearchOptions::Order::kBreadthFirst;
      const SearchResult result = run_search(generator, model, options);
      const bool expected = has_cycle(graph, fairness);
      REQUIRE((result.verdict() == Verdict::kViolated) == expected);
      if (!expected) {
        if (fairness == Fairness::kWeak && has_cycle(graph, Fairness::kNone)) ++unfair;
        continue;
      }
      ++found;
      REQUIRE(result.errors.size() == 1);
      CHECK(result.errors[0].kind == ErrorKind::acceptance_cycle());
      check_lasso(graph, result.errors[0], fairness);
    }
  }
  CHECK(found > 1000);
  CHECK(unfair > 100);
}

TEST_CASE("simple engine: a cycle has the name of its kind, and is looked for only when asked") {
  Graph graph(1);
  graph[0].processes = 1;
  graph[0].can_move = 1;
  graph[0].claim_accepts = true;
  graph[0].edges = {{0, 0, kNoProcess}};
  const Model model = model_of_graphs();
  ProductOfGraph generator(graph);
  SearchOptions options;
  CHECK(run_search(generator, model, options).verdict() == Verdict::kHolds);
  options.find_cycles = options.non_progress = true;
  const SearchResult result = run_search(generator, model, options);
  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors[0].kind == ErrorKind::non_progress_cycle());
  CHECK(result.errors[0].message == "non-progress cycle");
  CHECK(result.errors[0].loop_start == 0);
  CHECK(result.errors[0].path.size() == 2);
}

}  // namespace
}  // namespace cmc
