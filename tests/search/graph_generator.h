#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "checker/generator/generator.h"

namespace cmc {

// A generator for tests: any graph over numbers, without a model. A state is a hidden byte (if asked for) and the
// number in 8 bytes. Each edge is a sequence of steps; in them, `pid` and so on are what the test likes.
class GraphGenerator final : public SuccessorGenerator {
 public:
  struct Edge {
    uint64_t target = 0;
    uint32_t steps = 1;
    uint8_t hidden = 0;
    bool rendezvous = false;  // of the last step
  };
  struct Failure {
    RuntimeErrorKind kind = RuntimeErrorKind::kAssertion;
    std::string message;
    uint32_t steps = 1;
    size_t edge = 0;  // the failing edge, if the step is completed, else 1000 or so
  };
  struct Node {
    std::vector<Edge> edges;
    std::vector<Failure> failures;
    bool invalid_end = false;
    bool endless_atomic = false;
  };
  // Of the state `number` with that hidden byte; the node is empty when called.
  using Graph = std::function<void(uint64_t number, uint8_t hidden, Node& node)>;

  explicit GraphGenerator(Graph graph, bool with_hidden = false) : graph_(std::move(graph)), hidden_(with_hidden) {}

  void initial(SuccessorBatch& out) override { append(out, 0, 0); }

  bool process_successors(ByteView, uint8_t, bool, TouchTrace*, SuccessorBatch&) override {
    throw std::logic_error("not asked for processes");
  }
  void successors(ByteView state, SuccessorBatch& out) override {
    ++calls;
    const uint8_t hidden = hidden_ ? load<uint8_t>(state.data()) : uint8_t{0};
    node_.edges.clear();
    node_.failures.clear();
    node_.invalid_end = node_.endless_atomic = false;
    graph_(load<uint64_t>(state.data() + (hidden_ ? 1 : 0)), hidden, node_);
    for (size_t i = 0; i < node_.edges.size(); ++i) {
      const Edge& edge = node_.edges[i];
      SuccessorBatch::Entry& entry = append(out, edge.target, edge.hidden);
      entry.path_begin = push_steps(out, i, edge.steps, edge.rendezvous);
      entry.path_count = edge.steps;
    }
    for (const Failure& failure : node_.failures) {
      RuntimeError error;
      error.kind = failure.kind;
      error.message = failure.message;
      error.path_begin = push_steps(out, failure.edge, failure.steps, false);
      error.path_count = failure.steps;
      out.errors.push_back(error);
    }
    out.blocked = node_.edges.empty() && node_.failures.empty();
    out.invalid_end = node_.invalid_end;
    out.endless_atomic = node_.endless_atomic;
  }

  uint64_t calls = 0;

 private:
  SuccessorBatch::Entry& append(SuccessorBatch& out, uint64_t number, uint8_t hidden) const {
    SuccessorBatch::Entry& entry = out.entries.emplace_back();
    entry.offset = static_cast<uint32_t>(out.bytes.size());
    entry.size = hidden_ ? 9 : 8;
    out.bytes.resize(out.bytes.size() + entry.size);
    std::byte* const at = out.bytes.data() + entry.offset;
    if (hidden_) store(at, hidden);
    store(at + (hidden_ ? 1 : 0), number);
    return entry;
  }

  static uint32_t push_steps(SuccessorBatch& out, size_t edge, uint32_t count, bool rendezvous) {
    const auto begin = static_cast<uint32_t>(out.steps.size());
    for (uint32_t i = 0; i < count; ++i) {
      Step step;
      step.pid = 0;
      step.location = static_cast<LocationId>(i);
      step.edge = static_cast<uint16_t>(edge);
      if (rendezvous && i + 1 == count) step.partner = 1;
      out.steps.push_back(step);
    }
    return begin;
  }

  Graph graph_;
  Node node_;
  bool hidden_;
};

// A model with no processes: enough for a search with a GraphGenerator.
inline Model graph_model(bool with_hidden = false) {
  Model model;
  model.files = {"graph.pml"};
  model.hidden_bytes = with_hidden ? 1 : 0;
  return model;
}

}  // namespace cmc
