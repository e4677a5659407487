#pragma once

#include <algorithm>
#include <bit>

#include "checker/generator/claim_stepper.h"
#include "checker/generator/process_rules.h"
#include "checker/generator/rendezvous.h"

// One step of a Promela model, as SPIN's verifier (pan -DSAFETY -DNOREDUCE) has it: the process loop, escapes,
// rendezvous, timeout, else, priority, provided, d_step, the end of processes and deadlock, written once for all
// generators. The Machine defines what expressions and statements mean (machine.h has the concept).
//
// Every edge is tested in the state that is expanded; only if it is executable is the state copied, to its final
// place in the batch, and executed there.

namespace cmc {

template <Machine M, class Rules = SpinRules>
class Stepper final : public SuccessorGenerator {
 public:
  // `model` must be valid (validate.h); it and `decider`, which may be null, outlive the stepper. The machine is
  // constructed from them.
  Stepper(const Model& model, GuardDecider* decider)
      : model_(model), table_(model), machine_(model, decider, table_), writer_(model, table_) {}
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  void initial(SuccessorBatch& out) override {
    Bytes zero(model_.global_bytes);
    store(zero.data() + model_.atomic_holder_offset(), kNoProcess);
    Scratch scratch(model_, writer_.begin(zero, &out), out.bytes);
    if (start_model<M>(machine_, scratch)) {
      writer_.add_entry(scratch.begin(), 0);
    } else {
      out.bytes.resize(scratch.begin());
    }
    writer_.report_faults(0, scratch.view);
  }

  void successors(ByteView state, SuccessorBatch& out) override {
    DCHECK(out.entries.empty() && out.steps.empty() && out.errors.empty());
    View base = writer_.begin(state, &out);
    const uint8_t holder = load<uint8_t>(state.data() + model_.atomic_holder_offset());
    if (holder != kNoProcess) {
      if (try_process(base, holder)) return;
      out.holder_released = true;
    }
    bool moved = try_all(base);
    if (model_.uses_timeout && Rules::has_timeout(moved)) {
      base.timeout = true;
      if (try_all(base)) moved = true;
    }
    if (moved) return;
    out.blocked = true;
    for (uint32_t pid = 0; pid < writer_.index.process_count; ++pid) {
      const View view = base.as(static_cast<uint8_t>(pid));
      const Proctype& type = model_.proctypes[load<uint8_t>(view.frame + kFrameProctype)];
      if (!type.locations[load<LocationId>(view.frame + kFrameLocation)].valid_end) out.invalid_end = true;
    }
    if (writer_.index.process_count > 0 && !machine_.trace().may_end(state.data())) out.invalid_end = true;
  }

  bool process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace,
                          SuccessorBatch& out) override {
    View view = writer_.begin(state, &out, timeout, trace);
    return try_process(view, pid);
  }

  void claim_moves(ByteView state, bool timeout, TouchTrace* trace, SuccessorBatch& out) override {
    CHECK(model_.claim.exists());
    claim_.moves(writer_.begin(state, &out, timeout, trace));
  }

  // Not of models with priorities or enabled(), where whether somebody can move depends on others.
  [[nodiscard]] bool has_halves() const override {
    return model_.has_rendezvous && !model_.uses_priority && !table_.asks_others;
  }
  void half(ByteView state, uint8_t pid, bool timeout, const RendezvousMessage* message, TouchTrace* trace,
            Half& out) override {
    View view = writer_.begin(state, &halves_.begin(out), timeout, trace);
    out.moves = message == nullptr ? try_process(view, pid) : rendezvous_.answer(view.as(pid), *message);
    halves_.end();
  }

