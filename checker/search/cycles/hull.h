#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "checker/search/engine/cycle_graph.h"
#include "checker/search/engine/threads.h"
#include "storage/sets/key_set.h"

namespace cmc {

// What a hull has done so far.
struct HullPass {
  enum class Kind : uint8_t { kRegion, kTrim, kReach };
  Kind kind = Kind::kRegion;
  uint32_t set = 0;         // kReach: the acceptance set
  uint64_t nodes = 0;       // left behind it
  uint64_t expansions = 0;  // for it
};
struct HullResult {
  bool stopped = false;  // then nothing else counts
  uint64_t nodes = 0;    // 0: there is no accepting cycle
  std::vector<HullPass> passes;
};

// The largest set A of nodes in which every node has a predecessor and, for each acceptance set, can be reached
// within A from an edge of that set (Emerson and Lei, "Efficient model checking in fragments of the propositional
// mu-calculus", 1986; Fisler, Fraer, Kamhi, Vardi, Yang, "Is there a best symbolic cycle-detection algorithm?", 2001;
// for explicit graphs: Černá and Pelánek, "Distributed explicit fair cycle detection", 2003). It is empty iff there
// is no accepting cycle: a component of A to which no other one leads has an edge of each set. Needs no order, and
// two bits a node; any number of threads.
//
//   A := nodes of the region
//   A := A without nodes that have no predecessor in A, repeatedly                                        (trim)
//   for each acceptance set, until A stays: A := what can be reached within A from the set's edges       (reach)
//                                           and a trim
//
// A is the nodes whose value in the set is not 0. Edges are generated again whenever they are needed: by a trim once
// for each node and once more for those that it removes, by a reach once or twice.
//
// A trim counts the predecessors of each node, then removes those that have none and takes one from the counts of
// their successors (Kahn, "Topological sorting of large networks", 1962). A node whose count does not fit into its
// value loses nothing; if such nodes were met, the trim is made again.
//
// Threads share the partitions of the set. What a thread finds it goes on with at once, from a stack; if that is
// full, or another thread has nothing to do, the node waits in the set for the next pass.
template <CycleGraph Graph>
class Hull {
 public:
  using Node = typename Graph::Node;
  static constexpr unsigned W = kWordsOf<Graph>;

  // `set`: all reachable nodes, with at least 2 value bits, which are the hull's; shared if there are several graphs.
  // Each graph gets a thread. should_stop() is asked by one thread at a time.
  Hull(KeySet<W>& set, std::span<Graph* const> graphs, ShouldStop should_stop)
      : set_(set),
        most_((uint64_t{1} << set.value_bits()) - 1),
        workers_(graphs.size()),
        should_stop_(std::move(should_stop)) {
    CHECK(!graphs.empty() && set.value_bits() >= 2);
    for (size_t i = 0; i < graphs.size(); ++i) workers_[i].graph = graphs[i];
  }

  // Afterwards the nodes of A are those whose value is not 0. If the search was stopped, they are among these,
  // whenever that was: another run() can go on from there. wants_pause() is asked when nodes have been removed,
  // between two steps; then it stops, too.
  HullResult run(
      bool goes_on = false, const std::function<bool()>& wants_pause = [] { return false; }) {
    goes_on ? keep_present() : keep_region();
    trim();
    const uint32_t sets = workers_.front().graph->sets();
    CHECK(sets <= kMostAcceptanceSets);
    // `settled`: so many sets in a row leave A as it is. Each is repeated until it does: of Peterson's algorithm for
    // 4 processes under weak fairness, 596,000 expansions instead of 1,310,000 in turns.
    for (uint32_t set = 0, settled = 0; settled < sets && nodes_ > 0 && !halted_; set = (set + 1) % sets) {
      ++settled;
      while (nodes_ > 0 && !halted_ && reach(set)) {
        settled = 1;
        trim();
        if (wants_pause()) halted_ = true;
      }
    }
    result_.stopped = halted_;
    result_.nodes = nodes_;
    return std::move(result_);
  }

 private:
  // Values. Between two steps those of A are kIn.
  static constexpr uint64_t kOut = 0;
  static constexpr uint64_t kIn = 1;
  // In a trim: 1 + predecessors, or most_ for too many. Without one a node waits to be removed.
  static constexpr uint64_t kNoPredecessor = 1;
  static constexpr uint64_t kOnePredecessor = 2;
  // In a reach:
  static constexpr uint64_t kWaiting = 2;  // reached, not expanded
  static constexpr uint64_t kReached = 3;

  using Probe = typename KeySet<W>::Probe;
  struct alignas(64) Worker {
    Graph* graph = nullptr;
    std::vector<Node> visited;  // to be expanded, as the pass has met them
    std::vector<Node> stack;    // to be expanded, as they were found
    std::vector<Node> batch;
    std::vector<MarkedEdge<W>> edges;  // of the batch
    std::vector<Probe> probes;         // of the edges' targets
    uint64_t expansions = 0;
    uint64_t removed = 0;
    uint64_t batches = 0;
  };

