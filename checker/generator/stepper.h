#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "checker/generator/edge_trace.h"
#include "checker/generator/machine.h"
#include "checker/generator/process_rules.h"
#include "checker/generator/runtime_errors.h"
#include "checker/generator/solver_guards.h"
#include "checker/generator/trace_rules.h"
#include "ir/channel_names.h"

// One step of a Promela model, as SPIN's verifier (pan -DSAFETY -DNOREDUCE) has it: the process loop, escapes,
// rendezvous, timeout, else, priority, provided, d_step, the end of processes and deadlock, written once for all
// generators. The Machine defines what expressions and statements mean (machine.h has the concept).
//
// Every edge is tested in the state that is expanded; only if it is executable is the state copied, to its final
// place in the batch, and executed there.

namespace cmc {

// Mistakes that tests build into a Stepper, to see that a comparison with the reference interpreter finds them. No
// program has one: kNone leaves nothing of this in the code.
enum class StepperMistake : uint8_t {
  kNone,
  kRendezvousOrder,  // receivers are tried in ascending order of their pids
  kPriority,         // a process of the same priority takes precedence, too
  kTimeout,          // `timeout` is 1 although some process can move
  kClaimElse,        // an `else` of a claim can always be taken
  kTraceInBlock,     // a trace does not move inside a d_step
};

template <Machine M, StepperMistake kMistake = StepperMistake::kNone>
class Stepper final : public SuccessorGenerator {
 public:
  // `model` must be valid (validate.h); it and `decider`, which may be null, outlive the stepper. `machine` is
  // constructed from them.
  Stepper(const Model& model, GuardDecider* decider)
      : model_(model),
        machine_(model, decider),
        trace_(model),
        asks_others_(std::ranges::any_of(model.expressions,
                                         [](const Expression& each) { return each.op == Operator::kEnabled; })) {
    prepare_index(model, index_);
    prepare_edges();
  }
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  void initial(SuccessorBatch& out) override;
  void successors(ByteView state, SuccessorBatch& out) override;
  bool process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace, SuccessorBatch& out) override;
  void claim_moves(ByteView state, bool timeout, TouchTrace* trace, SuccessorBatch& out) override;
  // Not of models with priorities or enabled(), where whether somebody can move depends on others.
  [[nodiscard]] bool has_halves() const override;
  void half(ByteView state, uint8_t pid, bool timeout, const RendezvousMessage* message, TouchTrace* trace,
            Half& out) override;
  // Not where an edge that is taken, or offers a message, decides about others, nor while edges are told.
  [[nodiscard]] bool executable_edges(ByteView state, uint8_t pid, bool timeout,
                                      std::vector<uint32_t>& edges) override;
  bool edge_successors(ByteView state, uint8_t pid, bool timeout, uint32_t edge, TouchTrace* trace,
                       SuccessorBatch& out) override;
  void watch(EdgeTrace* trace) override { edge_trace_ = trace; }

  [[nodiscard]] M& machine() { return machine_; }

 private:
  // The model's Edge without the parts that only messages to people need.
  struct FastEdge {
    StatementId statement = 0;
    LocationId target = 0;
    LocationId escape = 0;
    uint16_t number = 0;  // in its location
    StatementKind kind = StatementKind::kSkip;
    bool atomic = false;
    bool changes_data = false;  // there is something to execute
    bool poll = false;
    bool event = false;  // the trace may move with it
    uint32_t body = 0;   // of a d_step: its first alternative in body_edges_
  };
  struct FastProctype {
    std::vector<uint32_t> first_edges;  // by location; one more at the end
    ExpressionId provided = kNoExpression;
    bool deterministic = false;
    // Some edge may take a message in a rendezvous, or report an error when one is tried: from any channel, or from
    // those whose id is set.
    bool receives_from_any = false;
    std::vector<bool> receives_from;
  };
  // One alternative of a d_step's body.
  struct BodyEdge {
    StatementId statement = 0;
    uint32_t next = 0;     // begin of the next node in body_edges_, or kBodyDone
    bool control = false;  // skip or else: nothing to test or to execute
    bool send = false;
    bool choose = false;
    bool event = false;
    bool last = false;  // of its node
  };
  static constexpr uint32_t kBodyDone = 0xffffffff;
  static constexpr uint32_t kBodyBlocks = 0xfffffffe;  // a node without alternatives
  enum class Outcome : uint8_t { kBlocked, kNoPartner, kStep };

  void prepare_edges();
  void prepare_edges(const Proctype& proctype, const ChannelNames& names);
  uint32_t prepare_body(const Statement& block);
  View begin_expansion(ByteView state, SuccessorBatch& out);
  View view_of(ByteView state);
  std::span<const FastEdge> edges_of(const View& view) const {
    return edges_of(proctypes_[load<uint8_t>(view.frame + kFrameProctype)], view);
  }
  std::span<const FastEdge> edges_of(const FastProctype& type, const View& view) const {
    const LocationId location = load<LocationId>(view.frame + kFrameLocation);
    DCHECK(location + 1u < type.first_edges.size());
    const uint32_t begin = type.first_edges[location];
    return {edges_.data() + begin, type.first_edges[location + 1u] - begin};
  }
  const FastProctype& proctype_of(const View& view) const {
    return proctypes_[load<uint8_t>(view.frame + kFrameProctype)];
  }