  // Not where an edge that is taken, or offers a message, decides about others, nor while edges are told.
  [[nodiscard]] bool executable_edges(ByteView state, uint8_t pid, bool timeout,
                                      std::vector<uint32_t>& edges) override {
    if (!edges_stand_alone_ || writer_.edge_trace != nullptr) return false;
    View view = writer_.begin(state, nullptr, timeout);
    view.enter(pid);
    if (table_.proctype_of(view).deterministic) return false;
    const std::span<const FastEdge> all = table_.edges_of(view);
    edges.clear();
    const auto add = [&](const FastEdge& edge, bool certain) {
      if (!certain) {
        if (edge.escape != 0 || edge.kind == StatementKind::kEndProcess || edge.kind == StatementKind::kChoose)
          return false;
        view.statement = edge.statement;
        const Executability found = machine_.test_edge(view, edge);
        if (found != Executability::kExecutable) return found == Executability::kBlocked;
      }
      edges.push_back(table_.number_of(edge));
      view.earlier = true;
      return true;
    };
    uint64_t selected = 0;
    uint64_t certain = 0;
    if (select(view, selected, certain)) {
      for (; selected != 0; selected &= selected - 1) {
        const unsigned number = static_cast<unsigned>(std::countr_zero(selected));
        if (!add(all[number], (certain >> number & 1) != 0)) return false;
      }
      return writer_.faults.empty();
    }
    return std::ranges::all_of(all, [&](const FastEdge& edge) { return add(edge, false); }) && writer_.faults.empty();
  }
  bool edge_successors(ByteView state, uint8_t pid, bool timeout, uint32_t edge, TouchTrace* trace,
                       SuccessorBatch& out) override {
    View view = writer_.begin(state, &out, timeout, trace);
    view.enter(pid);
    view.statement = table_.edges[edge].statement;
    take(view, table_.edges[edge]);
    return true;
  }

  void watch(EdgeTrace* trace) override { writer_.edge_trace = trace; }

  [[nodiscard]] M& machine() { return machine_; }

 private:
  enum class Outcome : uint8_t { kBlocked, kNoPartner, kStep };

  // Tries all processes.
  bool try_all(View& view) {
    bool made = false;
    for (uint32_t pid = writer_.index.process_count; pid-- > 0;) {
      if (try_process(view, static_cast<uint8_t>(pid))) made = true;
    }
    return made;
  }

