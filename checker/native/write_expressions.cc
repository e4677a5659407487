#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "checker/native/marked_text.h"
#include "checker/native/writer.h"
#include "ir/constant.h"
#include "ir/print.h"

namespace cmc::native {

namespace {

bool is_simple(const std::string& text) { return text.find_first_of(" (") == std::string::npos; }

// The function that computes what C's operator cannot, because it would overflow.
const char* wrapping(Operator op) {
  switch (op) {
    case Operator::kAdd: return "add";
    case Operator::kSubtract: return "subtract";
    case Operator::kMultiply: return "multiply";
    case Operator::kShiftLeft: return "shift_left";
    case Operator::kShiftRight: return "shift_right";
    default: return nullptr;
  }
}

bool is_shift(Operator op) { return op == Operator::kShiftLeft || op == Operator::kShiftRight; }

// Whether machine code is much better if the second operand is known.
bool shapes_code(Operator op) {
  return op == Operator::kDivide || op == Operator::kModulo || op == Operator::kMultiply || is_shift(op);
}

struct Range {
  int64_t low = INT32_MIN;
  int64_t high = INT32_MAX;
};
constexpr Range kTruth{0, 1};

bool fits(const Range& range) { return range.low >= INT32_MIN && range.high <= INT32_MAX; }

// Of the exact result, which may not fit 32 bits.
Range exact_range(Operator op, const Range& a, const Range& b) {
  switch (op) {
    case Operator::kAdd: return {a.low + b.low, a.high + b.high};
    case Operator::kSubtract: return {a.low - b.high, a.high - b.low};
    case Operator::kMultiply: {
      const auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
      return {low, high};
    }
    case Operator::kBitAnd:
      if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
      return {};
    case Operator::kDivide: return a.low >= 0 && b.low > 0 ? Range{0, a.high} : Range{};
    case Operator::kModulo: return a.low >= 0 && b.low > 0 ? Range{0, std::min(a.high, b.high - 1)} : Range{};
    default: return is_comparison(op) ? kTruth : Range{};
  }
}

const char* getter(const ScalarType& type) {
  switch (type.bytes) {
    case 1: return "get_u8";
    case 2: return type.is_signed() ? "get_s16" : "get_u16";
    default: return "get_s32";
  }
}

}  // namespace

// --- code and names

// Without the parentheses around the whole.
std::string bare(const std::string& text) {
  int open = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (open == 0) return i > 0 && i + 1 == text.size() && text[0] == '(' ? text.substr(1, i - 1) : text;
  }
  return text;
}

void Writer::begin_conditional(const std::string& head) {
  code_.open(head);
  touched_before_.push_back(touched_.size());
}

void Writer::end_conditional(const std::string& tail) {
  touched_.resize(touched_before_.back());
  touched_before_.pop_back();
  code_.close(tail);
}

void Writer::touch(const std::string& address) {
  if (quiet_ || std::ranges::find(touched_, address) != touched_.end()) return;
  touched_.push_back(address);
  line(fmt::format("TOUCH({});", address));
}

void Writer::fail(const std::string& kind, const std::string& value) {
  ++faults_;
  line(fmt::format("return fault(call, {}, {});", kind, value));
}

void Writer::fail_if(const std::string& condition, const std::string& kind, const std::string& value) {
  ++faults_;
  const std::string otherwise = quiet_ ? "CMC_EXECUTABLE" : fmt::format("fault(call, {}, {})", kind, value);
  line(fmt::format("if (UNLIKELY({})) return {};", condition, otherwise));
}

Writer::Value Writer::in_variable(const Value& value) {
  if (is_simple(value.text)) return value;
  const std::string name = fresh("t");
  line(fmt::format("const int32_t {} = {};", name, bare(value.text)));
  return {name, value.low, value.high};
}

// Compilers limit how deeply an expression may be nested.
Writer::Value Writer::shallow(Value value) {
  constexpr uint32_t kDeepest = 16;
  return value.nesting > kDeepest ? in_variable(value) : std::move(value);
}

