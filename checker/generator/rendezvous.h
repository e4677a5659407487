#pragma once

#include <algorithm>
#include <utility>

#include "checker/generator/block.h"
#include "checker/generator/half_notes.h"

namespace cmc {

// The rendezvous under way: a message is offered to all processes but its sender.
template <Machine M, class Rules>
class Rendezvous {
 public:
  // All of one Stepper.
  Rendezvous(BatchWriter& writer, BlockMachine<M, Rules>& machine, HalfNotes& halves)
      : table_(writer.table), writer_(writer), machine_(machine), halves_(halves) {}

  // A rendezvous send: one successor per receive that takes the message. False: nobody takes it.
  bool offer(const View& view, const FastEdge& edge) {
    DCHECK(message_.channel == 0 && passed_by_.empty() && sender_faults_.empty());
    if (!machine_.message(view, edge.statement, message_)) {
      writer_.fail(view, edge);
      return true;
    }
    sender_step_ = BatchWriter::step_of(view, edge);
    if (!writer_.faults.empty()) [[unlikely]]
      report_fields(view);
    writer_.check_determinism(view, edge);
    offered_.assign(view.state, view.state + writer_.state_bytes());
    if (edge.target > 0) store(offered_.data() + writer_.index.frames[view.pid] + kFrameLocation, edge.target);
    if (writer_.model.uses_last) store(offered_.data() + writer_.model.last_offset(), view.pid);
    writer_.note_executed(view, offered_);
    View offered = view;
    offered.state = offered_.data();
    bool taken = false;
    if (edge.event &&
        !machine_.trace().move(machine_, offered, offered_.data(), edge.kind, message_.channel, message_.values)) {
      writer_.fail(view, edge);
      taken = true;
    } else if (halves_.active()) [[unlikely]] {
      halves_.add_offer(offered, message_);
    } else {
      if (view.trace != nullptr) view.trace->note_handshake();
      sender_faults_.swap(writer_.faults);
      writer_.faults.clear();
      offered.message = &message_;
      passed_by_.clear();
      pass_by_count_ = 0;
      taken = find_receivers(offered, view.pid) > 0;
      sender_faults_.clear();
    }
    message_.channel = 0;
    return taken;
  }

  // What the process that `view` is does with a message of a sender that is not known. False: it does not take it.
  bool answer(View view, const RendezvousMessage& message) {
    sender_step_ = {};
    view.message = &message;
    return try_receiver(view) > 0;
  }

 private:
  // A wrong number of fields is an error of the offer, whoever takes it: its path ends with the send alone.
  void report_fields(const View& view) {
    const auto is_other = [](const Fault& fault) { return fault.kind != RuntimeErrorKind::kMessageFields; };
    const auto fields = std::stable_partition(writer_.faults.begin(), writer_.faults.end(), is_other);
    if (fields == writer_.faults.end()) return;
    const std::vector<Fault> noted(fields, writer_.faults.end());
    writer_.faults.erase(fields, writer_.faults.end());
    writer_.report(noted, writer_.add_path(sender_step_), view);
  }

  // Tries all processes but `excluded` as receivers, without looking at those whose text rules it out. Returns how
  // often the message was taken, or the attempt ended in an error.
  uint32_t find_receivers(const View& base, uint8_t excluded) {
    uint32_t handshakes = 0;
    const uint32_t processes = base.index->process_count;
    const uint32_t channel = base.rendezvous_channel();
    for (uint32_t left = processes; left > 0; --left) {
      const uint32_t pid = Rules::receiver(left, processes);
      const FastProctype& type = table_.proctypes[base.index->types[pid]];
      const bool receives = channel < type.receives_from.size() && type.receives_from[channel];
      if (pid == excluded || !(receives || type.receives_from_any)) continue;
      handshakes += try_receiver(base.as(static_cast<uint8_t>(pid)));
    }
    return handshakes;
  }

  uint32_t try_receiver(View view) {
    view.earlier = false;
    view.statement = kNoStatement;
    const Executability provided = machine_.test_provided(view);
    if (provided == Executability::kBlocked) return 0;
    if (provided == Executability::kFault) return fail(view, sender_step_);
    uint32_t handshakes = 0;
    LocationId escape_state = 0;
    for (const FastEdge& edge : table_.edges_of(view)) {
      if (escape_state > 0 && edge.escape != escape_state) break;
      if (!edge.receives() && edge.kind != StatementKind::kAtomicBlock) continue;
      EdgeTry tried(writer_.edge_trace, table_.number_of(edge));
      view.statement = edge.statement;
      const Executability executability = test(view, edge);
      if (executability == Executability::kBlocked) continue;
      const uint32_t completed =
          executability == Executability::kFault ? fail(view, step_of(view, edge)) : take(view, edge);
      handshakes += completed;
      if (completed > 0) {
        view.earlier = true;
        tried.set_executable();
      }
      escape_state = completed > 0 ? edge.escape : LocationId{0};
    }
    return handshakes;
  }