  bool pass(View& view);
  bool try_process(View& view, uint8_t pid);
  bool try_selected(View& view, uint64_t edges, uint64_t certain);
  Executability test_alone(View& view, const FastEdge& edge);
  bool has_priority(const View& view);
  Outcome try_edge(View& view, const FastEdge& edge);
  Outcome end_process(const View& view, const FastEdge& edge);
  Outcome step(const View& view, const FastEdge& edge, uint32_t witness = 0);
  Outcome fail(const View& view, const FastEdge& edge);
  Outcome choose(View& view, const FastEdge& edge);
  Executability find_witnesses(const View& view, StatementId id);
  Executability test_guard(const View& view, const FastEdge& edge);
  bool execute(Scratch& scratch, StatementId statement, bool event) {
    if (event) [[unlikely]]
      return trace_.execute(machine_, scratch, statement);
    return machine_.execute(scratch, statement);
  }
  // The body of a d_step.
  bool execute_block(Scratch& scratch, const FastEdge& edge) {
    if constexpr (requires { machine_.runs_block(edge.statement); }) {
      if (machine_.runs_block(edge.statement) && !edge.event) {
        const bool ok = machine_.execute(scratch, edge.statement);
        scratch.view.statement = edge.statement;
        return ok;
      }
    }
    return execute_body(scratch, edge);
  }
  bool execute_body(Scratch& scratch, const FastEdge& edge);
  void check_determinism(const View& view, const FastEdge& edge);

  bool initialize(Scratch& scratch, const Observer& observer);
  void move_claim(View view);
  [[nodiscard]] bool claim_can(View& view, const FastEdge& edge);
  void take_claim_edge(const View& view, const FastEdge& edge);
  void report_claim_faults(const View& view);

  Outcome offer(const View& view, const FastEdge& edge);
  uint32_t find_receivers(const View& base, uint8_t excluded);
  uint32_t try_receiver(View view);
  uint32_t handshake(const View& view, const FastEdge& edge);
  uint32_t pass_by(const Scratch& scratch, const Step& step);
  [[nodiscard]] Step rendezvous_step(const View& view, const FastEdge& edge) const;
  uint32_t end_rendezvous(const View& view, const Step& step);

  // In a half (stepper_halves.h).
  void note_offer(const View& view);
  void note_else();
  [[nodiscard]] bool joins_at(const View& view) const;
  void merge_notes(Half& out);

  static Step make_step(const View& view, const FastEdge& edge) {
    Step step;
    step.pid = view.pid;
    step.location = load<LocationId>(view.frame + kFrameLocation);
    step.edge = edge.number;
    step.timeout = view.timeout;
    return step;
  }
  // Reports the noted faults as errors at the end of the path that begins at steps[path_begin].
  void report_faults(std::vector<Fault>& faults, uint32_t path_begin, const View& view);
  // For a profile.
  [[nodiscard]] uint32_t number_of(const FastEdge& edge) const {
    return static_cast<uint32_t>(&edge - edges_.data());
  }
  void note_selected() {
    if (edge_trace_ != nullptr) [[unlikely]]
      edge_trace_->selected();
  }
  void note_executed(const View& before, ByteView after) {
    if (edge_trace_ != nullptr && !after.empty()) [[unlikely]]
      edge_trace_->executed({before.state, before.index->frames[before.index->process_count]}, after);
  }
  void write_header(std::byte* state, uint8_t holder, uint8_t last) const {
    store(state + model_.atomic_holder_offset(), holder);
    store(state + model_.last_offset(), model_.uses_last ? last : uint8_t{0});
  }
  void add_entry(size_t begin, uint32_t path_begin);

  const Model& model_;
  M machine_;
  TraceRules<M> trace_;
  const bool asks_others_;  // enabled() is asked, whose answer depends on the edges before, as SPIN's does
  std::vector<FastEdge> edges_;
  std::vector<FastProctype> proctypes_;
  std::vector<BodyEdge> body_edges_;
  bool has_provided_ = false;
  std::vector<Step> claim_path_;     // of the claim's move that is being made
  std::vector<Bytes> claim_states_;  // in the middle of its atomic sequence

  EdgeTrace* edge_trace_ = nullptr;
  SuccessorBatch* out_ = nullptr;
  StateIndex index_;
  std::vector<Fault> faults_;
  const RendezvousMessage no_message_;
  GuardAnswer witnesses_;  // of the kChoose that is being executed

  // The rendezvous under way.
  RendezvousMessage message_;
  std::vector<Fault> sender_faults_;
  Step sender_step_;
  std::vector<Step> passed_by_;  // d_steps executed in its middle
  uint32_t pass_by_count_ = 0;   // how often that was tried
  Bytes offered_;                // the state after the send

  // The half that is being computed, or null. Successors go to half_batch_.
  struct HalfNote {
    size_t successors = 0;  // before it
    Half::Item item;
  };
  Half* half_ = nullptr;
  std::vector<HalfNote> half_notes_;
  SuccessorBatch half_batch_;
};

template <Machine M, StepperMistake kMistake>
void Stepper<M, kMistake>::prepare_edges() {
  const ChannelNames names(model_);
  for (const Proctype& proctype : model_.proctypes) {
    prepare_edges(proctype, names);
    has_provided_ = has_provided_ || proctype.provided != kNoExpression;
  }
  if (model_.claim.exists()) prepare_edges(model_.claims[model_.claim.claim], names);
}

// Appends to proctypes_.
template <Machine M, StepperMistake kMistake>
void Stepper<M, kMistake>::prepare_edges(const Proctype& proctype, const ChannelNames& names) {
  FastProctype& fast = proctypes_.emplace_back();
  fast.provided = proctype.provided;
  fast.deterministic = proctype.deterministic;
  fast.receives_from.resize(model_.channels.size() + 1);
  for (const Location& location : proctype.locations) {
    fast.first_edges.push_back(static_cast<uint32_t>(edges_.size()));
    uint16_t number = 0;
    for (const Edge& edge : location.edges) {
      const Statement& statement = model_.statements[edge.statement];
      const bool pure_condition = statement.kind == StatementKind::kCondition &&
                                  model_.expressions[statement.expression].op != Operator::kRun;
      const bool control = statement.kind == StatementKind::kSkip || statement.kind == StatementKind::kElse;
      const bool block = statement.kind == StatementKind::kAtomicBlock;
      if (statement.kind == StatementKind::kReceive && !statement.poll) {
        if (const auto channels = names.of(statement.channel)) {
          for (const uint32_t id : *channels) fast.receives_from[id] = true;
        } else {
          fast.receives_from_any = true;
        }
      }
      fast.receives_from_any = fast.receives_from_any || block;
      edges_.push_back(FastEdge{edge.statement, edge.target, edge.escape, number++, statement.kind, edge.atomic,
                                !pure_condition && !control, statement.poll,
                                trace_.exists() && (block || trace_.is_event(statement)),
                                block ? prepare_body(statement) : 0});
    }
  }
  fast.receives_from_any = fast.receives_from_any || fast.provided != kNoExpression;
  fast.first_edges.push_back(static_cast<uint32_t>(edges_.size()));
}

