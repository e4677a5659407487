#include "checker/keys/handshakes.h"

#include <algorithm>
#include <span>

#include "ir/scalar.h"

namespace cmc {

namespace {

// Whether a d_step with this guard can start in the middle of a rendezvous on that channel only, or of none (0).
std::optional<uint32_t> starts_in(const Model& model, const ChannelNames& names, ExpressionId guard) {
  if (guard == kNoExpression) return std::nullopt;
  const Expression& expression = model.expressions[guard];
  const bool conjunction = expression.op == Operator::kAnd;
  const Operator first = conjunction ? model.expressions[expression.operands[0]].op : expression.op;
  if (first == Operator::kNoRendezvous) return 0;
  if (expression.op != Operator::kReceivable) return std::nullopt;
  // Where the channel cannot be evaluated, the d_step fails, and with it the handshake.
  const ExpressionId channel = model.statements[expression.statement].channel;
  const auto ids = names.of(channel);
  if (!ids || ids->size() != 1 || !model.expressions[channel].reference.indices.empty()) return std::nullopt;
  return ids->front();
}

// Whether a process names the same element in all its states.
bool names_one(const Model& model, const VariableReference& reference) {
  return std::ranges::all_of(reference.indices, [&](const VariableReference::Index& index) {
    const Operator op = model.expressions[index.expression].op;
    return op == Operator::kConstant || op == Operator::kOwnPid;
  });
}

}  // namespace

Handshakes::Handshakes(const Components& components, bool notes_parts)
    : model_(components.model()), notes_parts_(notes_parts) {
  const ChannelNames names(model_);
  for (size_t type = 0; type < model_.proctypes.size(); ++type) {
    const Proctype& proctype = model_.proctypes[type];
    const Components::Range& piece = components.frame(static_cast<ProctypeId>(type)).front();
    Channels& ever = ever_.emplace_back();
    std::vector<Receives>& receives = receives_.emplace_back();
    for (const Location& location : proctype.locations) {
      receives.push_back(receives_at(proctype, location, names, piece.offset + piece.size));
      ever |= receives.back().channels;
      if (!receives.back().named.empty()) ever.set();
      // As EdgeTable::add(): such a process is asked wherever it is, and looks at its channels.
      const bool in_the_middle = std::ranges::any_of(location.edges, [&](const Edge& edge) {
        return model_.statements[edge.statement].kind == StatementKind::kAtomicBlock;
      });
      if (notes_parts && in_the_middle) ever.set();
    }
  }
}

// As Rendezvous::try_receiver: an error in `provided` ends the attempt, and a d_step may run in its middle. A receive
// from another channel is passed over, even if it cannot be evaluated.
Handshakes::Receives Handshakes::receives_at(const Proctype& proctype, const Location& location,
                                             const ChannelNames& names, uint32_t piece_end) const {
  Receives receives;
  if (proctype.provided != kNoExpression) receives.channels.set();
  for (const Edge& edge : location.edges) {
    const Statement& statement = model_.statements[edge.statement];
    if (statement.kind == StatementKind::kAtomicBlock) {
      if (const auto id = starts_in(model_, names, statement.guard)) {
        receives.channels.set(*id);
      } else {
        receives.channels.set();
      }
    }
    if (statement.kind != StatementKind::kReceive) continue;
    const Expression& channel = model_.expressions[statement.channel];
    const bool follows = channel.op == Operator::kVariable && names_one(model_, channel.reference) &&
                         (channel.reference.space == Space::kGlobal || !statement.poll);
    receives.unclear = receives.unclear || !follows;
    if (statement.poll) continue;
    const bool in_piece = channel.op == Operator::kVariable && channel.reference.space == Space::kLocal &&
                          channel.reference.indices.empty() && channel.reference.offset >= kFramePriority &&
                          channel.reference.offset + channel.reference.type.bytes <= piece_end;
    if (const auto ids = names.of(statement.channel)) {
      for (const uint32_t id : *ids) receives.channels.set(id);
    } else if (in_piece) {
      receives.named.push_back(channel.reference);
    } else {
      receives.channels.set();
    }
  }
  return receives;
}

uint32_t Handshakes::number_of(const RendezvousMessage& message) {
  const auto values = std::as_bytes(std::span(message.values));
  Bytes content(sizeof message.channel + values.size());
  store(content.data(), message.channel);
  std::ranges::copy(values, content.begin() + sizeof message.channel);
  return messages_.intern(content);
}

RendezvousMessage Handshakes::message(uint32_t number) const {
  const ByteView content = messages_.get(number);
  RendezvousMessage message;
  message.channel = load<uint32_t>(content.data());
  const ByteView values = content.subspan(sizeof message.channel);
  message.values.resize(values.size() / sizeof(int32_t));
  std::ranges::copy(values, std::as_writable_bytes(std::span(message.values)).begin());
  return message;
}

Handshakes::Channels Handshakes::now(ProctypeId proctype, ByteView piece) const {
  const LocationId location = load<LocationId>(piece.data() + (kFrameLocation - kFramePriority));
  const Receives& receives = receives_[proctype][location];
  Channels channels = receives.channels;
  if (notes_parts_ && receives.unclear) channels.set();
  for (const VariableReference& named : receives.named) {
    const int32_t id = load_scalar(named.type, piece.data() + (named.offset - kFramePriority));
    if (id > 0 && id <= static_cast<int32_t>(kMaxChannels)) channels.set(static_cast<size_t>(id));
  }
  return channels;
}

}  // namespace cmc
