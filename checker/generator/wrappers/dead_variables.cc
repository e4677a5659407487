#include "checker/generator/wrappers/dead_variables.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "checker/generator/touch_trace.h"
#include "ir/effects.h"

namespace cmc {

namespace {

using Variables = std::vector<bool>;  // of one proctype, by index

// What a statement does with the locals of the process that executes it.
struct Accesses {
  Variables read;
  Variables overwritten;
};

// Marks what is read; a variable that is written is not, but its indices are.
void add_reads(const Expression& e, Variables& read) {
  const VariableReference& reference = e.reference;
  const bool local = e.op == Operator::kVariable && reference.space == Space::kLocal;
  if (local && reference.variable < read.size()) read[reference.variable] = true;
}

class Liveness {
 public:
  Liveness(const Model& model, size_t number) : model_(model), proctype_(model.proctypes[number]) {
    always_live_.resize(proctype_.variables.size());
    for_each_expression(model, proctype_.provided, [&](const Expression& e) { add_reads(e, always_live_); });
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
    for_each_expression(model_, statement, [&](const Expression& e) { add_reads(e, accesses.read); });
    const auto overwrite = [&](const VariableReference& target) {
      if (target.space != Space::kLocal || target.variable >= accesses.overwritten.size()) return;
      if (proctype_.variables[target.variable].dimensions.empty()) accesses.overwritten[target.variable] = true;
    };
    // What a d_step writes it may also leave.
    if (statement.body.empty()) for_each_written(model_, statement, overwrite);
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
    std::vector<size_t> changed(live_.size(), 1);  // by location: in which pass last
    for (size_t pass = 1, last = 1; pass <= last + 1; ++pass) {
      for (size_t i = flows.size(); i-- > 0;) {
        const Flow& flow = flows[i];
        if (changed[flow.to] + 1 < pass) continue;
        for (size_t v = 0; v < proctype_.variables.size(); ++v) {
          const bool after = flow.to > 0 && live_[flow.to][v] && !flow.accesses.overwritten[v];
          if (live_[flow.from][v] || !(after || flow.accesses.read[v])) continue;
          live_[flow.from][v] = true;
          changed[flow.from] = last = pass;
        }
      }
    }
  }

