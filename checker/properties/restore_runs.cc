#include "checker/properties/restore_runs.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "checker/generator/product_generator.h"
#include "checker/result/replay.h"

namespace cmc {

namespace {

// The runs of the claim beside the statements of one path.
class ClaimRuns {
 public:
  ClaimRuns(SuccessorGenerator& statements, const Model& model, const FoundError& error)
      : statements_(statements), model_(model), kind_(error.kind), cyclic_(error.loop_start != FoundError::kNoLoop) {
    for (size_t i = 0; i < error.path.size(); ++i) {
      if (i == error.loop_start) loop_ = system_.size();
      if (error.path[i].pid != kNoProcess) system_.push_back(error.path[i]);
    }
    if (error.loop_start >= error.path.size()) loop_ = system_.size();
  }

  // Replaces path and loop of `error`. False: there is no run.
  bool restore(FoundError& error) {
    collect();
    if (!cyclic_) return restore_end(error);
    const std::optional<std::vector<uint32_t>> loop = find_loop();
    if (!loop) return restore_end(error);
    error.path = path_to(edges_[loop->front()].source);
    error.loop_start = error.path.size();
    for (const uint32_t edge : *loop) append(edges_[edge].steps, error.path);
    return true;
  }

 private:
  struct Steps {  // a range of steps_
    size_t begin = 0;
    size_t count = 0;
  };
  struct Edge {
    uint32_t source = 0;
    uint32_t target = 0;
    Steps steps;
  };
  struct Node {
    Bytes state;
    size_t taken = 0;      // statements of the system
    uint32_t reached = 0;  // by that edge; of no meaning for the first node
    uint32_t first_edge = 0;
    bool accepting = false;
  };

  struct End {  // an error of the claim, behind a node
    uint32_t node = 0;
    Steps steps;
    RuntimeError error;
  };

  // All nodes, breadth first.
  void collect() {
    SuccessorBatch batch;
    statements_.initial(batch);
    CHECK(batch.entries.size() == 1);
    static_cast<void>(node_of(batch.state(batch.entries.front()), 0));
    for (uint32_t node = 0; node < nodes_.size() && !(end_ && is_same(*end_)); ++node) {
      nodes_[node].first_edge = static_cast<uint32_t>(edges_.size());
      batch.clear();
      statements_.successors(nodes_[node].state, batch);
      const bool stable = load<uint8_t>(nodes_[node].state.data() + model_.atomic_holder_offset()) == kNoProcess;
      nodes_[node].accepting = (stable || batch.holder_released) && is_accepting(model_, nodes_[node].state);
      for (const RuntimeError& each : batch.errors) {
        const auto steps = batch.path(each);
        End end{node, {}, each};
        const bool of_claim = !steps.empty() && steps.back().pid == kNoProcess;
        if (!(of_claim || is_same(end)) || !fits(nodes_[node].taken, steps)) continue;
        if (end_ && (is_same(*end_) || !is_same(end))) continue;
        end.steps = keep(steps);
        end_ = std::move(end);
      }
      for (const SuccessorBatch::Entry& entry : batch.entries) {
        const auto steps = batch.path(entry);
        const std::optional<size_t> taken = fits(nodes_[node].taken, steps);
        if (!taken) continue;
        const Steps kept = keep(steps);
        const uint32_t edge = static_cast<uint32_t>(edges_.size());
        edges_.push_back({node, 0, kept});
        const auto known = nodes_.size();
        const uint32_t target = node_of(batch.state(entry), *taken);
        edges_[edge].target = target;
        if (nodes_.size() > known) nodes_[target].reached = edge;
      }
    }
  }

  [[nodiscard]] bool is_same(const End& end) const { return ErrorKind{{}, end.error.kind} == kind_; }
  bool restore_end(FoundError& error) const {
    if (!end_) return false;
    error.kind = {{}, end_->error.kind};
    error.message = end_->error.message;
    error.place = end_->error.place;
    error.loop_start = FoundError::kNoLoop;
    error.path = path_to(end_->node);
    append(end_->steps, error.path);
    return true;
  }