// Returns the number of the first alternative.
template <Machine M, StepperMistake kMistake>
uint32_t Stepper<M, kMistake>::prepare_body(const Statement& block) {
  std::vector<uint32_t> begins;
  uint32_t end = static_cast<uint32_t>(body_edges_.size());
  for (const DeterministicNode& node : block.body) {
    begins.push_back(node.alternatives.empty() ? kBodyBlocks : end);
    end += static_cast<uint32_t>(node.alternatives.size());
  }
  for (const DeterministicNode& node : block.body) {
    for (const DeterministicNode::Alternative& alternative : node.alternatives) {
      const StatementKind kind = model_.statements[alternative.statement].kind;
      BodyEdge& edge = body_edges_.emplace_back();
      edge.statement = alternative.statement;
      edge.next = alternative.next == DeterministicNode::kDone ? kBodyDone : begins[alternative.next];
      edge.control = kind == StatementKind::kSkip || kind == StatementKind::kElse;
      edge.send = kind == StatementKind::kSend;
      edge.choose = kind == StatementKind::kChoose;
      edge.event = trace_.exists() && trace_.is_event(model_.statements[alternative.statement]);
      edge.last = &alternative == &node.alternatives.back();
    }
  }
  return begins.front();
}

template <Machine M, StepperMistake kMistake>
void Stepper<M, kMistake>::initial(SuccessorBatch& out) {
  out_ = &out;
  faults_.clear();
  Bytes zero(model_.global_bytes);
  store(zero.data() + model_.atomic_holder_offset(), kNoProcess);
  prepare_index(model_, index_);
  View view;
  view.state = zero.data();
  view.index = &index_;
  view.message = &no_message_;
  view.faults = &faults_;
  Scratch scratch(model_, view, out.bytes);
  bool ok = execute_initializers(machine_, scratch, model_.initializers, 1);
  for (const Observer* observer : {&model_.claim, &model_.trace}) {
    if (observer->exists()) ok = ok && initialize(scratch, *observer);
  }
  for (size_t i = 0; ok && i < model_.active.size(); ++i) {
    const ActiveProcess& process = model_.active[i];
    const uint8_t pid = scratch.append_frame(process.proctype, process.priority);
    if (pid == kNoProcess) {
      ok = false;
      break;
    }
    const Proctype& type = model_.proctypes[process.proctype];
    const uint32_t first_channel =
        scratch.view.index->channel_count + 1 - static_cast<uint32_t>(type.channels.size());
    scratch.enter(pid);
    ok = execute_initializers(machine_, scratch, type.initializers, first_channel);
  }
  if (ok) {
    add_entry(scratch.begin(), 0);
  } else {
    out.bytes.resize(scratch.begin());
  }
  report_faults(faults_, 0, scratch.view);
}

template <Machine M, StepperMistake kMistake>
void Stepper<M, kMistake>::successors(ByteView state, SuccessorBatch& out) {
  DCHECK(out.entries.empty() && out.steps.empty() && out.errors.empty());
  View base = begin_expansion(state, out);
  const uint8_t holder = load<uint8_t>(state.data() + model_.atomic_holder_offset());
  if (holder != kNoProcess) {
    if (try_process(base, holder)) return;
    out.holder_released = true;
  }
  bool moved = pass(base);
  if (model_.uses_timeout && (!moved || kMistake == StepperMistake::kTimeout)) {
    base.timeout = true;
    if (pass(base)) moved = true;
  }
  if (moved) return;
  out.blocked = true;
  for (uint32_t pid = 0; pid < index_.process_count; ++pid) {
    const View view = base.as(static_cast<uint8_t>(pid));
    const Proctype& type = model_.proctypes[load<uint8_t>(view.frame + kFrameProctype)];
    if (!type.locations[load<LocationId>(view.frame + kFrameLocation)].valid_end) out.invalid_end = true;
  }
  if (index_.process_count > 0 && !trace_.may_end(state.data())) out.invalid_end = true;
}

template <Machine M, StepperMistake kMistake>
bool Stepper<M, kMistake>::process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace,
                                              SuccessorBatch& out) {
  View view = begin_expansion(state, out);
  view.timeout = timeout;
  view.trace = trace;
  return try_process(view, pid);
}

template <Machine M, StepperMistake kMistake>
bool Stepper<M, kMistake>::initialize(Scratch& scratch, const Observer& observer) {
  const Proctype& automaton = model_.claims[observer.claim];
  scratch.enter(observer);
  store(scratch.frame + kFramePriority, uint8_t{1});
  store(scratch.frame + kFrameLocation, automaton.start);
  if (!execute_initializers(machine_, scratch, automaton.initializers, 1)) return false;
  const bool ends = automaton.locations[automaton.start].valid_end && &observer == &model_.claim;
  if (ends) scratch.view.fault(RuntimeErrorKind::kClaimEnd);
  return true;
}

template <Machine M, StepperMistake kMistake>
void Stepper<M, kMistake>::claim_moves(ByteView state, bool timeout, TouchTrace* trace, SuccessorBatch& out) {
  CHECK(model_.claim.exists());
  View view = begin_expansion(state, out);
  view.timeout = timeout;
  view.trace = trace;
  view.enter(model_.claim);
  claim_path_.clear();
  move_claim(view);
}

