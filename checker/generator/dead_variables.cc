#include "checker/generator/dead_variables.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "checker/generator/touch_trace.h"

namespace cmc {

namespace {

using Variables = std::vector<bool>;  // of one proctype, by index

// What a statement does with the locals of the process that executes it.
struct Accesses {
  Variables read;
  Variables overwritten;
};

// Collects reads. A reference that is written reads its indices only.
class Reads {
 public:
  Reads(const Model& model, Variables& read) : model_(model), read_(read) {}

  void expression(ExpressionId id) {
    if (id == kNoExpression) return;
    const Expression& e = model_.expressions[id];
    if (e.op == Operator::kVariable) reference(e.reference);
    if (e.op == Operator::kRemoteVariable) indices(e.reference);
    for (const ExpressionId operand : e.operands) expression(operand);
    arguments(e.arguments);
    if (e.op == Operator::kExists) guard(model_.guards[static_cast<size_t>(e.value)]);
    if (e.statement != kNoStatement) statement(model_.statements[e.statement]);
  }
  void statement(const Statement& s) {
    expression(s.expression);
    expression(s.channel);
    expression(s.guard);
    for (const ExpressionId operand : s.operands) expression(operand);
    arguments(s.arguments);
    if (s.kind == StatementKind::kAssign && !s.discard_target) indices(s.target);
    if (s.kind == StatementKind::kChoose) guard(model_.guards[s.guard_number]);
    for (const VariableReference& target : s.targets) indices(target);
    for (const DeterministicNode& node : s.body) {
      for (const DeterministicNode::Alternative& alternative : node.alternatives) {
        statement(model_.statements[alternative.statement]);
      }
    }
  }

 private:
  void guard(const SolverGuard& guard) {
    for (const ExpressionId parameter : guard.parameters) expression(parameter);
    for (const SolverGuard::Target& target : guard.targets) {
      expression(target.low);
      expression(target.high);
    }
  }
  void arguments(const std::vector<ReceiveArgument>& arguments) {
    for (const ReceiveArgument& argument : arguments) {
      expression(argument.match);
      if (argument.kind == ReceiveArgument::Kind::kStore) indices(argument.store);
    }
  }
  void reference(const VariableReference& reference) {
    if (reference.space == Space::kLocal && reference.variable < read_.size()) read_[reference.variable] = true;
    indices(reference);
  }
  void indices(const VariableReference& reference) {
    for (const VariableReference::Index& index : reference.indices) expression(index.expression);
  }

  const Model& model_;
  Variables& read_;
};

class Liveness {
 public:
  Liveness(const Model& model, size_t number) : model_(model), proctype_(model.proctypes[number]) {
    always_live_.resize(proctype_.variables.size());
    Reads(model, always_live_).expression(proctype_.provided);
    for (const Expression& e : model.expressions) {
      const bool remote = e.op == Operator::kRemoteVariable && e.proctype == number;
      if (remote && e.reference.variable < always_live_.size()) always_live_[e.reference.variable] = true;
    }
    live_.assign(proctype_.locations.size(), always_live_);
    solve();
  }

  // By location.
  [[nodiscard]] const Variables& live(size_t location) const { return live_[location]; }

 private:
  Accesses accesses(const Statement& statement) const {
    Accesses accesses{Variables(proctype_.variables.size()), Variables(proctype_.variables.size())};
    Reads(model_, accesses.read).statement(statement);
    const auto overwrite = [&](const VariableReference& target) {
      if (target.space != Space::kLocal || target.variable >= accesses.overwritten.size()) return;
      if (proctype_.variables[target.variable].dimensions.empty()) accesses.overwritten[target.variable] = true;
    };
    if (statement.kind == StatementKind::kAssign && !statement.discard_target) overwrite(statement.target);
    for (const VariableReference& target : statement.targets) overwrite(target);
    if (statement.kind == StatementKind::kReceive) {
      for (const ReceiveArgument& argument : statement.arguments) {
        if (argument.kind == ReceiveArgument::Kind::kStore) overwrite(argument.store);
      }
    }
    return accesses;
  }

  void solve() {
    struct Flow {
      size_t from;
      size_t to;
      Accesses accesses;
    };
    std::vector<Flow> flows;
    for (size_t from = 0; from < proctype_.locations.size(); ++from) {
      for (const Edge& edge : proctype_.locations[from].edges) {
        flows.push_back({from, edge.target, accesses(model_.statements[edge.statement])});
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = flows.size(); i-- > 0;) {
        const Flow& flow = flows[i];
        for (size_t v = 0; v < proctype_.variables.size(); ++v) {
          const bool after = flow.to > 0 && live_[flow.to][v] && !flow.accesses.overwritten[v];
          if (live_[flow.from][v] || !(after || flow.accesses.read[v])) continue;
          live_[flow.from][v] = true;
          changed = true;
        }
      }
    }
  }

  const Model& model_;
  const Proctype& proctype_;
  Variables always_live_;
  std::vector<Variables> live_;
};

class DeadVariables final : public SuccessorGenerator {
 public:
  DeadVariables(std::unique_ptr<SuccessorGenerator> inner, const Model& model)
      : inner_(std::move(inner)), model_(model) {
    for (size_t p = 0; p < model.proctypes.size(); ++p) {
      const Liveness liveness(model, p);
      std::vector<std::vector<Range>>& ranges = ranges_.emplace_back();
      for (size_t location = 0; location < model.proctypes[p].locations.size(); ++location) {
        ranges.push_back(dead_ranges(model.proctypes[p], liveness.live(location)));
      }
    }
  }

