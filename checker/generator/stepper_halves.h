#pragma once

// The halves of handshakes (Half) of a Stepper; stepper.h includes this at its end. A half is computed by the
// functions that compute whole steps, but a send is noted as an offer instead of asking for its receivers.

namespace cmc {

template <Machine M, StepperMistake kMistake>
bool Stepper<M, kMistake>::has_halves() const {
  return model_.has_rendezvous && !model_.uses_priority && !asks_others_;
}

template <Machine M, StepperMistake kMistake>
void Stepper<M, kMistake>::half(ByteView state, uint8_t pid, bool timeout, const RendezvousMessage* message,
                                TouchTrace* trace, Half& out) {
  out.clear();
  half_batch_.clear();
  half_notes_.clear();
  View view = begin_expansion(state, half_batch_);
  view.timeout = timeout;
  view.trace = trace;
  half_ = &out;
  if (message == nullptr) {
    out.moves = try_process(view, pid);
  } else {
    message_ = *message;
    sender_step_ = {};
    view.message = &message_;
    out.moves = try_receiver(view.as(pid)) > 0;
    message_.channel = 0;
  }
  half_ = nullptr;
  // Errors are rare, and have paths through both halves.
  out.whole = out.whole || !half_batch_.errors.empty();
  merge_notes(out);
}

// A message is offered in the view's state, of which the sender's step is a part.
template <Machine M, StepperMistake kMistake>
void Stepper<M, kMistake>::note_offer(const View& view) {
  if (!faults_.empty() || !joins_at(view)) {
    half_->whole = true;
    faults_.clear();
  }
  write_header(offered_.data(), kNoProcess, view.pid);
  Half::Item offer{.kind = Half::Item::Kind::kOffer, .timeout = view.timeout};
  offer.offset = static_cast<uint32_t>(out_->bytes.size());
  offer.size = static_cast<uint32_t>(offered_.size());
  offer.message = static_cast<uint32_t>(half_->messages.size());
  half_->messages.push_back(message_);
  half_notes_.push_back({out_->entries.size(), offer});
  out_->bytes.insert(out_->bytes.end(), offered_.begin(), offered_.end());
  message_.channel = 0;
}

// The `else` of a location is about to be taken, where nothing but sends came before, if anything. It has one
// successor.
template <Machine M, StepperMistake kMistake>
void Stepper<M, kMistake>::note_else() {
  if (half_notes_.empty()) return;
  Half::Item unless{.kind = Half::Item::Kind::kUnlessTaken};
  unless.offers = static_cast<uint32_t>(half_notes_.size());
  unless.items = 1;
  half_notes_.push_back({out_->entries.size(), unless});
}

// Whether the other edges of the process's location are the same whoever takes its offers, but for an `else`.
template <Machine M, StepperMistake kMistake>
bool Stepper<M, kMistake>::joins_at(const View& view) const {
  const auto looks_at_earlier = [&](const auto& self, ExpressionId id) -> bool {
    if (id == kNoExpression) return false;
    const Expression& expression = model_.expressions[id];
    return expression.op == Operator::kElseGuard ||
           std::ranges::any_of(expression.operands, [&](ExpressionId operand) { return self(self, operand); });
  };
  return !proctype_of(view).deterministic && std::ranges::none_of(edges_of(view), [&](const FastEdge& edge) {
    return edge.escape != 0 || (edge.kind == StatementKind::kAtomicBlock &&
                                looks_at_earlier(looks_at_earlier, model_.statements[edge.statement].guard));
  });
}

template <Machine M, StepperMistake kMistake>
void Stepper<M, kMistake>::merge_notes(Half& out) {
  auto note = half_notes_.begin();
  for (size_t i = 0; i <= half_batch_.entries.size(); ++i) {
    for (; note != half_notes_.end() && note->successors == i; ++note) out.items.push_back(note->item);
    if (i == half_batch_.entries.size()) break;
    Half::Item successor;
    successor.offset = half_batch_.entries[i].offset;
    successor.size = half_batch_.entries[i].size;
    out.items.push_back(successor);
  }
  out.bytes.swap(half_batch_.bytes);
}

}  // namespace cmc