// Appends the moves that begin with claim_path_ and go on in the view's state.
template <Machine M, StepperMistake kMistake>
void Stepper<M, kMistake>::move_claim(View view) {
  view.earlier = false;
  LocationId escape_state = 0;
  for (const FastEdge& edge : edges_of(proctypes_.back(), view)) {
    if (escape_state > 0 && edge.escape != escape_state) break;
    view.statement = edge.statement;
    EdgeTry tried(edge_trace_, number_of(edge));
    if (!claim_can(view, edge)) continue;
    tried.set_executable();
    note_selected();
    claim_path_.push_back(make_step(view, edge));
    if (faults_.empty()) {
      take_claim_edge(view, edge);
    } else {
      report_claim_faults(view);
    }
    claim_path_.pop_back();
    view.earlier = true;
    escape_state = edge.escape;
  }
}

// A claim that fails trying has noted a fault.
template <Machine M, StepperMistake kMistake>
bool Stepper<M, kMistake>::claim_can(View& view, const FastEdge& edge) {
  switch (edge.kind) {
    case StatementKind::kSkip: return true;
    case StatementKind::kElse: return !view.earlier || kMistake == StepperMistake::kClaimElse;
    case StatementKind::kEndProcess: return false;
    case StatementKind::kAtomicBlock: return test_guard(view, edge) != Executability::kBlocked;
    default: return machine_.test(view, edge.statement) != Executability::kBlocked;
  }
}

// In an atomic sequence the claim goes on at once; if it cannot, that is no move. One that returns to one of its
// states, or is very long, is cut.
template <Machine M, StepperMistake kMistake>
void Stepper<M, kMistake>::take_claim_edge(const View& view, const FastEdge& edge) {
  constexpr size_t kLongestMove = 1000;  // edges
  const size_t begin = out_->bytes.size();
  View base = view;
  base.frame = nullptr;
  Scratch scratch(model_, base, out_->bytes);
  scratch.enter(model_.claim);
  const bool ok =
      !edge.changes_data || (edge.kind == StatementKind::kAtomicBlock ? execute_block(scratch, edge)
                                                                      : machine_.execute(scratch, edge.statement));
  if (!ok) {
    out_->bytes.resize(begin);
    return report_claim_faults(view);
  }
  if (edge.target > 0) store(scratch.frame + kFrameLocation, edge.target);
  const Location& target =
      model_.claims[model_.claim.claim].locations[load<LocationId>(scratch.frame + kFrameLocation)];
  if (target.valid_end) view.fault(RuntimeErrorKind::kClaimEnd);
  if (!faults_.empty()) report_claim_faults(view);
  if (!edge.atomic) {
    const uint32_t path_begin = static_cast<uint32_t>(out_->steps.size());
    out_->steps.insert(out_->steps.end(), claim_path_.begin(), claim_path_.end());
    return add_entry(begin, path_begin);
  }
  Bytes next(scratch.state, scratch.state + scratch.size());
  out_->bytes.resize(begin);
  if (claim_path_.size() > kLongestMove || std::ranges::find(claim_states_, next) != claim_states_.end()) {
    out_->endless_atomic = true;
    return;
  }
  claim_states_.push_back(std::move(next));
  View inside = view;
  inside.state = claim_states_.back().data();
  inside.enter(model_.claim);
  move_claim(inside);
  claim_states_.pop_back();
}

template <Machine M, StepperMistake kMistake>
void Stepper<M, kMistake>::report_claim_faults(const View& view) {
  const uint32_t path_begin = static_cast<uint32_t>(out_->steps.size());
  out_->steps.insert(out_->steps.end(), claim_path_.begin(), claim_path_.end());
  View place = view;
  place.frame = nullptr;
  report_faults(faults_, path_begin, place);
}

template <Machine M, StepperMistake kMistake>
View Stepper<M, kMistake>::begin_expansion(ByteView state, SuccessorBatch& out) {
  out_ = &out;
  DCHECK(message_.channel == 0 && passed_by_.empty() && sender_faults_.empty());
  return view_of(state);
}

template <Machine M, StepperMistake kMistake>
View Stepper<M, kMistake>::view_of(ByteView state) {
  faults_.clear();
  build_index(model_, state.data(), index_);
  DCHECK(index_.frames[index_.process_count] == state.size());
  View view;
  view.state = state.data();
  view.index = &index_;
  view.message = &no_message_;
  view.faults = &faults_;
  return view;
}

template <Machine M, StepperMistake kMistake>
bool Stepper<M, kMistake>::pass(View& view) {
  bool made = false;
  for (uint32_t pid = index_.process_count; pid-- > 0;) {
    if (try_process(view, static_cast<uint8_t>(pid))) made = true;
  }
  return made;
}

template <Machine M, StepperMistake kMistake>
bool Stepper<M, kMistake>::try_process(View& view, uint8_t pid) {
  view.enter(pid);
  view.statement = kNoStatement;
  view.earlier = false;
  if (has_provided_) {
    const ExpressionId provided = proctype_of(view).provided;
    int32_t value = 1;
    if (provided != kNoExpression && !machine_.evaluate(view, provided, value)) {
      report_faults(faults_, static_cast<uint32_t>(out_->steps.size()), view);
      return true;
    }
    if (value == 0) return false;
  }
  if (model_.uses_priority && !has_priority(view)) return false;
  if constexpr (requires(uint64_t bits) { machine_.select(view, bits, bits); }) {
    uint64_t edges = 0;
    uint64_t certain = 0;
    // A trace is told of each edge.
    if (edge_trace_ == nullptr && machine_.select(view, edges, certain)) return try_selected(view, edges, certain);
  }
  bool made = false;
  LocationId escape_state = 0;
  for (const FastEdge& edge : edges_of(view)) {
    if (escape_state > 0 && edge.escape != escape_state) break;
    EdgeTry tried(edge_trace_, number_of(edge));
    const Outcome outcome = try_edge(view, edge);
    if (outcome == Outcome::kStep) {
      tried.set_executable();
      made = view.earlier = true;
      escape_state = edge.escape;
    } else if (outcome == Outcome::kNoPartner) {
      escape_state = 0;
    }
  }
  return made;
}