Writer::Value Writer::unsupported() {
  supported_ = false;
  return {"0", 0, 0};
}

// --- what is known before anything is executed, as the VM's compiler knows it

std::optional<int32_t> Writer::constant(ExpressionId id) const { return constant_value(model_, id); }

// All indices are constants, and in range.
bool Writer::is_fixed(const VariableReference& reference) const {
  return std::ranges::all_of(reference.indices, [&](const VariableReference::Index& index) {
    const std::optional<int32_t> number = constant(index.expression);
    return number && static_cast<uint32_t>(*number) < index.count;
  });
}

// Nor need it be evaluated if nobody wants its value.
bool Writer::cannot_fail(ExpressionId id) const {
  const Expression& e = model_.expressions[id];
  switch (e.op) {
    case Operator::kVariable: return is_fixed(e.reference);
    case Operator::kProcessCount: return !model_.claim.exists();
    case Operator::kLast:
    case Operator::kOwnPriority:
    case Operator::kOwnPid: return true;
    default: return constant(id).has_value();
  }
}

// --- values

Writer::Value Writer::value(ExpressionId id) {
  const Expression& e = model_.expressions[id];
  if (const std::optional<int32_t> folded = constant(id)) return {marked_int(*folded), *folded, *folded};
  constexpr ScalarType kByte{BasicType::kByte, 8, 1, 0};
  switch (e.op) {
    case Operator::kVariable: return load(e.reference.type, place(e.reference));
    case Operator::kOwnPid: return {"call->pid", 0, UINT8_MAX};
    case Operator::kProcessCount: {  // SPIN counts a claim as a process
      const Value count = load(kByte, fmt::format("state + {}u", model_.process_count_offset()));
      if (!model_.claim.exists()) return count;
      return {fmt::format("({} + 1)", count.text), 1, count.high + 1, 1};
    }
    case Operator::kLast: return load(kByte, fmt::format("state + {}u", model_.last_offset()));
    case Operator::kOwnPriority: return load(kByte, fmt::format("frame + {}u", kFramePriority));
    case Operator::kTimeout: return {"call->timeout", 0, 1};
    case Operator::kNoRendezvous: return {"(call->rendezvous == 0)", 0, 1, 1};
    case Operator::kElseGuard:
      if (quiet_) return unsupported();  // that is known later
      return {"!call->earlier", 0, 1};
    case Operator::kNegate:
    case Operator::kNot:
    case Operator::kComplement: return unary(e);
    case Operator::kAnd:
    case Operator::kOr: return logical(e);
    case Operator::kConditional: return conditional(e);
    case Operator::kLength:
    case Operator::kFull:
    case Operator::kEmpty:
    case Operator::kNotFull:
    case Operator::kNotEmpty: return of_channel(e);
    case Operator::kPoll:
      return receivable({e.operands[0], e.arguments, e.flag, true},
                        e.flag && std::ranges::any_of(e.arguments, &ReceiveArgument::is_match));
    case Operator::kReceivable: {
      const Statement& receive = model_.statements[e.statement];
      return receivable({receive.channel, receive.arguments, receive.flag, receive.poll}, false);
    }
    case Operator::kLocationOf:
    case Operator::kPriorityOf:
    case Operator::kRemoteLocation: return of_process(e);
    case Operator::kRemoteVariable: return remote_variable(e);
    case Operator::kRun:
    case Operator::kEnabled:
    case Operator::kExists:
    case Operator::kNonProgress:
    case Operator::kEmbeddedC:
    case Operator::kTarget:
    case Operator::kParameter: return unsupported();
    default: return binary(e);
  }
}

