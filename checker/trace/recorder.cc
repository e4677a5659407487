#include "checker/trace/recorder.h"

#include <algorithm>

#include "checker/generator/runtime_errors.h"
#include "checker/properties/formula_check.h"
#include "checker/trace/step_values.h"
#include "ir/effects.h"

namespace cmc {
namespace {

void compare_values(const std::vector<NamedValue>& before, const std::vector<NamedValue>& after, uint32_t pid,
                    const std::string& prefix, std::vector<TraceChange>& changes) {
  for (size_t i = 0; i < before.size() && i < after.size(); ++i) {
    if (before[i].value == after[i].value) continue;
    changes.push_back({TraceChange::Kind::kVariable,
                       pid,
                       static_cast<uint32_t>(i),
                       prefix + after[i].name,
                       before[i].value,
                       after[i].value,
                       {},
                       {}});
  }
}

void compare_processes(const StateImage& before, const StateImage& after, TraceStep& step) {
  const size_t common = std::min(before.processes.size(), after.processes.size());
  for (size_t i = 0; i < common; ++i) {
    const ProcessImage& old = before.processes[i];
    const ProcessImage& process = after.processes[i];
    compare_values(old.locals, process.locals, process.pid, process_label(process) + ".", step.changes);
    if (old.priority != process.priority) {
      step.changes.push_back({TraceChange::Kind::kPriority,
                              process.pid,
                              0,
                              process_label(process) + " priority",
                              std::to_string(old.priority),
                              std::to_string(process.priority),
                              {},
                              {}});
    }
    if (old.location != process.location) step.moves.push_back({process.pid, process.location, process.place});
  }
  for (size_t i = common; i < after.processes.size(); ++i) {
    step.changes.push_back(
        {TraceChange::Kind::kStart, after.processes[i].pid, 0, process_label(after.processes[i]), "", "", {}, {}});
    step.started.push_back(after.processes[i]);
  }
  for (size_t i = common; i < before.processes.size(); ++i) {
    step.changes.push_back(
        {TraceChange::Kind::kEnd, before.processes[i].pid, 0, process_label(before.processes[i]), "", "", {}, {}});
  }
}

void compare_channels(const StateImage& before, const StateImage& after, TraceStep& step) {
  const size_t common = std::min(before.channels.size(), after.channels.size());
  for (size_t i = 0; i < common; ++i) {
    const ChannelImage& old = before.channels[i];
    const ChannelImage& channel = after.channels[i];
    if (old.messages == channel.messages) continue;
    step.changes.push_back({TraceChange::Kind::kChannel, kNoProcess, static_cast<uint32_t>(i), channel.name, "", "",
                            old.messages, channel.messages});
  }
  for (size_t i = common; i < after.channels.size(); ++i) step.opened.push_back(after.channels[i]);
}

// Whether it looks at more than the process's own variables.
bool looks_outside(const Model& model, const Statement& statement) {
  const auto outside = [&](ExpressionId each) { return !is_of_process(model, each); };
  switch (statement.kind) {
    case StatementKind::kSkip:
    case StatementKind::kElse:
    case StatementKind::kEndProcess: return false;
    case StatementKind::kCondition:
    case StatementKind::kAssert: return outside(statement.expression);
    case StatementKind::kAssign:
      return outside(statement.expression) ||
             std::ranges::any_of(statement.target.indices, outside, &VariableReference::Index::expression);
    default: return true;
  }
}

TraceMessage message_from(const MessageText& text) {
  static constexpr TraceMessage::Kind kKinds[] = {TraceMessage::Kind::kSent, TraceMessage::Kind::kReceived,
                                                  TraceMessage::Kind::kRead, TraceMessage::Kind::kHandedOver};
  return {kKinds[static_cast<size_t>(text.kind)], text.channel, fields_of(text.values), 0};
}

}  // namespace

void compare_states(const StateImage& before, const StateImage& after, TraceStep& step) {
  compare_values(before.globals, after.globals, kNoProcess, "", step.changes);
  compare_processes(before, after, step);
  compare_channels(before, after, step);
  step.atomic_holder = after.atomic_holder;
}

std::string step_kind(const Model& model, const Statement& statement, bool rendezvous) {
  if (rendezvous) return "rendezvous";
  const bool runs =
      statement.expression != kNoExpression && model.expressions[statement.expression].op == Operator::kRun;
  switch (statement.kind) {
    case StatementKind::kSkip: return "jump";
    case StatementKind::kElse: return "else";
    case StatementKind::kCondition: return runs ? "run" : "condition";
    case StatementKind::kAssign: return runs ? "run" : "assignment";
    case StatementKind::kSend: return "send";
    case StatementKind::kReceive: return statement.poll ? "peek" : "receive";
    case StatementKind::kAssert: return "assertion";
    case StatementKind::kPrintf:
    case StatementKind::kPrintm: return "print";
    case StatementKind::kSetPriority: return "priority";
    case StatementKind::kAtomicBlock: return "d_step";
    case StatementKind::kEmbeddedC: return "embedded-c";
    case StatementKind::kEndProcess: return "end";
    case StatementKind::kChoose: return "choose";
  }
  return "jump";
}

void TraceRecorder::start(ByteView state) {
  state_ = decode_state(model_, state);
  senders_.clear();
  for (const ChannelImage& channel : state_.channels) senders_.emplace_back(channel.messages.size(), 0);
}

TraceStep TraceRecorder::record(const RunStep& run) {
  TraceStep step;
  step.number = run.number;
  step.text = describe_step(model_, run.before, run.step);
  const Edge* const edge = find_edge(model_, run.before, run.step.pid, run.step.location, run.step.edge);
  const Statement& statement = model_.statements[edge->statement];
  step.kind = step_kind(model_, statement, run.step.partner != kNoProcess);
  step.looks_outside = looks_outside(model_, statement);
  step.cut = run.after.empty();
  StateImage after = step.cut ? state_ : decode_state(model_, run.after);
  if (const auto message = message_of_step(model_, run.before, run.step, state_, after)) {
    step.message = message_from(*message);
  }
  compare_states(state_, after, step);
  step.printed = printed_by_step(model_, run.before, run.step);
  if (model_.overflow == Overflow::kShown) {
    for (const Truncation& each : truncations_of_step(model_, run.before, run.step))
      step.notes.push_back(overflow_text(model_, each.type, each.value));
  }
  for (const RuntimeError& error : run.errors) {
    if (error.kind == RuntimeErrorKind::kOverflowNote) {
      step.notes.push_back(error.message);
    } else {
      step.errors.push_back(error);
      if (error.kind == RuntimeErrorKind::kClaimEnd && formula_of_claim(model_) != nullptr)
        step.errors.back().message = kFormulaViolated;
    }
  }
  state_ = std::move(after);
  follow_messages(step);
  return step;
}

// What is equal at the front and at the back of a queue has stayed there.
void TraceRecorder::follow_messages(TraceStep& step) {
  senders_.resize(state_.channels.size());
  for (const TraceChange& change : step.changes) {
    if (change.kind != TraceChange::Kind::kChannel) continue;
    const std::vector<std::string>& old = change.old_messages;
    const std::vector<std::string>& now = change.new_messages;
    std::vector<uint64_t>& senders = senders_[change.index];
    const size_t most = std::min(old.size(), now.size());
    const bool takes_first = now.size() < old.size() && std::equal(now.begin(), now.end(), old.begin() + 1);
    size_t front = 0;
    while (!takes_first && front < most && old[front] == now[front]) ++front;
    size_t back = 0;
    while (back < most - front && old[old.size() - 1 - back] == now[now.size() - 1 - back]) ++back;
    const auto begin = senders.begin() + static_cast<ptrdiff_t>(front);
    const auto end = senders.end() - static_cast<ptrdiff_t>(back);
    const bool received = step.message && step.message->kind == TraceMessage::Kind::kReceived;
    if (received && begin != end) step.message->sent_at = *begin;
    senders.insert(senders.erase(begin, end), now.size() - front - back, step.number);
  }
}

}  // namespace cmc
