#include "checker/keyspace/symmetry.h"

#include <algorithm>
#include <numeric>

#include "ir/effects.h"

namespace cmc {

namespace {

// Whether a proctype's text uses _pid. Printing it changes nothing.
bool uses_own_pid(const Model& model, const Proctype& proctype) {
  int uses = 0;
  const auto count = [&](const Expression& e) { uses += e.op == Operator::kOwnPid ? 1 : 0; };
  for (const Initializer& initializer : proctype.initializers) {
    for_each_expression(model, initializer.value, count);
    for (const auto& index : initializer.target.indices) for_each_expression(model, index.expression, count);
  }
  for_each_expression(model, proctype.provided, count);
  for (const Location& location : proctype.locations) {
    for (const Edge& edge : location.edges) {
      for_each_expression(model, model.statements[edge.statement], count);
      for_each_statement(model, model.statements[edge.statement], [&](const Statement& each) {
        if (each.kind != StatementKind::kPrintf) return;
        uses -= static_cast<int>(std::ranges::count_if(
            each.operands, [&](ExpressionId operand) { return model.expressions[operand].op == Operator::kOwnPid; }));
      });
    }
  }
  return uses > 0;
}

// Whether a process may come to its end and go.
bool ends(const Model& model, const Proctype& proctype) {
  std::vector<bool> reached(proctype.locations.size());
  std::vector<LocationId> open{proctype.start};
  while (!open.empty()) {
    const LocationId location = open.back();
    open.pop_back();
    if (reached[location]) continue;
    reached[location] = true;
    for (const Edge& edge : proctype.locations[location].edges) {
      if (model.statements[edge.statement].kind == StatementKind::kEndProcess) return true;
      open.push_back(edge.target);
    }
  }
  return reached[proctype.end];
}

// Whether an expression of the model or of one of its claims or formulas names a process of the proctype.
bool is_looked_at(const Model& model, size_t proctype) {
  return std::ranges::any_of(model.expressions, [&](const Expression& expression) {
    const bool remote = expression.op == Operator::kRemoteLocation || expression.op == Operator::kRemoteVariable;
    return remote && expression.proctype == proctype;
  });
}

const char* obstacle_of(const Model& model, size_t number) {
  const Proctype& proctype = model.proctypes[number];
  if (uses_own_pid(model, proctype)) return "uses _pid";
  if (ends(model, proctype)) return "may end";
  if (!proctype.channels.empty()) return "owns channels";
  if (is_looked_at(model, number)) return "is looked at from outside";
  return nullptr;
}

bool asks_about_processes(const Expression& expression) {
  return expression.op == Operator::kEnabled || expression.op == Operator::kLocationOf;
}

bool is_embedded(const Statement& statement) { return statement.kind == StatementKind::kEmbeddedC; }
bool has_embedded(const Expression& expression) { return expression.op == Operator::kEmbeddedC; }

}  // namespace

// Where the frames of a state are.
struct Symmetry::Frames {
  Frames(const Model& model, ByteView state) {
    const uint32_t count = load<uint8_t>(state.data() + model.process_count_offset());
    uint32_t offset = model.global_bytes;
    for (uint32_t pid = 0; pid < count; ++pid) {
      offsets.push_back(offset);
      proctypes.push_back(state[offset + kFrameProctype]);
      offset += model.proctypes[static_cast<ProctypeId>(proctypes.back())].frame_bytes;
    }
    holder = load<uint8_t>(state.data() + model.atomic_holder_offset());
  }
  std::vector<uint32_t> offsets;  // by pid
  Bytes proctypes;                // by pid
  uint8_t holder = kNoProcess;
};

Symmetry::Symmetry(const Model& model) : model_(model) {
  for (size_t number = 0; number < model.proctypes.size(); ++number) {
    obstacles_.push_back(obstacle_of(model, number));
  }
}

const char* Symmetry::obstacle(const Model& model) {
  if (model.claim.exists()) return "a claim looks at the processes";
  if (model.trace.exists()) return "a trace observes the channels";
  if (model.uses_priority) return "the model has priorities";
  if (model.uses_last) return "the model uses _last";
  if (std::ranges::any_of(model.statements, is_embedded) || std::ranges::any_of(model.expressions, has_embedded)) {
    return "the model has embedded C code";
  }
  if (std::ranges::any_of(model.expressions, asks_about_processes)) return "the model uses enabled() or pc_value()";
  return nullptr;
}

bool Symmetry::any() const { return std::ranges::find(obstacles_, nullptr) != obstacles_.end(); }

std::vector<Symmetry::Group> Symmetry::groups(ByteView proctypes) const {
  std::vector<Group> by_proctype(obstacles_.size());
  for (size_t pid = 0; pid < proctypes.size(); ++pid) {
    const auto proctype = static_cast<ProctypeId>(proctypes[pid]);
    if (obstacles_[proctype] == nullptr) by_proctype[proctype].push_back(static_cast<uint8_t>(pid));
  }
  std::erase_if(by_proctype, [](const Group& group) { return group.size() < 2; });
  return by_proctype;
}

std::vector<uint8_t> Symmetry::order(ByteView state) const { return order(state, Frames(model_, state)); }

std::vector<uint8_t> Symmetry::order(ByteView state, const Frames& frames) const {
  std::vector<uint8_t> order(frames.offsets.size());
  std::iota(order.begin(), order.end(), uint8_t{0});
  for (const Group& group : groups(frames.proctypes)) {
    const auto proctype = static_cast<ProctypeId>(frames.proctypes[group.front()]);
    const uint32_t size = model_.proctypes[proctype].frame_bytes;
    Group sorted = group;
    std::ranges::stable_sort(sorted, [&](uint8_t a, uint8_t b) {
      const ByteView one = state.subspan(frames.offsets[a], size);
      const ByteView other = state.subspan(frames.offsets[b], size);
      const auto compared =
          std::lexicographical_compare_three_way(one.begin(), one.end(), other.begin(), other.end());
      return compared != 0 ? compared < 0 : b == frames.holder && a != b;
    });
    for (size_t i = 0; i < group.size(); ++i) order[group[i]] = sorted[i];
  }
  return order;
}

void Symmetry::sort(Bytes& state) const {
  const Frames frames(model_, state);
  const std::vector<uint8_t> from = order(state, frames);
  const Bytes before = state;
  for (size_t pid = 0; pid < from.size(); ++pid) {
    if (from[pid] == frames.holder) {
      store(state.data() + model_.atomic_holder_offset(), static_cast<uint8_t>(pid));
    }
    if (from[pid] == pid) continue;
    const uint32_t size = model_.proctypes[static_cast<ProctypeId>(frames.proctypes[pid])].frame_bytes;
    std::copy_n(before.begin() + frames.offsets[from[pid]], size, state.begin() + frames.offsets[pid]);
  }
}

}  // namespace cmc
