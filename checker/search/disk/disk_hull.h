#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/result.h"
#include "checker/search/cycles/hull.h"
#include "checker/search/disk/disk_nodes.h"
#include "checker/search/engine/cycle_graph.h"

namespace cmc {

// The hull of accepting cycles (hull.h) beyond memory, with one thread: A is on disk, sorted, with a byte for each
// node that a step has looked at. What edges do to the values of their targets is done later, for many targets at
// once. A step writes and reads the target of each edge that it generates, 8 W bytes, and reads A once or a few
// times.
//
// A trim writes the targets of all edges, then those of removed nodes; a reach leaves out targets that it has met
// lately.
template <CycleGraph Graph>
class DiskHull {
 public:
  using Node = typename Graph::Node;
  static constexpr unsigned W = kWordsOf<Graph>;

  DiskHull(Graph& graph, const DiskNodesOptions& options, const std::array<unsigned, W>& word_bits, FileSystem& files,
           ShouldStop should_stop)
      : graph_(graph),
        nodes_(options, word_bits, files),
        should_stop_(std::move(should_stop)),
        most_recent_(std::bit_floor(std::clamp<uint64_t>(nodes_.plan().owner_bytes / sizeof(Node), 1,
                                                         2 * std::max<uint64_t>(1, options.nodes)))) {}

  // All reachable nodes, each once; before run().
  [[nodiscard]] Status add(const Node& node) {
    if (graph_.in_region(node)) static_cast<void>(nodes_.add(node));
    return nodes_.status();
  }

  // Afterwards nodes() is A, unless the search was stopped.
  [[nodiscard]] Result<HullResult> run() {
    bool more = nodes_.finish();
    note(HullPass::Kind::kRegion, 0);
    recent_.resize(most_recent_);  // not before: the caches that nodes come from are free by now
    more = more && trim();
    const uint32_t sets = graph_.sets();
    CHECK(sets <= kMostAcceptanceSets);
    for (uint32_t set = 0, settled = 0; more && settled < sets && nodes_.size() > 0; set = (set + 1) % sets) {
      ++settled;
      while (more) {
        const uint64_t before = nodes_.size();
        more = reach(set);
        if (!more || nodes_.size() == before || nodes_.size() == 0) break;
        settled = 1;
        more = trim();
      }
    }
    if (!nodes_.status().ok()) return Error{nodes_.status().error()};
    result_.stopped = !more;
    result_.nodes = nodes_.size();
    return std::move(result_);
  }

  [[nodiscard]] DiskNodes<W>& nodes() { return nodes_; }
  [[nodiscard]] uint64_t memory_bytes() const { return nodes_.memory_bytes() + recent_.capacity() * sizeof(Node); }

 private:
  // Values, as of Hull.
  static constexpr uint8_t kOut = 0;
  static constexpr uint8_t kIn = ValuedKeys<W>::kFirst;
  static constexpr uint8_t kNoPredecessor = kIn;  // in a trim: 1 + predecessors, or kMany
  static constexpr uint8_t kMany = 255;
  static constexpr uint8_t kReached = 2;

  // --- steps; false: the search is over

  [[nodiscard]] bool trim() {
    uint64_t before = 0;
    bool recount = false;
    do {
      before = nodes_.size();
      recount = false;
      if (!count_predecessors() || !remove_those_without(recount)) return false;
      if (!nodes_.filter([](uint8_t value) { return value != kOut; })) return false;
      note(HullPass::Kind::kTrim, 0);
    } while (recount && nodes_.size() < before);
    return true;
  }
  [[nodiscard]] bool count_predecessors() {
    const auto count = [](const Node&, ptrdiff_t times, uint8_t& value) {
      value = static_cast<uint8_t>(std::min<ptrdiff_t>(kMany, value + times));
      return true;
    };
    const auto visit = [&](const Node& node, uint8_t&) { return send_targets(node); };
    return pass(visit, count) && nodes_.resolve_all(count);
  }
  [[nodiscard]] bool remove_those_without(bool& recount) {
    const auto lose = [&](const Node& node, ptrdiff_t times, uint8_t& value) {
      if (value == kMany) {
        recount = true;
        return true;
      }
      CHECK(value > times);
      value = static_cast<uint8_t>(value - times);
      return remove_if_without(node, value);
    };
    const auto visit = [&](const Node& node, uint8_t& value) { return remove_if_without(node, value); };
    return pass(visit, lose) && nodes_.resolve_all(lose);
  }
  [[nodiscard]] bool remove_if_without(const Node& node, uint8_t& value) {
    if (value != kNoPredecessor) return true;
    value = kOut;
    return send_targets(node);
  }

