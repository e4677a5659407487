#include "base/components.h"

#include <random>

#include "tests/catch.h"

namespace cmc {
namespace {

using Targets = std::vector<std::vector<uint32_t>>;  // of edges, by node

auto successors_in(const Targets& targets) {
  return [&targets](uint32_t node, uint32_t i) {
    return i < targets[node].size() ? std::optional(targets[node][i]) : std::nullopt;
  };
}

uint32_t size_of(const Targets& targets) { return static_cast<uint32_t>(targets.size()); }

StrongComponents components_of(const Targets& targets) {
  return strong_components(size_of(targets), successors_in(targets));
}

std::vector<std::vector<bool>> reachability(const Targets& targets) {
  std::vector<std::vector<bool>> reaches(targets.size(), std::vector<bool>(targets.size()));
  for (uint32_t from = 0; from < targets.size(); ++from) {
    std::vector<uint32_t> open{from};
    reaches[from][from] = true;
    while (!open.empty()) {
      const uint32_t at = open.back();
      open.pop_back();
      for (const uint32_t target : targets[at]) {
        if (reaches[from][target]) continue;
        reaches[from][target] = true;
        open.push_back(target);
      }
    }
  }
  return reaches;
}

Targets random_targets(std::mt19937& random) {
  Targets targets(1 + random() % 30);
  const size_t edges = random() % (3 * targets.size());
  for (size_t i = 0; i < edges; ++i)
    targets[random() % targets.size()].push_back(static_cast<uint32_t>(random() % targets.size()));
  return targets;
}

TEST_CASE("components: numbers ascend against the edges") {
  CHECK(components_of({}).count == 0);
  CHECK(components_of({{}}).of == std::vector<uint32_t>{0});
  CHECK(components_of({{0}}).of == std::vector<uint32_t>{0});
  CHECK(components_of({{1}, {2}, {}}).of == std::vector<uint32_t>{2, 1, 0});
  CHECK(components_of({{}, {0}, {1}}).of == std::vector<uint32_t>{0, 1, 2});
  CHECK(components_of({{1}, {2}, {0}}).of == std::vector<uint32_t>{0, 0, 0});
  // Two rings, the first of which leads to the second one, twice.
  const StrongComponents rings = components_of({{1, 1}, {0, 2, 3}, {3}, {2, 2}});
  CHECK(rings.of == std::vector<uint32_t>{1, 1, 0, 0});
  CHECK(rings.count == 2);
}

TEST_CASE("components: rings that share a node are one") {
  CHECK(components_of({{1, 2}, {0}, {3}, {4, 0}, {}}).of == std::vector<uint32_t>{1, 1, 1, 1, 0});
}

TEST_CASE("components: targets that are no nodes are passed over") {
  CHECK(components_of({{2, kNoComponent, 1}, {7, 0}}).of == std::vector<uint32_t>{0, 0});
}

TEST_CASE("components: equal to nodes that reach each other, in random graphs") {
  std::mt19937 random(1972);
  for (int round = 0; round < 2000; ++round) {
    const Targets targets = random_targets(random);
    const std::vector<std::vector<bool>> reaches = reachability(targets);
    const StrongComponents found = components_of(targets);
    bool equal = true;
    bool ascending = true;
    uint32_t largest = 0;
    for (uint32_t a = 0; a < targets.size(); ++a) {
      for (uint32_t b = 0; b < targets.size(); ++b) {
        equal &= (found.of[a] == found.of[b]) == (reaches[a][b] && reaches[b][a]);
      }
      for (const uint32_t target : targets[a]) ascending &= found.of[target] <= found.of[a];
      largest = std::max(largest, found.of[a]);
    }
    INFO("round " << round);
    CHECK(equal);
    CHECK(ascending);
    CHECK(largest + 1 == found.count);
  }
}

TEST_CASE("components: from a root they are those that it reaches, each shown once with all its nodes") {
  std::mt19937 random(1973);
  for (int round = 0; round < 500; ++round) {
    const Targets targets = random_targets(random);
    const std::vector<bool> reached = reachability(targets)[0];
    const auto successor = successors_in(targets);
    StrongComponents found;
    ComponentSearch search(size_of(targets), successor, found);
    std::vector<uint32_t> shown(targets.size(), kNoComponent);
    uint32_t calls = 0;
    const auto show = [&](std::span<const uint32_t> members) {
      for (const uint32_t node : members) {
        CHECK(shown[node] == kNoComponent);
        CHECK(found.of[node] == calls);
        shown[node] = calls;
      }
      ++calls;
      return true;
    };
    CHECK(search.search(0, show));
    CHECK(found.count == calls);
    CHECK(found.of == shown);
    for (uint32_t node = 0; node < targets.size(); ++node) CHECK((found.of[node] != kNoComponent) == reached[node]);
    for (uint32_t node = 0; node < targets.size(); ++node) CHECK(search.search(node, show));
    CHECK(found.of == shown);
    CHECK(found.count == calls);
  }
}

TEST_CASE("components: a visitor that says false ends the search, and open nodes have no component") {
  const Targets targets{{1}, {2, 4}, {3}, {2}, {1}};
  const auto successor = successors_in(targets);
  StrongComponents found;
  ComponentSearch search(size_of(targets), successor, found);
  std::vector<uint32_t> first;
  const bool ended = search.search(0, [&](std::span<const uint32_t> members) {
    first.assign(members.begin(), members.end());
    return false;
  });
  CHECK(!ended);
  CHECK(first == std::vector<uint32_t>{2, 3});
  CHECK(found.of == std::vector<uint32_t>{kNoComponent, kNoComponent, 0, 0, kNoComponent});
  CHECK(found.count == 1);
}

TEST_CASE("components: a path and a ring of a million nodes need no deep stack") {
  constexpr uint32_t kNodes = 1'000'000;
  for (const bool is_ring : {false, true}) {
    const StrongComponents found = strong_components(kNodes, [&](uint32_t node, uint32_t i) {
      return i > 0 || (node + 1 == kNodes && !is_ring) ? std::nullopt : std::optional((node + 1) % kNodes);
    });
    CHECK(found.count == (is_ring ? 1 : kNodes));
    CHECK(found.of[kNodes - 1] == 0);
  }
}

}  // namespace
}  // namespace cmc