// As try_process, where nothing escapes and the edges are known that are not blocked; if `certain`, they are
// executable.
template <Machine M, StepperMistake kMistake>
bool Stepper<M, kMistake>::try_selected(View& view, uint64_t edges, uint64_t certain) {
  const std::span<const FastEdge> all = edges_of(view);
  bool made = false;
  for (; edges != 0; edges &= edges - 1) {
    const unsigned number = static_cast<unsigned>(std::countr_zero(edges));
    const FastEdge& edge = all[number];
    view.statement = edge.statement;
    const bool known = (certain >> number & 1) != 0;
    if ((known ? step(view, edge) : try_edge(view, edge)) == Outcome::kStep) made = view.earlier = true;
  }
  return made;
}

template <Machine M, StepperMistake kMistake>
bool Stepper<M, kMistake>::executable_edges(ByteView state, uint8_t pid, bool timeout, std::vector<uint32_t>& edges) {
  if (edge_trace_ != nullptr || has_provided_ || model_.uses_priority || asks_others_ || trace_.exists())
    return false;
  View view = view_of(state);
  view.timeout = timeout;
  view.enter(pid);
  if (proctype_of(view).deterministic) return false;
  const std::span<const FastEdge> all = edges_of(view);
  edges.clear();
  const auto add = [&](const FastEdge& edge, bool certain) {
    const Executability found = certain ? Executability::kExecutable : test_alone(view, edge);
    if (found == Executability::kBlocked) return true;
    if (found != Executability::kExecutable) return false;
    edges.push_back(number_of(edge));
    view.earlier = true;
    return true;
  };
  if constexpr (requires(uint64_t bits) { machine_.select(view, bits, bits); }) {
    uint64_t selected = 0;
    uint64_t certain = 0;
    if (machine_.select(view, selected, certain)) {
      for (; selected != 0; selected &= selected - 1) {
        const unsigned number = static_cast<unsigned>(std::countr_zero(selected));
        if (!add(all[number], (certain >> number & 1) != 0)) return false;
      }
      return faults_.empty();
    }
  }
  return std::ranges::all_of(all, [&](const FastEdge& edge) { return add(edge, false); }) && faults_.empty();
}

// kExecutable or kBlocked, whatever others can do; anything else: that cannot be said.
template <Machine M, StepperMistake kMistake>
Executability Stepper<M, kMistake>::test_alone(View& view, const FastEdge& edge) {
  if (edge.escape != 0) return Executability::kFault;
  view.statement = edge.statement;
  switch (edge.kind) {
    case StatementKind::kSkip: return Executability::kExecutable;
    case StatementKind::kElse: return view.earlier ? Executability::kBlocked : Executability::kExecutable;
    case StatementKind::kEndProcess:
    case StatementKind::kChoose: return Executability::kFault;
    case StatementKind::kAtomicBlock: return test_guard(view, edge);
    default: return machine_.test(view, edge.statement);
  }
}

template <Machine M, StepperMistake kMistake>
bool Stepper<M, kMistake>::edge_successors(ByteView state, uint8_t pid, bool timeout, uint32_t edge,
                                           TouchTrace* trace, SuccessorBatch& out) {
  View view = begin_expansion(state, out);
  view.timeout = timeout;
  view.trace = trace;
  view.enter(pid);
  view.statement = edges_[edge].statement;
  step(view, edges_[edge]);
  return true;
}

// May this process move, or is there another that can and has a higher priority? An error in the test of the other
// is not reported here: the step of the other process reports it.
template <Machine M, StepperMistake kMistake>
bool Stepper<M, kMistake>::has_priority(const View& view) {
  const uint8_t priority = load<uint8_t>(view.frame + kFramePriority);
  const uint8_t harmless = kMistake == StepperMistake::kPriority ? static_cast<uint8_t>(priority - 1) : priority;
  bool highest = true;
  for (uint32_t pid = 0; highest && pid < index_.process_count; ++pid) {
    const View other = view.as(static_cast<uint8_t>(pid));
    if (load<uint8_t>(other.frame + kFramePriority) <= harmless) continue;
    if (kMistake == StepperMistake::kPriority && pid == view.pid) continue;
    const ExpressionId provided = proctype_of(other).provided;
    int32_t value = 1;
    if (provided != kNoExpression && machine_.evaluate(other, provided, value) && value == 0) continue;
    highest = some_edge_executable(machine_, other) == Executability::kBlocked;
  }
  // Keeps only the missing answer: with it, this process may be the one to move.
  std::erase_if(faults_, [](const Fault& fault) { return fault.kind != RuntimeErrorKind::kPendingGuard; });
  if (!faults_.empty()) [[unlikely]]
    report_faults(faults_, static_cast<uint32_t>(out_->steps.size()), view);
  return highest;
}

template <Machine M, StepperMistake kMistake>
typename Stepper<M, kMistake>::Outcome Stepper<M, kMistake>::try_edge(View& view, const FastEdge& edge) {
  view.statement = edge.statement;
  Executability executability = Executability::kExecutable;
  switch (edge.kind) {
    case StatementKind::kSkip: break;
    case StatementKind::kElse:
      if (view.earlier) return Outcome::kBlocked;
      if (half_ != nullptr) [[unlikely]]
        note_else();
      break;
    case StatementKind::kEndProcess: return end_process(view, edge);
    case StatementKind::kAtomicBlock: executability = test_guard(view, edge); break;
    case StatementKind::kChoose: return choose(view, edge);
    default: executability = machine_.test(view, edge.statement); break;
  }
  switch (executability) {
    case Executability::kBlocked: return Outcome::kBlocked;
    case Executability::kExecutable: return step(view, edge);
    case Executability::kRendezvous: return edge.kind == StatementKind::kSend ? offer(view, edge) : Outcome::kBlocked;
    case Executability::kFault: break;
  }
  return fail(view, edge);
}

