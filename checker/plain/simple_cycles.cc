#include "checker/plain/simple_cycles.h"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "base/check.h"
#include "base/components.h"
#include "checker/generator/product_generator.h"
#include "storage/sets/chunked_array.h"

namespace cmc {

namespace {

constexpr uint64_t kNodesPerQuestion = 1024;
constexpr uint64_t kSearchBytes = 24;  // of a node, while components are looked for

class CycleSearch {
 public:
  CycleSearch(SuccessorGenerator& generator, const Model& model, const StateSet& nodes, Fairness fairness,
              const std::function<bool(uint64_t)>& may_continue)
      : generator_(generator), model_(model), nodes_(nodes), fairness_(fairness), may_continue_(may_continue) {
    CHECK(model.claim.exists());
    batch_.limits = {kPortion, kPortionSteps, nullptr};
    probe_.limits.most_entries = 1;  // the question is only whether there is one
  }

  std::optional<Lasso> run() {
    if (nodes_.size() == 0 || !collect_edges()) return std::nullopt;
    const std::optional<uint32_t> component = find_component();
    if (!component) return std::nullopt;
    return lasso(*component);
  }

 private:
  using Id = StateSet::Id;
  static constexpr Id kUnknown = 0xffffffff;  // no node: a state that the exploration did not find

  struct Hop {  // an edge on a path
    Id source = 0;
    uint64_t edge = 0;
  };

  // --- the graph: edges are numbered, node by node, as the generator hands out successors.

  bool collect_edges() {
    for (Id node = 0; node < nodes_.size(); ++node) {
      if (node % kNodesPerQuestion == 0 && !may_continue_(memory_bytes())) return false;
      first_edges_.push_back(targets_.size());
      for_each_successor(node, [&](const SuccessorBatch::Entry& entry) {
        targets_.push_back(nodes_.find(batch_.state(entry)).value_or(kUnknown));
        return true;
      });
      const ByteView state = nodes_.get(node);
      const bool held = load<uint8_t>(state.data() + model_.atomic_holder_offset()) != kNoProcess;
      in_atomic_.push_back(held && !batch_.holder_released ? 1 : 0);
    }
    first_edges_.push_back(targets_.size());
    return true;
  }

  // Until `visit` says false.
  template <class Function>
  void for_each_successor(Id node, const Function& visit) {
    batch_.clear();
    generator_.successors(nodes_.get(node), batch_);
    for (;;) {
      for (const SuccessorBatch::Entry& entry : batch_.entries) {
        if (!visit(entry)) return;
      }
      if (!batch_.more) return;
      batch_.clear();
      generator_.resume(batch_);
    }
  }

  [[nodiscard]] uint64_t memory_bytes() const {
    return first_edges_.memory_bytes() + targets_.memory_bytes() + in_atomic_.memory_bytes() +
           nodes_.size() * kSearchBytes;
  }

  // --- strongly connected components

  // The first component with a cycle that counts, if there is one.
  std::optional<uint32_t> find_component() {
    std::optional<uint32_t> component;
    const auto successor = [&](Id node, uint32_t i) -> std::optional<Id> {
      const uint64_t edge = first_edges_[node] + i;
      if (edge == first_edges_[node + uint64_t{1}]) return std::nullopt;
      return targets_[edge];
    };
    ComponentSearch search(static_cast<uint32_t>(nodes_.size()), successor, components_);
    search.search(0, [&](std::span<const Id> members) {
      if (counts(members)) component = components_.of[members.front()];
      return !component;
    });
    return component;
  }

  [[nodiscard]] bool counts(std::span<const Id> component) {
    const Id first = component.front();
    const bool cyclic = component.size() > 1 || edge_to(first, first) != kNone;
    return cyclic && std::ranges::any_of(component, [&](Id node) { return is_accepting(node); }) &&
           (fairness_ == Fairness::kNone || is_fair(component));
  }