  // A shortest loop through a node in which the system's loop begins, as edges.
  [[nodiscard]] std::optional<std::vector<uint32_t>> find_loop() const {
    for (uint32_t begin = 0; begin < nodes_.size(); ++begin) {
      if (nodes_[begin].taken != loop_) continue;
      if (auto loop = loop_through(begin)) return loop;
    }
    return std::nullopt;
  }
  // Breadth first among nodes, with an accepting one on the way (2 * node + 1) and without.
  [[nodiscard]] std::optional<std::vector<uint32_t>> loop_through(uint32_t begin) const {
    struct Visit {
      uint32_t edge = kNoEdge;
      uint32_t from = 0;
    };
    std::vector<Visit> visits(2 * nodes_.size());
    const uint32_t start = 2 * begin;
    std::vector<uint32_t> queue{start};
    for (size_t i = 0; i < queue.size(); ++i) {
      const uint32_t from = queue[i];
      for (uint32_t edge = nodes_[from / 2].first_edge; edge < edges_.size() && edges_[edge].source == from / 2;
           ++edge) {
        const uint32_t target = edges_[edge].target;
        const uint32_t to = 2 * target + (from % 2 != 0 || nodes_[target].accepting ? 1 : 0);
        if (to == start || visits[to].edge != kNoEdge) continue;
        visits[to] = {edge, from};
        if (to != start + 1) {
          queue.push_back(to);
          continue;
        }
        std::vector<uint32_t> loop;
        for (uint32_t at = to; at != start; at = visits[at].from) loop.push_back(visits[at].edge);
        std::ranges::reverse(loop);
        return loop;
      }
    }
    return std::nullopt;
  }

  static constexpr uint32_t kNoEdge = 0xffffffff;

  // How many statements are taken behind these steps, if their statements are the next ones of the path.
  [[nodiscard]] std::optional<size_t> fits(size_t taken, std::span<const Step> steps) const {
    for (const Step& step : steps) {
      if (step.pid == kNoProcess) continue;
      if (taken == system_.size() || system_[taken] != step) return std::nullopt;
      ++taken;
    }
    return taken;
  }
  Steps keep(std::span<const Step> steps) {
    const Steps kept{steps_.size(), steps.size()};
    steps_.insert(steps_.end(), steps.begin(), steps.end());
    return kept;
  }
  void append(const Steps& steps, std::vector<Step>& path) const {
    const auto first = steps_.begin() + static_cast<ptrdiff_t>(steps.begin);
    path.insert(path.end(), first, first + static_cast<ptrdiff_t>(steps.count));
  }
  uint32_t node_of(ByteView state, size_t taken) {
    if (cyclic_ && taken == system_.size()) taken = loop_;
    std::string identity(reinterpret_cast<const char*>(state.data()) + model_.hidden_bytes,
                         state.size() - model_.hidden_bytes);
    identity.append(reinterpret_cast<const char*>(&taken), sizeof(taken));
    const auto [found, is_new] = numbers_.try_emplace(std::move(identity), static_cast<uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({Bytes(state.begin(), state.end()), taken, 0, 0, false});
    return found->second;
  }
  std::vector<Step> path_to(uint32_t node) const {
    std::vector<uint32_t> edges;
    for (; node != 0; node = edges_[nodes_[node].reached].source) edges.push_back(nodes_[node].reached);
    std::vector<Step> path;
    for (size_t i = edges.size(); i-- > 0;) append(edges_[edges[i]].steps, path);
    return path;
  }

  SuccessorGenerator& statements_;
  const Model& model_;
  const ErrorKind kind_;
  const bool cyclic_;
  std::vector<Step> system_;  // the path without the claim's moves
  size_t loop_ = 0;           // statements before the loop
  std::vector<Node> nodes_;   // [0] is the initial one
  std::vector<Edge> edges_;   // by source, in ascending order
  std::vector<Step> steps_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::optional<End> end_;  // the first one; of the same kind as the error that was found, if there is one
};

}  // namespace

void restore_runs(SuccessorGenerator& statements, const Model& product, SearchResult& result) {
  keep_confirmed(result, [&](FoundError& error) {
    const bool in_initial_state = error.path.empty();
    const bool found = in_initial_state || ClaimRuns(statements, product, error).restore(error);
    return std::string(found ? "" : "the claim has no run beside its statements");
  });
}

}  // namespace cmc