  // kBlocked: not in this rendezvous.
  Executability test(const View& view, const FastEdge& edge) {
    if (!edge.receives()) return machine_.test_guard(view, edge);
    const Executability executability = machine_.test(view, edge.statement);
    if (executability == Executability::kRendezvous) return executability;
    if (executability != Executability::kFault) return Executability::kBlocked;
    // Only an error behind a channel expression that names this channel belongs to this handshake.
    int32_t channel = 0;
    const size_t noted = writer_.faults.size();
    const bool ok = machine_.evaluate(view, writer_.model.statements[edge.statement].channel, channel);
    writer_.faults.resize(noted);
    if (ok && static_cast<uint32_t>(channel) == view.rendezvous_channel()) return executability;
    writer_.faults.clear();
    return Executability::kBlocked;
  }

  // Executes a receiving edge, or a d_step, in the middle of the rendezvous.
  uint32_t take(const View& view, const FastEdge& edge) {
    writer_.note_selected();
    writer_.check_determinism(view, edge);
    Scratch scratch(writer_.model, view, writer_.out->bytes);
    const bool ok = machine_.execute_edge(scratch, edge);
    if (ok && edge.target > 0) store(scratch.frame + kFrameLocation, edge.target);
    if (ok && edge.kind == StatementKind::kAtomicBlock && scratch.view.rendezvous_channel() != 0) {
      if (writer_.model.uses_last) store(scratch.state + writer_.model.last_offset(), view.pid);
      Step inside = BatchWriter::step_of(view, edge);
      inside.inside_rendezvous = true;
      return pass_by(scratch, inside);
    }
    const uint32_t path_begin = complete(view, step_of(view, edge));
    if (ok) {
      writer_.write_header(scratch.state, edge.atomic ? view.pid : kNoProcess, view.pid);
      writer_.add_entry(scratch.begin(), path_begin);
      writer_.note_executed(view, {scratch.state, scratch.size()});
    } else {
      writer_.out->bytes.resize(scratch.begin());
    }
    return 1;
  }

  // In which the process that `view` is takes this edge.
  [[nodiscard]] Step step_of(const View& view, const FastEdge& edge) const {
    Step step = sender_step_;
    step.partner = view.pid;
    step.partner_location = load<LocationId>(view.frame + kFrameLocation);
    step.partner_edge = edge.number;
    return step;
  }

  // Appends the steps of an attempt to complete the rendezvous, and reports the faults of all of them: those of the
  // sender, of the d_steps in the middle, and of the process that `view` is. Returns where the steps begin.
  uint32_t complete(const View& view, const Step& step) {
    DCHECK(view.rendezvous_channel() != 0 && step.pid == sender_step_.pid);
    std::vector<Step>& steps = writer_.out->steps;
    const uint32_t path_begin = static_cast<uint32_t>(steps.size());
    steps.insert(steps.end(), passed_by_.begin(), passed_by_.end());
    steps.push_back(step);
    if (!sender_faults_.empty()) [[unlikely]]
      writer_.report(sender_faults_, path_begin, view);
    writer_.report_faults(path_begin, view);
    return path_begin;
  }

  // The attempt ended in an error.
  uint32_t fail(const View& view, const Step& step) {
    complete(view, step);
    return 1;
  }

  // A d_step was executed and did not take the message: the search for a receiver continues behind it.
  uint32_t pass_by(const Scratch& scratch, const Step& step) {
    if (halves_.active()) {
      halves_.give_up();
      writer_.out->bytes.resize(scratch.begin());
      return 0;
    }
    constexpr size_t kMaxPassedBy = 64;
    constexpr uint32_t kMaxPassByCount = 100'000;  // sequences of d_steps multiply
    const Bytes changed(scratch.state, scratch.state + scratch.size());
    const StateIndex index = *scratch.view.index;
    const View& view = scratch.view;
    writer_.out->bytes.resize(scratch.begin());
    if (passed_by_.size() >= kMaxPassedBy || ++pass_by_count_ > kMaxPassByCount) {
      view.fault(RuntimeErrorKind::kEndlessAtomicBlock);
      return fail(view, sender_step_);
    }
    View next = view;
    next.state = changed.data();
    next.index = &index;
    passed_by_.push_back(step);
    const std::vector<Fault> sender_faults = sender_faults_;
    sender_faults_.insert(sender_faults_.end(), writer_.faults.begin(), writer_.faults.end());
    writer_.faults.clear();
    const uint32_t handshakes = find_receivers(next, view.pid);
    sender_faults_ = sender_faults;
    passed_by_.pop_back();
    return handshakes;
  }

  const EdgeTable& table_;
  BatchWriter& writer_;
  BlockMachine<M, Rules>& machine_;
  HalfNotes& halves_;
  RendezvousMessage message_;
  Step sender_step_;
  std::vector<Fault> sender_faults_;
  Bytes offered_;                // the state after the send
  std::vector<Step> passed_by_;  // d_steps executed in its middle
  uint32_t pass_by_count_ = 0;   // how often that was tried
};

}  // namespace cmc