Writer::Value Writer::load(const ScalarType& type, const std::string& address) {
  touch(address);
  const std::string text = fmt::format("{}({})", getter(type), address);
  if (type.bytes == 1) return {text, 0, UINT8_MAX, 1};
  if (type.bytes == 2 && type.is_signed()) return {text, INT16_MIN, INT16_MAX, 1};
  if (type.bytes == 2) return {text, 0, UINT16_MAX, 1};
  return {text, INT32_MIN, INT32_MAX, 1};
}

Writer::Value Writer::unary(const Expression& e) {
  const Value operand = shallow(value(e.operands[0]));
  const uint32_t nesting = operand.nesting + 1;
  if (e.op == Operator::kNot) return {fmt::format("(!{})", operand.text), 0, 1, nesting};
  if (e.op == Operator::kComplement) {
    return {fmt::format("(~{})", operand.text), -operand.high - 1, -operand.low - 1, nesting};
  }
  if (operand.low == INT32_MIN) return {fmt::format("negate({})", operand.text), INT32_MIN, INT32_MAX, nesting};
  return {fmt::format("(-{})", operand.text), -operand.high, -operand.low, nesting};
}

Writer::Value Writer::binary(const Expression& e) {
  const Value left = shallow(value(e.operands[0]));
  Value right = shallow(value(e.operands[1]));
  if (shapes_code(e.op) && constant(e.operands[1])) right.text = spelled(right.text);
  if (e.op == Operator::kDivide || e.op == Operator::kModulo) return division(e, left, right);
  const uint32_t nesting = std::max(left.nesting, right.nesting) + 1;
  const Range range = exact_range(e.op, {left.low, left.high}, {right.low, right.high});
  const char* const function = wrapping(e.op);
  if (function != nullptr && (is_shift(e.op) || !fits(range))) {
    return {fmt::format("{}({}, {})", function, left.text, right.text), INT32_MIN, INT32_MAX, nesting};
  }
  return {fmt::format("({} {} {})", left.text, operator_symbol(e.op), right.text), range.low, range.high, nesting};
}

Writer::Value Writer::division(const Expression& e, const Value& left, const Value& right) {
  const bool no_zero = right.low > 0 || right.high < 0;
  const bool no_minus_one = right.low > -1 || right.high < -1 || left.low > INT32_MIN;
  Value dividend = left;
  Value divisor = right;
  if (!no_zero || !no_minus_one) {
    dividend = in_variable(left);
    divisor = in_variable(right);
    fail_if(fmt::format("!divides({}, {})", dividend.text, divisor.text), "CMC_DIVISION_BY_ZERO", "0");
  }
  const Range range = exact_range(e.op, {left.low, left.high}, {right.low, right.high});
  return {fmt::format("({} {} {})", dividend.text, operator_symbol(e.op), divisor.text), range.low, range.high,
          std::max(dividend.nesting, divisor.nesting) + 1};
}

// The right operand is evaluated only if the left one does not decide.
Writer::Value Writer::logical(const Expression& e) {
  const bool both = e.op == Operator::kAnd;
  const Value left = shallow(value(e.operands[0]));
  Value right;
  const CText inner = aside([&] { right = shallow(value(e.operands[1])); });
  if (inner.empty()) {
    return {fmt::format("({} {} {})", left.text, both ? "&&" : "||", right.text), 0, 1,
            std::max(left.nesting, right.nesting) + 1};
  }
  const std::string result = fresh("t");
  line(fmt::format("int32_t {} = {} != 0;", result, left.text));
  code_.open(fmt::format("if ({}{})", both ? "" : "!", result));
  code_.append(inner);
  line(fmt::format("{} = {} != 0;", result, right.text));
  code_.close();
  return {result, 0, 1};
}

Writer::Value Writer::conditional(const Expression& e) {
  const Value condition = value(e.operands[0]);
  const std::string result = fresh("t");
  line(fmt::format("int32_t {};", result));
  begin_conditional(fmt::format("if ({})", bare(condition.text)));
  const Value first = value(e.operands[1]);
  line(fmt::format("{} = {};", result, bare(first.text)));
  end_conditional();
  begin_conditional("else");
  const Value second = value(e.operands[2]);
  line(fmt::format("{} = {};", result, bare(second.text)));
  end_conditional();
  return {result, std::min(first.low, second.low), std::max(first.high, second.high)};
}