  // Whether each process moves in the component, or cannot move in one of its nodes.
  [[nodiscard]] bool is_fair(std::span<const Id> component) {
    std::vector<bool> waits(kMaxProcesses + 1, true);
    const auto waiting = [&] { return std::ranges::find(waits, true) != waits.end(); };
    for (const Id node : component) {
      uint64_t edge = first_edges_[node];
      for_each_successor(node, [&](const SuccessorBatch::Entry& entry) {
        const bool inside = is_inside(targets_[edge++], components_.of[node]);
        for (const Step& step : batch_.path(entry)) {
          if (inside) waits[step.pid] = waits[step.partner] = false;
        }
        return true;
      });
      waits[kNoProcess] = false;  // of the claim nothing is asked
      for (uint8_t pid = 0; pid < kMaxProcesses; ++pid) {
        if (waits[pid]) waits[pid] = can_move(node, pid);
      }
      if (!waiting()) return true;
    }
    return false;
  }

  // --- nodes

  [[nodiscard]] uint8_t process_count(ByteView state) const {
    return load<uint8_t>(state.data() + model_.process_count_offset());
  }

  // In the middle of an atomic sequence the claim stands still, so no node there is accepting.
  [[nodiscard]] bool is_accepting(Id node) const {
    return in_atomic_[node] == 0 && cmc::is_accepting(model_, nodes_.get(node));
  }

  // Whether the process can move by itself in the system's state. In the middle of an atomic sequence nothing is
  // said.
  [[nodiscard]] bool can_move(Id node, uint8_t pid) {
    if (in_atomic_[node] != 0) return true;
    const ByteView state = nodes_.get(node);
    const bool blocked = load<uint8_t>(state.data() + model_.claim.offset + kFrameProctype) != 0;
    const uint8_t count = process_count(state);
    if (blocked || pid >= count) return false;
    if (moves(state, pid, false)) return true;
    for (uint8_t other = 0; other < count; ++other) {
      if (moves(state, other, false)) return false;
    }
    return moves(state, pid, true);
  }

  [[nodiscard]] bool moves(ByteView state, uint8_t pid, bool timeout) {
    probe_.clear();
    return generator_.process_successors(state, pid, timeout, nullptr, probe_);
  }

  // --- the lasso

  static constexpr uint64_t kNone = ~uint64_t{0};
  static constexpr uint64_t kHere = kNone - 1;

  // What a walk looks for, asked for one node after the other: kHere, the number of an edge to take from the node, or
  // kNone: it is not here.
  using Goal = std::function<uint64_t(Id node)>;

  [[nodiscard]] bool is_inside(Id node, uint32_t component) const {
    return node != kUnknown && components_.of[node] == component;
  }

  [[nodiscard]] uint64_t edge_to(Id node, Id target) const {
    for (uint64_t edge = first_edges_[node]; edge < first_edges_[node + uint64_t{1}]; ++edge) {
      if (targets_[edge] == target) return edge;
    }
    return kNone;
  }

  Lasso lasso(uint32_t component) {
    std::vector<Hop> path;
    const Id begin = walk(0, kNone, path, [&](Id node) { return is_inside(node, component) ? kHere : kNone; });
    const size_t loop_begin = path.size();
    Id end = walk(begin, component, path, [&](Id node) { return is_accepting(node) ? kHere : kNone; });
    if (fairness_ == Fairness::kWeak) {
      for (uint8_t pid = 0; pid < kMaxProcesses; ++pid) {
        const std::span<const Hop> loop = std::span(path).subspan(loop_begin);
        if (std::ranges::any_of(loop, [&](const Hop& hop) { return serves(hop, pid); })) continue;
        end = walk(end, component, path, [&](Id node) { return service(node, pid, component); });
      }
    }
    if (end != begin || path.size() == loop_begin) {
      walk(end, component, path, [&](Id node) { return edge_to(node, begin); });
    }
    Lasso result;
    result.edges = path.size();
    for (size_t i = 0; i < path.size(); ++i) {
      if (i == loop_begin) result.loop_start = result.path.size();
      append_steps(path[i], result.path);
    }
    return result;
  }

