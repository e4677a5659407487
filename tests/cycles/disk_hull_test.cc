#include "checker/search/disk/disk_hull.h"

#include <memory>
#include <vector>

#include "checker/search/cycles/lasso.h"
#include "storage/cache/cached_store.h"
#include "tests/cycles/random_graph.h"
#include "tests/support/memory_files.h"

#include "tests/catch.h"

namespace cmc {
namespace {

DiskNodesOptions small_options(uint64_t memory_bytes, uint64_t nodes) {
  DiskNodesOptions options;
  options.store.directory = "/store";
  options.memory_bytes = memory_bytes;
  options.nodes = nodes;
  return options;
}

// Compares what is found with what has to be; false: the files have failed.
template <unsigned W>
class DiskRun {
 public:
  DiskRun(const NumberedGraph& graph, uint64_t seed, const DiskNodesOptions& options, FileSystem& files)
      : graph_(graph),
        expected_(graph),
        files_(files),
        layout_(graph.size(), graph.size(), seed),
        keyed_(graph, layout_),
        hull_(keyed_, options, NumberLayout<W>::word_bits(), files, never_stop) {}

  bool run() {
    for (uint32_t node = 0; node < graph_.size(); ++node) {
      if (expected_.reachable[node] && failed(hull_.add(layout_.key(node)))) return false;
    }
    const Result<HullResult> result = hull_.run();
    if (!result.ok()) error = result.error();
    if (!result.ok()) return false;
    REQUIRE_FALSE(result.value().stopped);
    const std::vector<bool> hull = expected_.hull(graph_);
    REQUIRE(result.value().nodes == static_cast<uint64_t>(std::ranges::count(hull, true)));
    std::vector<bool> found(graph_.size(), false);
    for (uint32_t partition = 0; partition < hull_.nodes().partitions(); ++partition) {
      const bool visited = hull_.nodes().visit(partition, [&](const Key<W>& key, uint8_t& value) {
        REQUIRE(value == ValuedKeys<W>::kFirst);
        found[layout_.number(key)] = true;
        return true;
      });
      if (!visited) return !failed(hull_.nodes().status());
    }
    REQUIRE(found == hull);
    passes = result.value().passes;
    return true;
  }
  std::string error;
  std::vector<HullPass> passes;
  DiskHull<KeyedGraph<W>>& hull() { return hull_; }

 private:
  bool failed(const Status& status) {
    if (!status.ok()) error = status.error();
    return !status.ok();
  }