  [[nodiscard]] bool reach(uint32_t set) {
    std::ranges::fill(recent_, kNone);
    const auto reached = [&](const Node& node, ptrdiff_t, uint8_t& value) {
      if (value == kReached) return true;
      value = kReached;
      return send_new_targets(node, 0);
    };
    for (uint32_t partition = 0; partition < nodes_.partitions(); ++partition) {
      const bool more = nodes_.resolve_present(partition, reached) &&
                        nodes_.visit(partition,
                                     [&](const Node& node, uint8_t& value) {
                                       return value == kReached || send_new_targets(node, uint64_t{1} << set);
                                     }) &&
                        nodes_.resolve_full(reached);
      if (!more) return false;
    }
    if (!nodes_.resolve_all(reached) || !nodes_.filter([](uint8_t value) { return value == kReached; })) return false;
    note(HullPass::Kind::kReach, set);
    return true;
  }

  // Visits each node, and makes room for what was sent.
  template <class Visit, class Apply>
  [[nodiscard]] bool pass(Visit&& visit, Apply&& apply) {
    for (uint32_t partition = 0; partition < nodes_.partitions(); ++partition) {
      if (!nodes_.visit(partition, visit) || !nodes_.resolve_full(apply)) return false;
    }
    return true;
  }
  void note(HullPass::Kind kind, uint32_t set) {
    result_.passes.push_back({kind, set, nodes_.size(), std::exchange(expansions_, 0)});
  }

  // --- edges

  [[nodiscard]] bool send_targets(const Node& node) {
    return expand(node, [&](const Node& target, uint64_t) { return nodes_.send(target); });
  }
  // Of edges that have all of the marks, without those that were sent lately.
  [[nodiscard]] bool send_new_targets(const Node& node, uint64_t marks) {
    return expand(node, [&](const Node& target, uint64_t its) {
      if ((its & marks) != marks) return true;
      Node& recent = recent_[hash(target) & (recent_.size() - 1)];
      if (recent == target) return true;
      recent = target;
      return nodes_.send(target);
    });
  }
  template <class Send>
  [[nodiscard]] bool expand(const Node& node, Send&& send) {
    bool sent = true;
    const bool expanded =
        graph_.expand(node, [&](const Node& target, uint64_t marks) { sent = sent && send(target, marks); });
    const bool asks = ++expansions_ % kExpansionsPerQuestion == 0;
    return expanded && sent && !(asks && should_stop_(memory_bytes()));
  }
  static uint64_t hash(const Node& node) {
    uint64_t mixed = 0;
    for (unsigned i = 0; i < W; ++i) mixed = KeyPartitions::mix(mixed ^ node[i]);
    return mixed;
  }

  static constexpr Node kNone = {{~uint64_t{0}}};  // word 0 of a key has kFirstWordBits
  static constexpr uint64_t kExpansionsPerQuestion = 4096;

  Graph& graph_;
  DiskNodes<W> nodes_;
  const ShouldStop should_stop_;
  const size_t most_recent_;
  std::vector<Node> recent_;  // targets
  uint64_t expansions_ = 0;
  HullResult result_;
};

}  // namespace cmc
