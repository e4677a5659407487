// Searches for accepting cycles on a set of nodes and depth first: what the hull, its value bits and threads, and the
// search for components cost.
//
//   bench_cycles peterson N FAIR    Peterson's mutual exclusion for N processes: "process 0 is in the critical
//   section
//                                   again and again", with weak fairness (FAIR = 1: it holds) or without
//   bench_cycles random N SETS      a random graph of N nodes, 3 edges each; one acceptance set has no edge if SETS
//   is
//                                   even
//
// With one more argument, a folder, also beyond memory.

#include <array>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "bench/peterson.h"
#include "checker/search/cycles/hull.h"
#include "checker/search/cycles/lasso.h"
#include "checker/search/cycles/scc_search.h"
#include "checker/search/disk/disk_hull.h"

namespace cmc {
namespace {

// The product with a claim of two locations: it guesses that process 0 will not be in the critical section any more.
struct PetersonGraph {
  using Node = Key<1>;
  Peterson model;
  bool fair = false;

  [[nodiscard]] std::array<unsigned, 1> word_bits() const { return {model.bits() + 1}; }
  [[nodiscard]] uint32_t sets() const { return fair ? model.n + 1 : 1; }
  template <class Sink>
  bool expand(const Node& node, Sink&& sink) const {
    const uint64_t accepting = node[0] >> model.bits();
    const uint64_t state = node[0] ^ accepting << model.bits();
    const bool absent = Peterson::place(state, 0) != 3;
    if (accepting != 0 && !absent) return true;
    uint64_t disabled = (uint64_t{1} << model.n) - 1;
    std::array<std::pair<unsigned, uint64_t>, 8> moves;
    size_t count = 0;
    model.successors(state, [&](unsigned process, uint64_t successor) {
      disabled &= ~(uint64_t{1} << process);
      moves[count++] = {process, successor};
    });
    for (size_t i = 0; i < count; ++i) {
      const auto [process, successor] = moves[i];
      const uint64_t marks = fair ? (disabled | uint64_t{1} << process) << 1 | accepting : accepting;
      if (accepting == 0) sink({successor}, marks);
      if (absent) sink({successor | uint64_t{1} << model.bits()}, marks);
    }
    return true;
  }
  [[nodiscard]] bool in_region(const Node& node) const { return node[0] >> model.bits() != 0; }
};

struct RandomGraph {
  using Node = Key<1>;
  uint64_t nodes = 0;
  uint32_t set_count = 0;

  [[nodiscard]] static std::array<unsigned, 1> word_bits() { return {40}; }
  [[nodiscard]] uint32_t sets() const { return set_count; }
  template <class Sink>
  bool expand(const Node& node, Sink&& sink) const {
    for (uint64_t i = 0; i < 3; ++i) {
      const uint64_t mixed = mix(node[0] * 3 + i);
      const uint64_t set = set_count == 0 ? 0 : mix(mixed) % set_count;
      const bool marked = mixed % 100 == 0 && (set_count % 2 == 1 || set > 0);
      sink({mixed % nodes}, marked ? uint64_t{1} << set : 0);
    }
    return true;
  }
  [[nodiscard]] static bool in_region(const Node&) { return true; }