// The edge counts as executable, but has no successor.
template <Machine M, StepperMistake kMistake>
typename Stepper<M, kMistake>::Outcome Stepper<M, kMistake>::fail(const View& view, const FastEdge& edge) {
  const uint32_t path_begin = static_cast<uint32_t>(out_->steps.size());
  out_->steps.push_back(make_step(view, edge));
  report_faults(faults_, path_begin, view);
  return Outcome::kStep;
}

// One successor for each witness.
template <Machine M, StepperMistake kMistake>
typename Stepper<M, kMistake>::Outcome Stepper<M, kMistake>::choose(View& view, const FastEdge& edge) {
  const Executability executability = find_witnesses(view, edge.statement);
  if (executability == Executability::kBlocked) return Outcome::kBlocked;
  if (executability == Executability::kFault) return fail(view, edge);
  for (uint32_t i = 0; i < witnesses_.witnesses.size(); ++i) {
    view.witness = witnesses_.witnesses[i].data();
    const bool last = i + 1 == witnesses_.witnesses.size();
    if (last && witnesses_.more) view.fault(RuntimeErrorKind::kMoreWitnesses, static_cast<int32_t>(i + 1));
    step(view, edge, i);
    view.earlier = true;
  }
  view.witness = nullptr;
  return Outcome::kStep;
}

// The witnesses of a kChoose, into witnesses_.
template <Machine M, StepperMistake kMistake>
Executability Stepper<M, kMistake>::find_witnesses(const View& view, StatementId id) {
  const Statement& statement = model_.statements[id];
  const GuardGoal goal = statement.flag ? GuardGoal::kLeast : GuardGoal::kAll;
  if (!ask_guard(machine_, view, statement.guard_number, goal, statement.most_witnesses, witnesses_)) {
    return Executability::kFault;
  }
  return witnesses_.witnesses.empty() ? Executability::kBlocked : Executability::kExecutable;
}

template <Machine M, StepperMistake kMistake>
typename Stepper<M, kMistake>::Outcome Stepper<M, kMistake>::end_process(const View& view, const FastEdge& edge) {
  if (view.pid + 1u != index_.process_count) return Outcome::kBlocked;
  note_selected();
  if (view.trace != nullptr) view.trace->touch_whole_frame(view.pid, load<uint8_t>(view.frame + kFrameProctype));
  const uint32_t path_begin = static_cast<uint32_t>(out_->steps.size());
  out_->steps.push_back(make_step(view, edge));
  const size_t begin = out_->bytes.size();
  out_->bytes.insert(out_->bytes.end(), view.state, view.frame);
  std::byte* state = out_->bytes.data() + begin;
  store(state + model_.process_count_offset(), view.pid);
  write_header(state, kNoProcess, view.pid);
  add_entry(begin, path_begin);
  note_executed(view, ByteView(out_->bytes).subspan(begin));
  return Outcome::kStep;
}

template <Machine M, StepperMistake kMistake>
typename Stepper<M, kMistake>::Outcome Stepper<M, kMistake>::step(const View& view, const FastEdge& edge,
                                                                  uint32_t witness) {
  note_selected();
  check_determinism(view, edge);
  const uint32_t path_begin = static_cast<uint32_t>(out_->steps.size());
  out_->steps.push_back(make_step(view, edge));
  out_->steps.back().witness = witness;
  const uint8_t holder = edge.atomic ? view.pid : kNoProcess;
  const size_t begin = out_->bytes.size();
  if (!edge.changes_data) {
    const uint32_t frame = index_.frames[view.pid];
    out_->bytes.insert(out_->bytes.end(), view.state, view.state + index_.frames[index_.process_count]);
    std::byte* state = out_->bytes.data() + begin;
    if (edge.target > 0) store(state + frame + kFrameLocation, edge.target);
    write_header(state, holder, view.pid);
    add_entry(begin, path_begin);
  } else {
    Scratch scratch(model_, view, out_->bytes);
    const bool ok = edge.kind == StatementKind::kAtomicBlock ? execute_block(scratch, edge)
                                                             : execute(scratch, edge.statement, edge.event);
    if (ok) {
      if (edge.target > 0) store(scratch.frame + kFrameLocation, edge.target);
      write_header(scratch.state, holder, view.pid);
      add_entry(begin, path_begin);
    } else {
      out_->bytes.resize(begin);
    }
  }
  note_executed(view, ByteView(out_->bytes).subspan(begin));
  if (!faults_.empty()) [[unlikely]]
    report_faults(faults_, path_begin, view);
  return Outcome::kStep;
}

template <Machine M, StepperMistake kMistake>
Executability Stepper<M, kMistake>::test_guard(const View& view, const FastEdge& edge) {
  const ExpressionId guard = model_.statements[edge.statement].guard;
  if (guard == kNoExpression) return Executability::kExecutable;
  int32_t value = 0;
  if (!machine_.evaluate(view, guard, value)) return Executability::kFault;
  return value != 0 ? Executability::kExecutable : Executability::kBlocked;
}

// Runs the body of a d_step. A receive in it may take the message of a rendezvous under way; the scratch view shows
// afterwards whether one did.
template <Machine M, StepperMistake kMistake>
bool Stepper<M, kMistake>::execute_body(Scratch& scratch, const FastEdge& edge) {
  const StatementId outer = edge.statement;
  uint32_t at = edge.body;
  for (uint32_t executed = 0; at != kBodyDone; ++executed) {
    if (executed == kMaxAtomicBlockStatements) {
      scratch.view.statement = outer;
      return scratch.view.fault(RuntimeErrorKind::kEndlessAtomicBlock);
    }
    if (at == kBodyBlocks) {
      scratch.view.statement = outer;
      return scratch.view.fault(RuntimeErrorKind::kAtomicBlockBlocks);
    }
    for (;; ++at) {
      DCHECK(at < body_edges_.size());
      const BodyEdge& alternative = body_edges_[at];
      scratch.view.statement = alternative.statement;
      if (alternative.control) break;
      const Executability executability = alternative.choose ? find_witnesses(scratch.view, alternative.statement)
                                                             : machine_.test(scratch.view, alternative.statement);
      if (executability == Executability::kFault) return false;
      if (executability == Executability::kBlocked) {
        if (alternative.last) return scratch.view.fault(RuntimeErrorKind::kAtomicBlockBlocks);
        continue;
      }
      const bool rendezvous = executability == Executability::kRendezvous;
      if (rendezvous && alternative.send) return scratch.view.fault(RuntimeErrorKind::kRendezvousInAtomicBlock);
      if (alternative.choose) scratch.view.witness = witnesses_.witnesses.front().data();
      const bool event = alternative.event && kMistake != StepperMistake::kTraceInBlock;
      if (!execute(scratch, alternative.statement, event)) return false;
      if (rendezvous) scratch.view.message = &no_message_;
      break;
    }
    at = body_edges_[at].next;
  }
  scratch.view.statement = outer;
  return true;
}

