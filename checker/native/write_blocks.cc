
#include <fmt/format.h>

#include "checker/generator/machine.h"
#include "checker/native/marked_text.h"
#include "checker/native/writer.h"

// The body of a d_step: a graph of nodes (DeterministicNode), which becomes C with labels. A node is written behind
// the one that leads to it where that is possible.

namespace cmc::native {

namespace {

constexpr uint32_t kDone = DeterministicNode::kDone;

// Whether a path from node 0 comes back to one of its nodes.
bool is_cyclic(const std::vector<DeterministicNode>& nodes) {
  enum class Mark : uint8_t { kNew, kOpen, kClosed };
  std::vector<Mark> marks(nodes.size(), Mark::kNew);
  struct Visit {
    uint32_t node;
    size_t next;  // alternative
  };
  std::vector<Visit> path{{0, 0}};
  marks[0] = Mark::kOpen;
  while (!path.empty()) {
    Visit& top = path.back();
    if (top.next == nodes[top.node].alternatives.size()) {
      marks[top.node] = Mark::kClosed;
      path.pop_back();
      continue;
    }
    const uint32_t next = nodes[top.node].alternatives[top.next++].next;
    if (next == kDone || marks[next] == Mark::kClosed) continue;
    if (marks[next] == Mark::kOpen) return true;
    marks[next] = Mark::kOpen;
    path.push_back({next, 0});
  }
  return false;
}

std::vector<uint32_t> count_predecessors(const std::vector<DeterministicNode>& nodes) {
  std::vector<uint32_t> count(nodes.size());
  count[0] = 1;
  for (const DeterministicNode& node : nodes) {
    for (const DeterministicNode::Alternative& alternative : node.alternatives) {
      if (alternative.next != kDone) ++count[alternative.next];
    }
  }
  return count;
}

std::string jump_to(uint32_t node) {
  return node == kDone ? "return CMC_EXECUTABLE;" : fmt::format("goto node_{};", node);
}

}  // namespace

// Statements are counted only if they can be endlessly many. Those that cannot fail are counted later, together with
// the next one that can, or where paths part or meet.
void Writer::block(StatementId id) {
  const std::vector<DeterministicNode>& nodes = model_.statements[id].body;
  const std::vector<uint32_t> predecessors = count_predecessors(nodes);
  block_ = id;
  counts_ = is_cyclic(nodes) || nodes.size() > kMaxAtomicBlockStatements;
  if (counts_) line("uint32_t executed = 0;");
  std::vector<bool> written(nodes.size());
  std::vector<uint32_t> waiting{0};
  while (!waiting.empty()) {
    uint32_t current = waiting.back();
    waiting.pop_back();
    bool straight = current == 0;  // only from the node before, or the beginning
    while (!written[current]) {
      written[current] = true;
      if (!straight || predecessors[current] > 1) label(current);
      const std::optional<uint32_t> next = block_node(nodes[current], waiting);
      if (!next) break;
      straight = true;
      current = *next;
      if (current != kDone && !written[current]) continue;
      count();
      line(jump_to(current));
      break;
    }
  }
}

void Writer::label(uint32_t node) {
  count();
  code_.line(fmt::format("node_{}:;", node));
  touched_.clear();
}

// Returns the node that comes next, unless conditions decide; those that they lead to are added to `waiting`.
std::optional<uint32_t> Writer::block_node(const DeterministicNode& node, std::vector<uint32_t>& waiting) {
  ++uncounted_;
  StatementId last = block_;
  for (const DeterministicNode::Alternative& alternative : node.alternatives) {
    const Statement& statement = model_.statements[alternative.statement];
    const bool decides = statement.kind == StatementKind::kCondition;
    const uint32_t faults = faults_;
    CText before = std::exchange(code_, CText(code_.depth()));
    if (decides) {
      require(statement.expression, false, jump_to(alternative.next));
    } else {
      effect(statement);
    }
    const CText code = std::exchange(code_, std::move(before));
    if (decides || faults_ > faults) count();
    line(describe(model_, statement));
    if (faults_ > faults) line(fmt::format("call->statement = {};", marked_unsigned(alternative.statement)));
    code_.append(code);
    if (!decides) return alternative.next;
    last = alternative.statement;
    if (alternative.next != kDone) waiting.push_back(alternative.next);
  }
  count();
  line(fmt::format("call->statement = {};", marked_unsigned(last)));
  fail("CMC_ATOMIC_BLOCK_BLOCKS", "0");
  return std::nullopt;
}

// Counts the statements since the last call.
void Writer::count() {
  const uint32_t statements = std::exchange(uncounted_, 0);
  if (!counts_ || statements == 0) return;
  ++faults_;
  line(fmt::format("COUNT({}, {})", statements, marked_unsigned(block_)));
}

}  // namespace cmc::native
