#include "checker/trace/state_graph.h"

#include <functional>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "checker/trace/places.h"
#include "checker/trace/recorder.h"
#include "checker/trace/step_text.h"
#include "checker/trace/trace_printer.h"

namespace cmc {
namespace {

class Explorer {
  static constexpr size_t kPortion = 1024;  // successors at a time

 public:
  Explorer(const Model& model, SuccessorGenerator& generator, size_t most_states, Limits& limits)
      : model_(model), generator_(generator), most_states_(most_states), limits_(limits), should_stop_([this] {
          return limits_.reached();
        }) {}

  StateGraph explore() {
    SuccessorBatch batch;
    generator_.initial(batch);
    for (const RuntimeError& error : batch.errors) add_error(error.message, 0);
    if (!batch.entries.empty()) find_or_add(batch.state(batch.entries.front()), 0);
    for (uint32_t next = 0; next < graph_.nodes.size(); ++next) {
      if (graph_.nodes[next].kind == StateGraph::Kind::kError) continue;
      if (limits_.reached()) {
        graph_.nodes[next].expanded = graph_.complete = false;
      } else {
        expand(next);
      }
    }
    graph_.reason = limits_.reason();
    return std::move(graph_);
  }

 private:
  // Of the initial state its position is known: it is the first, unless there is none.
  std::optional<uint32_t> find_or_add(ByteView state, uint32_t depth) {
    const ByteView identity = state.subspan(model_.hidden_bytes);
    const auto number = static_cast<uint32_t>(graph_.nodes.size());
    const Bytes key(identity.begin(), identity.end());
    if (const auto found = numbers_.find(key); found != numbers_.end()) return found->second;
    if (states_ >= most_states_) return std::nullopt;
    ++states_;
    numbers_.emplace(key, number);
    states_of_[number] = Bytes(state.begin(), state.end());
    StateGraph::Node node;
    node.depth = depth;
    node.text = state_text(model_, decode_state(model_, state), 0);
    graph_.nodes.push_back(std::move(node));
    return number;
  }

  uint32_t add_error(const std::string& message, uint32_t depth) {
    graph_.nodes.push_back({StateGraph::Kind::kError, depth, true, message});
    return static_cast<uint32_t>(graph_.nodes.size() - 1);
  }

  void expand(uint32_t number) {
    const Bytes state = std::move(states_of_[number]);
    states_of_.erase(number);
    SuccessorBatch batch;
    batch.limits = {kPortion, SIZE_MAX, &should_stop_};
    generator_.successors(state, batch);
    using Kind = StateGraph::Kind;
    if (batch.blocked) graph_.nodes[number].kind = batch.invalid_end ? Kind::kDeadlock : Kind::kEnd;
    const StateImage before = decode_state(model_, state);
    for (;;) {
      add_edges(number, state, before, batch);
      if (batch.stopped || limits_.reached()) graph_.nodes[number].expanded = graph_.complete = false;
      if (!batch.more) return;
      if (!graph_.complete) {  // it gets no new states, and those that it leads to are too many
        graph_.nodes[number].expanded = false;
        return;
      }
      batch.clear();
      generator_.resume(batch);
    }
  }

  // From a node, `state`, to the successors in the batch.
  void add_edges(uint32_t number, ByteView state, const StateImage& before, const SuccessorBatch& batch) {
    const uint32_t depth = graph_.nodes[number].depth + 1;
    for (const SuccessorBatch::Entry& entry : batch.entries) {
      if (limits_.reached()) return;
      const auto path = batch.path(entry);
      const std::optional<uint32_t> target = find_or_add(batch.state(entry), depth);
      if (!target) {
        graph_.nodes[number].expanded = graph_.complete = false;
        continue;
      }
      StateGraph::Edge edge = describe(state, path, number, *target);
      TraceStep step;
      compare_states(before, decode_state(model_, batch.state(entry)), step);
      edge.changes = fmt::format("{}", fmt::join(change_texts(step), ", "));
      graph_.edges.push_back(std::move(edge));
    }
    for (const RuntimeError& error : batch.errors) {
      const auto path = batch.path(error);
      if (runtime_error_continues(error.kind) && mark_failing(number, path, state)) continue;
      graph_.edges.push_back(describe(state, path, number, add_error(error.message, depth)));
      graph_.edges.back().error = true;
    }
  }

  // The step is completed: its edge is there. False: it was only offered.
  bool mark_failing(uint32_t from, std::span<const Step> path, ByteView state) {
    const StateGraph::Edge wanted = describe(state, path, from, 0);
    bool found = false;
    for (StateGraph::Edge& edge : graph_.edges) {
      const bool same = edge.from == from && edge.process == wanted.process && edge.text == wanted.text;
      edge.error = edge.error || same;
      found = found || same;
    }
    return found;
  }

  StateGraph::Edge describe(ByteView state, std::span<const Step> path, uint32_t from, uint32_t to) const {
    StateGraph::Edge edge;
    edge.from = from;
    edge.to = to;
    std::vector<std::string> texts;
    for (const Step& step : path) {
      const Edge* const taken = find_edge(model_, state, step.pid, step.location, step.edge);
      if (taken != nullptr) texts.push_back(model_.statements[taken->statement].text);
    }
    edge.text = fmt::format("{}", fmt::join(texts, "; "));
    if (path.empty()) return edge;
    edge.pid = path.front().pid;
    edge.process = process_label(model_, state, path.front().pid);
    if (path.front().partner != kNoProcess) {
      edge.process += fmt::format(" => {}", process_label(model_, state, path.front().partner));
    }
    return edge;
  }

  const Model& model_;
  SuccessorGenerator& generator_;
  const size_t most_states_;
  Limits& limits_;
  const std::function<bool()> should_stop_;
  StateGraph graph_;
  size_t states_ = 0;
  std::map<Bytes, uint32_t> numbers_;
  std::map<uint32_t, Bytes> states_of_;  // those that are not expanded yet
};

}  // namespace

StateGraph explore_graph(const Model& model, SuccessorGenerator& generator, size_t most_states,
                         const std::string& title, Limits& limits) {
  StateGraph graph = Explorer(model, generator, most_states, limits).explore();
  graph.title = title;
  return graph;
}

}  // namespace cmc