  void initial(SuccessorBatch& out) override {
    inner_->initial(out);
    reset_all(out, nullptr);
  }
  void successors(ByteView state, SuccessorBatch& out) override {
    inner_->successors(state, out);
    trace_ = nullptr;
    reset_all(out, nullptr);
  }
  bool process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace,
                          SuccessorBatch& out) override {
    const bool moves = inner_->process_successors(state, pid, timeout, trace, out);
    trace_ = trace;
    reset_all(out, trace);
    return moves;
  }
  [[nodiscard]] bool executable_edges(ByteView state, uint8_t pid, bool timeout,
                                      std::vector<uint32_t>& edges) override {
    return inner_->executable_edges(state, pid, timeout, edges);
  }
  bool edge_successors(ByteView state, uint8_t pid, bool timeout, uint32_t edge, TouchTrace* trace,
                       SuccessorBatch& out) override {
    const bool known = inner_->edge_successors(state, pid, timeout, edge, trace, out);
    trace_ = trace;
    if (known) reset_all(out, trace);
    return known;
  }
  void claim_moves(ByteView state, bool timeout, TouchTrace* trace, SuccessorBatch& out) override {
    inner_->claim_moves(state, timeout, trace, out);
  }
  void watch(EdgeTrace* trace) override { inner_->watch(trace); }
  void resume(SuccessorBatch& out) override {
    inner_->resume(out);
    reset_all(out, trace_);
  }
  [[nodiscard]] bool has_halves() const override { return inner_->has_halves(); }
  void half(ByteView state, uint8_t pid, bool timeout, const RendezvousMessage* message, TouchTrace* trace,
            Half& out) override {
    inner_->half(state, pid, timeout, message, trace, out);
    if (out.whole) return;
    for (const Half::Item& item : out.items) {
      if (item.kind == Half::Item::Kind::kUnlessTaken) continue;
      std::byte* const after = out.bytes.data() + item.offset;
      build_index(model_, after, index_);
      if (trace != nullptr) touch(after, pid, *trace);
      reset(after);
    }
  }

 private:
  struct Range {  // in a frame
    uint32_t offset = 0;
    uint32_t size = 0;
  };

  // The elements of arrays one by one: those of different fields of a structure alternate.
  static std::vector<Range> dead_ranges(const Proctype& proctype, const Variables& live) {
    std::vector<bool> dead(proctype.frame_bytes, false);
    for (size_t v = 0; v < live.size(); ++v) {
      if (live[v]) continue;
      const Variable& variable = proctype.variables[v];
      mark(dead, variable, variable.offset, 0);
    }
    std::vector<Range> ranges;
    for (uint32_t at = 0; at < dead.size(); ++at) {
      if (!dead[at]) continue;
      if (ranges.empty() || ranges.back().offset + ranges.back().size != at) ranges.push_back({at, 0});
      ++ranges.back().size;
    }
    return ranges;
  }
  static void mark(std::vector<bool>& dead, const Variable& variable, uint32_t offset, size_t dimension) {
    if (dimension == variable.dimensions.size()) {
      for (uint32_t i = 0; i < variable.type.bytes; ++i) dead[offset + i] = true;
      return;
    }
    const Variable::Dimension& at = variable.dimensions[dimension];
    for (uint32_t i = 0; i < at.count; ++i) mark(dead, variable, offset + i * at.stride, dimension + 1);
  }

  void reset_all(SuccessorBatch& out, TouchTrace* trace) {
    for (const SuccessorBatch::Entry& entry : out.entries) {
      std::byte* const state = out.bytes.data() + entry.offset;
      build_index(model_, state, index_);
      if (trace != nullptr) {
        for (const Step& step : std::span(out.steps).subspan(entry.path_begin, entry.path_count)) {
          touch(state, step.pid, *trace);
          touch(state, step.partner, *trace);
        }
      }
      reset(state);
    }
  }
  // The state that index_ describes. In processes that have not moved this changes nothing: they were reset before.
  void reset(std::byte* state) const {
    for (uint32_t pid = 0; pid < index_.process_count; ++pid) {
      for (const Range& range : dead_of(state, pid)) {
        std::memset(state + index_.frames[pid] + range.offset, 0, range.size);
      }
    }
  }
  // What a process that has moved may have lost, whatever was in it.
  void touch(const std::byte* state, uint32_t pid, TouchTrace& trace) const {
    if (pid >= index_.process_count) return;
    for (const Range& range : dead_of(state, pid)) {
      const std::byte* const begin = state + index_.frames[pid] + range.offset;
      for (uint32_t i = 0; i < range.size; ++i) trace.touch(index_, state, begin + i);
    }
  }
  [[nodiscard]] std::span<const Range> dead_of(const std::byte* state, uint32_t pid) const {
    const std::byte* const frame = state + index_.frames[pid];
    return ranges_[load<ProctypeId>(frame + kFrameProctype)][load<LocationId>(frame + kFrameLocation)];
  }

  std::unique_ptr<SuccessorGenerator> inner_;
  const Model& model_;
  std::vector<std::vector<std::vector<Range>>> ranges_;  // by proctype and location
  StateIndex index_;
  TouchTrace* trace_ = nullptr;  // of the last call
};

}  // namespace

std::unique_ptr<SuccessorGenerator> reset_dead_variables(std::unique_ptr<SuccessorGenerator> generator,
                                                         const Model& model) {
  const bool embedded_c = std::ranges::any_of(
      model.properties, [](const Property& property) { return property.kind == Property::Kind::kEmbeddedC; });
  if (embedded_c) return generator;  // it may read anything
  return std::make_unique<DeadVariables>(std::move(generator), model);
}

}  // namespace cmc