  // --- steps

  void keep_region() {
    nodes_ = set_.size();
    pass(
        [&](Worker& worker, size_t partition) {
          set_.visit_partition(partition, [&](const Node& node) {
            const bool in = worker.graph->in_region(node);
            set_.change_value(node, [&](uint64_t) { return in ? kIn : kOut; });
            worker.removed += in ? 0 : 1;
          });
        },
        [](Worker&) {});
    finish(HullPass::Kind::kRegion, 0);
  }

  void keep_present() {
    std::atomic<uint64_t> present{0};
    change_all([&](Worker&, uint64_t) {
      ++present;
      return kIn;
    });
    nodes_ = present;
    finish(HullPass::Kind::kRegion, 0);
  }

  // Whether it removed anything, as of the other steps.
  bool trim() {
    const uint64_t before = nodes_;
    uint64_t before_round = 0;
    do {
      before_round = nodes_;
      recount_ = false;
      count_predecessors();
      do {
        again_ = false;
        remove_those_without();
      } while (again_ && !halted_);
      change_all([](Worker&, uint64_t) { return kIn; });
      finish(HullPass::Kind::kTrim, 0);
    } while (recount_ && nodes_ < before_round && !halted_);
    return nodes_ < before;
  }
  void count_predecessors() {
    const auto count = [&](Worker& worker) {
      expand(worker, worker.visited, 0, [&](Worker&, const MarkedEdge<W>& edge, const Probe& probe) {
        change(edge.target, probe,
               [&](uint64_t value) { return value == kOut || value == most_ ? value : value + 1; });
      });
    };
    visit_nodes(
        [&](Worker& worker, const Node& node, uint64_t) {
          worker.visited.push_back(node);
          if (worker.visited.size() == kBatch) count(worker);
        },
        count);
  }
  void remove_those_without() {
    const auto go_on = [&](Worker& worker) {
      while (take_batch(worker)) {
        expand(worker, worker.batch, 0, [&](Worker&, const MarkedEdge<W>& edge, const Probe& probe) {
          const bool now = may_go_on(worker);
          const uint64_t before = change(edge.target, probe, [&](uint64_t value) {
            if (value == kOut || value == most_) return value;
            return value == kOnePredecessor && now ? kOut : value - 1;
          });
          DCHECK(before != kNoPredecessor);
          if (before == most_) recount_ = true;
          if (before == kOnePredecessor) found(worker, edge.target, now);
          if (before == kOnePredecessor && now) ++worker.removed;
        });
      }
    };
    visit_nodes(
        [&](Worker& worker, const Node& node, uint64_t value) {
          if (value != kNoPredecessor) return;
          const uint64_t before =
              change(node, set_.prefetch(node), [](uint64_t now) { return now == kNoPredecessor ? kOut : now; });
          if (before != kNoPredecessor) return;
          ++worker.removed;
          worker.stack.push_back(node);
          if (worker.stack.size() >= kBatch) go_on(worker);
        },
        go_on);
  }

  bool reach(uint32_t set) {
    const uint64_t before = nodes_;
    bool first = true;
    do {
      again_ = false;
      reach_pass(uint64_t{1} << set, first);
      first = false;
    } while (again_ && !halted_);
    change_all([](Worker& worker, uint64_t value) {
      worker.removed += value == kIn ? 1 : 0;
      return value == kIn ? kOut : kIn;
    });
    finish(HullPass::Kind::kReach, set);
    return nodes_ < before;
  }
  // `first`: edges with the mark have not been looked for yet.
  void reach_pass(uint64_t mark, bool first) {
    const auto reached = [&](Worker& worker, const MarkedEdge<W>& edge, const Probe& probe) {
      const bool now = may_go_on(worker);
      const uint64_t before = change(edge.target, probe, [&](uint64_t value) {
        return value != kIn ? value : now ? kReached : kWaiting;
      });
      if (before == kIn) found(worker, edge.target, now);
    };
    const auto go_on = [&](Worker& worker) {
      expand(worker, worker.visited, mark, reached);
      while (take_batch(worker)) expand(worker, worker.batch, 0, reached);
    };
    visit_nodes(
        [&](Worker& worker, const Node& node, uint64_t value) {
          if (value == kIn && first) worker.visited.push_back(node);
          if (value == kWaiting) {
            const uint64_t before =
                change(node, set_.prefetch(node), [](uint64_t now) { return now == kWaiting ? kReached : now; });
            if (before == kWaiting) worker.stack.push_back(node);
          }
          if (worker.visited.size() + worker.stack.size() >= kBatch) go_on(worker);
        },
        go_on);
  }