template <Machine M, StepperMistake kMistake>
void Stepper<M, kMistake>::check_determinism(const View& view, const FastEdge& edge) {
  // As SPIN's verifier, which looks at basic statements only: not at jumps, skip, else and d_steps.
  const bool checked = edge.kind != StatementKind::kElse && edge.kind != StatementKind::kSkip &&
                       edge.kind != StatementKind::kAtomicBlock;
  if (view.earlier && checked && proctype_of(view).deterministic) view.fault(RuntimeErrorKind::kNondeterminism);
}

// A rendezvous send: one successor per receive that takes the message.
template <Machine M, StepperMistake kMistake>
typename Stepper<M, kMistake>::Outcome Stepper<M, kMistake>::offer(const View& view, const FastEdge& edge) {
  sender_step_ = make_step(view, edge);
  if (!machine_.message(view, edge.statement, message_)) {
    const uint32_t path_begin = static_cast<uint32_t>(out_->steps.size());
    out_->steps.push_back(sender_step_);
    report_faults(faults_, path_begin, view);
    return Outcome::kStep;
  }
  check_determinism(view, edge);
  offered_.assign(view.state, view.state + index_.frames[index_.process_count]);
  std::byte* sender_frame = offered_.data() + index_.frames[view.pid];
  if (edge.target > 0) store(sender_frame + kFrameLocation, edge.target);
  if (model_.uses_last) store(offered_.data() + model_.last_offset(), view.pid);
  note_executed(view, offered_);
  View offered = view;
  offered.state = offered_.data();
  if (edge.event && !trace_.move(machine_, offered, offered_.data(), edge.kind, message_.channel, message_.values)) {
    message_.channel = 0;
    return fail(view, edge);
  }
  if (half_ != nullptr) [[unlikely]] {
    note_offer(offered);
    return Outcome::kNoPartner;
  }
  if (view.trace != nullptr) view.trace->note_handshake();
  sender_faults_.swap(faults_);
  faults_.clear();
  offered.message = &message_;
  passed_by_.clear();
  pass_by_count_ = 0;
  const uint32_t handshakes = find_receivers(offered, view.pid);
  message_.channel = 0;
  sender_faults_.clear();
  return handshakes > 0 ? Outcome::kStep : Outcome::kNoPartner;
}

// Tries all processes but `excluded` as receivers of the message under way, without looking at those whose text rules
// it out. Returns how often it was taken, or the attempt ended in an error.
template <Machine M, StepperMistake kMistake>
uint32_t Stepper<M, kMistake>::find_receivers(const View& base, uint8_t excluded) {
  uint32_t handshakes = 0;
  for (uint32_t i = base.index->process_count; i-- > 0;) {
    const uint32_t pid = kMistake == StepperMistake::kRendezvousOrder ? base.index->process_count - 1 - i : i;
    const FastProctype& type = proctypes_[base.index->types[pid]];
    const bool receives = message_.channel < type.receives_from.size() && type.receives_from[message_.channel];
    if (pid == excluded || !(receives || type.receives_from_any)) continue;
    handshakes += try_receiver(base.as(static_cast<uint8_t>(pid)));
  }
  return handshakes;
}

template <Machine M, StepperMistake kMistake>
uint32_t Stepper<M, kMistake>::try_receiver(View view) {
  view.earlier = false;
  view.statement = kNoStatement;
  const ExpressionId provided = proctype_of(view).provided;
  if (provided != kNoExpression) {
    int32_t value = 0;
    if (!machine_.evaluate(view, provided, value)) {
      end_rendezvous(view, sender_step_);
      return 1;
    }
    if (value == 0) return 0;
  }
  uint32_t handshakes = 0;
  LocationId escape_state = 0;
  for (const FastEdge& edge : edges_of(view)) {
    if (escape_state > 0 && edge.escape != escape_state) break;
    const bool receives = edge.kind == StatementKind::kReceive && !edge.poll;
    if (!receives && edge.kind != StatementKind::kAtomicBlock) continue;
    EdgeTry tried(edge_trace_, number_of(edge));
    Executability executability = Executability::kBlocked;
    view.statement = edge.statement;
    if (receives) {
      executability = machine_.test(view, edge.statement);
      if (executability == Executability::kFault) {
        // Only an error behind a channel expression that names this channel belongs to this handshake.
        int32_t channel = 0;
        const size_t noted = faults_.size();
        const bool ok = machine_.evaluate(view, model_.statements[edge.statement].channel, channel);
        faults_.resize(noted);
        if (!ok || static_cast<uint32_t>(channel) != message_.channel) {
          faults_.clear();
          continue;
        }
      } else if (executability != Executability::kRendezvous) {
        continue;
      }
    } else {
      executability = test_guard(view, edge);
    }
    if (executability == Executability::kBlocked) continue;
    uint32_t completed = 1;
    if (executability == Executability::kFault) {
      end_rendezvous(view, rendezvous_step(view, edge));
    } else {
      completed = handshake(view, edge);
    }
    handshakes += completed;
    if (completed > 0) {
      view.earlier = true;
      tried.set_executable();
    }
    escape_state = completed > 0 ? edge.escape : LocationId{0};
  }
  return handshakes;
}