  const Model& model_;
  const Proctype& proctype_;
  Variables always_live_;
  std::vector<Variables> live_;
};

struct Range {  // in a frame
  uint32_t offset = 0;
  uint32_t size = 0;
};
using Dead = std::vector<std::vector<std::vector<Range>>>;  // by proctype and location

void mark(std::vector<bool>& dead, const Variable& variable, uint32_t offset, size_t dimension) {
  if (dimension == variable.dimensions.size()) {
    for (uint32_t i = 0; i < variable.type.bytes; ++i) dead[offset + i] = true;
    return;
  }
  const Variable::Dimension& at = variable.dimensions[dimension];
  for (uint32_t i = 0; i < at.count; ++i) mark(dead, variable, offset + i * at.stride, dimension + 1);
}

// Of what is not live among the first `bytes` bytes of a space. The elements of arrays one by one: those of different
// fields of a structure alternate.
std::vector<Range> dead_ranges(const std::vector<Variable>& variables, uint32_t bytes, const Variables& live) {
  std::vector<bool> dead(bytes, false);
  for (size_t v = 0; v < live.size(); ++v) {
    if (!live[v]) mark(dead, variables[v], variables[v].offset, 0);
  }
  std::vector<Range> ranges;
  for (uint32_t at = 0; at < dead.size(); ++at) {
    if (!dead[at]) continue;
    if (ranges.empty() || ranges.back().offset + ranges.back().size != at) ranges.push_back({at, 0});
    ++ranges.back().size;
  }
  return ranges;
}

Dead dead_in(const Model& model) {
  Dead dead;
  for (size_t p = 0; p < model.proctypes.size(); ++p) {
    const Liveness liveness(model, p);
    std::vector<std::vector<Range>>& ranges = dead.emplace_back();
    for (size_t location = 0; location < model.proctypes[p].locations.size(); ++location) {
      const Proctype& proctype = model.proctypes[p];
      ranges.push_back(dead_ranges(proctype.variables, proctype.frame_bytes, liveness.live(location)));
    }
  }
  return dead;
}

// The expressions that read global number `variable` to add to it or to subtract from it; such a sum cannot fail.
void collect_counting(const Model& model, ExpressionId id, uint32_t variable, std::vector<bool>& counting) {
  const Expression& e = model.expressions[id];
  if (e.op == Operator::kAdd || e.op == Operator::kSubtract) {
    for (const ExpressionId operand : e.operands) collect_counting(model, operand, variable, counting);
  }
  const VariableReference& reference = e.reference;
  if (e.op == Operator::kVariable && reference.space == Space::kGlobal && reference.variable == variable)
    counting[id] = true;
}

// Of globals that processes write and nothing reads but to count. What a claim writes is not reset behind its move.
std::vector<Range> dead_globals(const Model& model) {
  const bool may_count = model.overflow < Overflow::kWarning;  // else what is counted may not fit
  const auto mark_written = [&](const Statement& statement, Variables& variables) {
    for_each_written(model, statement, [&](const VariableReference& target) {
      if (target.space == Space::kGlobal && target.variable < variables.size()) variables[target.variable] = true;
    });
  };
  std::vector<bool> counting(model.expressions.size(), false);
  Variables written(model.globals.size(), false);
  for (const Statement& statement : model.statements) {
    mark_written(statement, written);
    const bool assigns = statement.kind == StatementKind::kAssign && !statement.discard_target;
    if (may_count && assigns && statement.target.space == Space::kGlobal)
      collect_counting(model, statement.expression, statement.target.variable, counting);
  }
  Variables live(model.globals.size(), false);
  for (size_t v = 0; v < live.size(); ++v) {
    const Variable& variable = model.globals[v];
    live[v] = !written[v] || variable.hidden || variable.type.basic == BasicType::kChan;
  }
  for (size_t id = 0; id < model.expressions.size(); ++id) {
    const Expression& e = model.expressions[id];
    const bool global = e.op == Operator::kVariable && e.reference.space == Space::kGlobal;
    if (global && !counting[id] && e.reference.variable < live.size()) live[e.reference.variable] = true;
  }
  for (const Proctype& claim : model.claims) {
    for (const Location& location : claim.locations) {
      for (const Edge& edge : location.edges) mark_written(model.statements[edge.statement], live);
    }
  }
  return dead_ranges(model.globals, model.global_bytes, live);
}

class DeadVariables final : public SuccessorGenerator {
 public:
  DeadVariables(std::unique_ptr<SuccessorGenerator> inner, const Model& model, Dead ranges,
                std::vector<Range> globals)
      : inner_(std::move(inner)), model_(model), ranges_(std::move(ranges)), globals_(std::move(globals)) {}

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
  void reset_all(SuccessorBatch& out, TouchTrace* trace) {
    for (const SuccessorBatch::Entry& entry : out.entries) {
      std::byte* const state = out.bytes.data() + entry.offset;
      build_index(model_, state, index_);
      if (trace != nullptr) {
        uint8_t last = kNoProcess;  // an atomic sequence has many steps of one process
        for (const Step& step : out.path(entry)) {
          if (step.pid != last) touch(state, step.pid, *trace);
          if (step.partner != kNoProcess) touch(state, step.partner, *trace);
          last = step.pid;
        }
      }
      reset(state);
    }
  }
  // The state that index_ describes. In processes that have not moved this changes nothing: they were reset before.
  // What is reset of the globals is 0 before each step, so that a step touches it only if it says so itself.
  void reset(std::byte* state) const {
    for (const Range& range : globals_) std::memset(state + range.offset, 0, range.size);
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
  const Dead ranges_;
  const std::vector<Range> globals_;
  StateIndex index_;
  TouchTrace* trace_ = nullptr;  // of the last call
};

}  // namespace

std::unique_ptr<SuccessorGenerator> reset_dead_variables(std::unique_ptr<SuccessorGenerator> generator,
                                                         const Model& model, DeadGlobals globals) {
  const bool embedded_c = std::ranges::any_of(
      model.properties, [](const Property& property) { return property.kind == Property::Kind::kEmbeddedC; });
  if (embedded_c) return generator;  // it may read anything
  Dead dead = dead_in(model);
  const bool any = std::ranges::any_of(dead, [](const auto& proctype) {
    return std::ranges::any_of(proctype, [](const std::vector<Range>& each) { return !each.empty(); });
  });
  std::vector<Range> unread = globals == DeadGlobals::kReset ? dead_globals(model) : std::vector<Range>();
  if (!any && unread.empty()) return generator;
  return std::make_unique<DeadVariables>(std::move(generator), model, std::move(dead), std::move(unread));
}

}  // namespace cmc