  void finish(HullPass::Kind kind, uint32_t set) {
    HullPass done{kind, set, 0, 0};
    for (Worker& worker : workers_) {
      nodes_ -= std::exchange(worker.removed, 0);
      done.expansions += std::exchange(worker.expansions, 0);
    }
    done.nodes = nodes_;
    result_.passes.push_back(done);
  }

  // --- passes

  // Calls partition(worker, its number) for each partition of the set, and end(worker) for each thread.
  template <class EachPartition, class End>
  void pass(EachPartition&& partition, End&& end) {
    std::atomic<size_t> next{0};
    busy_ = workers_.size();
    run_threads(static_cast<uint32_t>(workers_.size()), [&](uint32_t thread) {
      Worker& worker = workers_[thread];
      while (!halted_) {
        const size_t number = next.fetch_add(1, std::memory_order_relaxed);
        if (number >= KeySet<W>::kPartitions) break;
        partition(worker, number);
      }
      end(worker);
      --busy_;
    });
  }
  // Calls visit(worker, node, value) for each node of A.
  template <class Visit, class End>
  void visit_nodes(Visit&& visit, End&& end) {
    pass(
        [&](Worker& worker, size_t partition) {
          set_.visit_valued(partition, [&](const Node& node, uint64_t value) {
            if (!halted_) visit(worker, node, value);
          });
        },
        end);
  }
  template <class Change>
  void change_all(Change&& change_one) {
    visit_nodes(
        [&](Worker& worker, const Node& node, uint64_t value) {
          const uint64_t after = change_one(worker, value);
          change(node, set_.prefetch(node), [&](uint64_t) { return after; });
        },
        [](Worker&) {});
  }

  // --- what threads do

  // Expands the nodes, then calls apply(worker, edge, probe of its target) for each edge that has all of the marks.
  template <class Apply>
  void expand(Worker& worker, std::vector<Node>& nodes, uint64_t marks, Apply&& apply) {
    worker.edges.clear();
    worker.probes.clear();
    for (const Node& node : nodes) {
      const bool expanded = worker.graph->expand(node, [&](const Node& target, uint64_t its) {
        if ((its & marks) != marks) return;
        worker.edges.push_back({target, its});
        worker.probes.push_back(set_.prefetch(target));
      });
      if (!expanded) halted_ = true;
      if (halted_) [[unlikely]]
        return;
    }
    worker.expansions += nodes.size();
    nodes.clear();
    for (size_t i = 0; i < worker.edges.size(); ++i) apply(worker, worker.edges[i], worker.probes[i]);
    if (++worker.batches % kBatchesPerQuestion == 0) ask_to_stop();
  }
  template <class Change>
  uint64_t change(const Node& node, const Probe& probe, Change&& change_one) {
    const std::optional<uint64_t> before = set_.change_value(node, probe, change_one);
    CHECK(before);
    return *before;
  }
  // Whether a thread may go on with a node that it finds.
  [[nodiscard]] bool may_go_on(const Worker& worker) const {
    return worker.stack.size() < kMostStack && busy_.load(std::memory_order_relaxed) == workers_.size();
  }
  void found(Worker& worker, const Node& node, bool now) {
    if (now) {
      worker.stack.push_back(node);
    } else {
      again_ = true;
    }
  }
  // From the stack; false: it is empty.
  bool take_batch(Worker& worker) const {
    const size_t count = halted_ ? 0 : std::min(kBatch, worker.stack.size());
    worker.batch.assign(worker.stack.end() - static_cast<ptrdiff_t>(count), worker.stack.end());
    worker.stack.resize(worker.stack.size() - count);
    return count > 0;
  }
  [[nodiscard]] uint64_t memory_bytes() const {
    return set_.memory_bytes() + workers_.size() * kMostStack * sizeof(Node);
  }
  void ask_to_stop() {
    const std::lock_guard lock(stop_mutex_);  // the others stand still while it is the turn of another search
    if (should_stop_(memory_bytes())) halted_ = true;
  }

  static constexpr size_t kBatch = 16;  // nodes whose successors' memory is fetched together
  static constexpr size_t kMostStack = size_t{1} << 14;
  static constexpr uint64_t kBatchesPerQuestion = 64;

  KeySet<W>& set_;
  const uint64_t most_;  // value
  std::vector<Worker> workers_;
  std::mutex stop_mutex_;
  const ShouldStop should_stop_;
  std::atomic<bool> halted_{false};
  std::atomic<bool> again_{false};    // a node waits for the next pass
  std::atomic<bool> recount_{false};  // a node has lost a predecessor that was not counted
  std::atomic<size_t> busy_{0};       // threads in the pass
  uint64_t nodes_ = 0;                // of A
  HullResult result_;
};

}  // namespace cmc
