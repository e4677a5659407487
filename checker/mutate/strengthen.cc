#include "checker/mutate/strengthen.h"

namespace cmc::mutate {
namespace {

using promela::ast::Expression;
using promela::ast::ExpressionKind;
using promela::ast::Op;

// Collects the parts. `wanted`: a stronger part makes the whole stronger; else a weaker one does. `repeats`: its
// constant makes a constant of what it is a part of, which is there already.
void collect(const Expression& part, bool wanted, bool repeats, std::vector<Stronger>& parts) {
  if (!repeats && part.kind != ExpressionKind::kNumber) parts.push_back({&part, !wanted});
  if (!is_connective(part)) return;
  const Expression& left = *part.operands.front();
  const Expression& right = *part.operands.back();
  const auto collect_both = [&](bool left_wanted, bool left_repeats, bool right_repeats) {
    collect(left, left_wanted, left_repeats, parts);
    collect(right, wanted, right_repeats, parts);
  };
  switch (part.op) {
    case Op::kNot: return collect(left, !wanted, true, parts);
    case Op::kAlways:
    case Op::kEventually:
    case Op::kNext: return collect(left, wanted, true, parts);
    case Op::kAnd: return collect_both(wanted, wanted, wanted);
    case Op::kOr: return collect_both(wanted, !wanted, !wanted);
    case Op::kImplies: return collect_both(!wanted, !wanted, !wanted);
    case Op::kUntil:
    case Op::kRelease: return collect_both(wanted, false, true);
    case Op::kWeakUntil: return collect_both(wanted, !wanted, !wanted);
    default: return;  // <->: neither stronger nor weaker
  }
}

}  // namespace

std::vector<Stronger> stronger_parts(const Expression& formula, bool is_assertion) {
  std::vector<Stronger> parts;
  collect(formula, true, !is_assertion, parts);
  return parts;
}

std::vector<Stronger> weaker_parts(const Expression& guard) {
  std::vector<Stronger> parts;
  collect(guard, false, false, parts);
  return parts;
}

}  // namespace cmc::mutate
