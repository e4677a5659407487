#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "checker/generator/machine.h"
#include "ir/product.h"

namespace cmc {

// A trace may move with it.
[[nodiscard]] inline bool is_event(const Statement& statement) {
  return statement.kind == StatementKind::kSend || (statement.kind == StatementKind::kReceive && !statement.poll);
}

// How the trace or notrace of a model (Model::trace) moves: inside the step of a process, with each send and receive
// of a kind that it names on that channel. An event that no edge allows is an error of a trace, which stays where it
// is; a notrace then goes to its end, where nothing matters any more. As SPIN's verifier has it, the message of an
// event is the last one of the channel after the send, or the first one before the receive, also if another one was
// sent or is received (!!, ??). A poll is no event.
template <Machine M>
class TraceRules {
 public:
  explicit TraceRules(const Model& model) : model_(model) {
    if (!exists()) return;
    for (const Location& location : automaton().locations) {
      for (const Edge& edge : location.edges) {
        const bool known = std::find(named_.begin(), named_.end(), edge.statement) != named_.end();
        if (!known && is_event(model.statements[edge.statement])) named_.push_back(edge.statement);
      }
    }
    negated_ = is_notrace(model);
  }

  [[nodiscard]] bool exists() const { return model_.trace.exists(); }

  // Whether the system may end in this state.
  [[nodiscard]] bool may_end(const std::byte* state) const {
    return !exists() || negated_ || automaton().locations[location(state)].valid_end;
  }

  // Executes a statement that is an event, as M::execute() does, and moves the trace.
  bool execute(M& machine, Scratch& scratch, StatementId id) {
    const Statement& statement = model_.statements[id];
    int32_t channel = 0;
    if (!machine.evaluate(scratch.view, statement.channel, channel)) return false;
    const uint32_t number = static_cast<uint32_t>(channel);
    if (statement.kind == StatementKind::kReceive) {
      const bool rendezvous = scratch.view.rendezvous_channel() == number;
      const std::vector<int32_t> message =
          rendezvous ? scratch.view.message->values : message_in(scratch.view, number, 0);
      return move(machine, scratch.view, scratch.state, statement.kind, number, message) &&
             machine.execute(scratch, id);
    }
    if (!machine.execute(scratch, id)) return false;
    const std::byte* const contents = scratch.state + scratch.view.index->channels[number].offset;
    const uint32_t last = load<uint16_t>(contents) - 1u;
    return move(machine, scratch.view, scratch.state, statement.kind, number, message_in(scratch.view, number, last));
  }

  // Moves the trace, if it names such events. `state` is the view's, writable. False: a fault prevents the step.
  bool move(M& machine, const View& view, std::byte* state, StatementKind kind, uint32_t channel,
            const std::vector<int32_t>& message) {
    View own = view;
    own.frame = state + model_.trace.offset;
    bool named = false;
    for (size_t i = 0; i < named_.size() && !named; ++i) {
      if (!is_about(machine, own, named_[i], kind, channel, named)) return false;
    }
    if (!named) return true;
    own.touch(own.frame);
    std::optional<LocationId> target;
    if (!find_edge(machine, own, kind, channel, message, target)) return false;
    const LocationId end = automaton().end;
    if (!target && !negated_) view.fault(RuntimeErrorKind::kTraceMismatch);
    if (!target && negated_)
      target = end;
    else if (negated_ && target == end)
      view.fault(RuntimeErrorKind::kNotraceMatched);
    if (target) store(state + model_.trace.offset + kFrameLocation, *target);
    return true;
  }

 private:
  [[nodiscard]] const Proctype& automaton() const { return model_.claims[model_.trace.claim]; }
  [[nodiscard]] LocationId location(const std::byte* state) const {
    return load<LocationId>(state + model_.trace.offset + kFrameLocation);
  }

  // `result`: the statement of the trace is about events of this kind on this channel. False: a fault was noted.
  bool is_about(M& machine, View& own, StatementId id, StatementKind kind, uint32_t channel, bool& result) {
    const Statement& statement = model_.statements[id];
    result = false;
    if (statement.kind != kind) return true;
    own.statement = id;
    int32_t named = 0;
    if (!machine.evaluate(own, statement.channel, named)) return false;
    result = static_cast<uint32_t>(named) == channel;
    return true;
  }

  // `target`: where the first edge that allows the event leads to.
  bool find_edge(M& machine, View& own, StatementKind kind, uint32_t channel, const std::vector<int32_t>& message,
                 std::optional<LocationId>& target) {
    if (location(own.state) == automaton().end) return true;
    for (const Edge& edge : automaton().locations[location(own.state)].edges) {
      bool allows = false;
      if (!is_about(machine, own, edge.statement, kind, channel, allows)) return false;
      if (!allows) continue;
      if (!matches(machine, own, model_.statements[edge.statement].arguments, message, allows)) return false;
      if (!allows) continue;
      if (target) {
        own.fault(RuntimeErrorKind::kNondeterminism, 1);
        break;
      }
      target = edge.target;
    }
    return true;
  }

  bool matches(M& machine, const View& own, const std::vector<ReceiveArgument>& pattern,
               const std::vector<int32_t>& message, bool& result) {
    result = true;
    for (size_t i = 0; i < pattern.size() && result; ++i) {
      if (pattern[i].kind != ReceiveArgument::Kind::kMatch) continue;
      int32_t value = 0;
      if (!machine.evaluate(own, pattern[i].match, value)) return false;
      result = value == (i < message.size() ? message[i] : 0);
    }
    return true;
  }

  // In a slot of a buffered channel.
  [[nodiscard]] std::vector<int32_t> message_in(const View& view, uint32_t channel, uint32_t slot) const {
    const StateIndex::Channel& entry = view.index->channels[channel];
    const ChannelType& type = model_.channel_types[entry.type];
    const std::byte* const message =
        view.state + entry.offset + kChannelHeaderBytes + size_t{slot} * type.message_bytes;
    std::vector<int32_t> values;
    for (size_t i = 0; i < type.fields.size(); ++i) {
      values.push_back(load_scalar(type.fields[i], message + type.field_offsets[i]));
    }
    return values;
  }

  const Model& model_;
  std::vector<StatementId> named_;  // the events of the trace, each once
  bool negated_ = false;            // a notrace
};

}  // namespace cmc
