#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "checker/generator/machine.h"

// Rules about processes that both the Stepper and a Machine need: how one is created (run, initializers) and whether
// one is enabled. Templates over the Machine, as the Stepper itself; a Machine calls create_process for kRun and
// is_enabled for kEnabled.

namespace cmc {

inline constexpr uint8_t kMaxEnabledDepth = 16;

// Offset of a variable in its space. False: an index is out of bounds (a fault was noted).
template <Machine M>
bool locate(M& machine, const View& view, const VariableReference& reference, uint32_t& offset) {
  offset = reference.offset;
  for (const VariableReference::Index& index : reference.indices) {
    int32_t value = 0;
    if (!machine.evaluate(view, index.expression, value)) return false;
    if (value < 0 || static_cast<uint32_t>(value) >= index.count) {
      return view.fault(RuntimeErrorKind::kIndexOutOfBounds, value);
    }
    offset += static_cast<uint32_t>(value) * index.stride;
  }
  return true;
}

template <Machine M>
bool create_process(M& machine, Scratch& scratch, ExpressionId run, int32_t& value);

// Executes initializers as the process that `scratch.view` is (or none: globals); `first_channel` is the id of the
// first of the channels that they can name.
template <Machine M>
bool execute_initializers(M& machine, Scratch& scratch, const std::vector<Initializer>& initializers,
                          uint32_t first_channel) {
  for (const Initializer& initializer : initializers) {
    int32_t value = 0;
    if (initializer.channel >= 0) {
      value = static_cast<int32_t>(first_channel) + initializer.channel;
    } else if (machine.model().expressions[initializer.value].op == Operator::kRun) {
      if (!create_process(machine, scratch, initializer.value, value)) return false;
    } else if (!machine.evaluate(scratch.view, initializer.value, value)) {
      return false;
    }
    uint32_t offset = 0;
    if (!locate(machine, scratch.view, initializer.target, offset)) return false;
    std::byte* space = initializer.target.space == Space::kGlobal ? scratch.state : scratch.frame;
    store_noting(machine.model(), scratch.view, initializer.target.type, space + offset, value);
  }
  return true;
}

// Creates a process with the given arguments (as many as it has parameters, or none). Returns its pid, or kNoProcess
// with a fault noted. `scratch` stays the creator's.
template <Machine M>
uint8_t append_process(M& machine, Scratch& scratch, ProctypeId proctype, uint8_t priority,
                       const std::vector<int32_t>& arguments) {
  const Proctype& type = machine.model().proctypes[proctype];
  const uint32_t first_channel = scratch.view.index->channel_count + 1;
  const uint8_t creator = scratch.view.pid;
  const uint8_t pid = scratch.append_frame(proctype, priority);
  if (pid == kNoProcess) return kNoProcess;
  scratch.enter(pid);
  for (size_t i = 0; i < arguments.size() && i < type.parameters.size(); ++i) {
    const VariableReference& parameter = type.parameters[i];
    store_noting(machine.model(), scratch.view, parameter.type, scratch.frame + parameter.offset, arguments[i]);
  }
  const bool ok = execute_initializers(machine, scratch, type.initializers, first_channel);
  scratch.enter(creator);
  return ok ? pid : kNoProcess;
}

// Executes a kRun as the process that `scratch.view` is; `value` becomes the new pid. False: a fault was noted.
// Pointers into the scratch state are invalid afterwards (take them from `scratch` again).
template <Machine M>
bool create_process(M& machine, Scratch& scratch, ExpressionId run, int32_t& value) {
  const Expression& expression = machine.model().expressions[run];
  std::vector<int32_t> arguments(expression.operands.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!machine.evaluate(scratch.view, expression.operands[i], arguments[i])) return false;
  }
  const uint8_t priority = expression.value == 0 ? 1 : static_cast<uint8_t>(expression.value);
  const uint8_t pid = append_process(machine, scratch, expression.proctype, priority, arguments);
  value = pid;
  return pid != kNoProcess;
}

// Enters an observer at its start. False: a fault was noted.
template <Machine M>
bool start_observer(M& machine, Scratch& scratch, const Observer& observer) {
  const Model& model = machine.model();
  const Proctype& automaton = model.claims[observer.claim];
  scratch.enter(observer);
  store(scratch.frame + kFramePriority, uint8_t{1});
  store(scratch.frame + kFrameLocation, automaton.start);
  if (!execute_initializers(machine, scratch, automaton.initializers, 1)) return false;
  const bool ends = automaton.locations[automaton.start].valid_end && &observer == &model.claim;
  if (ends) scratch.view.fault(RuntimeErrorKind::kClaimEnd);
  return true;
}

// Makes the initial state of one that is all zeroes. False: a fault was noted by whom `scratch` is then.
template <Machine M>
bool start_model(M& machine, Scratch& scratch) {
  const Model& model = machine.model();
  if (!execute_initializers(machine, scratch, model.initializers, 1)) return false;
  for (const Observer* observer : {&model.claim, &model.trace}) {
    if (observer->exists() && !start_observer(machine, scratch, *observer)) return false;
  }
  for (const ActiveProcess& process : model.active) {
    const uint32_t first_channel = scratch.view.index->channel_count + 1;
    const uint8_t pid = scratch.append_frame(process.proctype, process.priority);
    if (pid == kNoProcess) return false;
    scratch.enter(pid);
    const std::vector<Initializer>& initializers = model.proctypes[process.proctype].initializers;
    if (!execute_initializers(machine, scratch, initializers, first_channel)) return false;
  }
  return true;
}