 private:
  static uint64_t mix(uint64_t x) {
    x = (x + 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ x >> 30) * 0x94d049bb133111ebULL;
    return x ^ x >> 31;
  }
};

// Of CPU time, all threads.
class Timer {
 public:
  [[nodiscard]] double seconds() const { return static_cast<double>(std::clock() - began_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t began_ = std::clock();
};

bool never_stop(uint64_t) { return false; }

template <class Graph>
void explore(Graph& graph, KeySet<1>& set) {
  std::vector<Key<1>> open{Key<1>{}};
  set.insert(Key<1>{});
  KeySet<1>::Tally tally;
  std::vector<Key<1>> successors;
  std::vector<KeySet<1>::Probe> probes;
  while (!open.empty()) {
    successors.clear();
    probes.clear();
    for (size_t i = std::min<size_t>(16, open.size()); i-- > 0; open.pop_back()) {
      graph.expand(Key<1>(open.back()), [&](const Key<1>& target, uint64_t) {
        successors.push_back(target);
        probes.push_back(set.prefetch(target));
      });
    }
    for (size_t i = 0; i < successors.size(); ++i) {
      if (set.insert(successors[i], probes[i], tally) == KeySet<1>::Inserted::kNew) open.push_back(successors[i]);
    }
    if (!set.needs_growth()) continue;
    set.settle(tally);
    set.prepare_to_grow();
    set.grow();
  }
  set.settle(tally);
}

template <class Graph>
void measure_hull(const Graph& graph, unsigned value_bits, uint32_t threads) {
  KeySetOptions options;
  options.shared = threads > 1;
  options.value_bits = value_bits;
  KeySet<1> set(options, graph.word_bits());
  std::vector<Graph> graphs(threads, graph);
  const Timer exploring;
  explore(graphs.front(), set);
  fmt::print("hull, {} value bits, {} threads: {} nodes, {:.1f} bytes each, explored in {:.2f} s", value_bits,
             threads, set.size(), static_cast<double>(set.memory_bytes()) / static_cast<double>(set.size()),
             exploring.seconds());
  std::vector<Graph*> pointers;
  for (Graph& each : graphs) pointers.push_back(&each);
  const Timer timer;
  const HullResult result = Hull<Graph>(set, pointers, never_stop).run();
  uint64_t expansions = 0;
  for (const HullPass& pass : result.passes) expansions += pass.expansions;
  fmt::print("; {:.2f} s, {} expansions, left {};", timer.seconds(), expansions, result.nodes);
  for (const HullPass& pass : result.passes) fmt::print(" {}{}", "-tr"[static_cast<size_t>(pass.kind)], pass.nodes);
  fmt::print("\n");
  if (result.nodes == 0) return;
  const Timer finding;
  const auto lasso = find_lasso_in_hull(graphs.front(), {}, set, {}, graph.word_bits(), never_stop);
  fmt::print("  lasso of {} steps in {:.2f} s\n", lasso->run.size() - 1, finding.seconds());
}

// In a tenth of the memory of the set.
template <class Graph>
void measure_disk(Graph graph, const std::string& directory) {
  KeySet<1> set({}, graph.word_bits());
  explore(graph, set);
  DiskNodesOptions options;
  options.store.directory = directory;
  options.memory_bytes = set.memory_bytes() / 10;
  options.nodes = set.size();
  const std::unique_ptr<FileSystem> files = make_posix_file_system();
  const Timer timer;
  uint64_t most_memory = 0;
  DiskHull<Graph> hull(graph, options, graph.word_bits(), *files, [&](uint64_t bytes) {
    most_memory = std::max(most_memory, bytes);
    return false;
  });
  set.visit([&](const Key<1>& node) { CHECK(hull.add(node).ok()); });
  const Result<HullResult> result = hull.run();
  if (!result.ok()) return fmt::print("{}\n", result.error());
  uint64_t expansions = 0;
  for (const HullPass& pass : result.value().passes) expansions += pass.expansions;
  fmt::print("disk, {} MB, used {} MB, {} partitions: {:.2f} s, {} expansions, left {}, {:.2f} bytes each;",
             options.memory_bytes >> 20, most_memory >> 20, hull.nodes().partitions(), timer.seconds(), expansions,
             result.value().nodes,
             static_cast<double>(hull.nodes().bytes_on_disk()) /
                 static_cast<double>(std::max<uint64_t>(1, result.value().nodes)));
  for (const HullPass& pass : result.value().passes)
    fmt::print(" {}{}", "-tr"[static_cast<size_t>(pass.kind)], pass.nodes);
  fmt::print("\n");
}

template <class Graph>
void measure_components(Graph graph) {
  SccSearch<1> search({}, graph.word_bits());
  search.start({});
  const Timer timer;
  const bool found = search.run(graph, never_stop) == SccSearch<1>::End::kFound;
  fmt::print("components: {}, {} nodes, {:.1f} bytes each, depth {}, {:.2f} s\n", found ? "found" : "none",
             search.nodes(), static_cast<double>(search.memory_bytes()) / static_cast<double>(search.nodes()),
             search.depth(), timer.seconds());
  if (!found) return;
  const Timer finding;
  const auto lasso = with_loop_in_component(graph, search, graph.word_bits(), never_stop, search.path_to_component());
  fmt::print("  lasso of {} steps in {:.2f} s\n", lasso->run.size() - 1, finding.seconds());
}

template <class Graph>
void measure(const Graph& graph, const std::string& directory) {
  measure_components(graph);
  for (const unsigned value_bits : {2U, 4U, 8U}) measure_hull(graph, value_bits, 1);
  measure_hull(graph, 4, 2);
  if (!directory.empty()) measure_disk(graph, directory);
}

int run(int count, char** arguments) {
  if (count < 4) return 2;
  const std::string what = arguments[1];
  const uint64_t size = std::strtoull(arguments[2], nullptr, 10);
  const uint64_t option = std::strtoull(arguments[3], nullptr, 10);
  const std::string directory = count > 4 ? arguments[4] : "";
  if (what == "peterson") {
    measure(PetersonGraph{{static_cast<unsigned>(size)}, option != 0}, directory);
  } else {
    measure(RandomGraph{size, static_cast<uint32_t>(option)}, directory);
  }
  return 0;
}

}  // namespace
}  // namespace cmc

int main(int count, char** arguments) { return cmc::run(count, arguments); }