  bool try_process(View& view, uint8_t pid) {
    view.enter(pid);
    view.statement = kNoStatement;
    view.earlier = false;
    if (table_.has_provided) {
      const Executability provided = machine_.test_provided(view);
      if (provided == Executability::kBlocked) return false;
      if (provided == Executability::kFault) {
        writer_.report_faults(static_cast<uint32_t>(writer_.out->steps.size()), view);
        return true;
      }
    }
    if (model_.uses_priority && !has_priority(view)) return false;
    uint64_t edges = 0;
    uint64_t certain = 0;
    // A trace is told of each edge.
    if (writer_.edge_trace == nullptr && select(view, edges, certain)) return try_selected(view, edges, certain);
    bool made = false;
    LocationId escape_state = 0;
    for (const FastEdge& edge : table_.edges_of(view)) {
      if (escape_state > 0 && edge.escape != escape_state) break;
      EdgeTry tried(writer_.edge_trace, table_.number_of(edge));
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

  // As M::select(), if there is one.
  bool select([[maybe_unused]] const View& view, [[maybe_unused]] uint64_t& edges,
              [[maybe_unused]] uint64_t& certain) {
    if constexpr (requires(M & machine) { machine.select(view, edges, certain); }) {
      return machine_.select(view, edges, certain);
    }
    return false;
  }

  // As try_process, where nothing escapes and the edges are known that are not blocked; if `certain`, they are
  // executable.
  bool try_selected(View& view, uint64_t edges, uint64_t certain) {
    const std::span<const FastEdge> all = table_.edges_of(view);
    bool made = false;
    for (; edges != 0; edges &= edges - 1) {
      const unsigned number = static_cast<unsigned>(std::countr_zero(edges));
      const FastEdge& edge = all[number];
      view.statement = edge.statement;
      const bool known = (certain >> number & 1) != 0;
      if ((known ? take(view, edge) : try_edge(view, edge)) == Outcome::kStep) made = view.earlier = true;
    }
    return made;
  }

  // May this process move, or is there another that can and has a higher priority? An error in the test of the other
  // is not reported here: the step of the other process reports it.
  [[gnu::noinline]] bool has_priority(const View& view) {
    const uint8_t priority = load<uint8_t>(view.frame + kFramePriority);
    bool highest = true;
    for (uint32_t pid = 0; highest && pid < writer_.index.process_count; ++pid) {
      const View other = view.as(static_cast<uint8_t>(pid));
      if (!Rules::takes_precedence(load<uint8_t>(other.frame + kFramePriority), priority)) continue;
      if (machine_.test_provided(other) == Executability::kBlocked) continue;
      highest = some_edge_executable<M>(machine_, other) == Executability::kBlocked;
    }
    // Keeps only the missing answer: with it, this process may be the one to move.
    forget_tried_faults(writer_.faults, 0);
    writer_.report_faults(static_cast<uint32_t>(writer_.out->steps.size()), view);
    return highest;
  }

  Outcome try_edge(View& view, const FastEdge& edge) {
    view.statement = edge.statement;
    if (edge.kind == StatementKind::kEndProcess) return end_process(view, edge);
    if (edge.kind == StatementKind::kChoose) return choose(view, edge);
    switch (machine_.test_edge(view, edge)) {
      case Executability::kBlocked: return Outcome::kBlocked;
      case Executability::kExecutable:
        if (halves_.active() && edge.kind == StatementKind::kElse) [[unlikely]]
          halves_.add_else();
        return take(view, edge);
      case Executability::kRendezvous:
        if (edge.kind != StatementKind::kSend) return Outcome::kBlocked;
        return rendezvous_.offer(view, edge) ? Outcome::kStep : Outcome::kNoPartner;
      case Executability::kFault: break;
    }
    writer_.fail(view, edge);
    return Outcome::kStep;
  }

  // One successor for each witness.
  [[gnu::noinline]] Outcome choose(View& view, const FastEdge& edge) {
    const Executability executability = machine_.find_witnesses(view, edge.statement);
    if (executability == Executability::kBlocked) return Outcome::kBlocked;
    if (executability == Executability::kFault) {
      writer_.fail(view, edge);
      return Outcome::kStep;
    }
    const GuardAnswer& answer = machine_.witnesses();
    for (uint32_t i = 0; i < answer.witnesses.size(); ++i) {
      view.witness = answer.witnesses[i].data();
      const bool last = i + 1 == answer.witnesses.size();
      if (last && answer.more) view.fault(RuntimeErrorKind::kMoreWitnesses, static_cast<int32_t>(i + 1));
      take(view, edge, i);
      view.earlier = true;
    }
    view.witness = nullptr;
    return Outcome::kStep;
  }

  Outcome end_process(const View& view, const FastEdge& edge) {
    if (view.pid + 1u != writer_.index.process_count) return Outcome::kBlocked;
    writer_.note_selected();
    if (view.trace != nullptr) view.trace->touch_whole_frame(view.pid, load<uint8_t>(view.frame + kFrameProctype));
    const uint32_t path_begin = writer_.add_path(BatchWriter::step_of(view, edge));
    Bytes& bytes = writer_.out->bytes;
    const size_t begin = bytes.size();
    bytes.insert(bytes.end(), view.state, view.frame);
    std::byte* state = bytes.data() + begin;
    store(state + model_.process_count_offset(), view.pid);
    writer_.write_header(state, kNoProcess, view.pid);
    writer_.add_entry(begin, path_begin);
    writer_.note_executed(view, ByteView(bytes).subspan(begin));
    return Outcome::kStep;
  }

  // An edge that is executable without a partner.
  Outcome take(const View& view, const FastEdge& edge, uint32_t witness = 0) {
    writer_.note_selected();
    writer_.check_determinism(view, edge);
    Step step = BatchWriter::step_of(view, edge);
    step.witness = witness;
    const uint32_t path_begin = writer_.add_path(step);
    Bytes& bytes = writer_.out->bytes;
    const size_t begin = bytes.size();
    bool ok = true;
    if (edge.changes_data) {
      Scratch scratch(model_, view, bytes);
      ok = machine_.execute_edge(scratch, edge);
    } else {
      bytes.insert(bytes.end(), view.state, view.state + writer_.state_bytes());
    }
    if (ok) {
      std::byte* state = bytes.data() + begin;
      if (edge.target > 0) store(state + writer_.index.frames[view.pid] + kFrameLocation, edge.target);
      writer_.write_header(state, edge.atomic ? view.pid : kNoProcess, view.pid);
      writer_.add_entry(begin, path_begin);
    } else {
      bytes.resize(begin);
    }
    writer_.note_executed(view, ByteView(bytes).subspan(begin));
    writer_.report_faults(path_begin, view);
    return Outcome::kStep;
  }

  const Model& model_;
  const EdgeTable table_;
  BlockMachine<M, Rules> machine_;
  const bool edges_stand_alone_ =
      !table_.has_provided && !table_.asks_others && !model_.uses_priority && !model_.trace.exists();
  BatchWriter writer_;
  HalfNotes halves_{writer_};
  Rendezvous<M, Rules> rendezvous_{writer_, machine_, halves_};
  ClaimStepper<M, Rules> claim_{writer_, machine_};
};

}  // namespace cmc