// Drops the faults behind the first `noted` ones: they are of something that was only tried. An answer that is
// pending counts also there.
inline void forget_tried_faults(std::vector<Fault>& faults, size_t noted) {
  const auto tried = faults.begin() + static_cast<std::ptrdiff_t>(noted);
  faults.erase(std::remove_if(tried, faults.end(),
                              [](const Fault& each) { return each.kind != RuntimeErrorKind::kPendingGuard; }),
               faults.end());
}

// Can a rendezvous of this send (executable by view.pid) be completed by another process's receive? SPIN refuses
// enabled() and priorities beside rendezvous channels; this is what they would mean.
template <Machine M>
bool has_receiver(M& machine, const View& sender, StatementId send) {
  const Model& model = machine.model();
  RendezvousMessage message;
  if (!machine.message(sender, send, message)) return true;
  for (uint32_t pid = 0; pid < sender.index->process_count; ++pid) {
    if (pid == sender.pid) continue;
    View view = sender.as(static_cast<uint8_t>(pid));
    view.message = &message;
    const Proctype& type = model.proctypes[load<uint8_t>(view.frame + kFrameProctype)];
    for (const Edge& edge : type.locations[load<LocationId>(view.frame + kFrameLocation)].edges) {
      const Statement& statement = model.statements[edge.statement];
      if (statement.kind != StatementKind::kReceive || statement.poll) continue;
      if (machine.test(view, edge.statement) == Executability::kRendezvous) return true;
    }
  }
  return false;
}

// As has_receiver, for a receive by view.pid that is blocked by itself.
template <Machine M>
bool has_sender(M& machine, const View& receiver, StatementId receive) {
  const Model& model = machine.model();
  for (uint32_t pid = 0; pid < receiver.index->process_count; ++pid) {
    if (pid == receiver.pid) continue;
    const View sender = receiver.as(static_cast<uint8_t>(pid));
    const Proctype& type = model.proctypes[load<uint8_t>(sender.frame + kFrameProctype)];
    for (const Edge& edge : type.locations[load<LocationId>(sender.frame + kFrameLocation)].edges) {
      if (model.statements[edge.statement].kind != StatementKind::kSend) continue;
      if (machine.test(sender, edge.statement) != Executability::kRendezvous) continue;
      RendezvousMessage message;
      if (!machine.message(sender, edge.statement, message)) continue;
      View view = receiver;
      view.message = &message;
      if (machine.test(view, receive) == Executability::kRendezvous) return true;
    }
  }
  return false;
}

// Is some edge of the process that `view` is executable, leaving aside escapes, `provided` and atomicity? kFault: the
// first of them that is not blocked has an error.
template <Machine M>
Executability some_edge_executable(M& machine, const View& view) {
  const Model& model = machine.model();
  const auto has_partner = [&](bool (&has)(M&, const View&, StatementId), StatementId statement) {
    const size_t noted = view.faults->size();
    const bool found = has(machine, view, statement);
    forget_tried_faults(*view.faults, noted);
    return found;
  };
  const Proctype& type = model.proctypes[load<uint8_t>(view.frame + kFrameProctype)];
  for (const Edge& edge : type.locations[load<LocationId>(view.frame + kFrameLocation)].edges) {
    const Statement& statement = model.statements[edge.statement];
    Executability result = Executability::kExecutable;
    switch (statement.kind) {
      case StatementKind::kSkip: break;
      case StatementKind::kElse: result = view.earlier ? Executability::kBlocked : result; break;
      case StatementKind::kEndProcess:
        if (view.pid + 1u != view.index->process_count) result = Executability::kBlocked;
        break;
      case StatementKind::kAtomicBlock: {
        if (statement.guard == kNoExpression) break;
        int32_t value = 0;
        if (!machine.evaluate(view, statement.guard, value)) return Executability::kFault;
        if (value == 0) result = Executability::kBlocked;
        break;
      }
      case StatementKind::kCondition:
        if (model.expressions[statement.expression].op == Operator::kRun) {
          if (view.index->process_count >= kMaxProcesses) result = Executability::kBlocked;
          break;
        }
        result = machine.test(view, edge.statement);
        break;
      case StatementKind::kSend:
        result = machine.test(view, edge.statement);
        if (result == Executability::kRendezvous && !has_partner(has_receiver<M>, edge.statement)) {
          result = Executability::kBlocked;
        }
        break;
      case StatementKind::kReceive:
        result = machine.test(view, edge.statement);
        if (result == Executability::kBlocked && model.has_rendezvous && !statement.poll &&
            has_partner(has_sender<M>, edge.statement)) {
          result = Executability::kExecutable;
        }
        break;
      default: result = machine.test(view, edge.statement); break;
    }
    if (result != Executability::kBlocked) return result;
  }
  return Executability::kBlocked;
}

// The value of enabled(pid) asked by view.pid. False: a fault was noted.
template <Machine M>
bool is_enabled(M& machine, const View& view, int32_t pid, int32_t& value) {
  value = 0;
  if (pid == view.pid || view.enabled_depth >= kMaxEnabledDepth) {
    return view.fault(RuntimeErrorKind::kEnabledOfSelf, pid);
  }
  if (pid < 0 || static_cast<uint32_t>(pid) >= view.index->process_count) return true;
  View other = view.as(static_cast<uint8_t>(pid));
  ++other.enabled_depth;
  const Executability result = some_edge_executable(machine, other);
  if (result == Executability::kFault) return false;
  value = result != Executability::kBlocked;
  return true;
}

}  // namespace cmc
