#include "checker/generator/half_notes.h"

#include <algorithm>

namespace cmc {

void HalfNotes::end() {
  Half& out = *half_;
  half_ = nullptr;
  // Errors are rare, and have paths through both halves.
  out.whole = out.whole || !batch_.errors.empty();
  auto note = notes_.begin();
  for (size_t i = 0; i <= batch_.entries.size(); ++i) {
    for (; note != notes_.end() && note->successors == i; ++note) out.items.push_back(note->item);
    if (i == batch_.entries.size()) break;
    out.items.push_back({.offset = batch_.entries[i].offset, .size = batch_.entries[i].size});
  }
  out.bytes.swap(batch_.bytes);
}

void HalfNotes::add_offer(const View& view, const RendezvousMessage& message) {
  if (!writer_.faults.empty() || !joins_at(view)) {
    half_->whole = true;
    writer_.faults.clear();
  }
  const uint32_t begin = static_cast<uint32_t>(batch_.bytes.size());
  batch_.bytes.insert(batch_.bytes.end(), view.state, view.state + writer_.state_bytes());
  notes_.push_back({batch_.entries.size(),
                    {.kind = Half::Item::Kind::kOffer,
                     .timeout = view.timeout,
                     .offset = begin,
                     .size = writer_.state_bytes(),
                     .message = static_cast<uint32_t>(half_->messages.size())}});
  half_->messages.push_back(message);
  writer_.write_header(batch_.bytes.data() + begin, kNoProcess, view.pid);
}

void HalfNotes::add_else() {
  if (notes_.empty()) return;
  const uint32_t offers = static_cast<uint32_t>(notes_.size());
  notes_.push_back({batch_.entries.size(), {.kind = Half::Item::Kind::kUnlessTaken, .offers = offers, .items = 1}});
}

// Whether the other edges of the process's location are the same whoever takes its offers, but for an `else`.
bool HalfNotes::joins_at(const View& view) const {
  const Model& model = writer_.model;
  const auto looks_at_earlier = [&](const auto& self, ExpressionId id) -> bool {
    if (id == kNoExpression) return false;
    const Expression& expression = model.expressions[id];
    return expression.op == Operator::kElseGuard ||
           std::ranges::any_of(expression.operands, [&](ExpressionId operand) { return self(self, operand); });
  };
  const EdgeTable& table = writer_.table;
  return !table.proctype_of(view).deterministic &&
         std::ranges::none_of(table.edges_of(view), [&](const FastEdge& edge) {
           return edge.escape != 0 || (edge.kind == StatementKind::kAtomicBlock &&
                                       looks_at_earlier(looks_at_earlier, model.statements[edge.statement].guard));
         });
}

}  // namespace cmc