  // Appends the shortest path from `from` to the goal, breadth first, inside the component (kNone: anywhere). Returns
  // where it ends. REQUIRES: there is one.
  Id walk(Id from, uint64_t component, std::vector<Hop>& path, const Goal& goal) {
    std::unordered_map<Id, Hop> reached{{from, Hop{}}};
    std::vector<Id> queue{from};
    for (size_t i = 0;; ++i) {
      CHECK(i < queue.size());
      const Id node = queue[i];
      if (const uint64_t found = goal(node); found != kNone) {
        const size_t begin = path.size();
        for (Id at = node; at != from; at = path.back().source) path.push_back(reached.at(at));
        std::reverse(path.begin() + static_cast<ptrdiff_t>(begin), path.end());
        if (found == kHere) return node;
        path.push_back({node, found});
        return targets_[found];
      }
      for (uint64_t edge = first_edges_[node]; edge < first_edges_[node + uint64_t{1}]; ++edge) {
        const Id target = targets_[edge];
        if (target == kUnknown || (component != kNone && components_.of[target] != component)) continue;
        if (reached.try_emplace(target, Hop{node, edge}).second) queue.push_back(target);
      }
    }
  }

  // Of a Goal: a node in which the process cannot move, or an edge on which it does.
  uint64_t service(Id node, uint8_t pid, uint32_t component) {
    if (!can_move(node, pid)) return kHere;
    uint64_t edge = first_edges_[node];
    uint64_t found = kNone;
    for_each_successor(node, [&](const SuccessorBatch::Entry& entry) {
      if (is_inside(targets_[edge], component) && takes_part(entry, pid)) found = edge;
      ++edge;
      return found == kNone;
    });
    return found;
  }

  [[nodiscard]] bool serves(const Hop& hop, uint8_t pid) {
    bool served = !can_move(hop.source, pid);
    if (!served) with_edge(hop, [&](const SuccessorBatch::Entry& entry) { served = takes_part(entry, pid); });
    return served;
  }

  [[nodiscard]] bool takes_part(const SuccessorBatch::Entry& entry, uint8_t pid) const {
    return std::ranges::any_of(batch_.path(entry),
                               [&](const Step& step) { return step.pid == pid || step.partner == pid; });
  }

  void append_steps(const Hop& hop, std::vector<Step>& path) {
    with_edge(hop, [&](const SuccessorBatch::Entry& entry) {
      const std::span<const Step> steps = batch_.path(entry);
      path.insert(path.end(), steps.begin(), steps.end());
    });
  }

  template <class Function>
  void with_edge(const Hop& hop, const Function& use) {
    uint64_t edge = first_edges_[hop.source];
    for_each_successor(hop.source, [&](const SuccessorBatch::Entry& entry) {
      if (edge++ != hop.edge) return true;
      use(entry);
      return false;
    });
  }

  SuccessorGenerator& generator_;
  const Model& model_;
  const StateSet& nodes_;
  const Fairness fairness_;
  const std::function<bool(uint64_t)>& may_continue_;
  SuccessorBatch batch_;
  SuccessorBatch probe_;

  ChunkedArray<uint64_t> first_edges_;  // by node, and one more
  ChunkedArray<Id> targets_;            // by edge
  ChunkedArray<uint8_t> in_atomic_;     // by node: one process has to go on, 1 or 0
  StrongComponents components_;         // up to the first one with a cycle that counts
};

}  // namespace

std::optional<Lasso> find_accepting_cycle(SuccessorGenerator& generator, const Model& model, const StateSet& nodes,
                                          Fairness fairness, const std::function<bool(uint64_t)>& may_continue) {
  return CycleSearch(generator, model, nodes, fairness, may_continue).run();
}

}  // namespace cmc