// --- other processes

// A variable with the pid that the expression names: operands[0], or the first of its proctype.
std::string Writer::process_named(const Expression& e) {
  if (!e.operands.empty()) return in_variable(value(e.operands[0])).text;
  const std::string pid = fresh("t");
  line(fmt::format("const int32_t {} = first_of(call, {});", pid, e.proctype));
  return pid;
}

Writer::Value Writer::of_process(const Expression& e) {
  const std::string pid = process_named(e);
  const std::string result = fresh("t");
  const bool priority = e.op == Operator::kPriorityOf;
  line(fmt::format("const int32_t {} = {}(HERE, {});", result, priority ? "priority_of" : "location_of", pid));
  if (e.op != Operator::kRemoteLocation) return {result, 0, UINT16_MAX};
  return {fmt::format("({} == {})", result, marked_int(e.value)), 0, 1, 1};
}

Writer::Value Writer::remote_variable(const Expression& e) {
  const std::string result = fresh("t");
  const std::string pid = process_named(e);
  line(fmt::format("int32_t {} = 0;", result));
  begin_conditional(fmt::format("if (is_of(call, {}, {}))", pid, e.proctype));
  const Value found =
      load(e.reference.type, place(e.reference, fmt::format("state + call->frames[{}]", pid), CNames::kNobody));
  line(fmt::format("{} = {};", result, found.text));
  end_conditional();
  return {result, std::min<int64_t>(found.low, 0), found.high};
}

// --- places

// The address of a scalar in the state vector or the own frame.
std::string Writer::place(const VariableReference& reference) {
  return place(reference, reference.space == Space::kGlobal ? "state" : "frame", owner_);
}

// The address of a scalar from `base` on, the C expression of what has the variable: the state vector, or a frame of
// `owner`.
std::string Writer::place(const VariableReference& reference, const std::string& base, CNames::Owner owner) {
  uint32_t offset = reference.offset;
  std::string rest;
  for (const VariableReference::Index& index : reference.indices) {
    const Value number = value(index.expression);
    if (number.low == number.high && number.low >= 0 && number.low < index.count) {
      offset += static_cast<uint32_t>(number.low) * index.stride;
      continue;
    }
    const std::string name = fresh("k");
    line(fmt::format("const uint32_t {} = (uint32_t){};", name, number.text));
    if (number.low < 0 || number.high >= index.count) {
      fail_if(fmt::format("{} >= {}u", name, index.count), "CMC_INDEX_OUT_OF_BOUNDS",
              fmt::format("(int32_t){}", name));
    }
    rest += index.stride == 1 ? " + " + name : fmt::format(" + {} * {}u", name, index.stride);
  }
  return fmt::format("{} + {}{}", base, marked_unsigned(offset, names_.offset(reference, owner, offset)), rest);
}

void Writer::store(const ScalarType& type, const std::string& address, const Value& value) {
  touch(address);
  const int64_t mask = (int64_t{1} << type.bits) - 1;
  const bool masked = type.bits < 8u * type.bytes && (value.low < 0 || value.high > mask);
  const std::string bits = masked ? fmt::format("({} & {})", value.text, mask) : value.text;
  line(fmt::format("put_{}({}, {});", 8 * type.bytes, address, bits));
}

// Of an expression whose value nobody wants.
void Writer::evaluate_for_errors(ExpressionId id) {
  if (!cannot_fail(id)) value(id);
}

void Writer::evaluate(ExpressionId id) {
  const Value result = value(id);
  line(fmt::format("*value = {};", bare(result.text)));
  line("return CMC_EXECUTABLE;");
}

}  // namespace cmc::native