  const NumberedGraph& graph_;
  const Expected expected_;
  FileSystem& files_;
  const NumberLayout<W> layout_;
  KeyedGraph<W> keyed_;
  DiskHull<KeyedGraph<W>> hull_;
};

TEST_CASE("disk hull: equal to what Tarjan's algorithm finds in random graphs") {
  std::mt19937_64 random(4);
  for (int i = 0; i < 800; ++i) {
    const NumberedGraph graph = random_graph(random);
    MemoryFileSystem files;
    {
      const DiskNodesOptions options = small_options(i % 3 == 0 ? 1000 : 4000, i % 2 == 0 ? 10 : 3000);
      const auto find = [](auto run) { REQUIRE(run->run()); };
      if (i % 2 == 0) {
        find(std::make_unique<DiskRun<1>>(graph, random(), options, files));
      } else {
        find(std::make_unique<DiskRun<2>>(graph, random(), options, files));
      }
    }
    REQUIRE(files.all().empty());
  }
}

// `chains` chains of `length` nodes each, from node 0; the last nodes lead back to the middle if `cyclic`.
NumberedGraph chains(uint32_t count, uint32_t length, bool cyclic) {
  NumberedGraph graph;
  graph.sets = 1;
  graph.arcs.resize(1 + count * length);
  graph.in_region.assign(graph.size(), true);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t first = 1 + i * length;
    graph.arcs[0].push_back({first, 1});
    for (uint32_t j = first; j + 1 < first + length; ++j) graph.arcs[j].push_back({j + 1, 1});
    if (cyclic) graph.arcs[first + length - 1].push_back({first + length / 2, 1});
  }
  return graph;
}

TEST_CASE("disk hull: many nodes in little memory, each edge generated a few times") {
  for (const bool cyclic : {false, true}) {
    const NumberedGraph graph = chains(300, 100, cyclic);
    MemoryFileSystem files;
    DiskRun<1> run(graph, 1, small_options(40000, graph.size()), files);
    REQUIRE(run.run());
    REQUIRE(run.hull().memory_bytes() < 70000);
    // A trim removes chains at once; then the cycles stay.
    REQUIRE(run.passes.size() == (cyclic ? 3 : 2));
    for (const HullPass& pass : run.passes) REQUIRE(pass.expansions <= 2 * graph.size());
  }
}

TEST_CASE("disk hull: more predecessors than a value can count are counted") {
  NumberedGraph graph;
  graph.arcs.resize(303);
  graph.in_region.assign(303, true);
  for (uint32_t i = 1; i <= 300; ++i) {
    graph.arcs[0].push_back({i, 0});
    graph.arcs[i].push_back({301, 0});
  }
  graph.arcs[301].push_back({302, 0});
  for (const bool cyclic : {false, true}) {
    if (cyclic) graph.arcs[302].push_back({302, 0});
    MemoryFileSystem files;
    DiskRun<1> run(graph, 1, small_options(4000, 300), files);
    REQUIRE(run.run());
    REQUIRE(run.passes.size() == 3);
  }
}

TEST_CASE("disk hull: faults at every operation are errors") {
  std::mt19937_64 random(11);
  NumberedGraph graph = random_graph(random);
  while (graph.sets < 2 || std::ranges::count(Expected(graph).hull(graph), true) < 20) graph = random_graph(random);
  for (const Fault fault : kFaults) {
    uint64_t failures = 0;
    for (uint64_t operation = 0;; ++operation) {
      MemoryFileSystem memory;
      FaultyFiles files(memory, fault, operation);
      DiskRun<1> run(graph, 5, small_options(1000, 300), files);
      const bool ok = run.run();
      if (!ok) REQUIRE_THAT(run.error, Catch::Contains("/store/"));
      if (is_reported(fault)) REQUIRE(files.happened() == !ok);
      if (!files.happened()) REQUIRE(ok);
      failures += ok ? 0 : 1;
      if (operation >= files.operations()) break;
    }
    INFO("fault " << static_cast<int>(fault));
    REQUIRE(failures >= 10);
  }
}

TEST_CASE("disk hull: it can be stopped") {
  const NumberedGraph graph = chains(300, 100, true);
  const NumberLayout<1> layout(graph.size(), graph.size(), 1);
  KeyedGraph<1> keyed(graph, layout);
  MemoryFileSystem files;
  int questions = 0;
  DiskHull<KeyedGraph<1>> hull(keyed, small_options(40000, graph.size()), NumberLayout<1>::word_bits(), files,
                               [&](uint64_t bytes) { return bytes > 1000 && ++questions == 2; });
  for (uint32_t node = 0; node < graph.size(); ++node) REQUIRE(hull.add(layout.key(node)).ok());
  const Result<HullResult> result = hull.run();
  REQUIRE(result.ok());
  REQUIRE(result.value().stopped);
  REQUIRE(keyed.expansions == 2 * 4096);
}

struct NoVectors final : StateVectors {
  void unpack(const uint64_t*, Bytes&) const override { CHECK(false); }
  uint64_t state_bytes(const uint64_t*) const override { return 8; }
};

TEST_CASE("disk hull: it is found from a store of visited nodes, with its files beside it") {
  std::mt19937_64 random(6);
  for (int i = 0; i < 60; ++i) {
    const NumberedGraph graph = random_graph(random);
    const Expected expected(graph);
    const NumberLayout<1> layout(graph.size(), graph.size(), random());
    KeyedGraph<1> keyed(graph, layout);
    MemoryFileSystem files;
    StoreOptions options;
    options.directory = "/store";
    options.bloom_bits = 128;
    options.lossy_capacity = 12;
    options.lookup_buffer = 4;
    options.partitions = 2;
    options.page_bytes = 512;
    options.write_buffer_bytes = 1000;
    const NoVectors vectors;
    const StateHasher<1> hasher(options, NumberLayout<1>::word_bits(), vectors);
    CachedStore<1> store(options, {}, hasher, NumberLayout<1>::word_bits(), files);
    std::vector<Key<1>> open;
    const auto on_new = [&](const Key<1>& key, const Origin&) { open.push_back(key); };
    const auto offer = [&](const Key<1>& key) {
      Bytes scratch;
      if (store.offer(hasher(key, scratch), {}) == CachedStore<1>::Offer::kNew) open.push_back(key);
      while (const auto full = store.needs_check()) REQUIRE(store.check(*full, on_new).ok());
    };
    offer(layout.key(0));
    while (!open.empty()) {
      const Key<1> node = open.back();
      open.pop_back();
      REQUIRE(keyed.expand(node, [&](const Key<1>& target, uint64_t) { offer(target); }));
      if (open.empty()) REQUIRE(store.check_all(on_new).ok());
    }
    DiskNodesOptions nodes = small_options(2000, store.figures().lossy_elements);
    nodes.first_partition = options.partitions;
    DiskHull<KeyedGraph<1>> hull(keyed, nodes, NumberLayout<1>::word_bits(), files, never_stop);
    REQUIRE(store.drain([&](const Key<1>& key) { return hull.add(key); }).ok());
    const Result<HullResult> result = hull.run();
    REQUIRE(result.ok());
    REQUIRE(result.value().nodes == static_cast<uint64_t>(std::ranges::count(expected.hull(graph), true)));
  }
}

}  // namespace
}  // namespace cmc