// Executes a receiving edge, or a d_step, in the middle of a rendezvous.
template <Machine M, StepperMistake kMistake>
uint32_t Stepper<M, kMistake>::handshake(const View& view, const FastEdge& edge) {
  note_selected();
  check_determinism(view, edge);
  Scratch scratch(model_, view, out_->bytes);
  bool taken = true;
  bool ok = true;
  if (edge.kind == StatementKind::kReceive) {
    ok = execute(scratch, edge.statement, edge.event);
  } else {
    ok = execute_block(scratch, edge);
    taken = scratch.view.rendezvous_channel() == 0;
  }
  if (ok && edge.target > 0) store(scratch.frame + kFrameLocation, edge.target);
  if (ok && !taken) {
    if (model_.uses_last) store(scratch.state + model_.last_offset(), view.pid);
    Step inside = make_step(view, edge);
    inside.inside_rendezvous = true;
    return pass_by(scratch, inside);
  }
  const uint32_t path_begin = end_rendezvous(view, rendezvous_step(view, edge));
  if (ok) {
    write_header(scratch.state, edge.atomic ? view.pid : kNoProcess, view.pid);
    add_entry(scratch.begin(), path_begin);
    note_executed(view, {scratch.state, scratch.size()});
  } else {
    out_->bytes.resize(scratch.begin());
  }
  return 1;
}

// The step of a rendezvous in which the process that `view` is takes this edge.
template <Machine M, StepperMistake kMistake>
Step Stepper<M, kMistake>::rendezvous_step(const View& view, const FastEdge& edge) const {
  Step step = sender_step_;
  step.partner = view.pid;
  step.partner_location = load<LocationId>(view.frame + kFrameLocation);
  step.partner_edge = edge.number;
  return step;
}

// Appends the steps of an attempt to complete the rendezvous, and reports the faults of all of them: those of the
// sender, of the d_steps in the middle, and of the process that `view` is. Returns where the steps begin.
template <Machine M, StepperMistake kMistake>
uint32_t Stepper<M, kMistake>::end_rendezvous(const View& view, const Step& step) {
  DCHECK(message_.channel != 0 && step.pid == sender_step_.pid);
  const uint32_t path_begin = static_cast<uint32_t>(out_->steps.size());
  out_->steps.insert(out_->steps.end(), passed_by_.begin(), passed_by_.end());
  out_->steps.push_back(step);
  if (!sender_faults_.empty()) [[unlikely]] {
    std::vector<Fault> sender_faults = sender_faults_;
    report_faults(sender_faults, path_begin, view);
  }
  if (!faults_.empty()) [[unlikely]]
    report_faults(faults_, path_begin, view);
  return path_begin;
}

// A d_step was executed in the middle of a rendezvous and did not take the message: the search for a receiver
// continues behind it.
template <Machine M, StepperMistake kMistake>
uint32_t Stepper<M, kMistake>::pass_by(const Scratch& scratch, const Step& step) {
  if (half_ != nullptr) {
    half_->whole = true;
    out_->bytes.resize(scratch.begin());
    return 0;
  }
  constexpr size_t kMaxPassedBy = 64;
  constexpr uint32_t kMaxPassByCount = 100'000;  // sequences of d_steps multiply
  const Bytes changed(scratch.state, scratch.state + scratch.size());
  const StateIndex index = *scratch.view.index;
  const View& view = scratch.view;
  out_->bytes.resize(scratch.begin());
  if (passed_by_.size() >= kMaxPassedBy || ++pass_by_count_ > kMaxPassByCount) {
    view.fault(RuntimeErrorKind::kEndlessAtomicBlock);
    end_rendezvous(view, sender_step_);
    return 1;
  }
  View next = view;
  next.state = changed.data();
  next.index = &index;
  passed_by_.push_back(step);
  const std::vector<Fault> faults_before = std::exchange(faults_, {});
  const std::vector<Fault> sender_faults = sender_faults_;
  sender_faults_.insert(sender_faults_.end(), faults_before.begin(), faults_before.end());
  const uint32_t handshakes = find_receivers(next, view.pid);
  sender_faults_ = sender_faults;
  passed_by_.pop_back();
  return handshakes;
}

template <Machine M, StepperMistake kMistake>
void Stepper<M, kMistake>::report_faults(std::vector<Fault>& faults, uint32_t path_begin, const View& view) {
  for (const Fault& fault : faults) {
    RuntimeError& error = out_->errors.emplace_back();
    error.kind = fault.kind;
    error.message = error_message(model_, fault.kind, fault.statement, fault.value);
    if (fault.kind == RuntimeErrorKind::kPendingGuard) error.question = static_cast<uint32_t>(fault.value);
    if (fault.statement != kNoStatement) {
      error.place = model_.statements[fault.statement].place;
    } else if (fault.kind == RuntimeErrorKind::kClaimEnd) {
      error.place = model_.claims[model_.claim.claim].place;
    } else if (view.frame != nullptr && !is_overflow(fault.kind)) {  // that one is of some initializer
      error.place = model_.proctypes[load<uint8_t>(view.frame + kFrameProctype)].place;
    }
    error.path_begin = path_begin;
    error.path_count = static_cast<uint32_t>(out_->steps.size()) - path_begin;
  }
  faults.clear();
}

template <Machine M, StepperMistake kMistake>
void Stepper<M, kMistake>::add_entry(size_t begin, uint32_t path_begin) {
  DCHECK(begin < out_->bytes.size() && path_begin <= out_->steps.size());
  SuccessorBatch::Entry& entry = out_->entries.emplace_back();
  entry.offset = static_cast<uint32_t>(begin);
  entry.size = static_cast<uint32_t>(out_->bytes.size() - begin);
  entry.path_begin = path_begin;
  entry.path_count = static_cast<uint32_t>(out_->steps.size()) - path_begin;
}

}  // namespace cmc

#include "checker/generator/stepper_halves.h"
