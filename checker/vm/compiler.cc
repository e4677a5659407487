#include "checker/vm/compiler.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "checker/generator/generator.h"
#include "ir/arithmetic.h"
#include "ir/constant.h"
#include "ir/scalar.h"

namespace cmc::vm {
namespace {

constexpr uint32_t kFirstRegister = 1;   // 0 holds _pid
constexpr uint32_t kLastRegister = 240;  // beyond it a new set is used; the rest is room for temporaries
constexpr uint32_t kHalf = 0xffff;       // largest 16-bit operand

template <class T>
bool fits_operand(int32_t value) {
  return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
}

int32_t halves(uint32_t low, uint32_t high) { return static_cast<int32_t>(low | (high << 16)); }

// Places of an index (Place::Index) follow each other in the instruction set.
static_assert(static_cast<int>(Opcode::kLoadElementByGG8) == static_cast<int>(Opcode::kLoadElementG8) + 8);
static_assert(static_cast<int>(Opcode::kLoadElementByLG8) == static_cast<int>(Opcode::kLoadElementG8) + 16);
static_assert(static_cast<int>(Opcode::kStoreElementByGG8) == static_cast<int>(Opcode::kStoreElementG8) + 6);
static_assert(static_cast<int>(Opcode::kStoreElementByLG8) == static_cast<int>(Opcode::kStoreElementG8) + 12);

Opcode offset_opcode(Opcode first, uint32_t number) {
  return static_cast<Opcode>(static_cast<uint32_t>(first) + number);
}

Opcode binary_opcode(Operator op) {
  switch (op) {
    case Operator::kAdd: return Opcode::kAdd;
    case Operator::kSubtract: return Opcode::kSubtract;
    case Operator::kMultiply: return Opcode::kMultiply;
    case Operator::kDivide: return Opcode::kDivide;
    case Operator::kModulo: return Opcode::kModulo;
    case Operator::kBitAnd: return Opcode::kBitAnd;
    case Operator::kBitOr: return Opcode::kBitOr;
    case Operator::kBitXor: return Opcode::kBitXor;
    case Operator::kShiftLeft: return Opcode::kShiftLeft;
    case Operator::kShiftRight: return Opcode::kShiftRight;
    case Operator::kLess: return Opcode::kSetLess;
    case Operator::kLessEqual: return Opcode::kSetLessEqual;
    case Operator::kGreater: return Opcode::kSetGreater;
    case Operator::kGreaterEqual: return Opcode::kSetGreaterEqual;
    case Operator::kEqual: return Opcode::kSetEqual;
    case Operator::kNotEqual: return Opcode::kSetNotEqual;
    default: break;
  }
  CHECK(false);
}

}  // namespace

void Compiler::emit(Opcode opcode, uint32_t a, uint32_t b, int32_t c) {
  DCHECK(a <= 0xff && b <= kHalf);
  program_.code.push_back(
      Instruction{static_cast<uint8_t>(opcode), static_cast<uint8_t>(a), static_cast<uint16_t>(b), c});
}

void Compiler::emit_jump(Opcode opcode, uint32_t a, uint32_t b, Label& target) {
  if (target.address == kNoCode) target.uses.push_back(here());
  emit(opcode, a, b, static_cast<int32_t>(target.address));
}

void Compiler::bind(Label& label) {
  DCHECK(label.address == kNoCode);
  label.address = here();
  for (const uint32_t use : label.uses) program_.code[use].c = static_cast<int32_t>(label.address);
}

// Compiles what the code so far calls; that can need calls again.
void Compiler::finish_calls() {
  while (!calls_.empty()) {
    const auto [call, id] = calls_.back();
    calls_.pop_back();
    DCHECK(call < here() && static_cast<Opcode>(program_.code[call].opcode) == Opcode::kCall);
    program_.code[call].c = static_cast<int32_t>(here());
    const Register result = value(id, kFirstRegister);
    emit(Opcode::kResult, result);
  }
}

// --- constants

std::optional<int32_t> Compiler::constant(ExpressionId id) { return constant_value(model_, id); }

// --- variables

Compiler::Width Compiler::width_of(const ScalarType& type) {
  switch (type.bytes) {
    case 1: return Width::k8;
    case 2: return type.is_signed() ? Width::kSigned16 : Width::k16;
    default: return Width::k32;
  }
}

// The place of a scalar that needs no code to find: all indices are constants, and in range.
std::optional<Compiler::Place> Compiler::fixed_place(const VariableReference& reference) {
  Place place;
  place.space = reference.space;
  place.width = width_of(reference.type);
  place.offset = reference.offset;
  for (const VariableReference::Index& index : reference.indices) {
    const std::optional<int32_t> number = constant(index.expression);
    if (!number || static_cast<uint32_t>(*number) >= index.count) return std::nullopt;
    place.offset += static_cast<uint32_t>(*number) * index.stride;
  }
  return place;
}

std::optional<Compiler::Place> Compiler::fixed_place(const Expression& e) {
  Place place;
  switch (e.op) {
    case Operator::kVariable: return fixed_place(e.reference);
    case Operator::kProcessCount:
      if (model_.claim.exists()) return std::nullopt;
      place.offset = model_.process_count_offset();
      return place;
    case Operator::kLast: place.offset = model_.last_offset(); return place;
    case Operator::kOwnPriority:
      place.space = Space::kLocal;
      place.offset = kFramePriority;
      return place;
    default: return std::nullopt;
  }
}

Compiler::Register Compiler::byte_offset(const std::vector<VariableReference::Index>& indices, Register free) {
  Register sum = free;
  for (size_t i = 0; i < indices.size(); ++i) {
    const VariableReference::Index& index = indices[i];
    const Register target = i == 0 ? sum : sum + 1;
    const Register from = value(index.expression, target);
    if (index.count <= kHalf && index.stride <= kHalf) {
      emit(Opcode::kIndex, target, from, halves(index.stride, index.count));
    } else {
      emit(Opcode::kCheckIndex, from, 0, static_cast<int32_t>(index.count));
      emit(Opcode::kMultiplyConstant, target, from, static_cast<int32_t>(index.stride));
    }
    if (i > 0) emit(Opcode::kAdd, sum, sum, static_cast<int32_t>(target));
  }
  return sum;
}

// Registers from `free` on are taken for the index; `free` is moved behind them.
Compiler::Place Compiler::place(const VariableReference& reference, Register& free) {
  if (const std::optional<Place> fixed = fixed_place(reference)) return *fixed;
  Place place;
  place.space = reference.space;
  place.width = width_of(reference.type);
  place.offset = reference.offset;
  const VariableReference::Index& first = reference.indices[0];
  if (reference.indices.size() == 1 && first.stride == reference.type.bytes && first.count <= kHalf &&
      reference.offset <= kHalf) {
    place.kind = Place::Kind::kElement;
    place.count = first.count;
    const std::optional<Place> index = fixed_place(model_.expressions[first.expression]);
    if (index && index->width == Width::k8 && index->offset <= kHalf) {
      place.index_in = index->space == Space::kGlobal ? Place::Index::kGlobalByte : Place::Index::kLocalByte;
      place.index = index->offset;
      return place;
    }
    place.index = value(first.expression, free);
  } else {
    place.kind = Place::Kind::kComputed;
    place.index = byte_offset(reference.indices, free);
  }
  if (place.index == free) ++free;
  return place;
}

void Compiler::load(const Place& place, Register target) {
  const uint32_t variant = (place.space == Space::kLocal ? 4u : 0u) + static_cast<uint32_t>(place.width);
  switch (place.kind) {
    case Place::Kind::kFixed:
      return emit(offset_opcode(Opcode::kLoadG8, variant), target, 0, static_cast<int32_t>(place.offset));
    case Place::Kind::kElement:
      return emit(offset_opcode(Opcode::kLoadElementG8, 8 * static_cast<uint32_t>(place.index_in) + variant), target,
                  place.index, halves(place.offset, place.count));
    case Place::Kind::kComputed:
      return emit(offset_opcode(Opcode::kLoadAtG8, variant), target, place.index, static_cast<int32_t>(place.offset));
  }
}

namespace {

// Number of an opcode within a family of stores.
template <class Place>
uint32_t store_variant(const Place& place, uint8_t bytes) {
  return (place.space == Space::kLocal ? 3u : 0u) + (bytes == 1 ? 0u : bytes == 2 ? 1u : 2u);
}

bool is_narrow(const ScalarType& type) { return type.bits < 8u * type.bytes; }
uint32_t mask_of(const ScalarType& type) { return (uint32_t{1} << type.bits) - 1; }

}  // namespace

void Compiler::store(const Place& place, const ScalarType& type, Register source, Register free) {
  store_low_bits(place, type, source, free);
  if (!model_.notes_overflow() || type.bits >= 32) return;
  const int bits = type.is_signed() ? -type.bits : type.bits;
  emit(Opcode::kCheckFits, source, static_cast<uint16_t>(bits));
}

void Compiler::store_low_bits(const Place& place, const ScalarType& type, Register source, Register free) {
  if (is_narrow(type)) {
    emit(Opcode::kBitAndConstant, free, source, static_cast<int32_t>(mask_of(type)));
    source = free;
  }
  const uint32_t variant = store_variant(place, type.bytes);
  switch (place.kind) {
    case Place::Kind::kFixed:
      return emit(offset_opcode(Opcode::kStoreG8, variant), source, 0, static_cast<int32_t>(place.offset));
    case Place::Kind::kElement:
      return emit(offset_opcode(Opcode::kStoreElementG8, 6 * static_cast<uint32_t>(place.index_in) + variant), source,
                  place.index, halves(place.offset, place.count));
    case Place::Kind::kComputed:
      return emit(offset_opcode(Opcode::kStoreAtG8, variant), source, place.index,
                  static_cast<int32_t>(place.offset));
  }
}

// --- values

bool Compiler::cannot_fail(ExpressionId id) {
  const Expression& e = model_.expressions[id];
  return constant(id) || fixed_place(e) || e.op == Operator::kOwnPid;
}

void Compiler::value_into(ExpressionId id, Register target) {
  const Register from = value(id, target);
  if (from != target) emit(Opcode::kMove, target, from);
}

// Code that computes the expression; returns the register that holds it: `free` or 0. Only registers from `free` on
// are changed.
Compiler::Register Compiler::value(ExpressionId id, Register free) {
  const Expression& e = model_.expressions[id];
  if (const std::optional<int32_t> folded = constant(id)) {
    emit(Opcode::kConstant, free, 0, *folded);
    return free;
  }
  if (const std::optional<Place> fixed = fixed_place(e)) {
    load(*fixed, free);
    return free;
  }
  if (e.op == Operator::kOwnPid) return 0;
  if (free > kLastRegister) {
    calls_.emplace_back(here(), id);
    emit(Opcode::kCall, free);
    return free;
  }
  switch (e.op) {
    case Operator::kVariable: {
      Register next = free;
      const Place found = place(e.reference, next);
      load(found, free);
      return free;
    }
    case Operator::kProcessCount: {  // SPIN counts a claim as a process
      Place count;
      count.offset = model_.process_count_offset();
      load(count, free);
      emit(Opcode::kAddConstant, free, free, 1);
      return free;
    }
    case Operator::kTimeout: emit(Opcode::kLoadTimeout, free); return free;
    case Operator::kNonProgress: emit(Opcode::kLoadNonProgress, free); return free;
    case Operator::kNoRendezvous: emit(Opcode::kLoadNoRendezvous, free); return free;
    case Operator::kElseGuard: emit(Opcode::kLoadNotEarlier, free); return free;
    case Operator::kEmbeddedC: emit(Opcode::kFail, static_cast<uint32_t>(RuntimeErrorKind::kEmbeddedC)); return free;
    case Operator::kNegate: return unary(Opcode::kNegate, e, free);
    case Operator::kNot: return unary(Opcode::kNot, e, free);
    case Operator::kComplement: return unary(Opcode::kComplement, e, free);
    case Operator::kLength: return unary(Opcode::kLength, e, free);
    case Operator::kFull: return unary(Opcode::kFull, e, free);
    case Operator::kEmpty: return unary(Opcode::kEmpty, e, free);
    case Operator::kNotFull: return unary(Opcode::kNotFull, e, free);
    case Operator::kNotEmpty: return unary(Opcode::kNotEmpty, e, free);
    case Operator::kEnabled: return unary(Opcode::kEnabled, e, free);
    case Operator::kLocationOf: return unary(Opcode::kLocationOf, e, free);
    case Operator::kPriorityOf: return unary(Opcode::kPriorityOf, e, free);
    case Operator::kAnd:
    case Operator::kOr:
    case Operator::kPoll:
      return e.flag && std::ranges::any_of(e.arguments, &ReceiveArgument::is_match) ? found_slot(e, free)
                                                                                    : boolean(id, free);
    case Operator::kReceivable: return boolean(id, free);
    case Operator::kConditional: return conditional(e, free);
    case Operator::kRun: emit(Opcode::kRun, free, 0, static_cast<int32_t>(id)); return free;
    case Operator::kRemoteVariable: return remote_variable(e, free);
    case Operator::kExists: emit(Opcode::kExists, free, 0, e.value); return free;
    case Operator::kRemoteLocation: {
      const Register location = remote_location(e, free);
      emit(Opcode::kConstant, free + 1, 0, e.value);
      emit(Opcode::kSetEqual, free, location, static_cast<int32_t>(free + 1));
      return free;
    }
    default: return binary(e, free);
  }
}

Compiler::Register Compiler::unary(Opcode opcode, const Expression& e, Register free) {
  const Register operand = value(e.operands[0], free);
  emit(opcode, free, operand);
  return free;
}

// A binary operator whose other operand is a constant. kNoCode: there is no such instruction.
Compiler::Register Compiler::with_constant(const Expression& e, ExpressionId operand, int32_t constant,
                                           Register free) {
  Opcode opcode = Opcode::kAddConstant;
  switch (e.op) {
    case Operator::kAdd: break;
    case Operator::kSubtract: constant = apply(Operator::kNegate, constant); break;
    case Operator::kMultiply: opcode = Opcode::kMultiplyConstant; break;
    case Operator::kDivide: opcode = Opcode::kDivideConstant; break;
    case Operator::kModulo: opcode = Opcode::kModuloConstant; break;
    case Operator::kBitAnd: opcode = Opcode::kBitAndConstant; break;
    default: return kNoCode;
  }
  if ((e.op == Operator::kDivide || e.op == Operator::kModulo) && (constant == 0 || constant == -1)) return kNoCode;
  const Register from = value(operand, free);
  emit(opcode, free, from, constant);
  return free;
}

Compiler::Register Compiler::binary(const Expression& e, Register free) {
  const std::optional<int32_t> left_constant = constant(e.operands[0]);
  const std::optional<int32_t> right_constant = constant(e.operands[1]);
  const bool commutes = e.op == Operator::kAdd || e.op == Operator::kMultiply || e.op == Operator::kBitAnd;
  Register result = kNoCode;
  if (right_constant) {
    result = with_constant(e, e.operands[0], *right_constant, free);
  } else if (left_constant && commutes) {
    result = with_constant(e, e.operands[1], *left_constant, free);
  }
  if (result != kNoCode) return result;
  const Register left = value(e.operands[0], free);
  const Register right = value(e.operands[1], free + 1);
  emit(binary_opcode(e.op), free, left, static_cast<int32_t>(right));
  return free;
}

// The value of q??[...] with something to match: the number of the slot, from 1, or 0.
Compiler::Register Compiler::found_slot(const Expression& e, Register free) {
  Label none;
  Label end;
  value_into(e.operands[0], free);
  emit_jump(Opcode::kTestPoll, free, 0, none);
  const Register slot = find_slot(e.arguments, free, none, free + 1);
  emit(Opcode::kAddConstant, free, slot, 1);
  emit_jump(Opcode::kJump, 0, 0, end);
  bind(none);
  emit(Opcode::kConstant, free, 0, 0);
  bind(end);
  return free;
}

Compiler::Register Compiler::boolean(ExpressionId id, Register free) {
  Label is_false;
  Label end;
  branch(id, false, is_false, free);
  emit(Opcode::kConstant, free, 0, 1);
  emit_jump(Opcode::kJump, 0, 0, end);
  bind(is_false);
  emit(Opcode::kConstant, free, 0, 0);
  bind(end);
  return free;
}

Compiler::Register Compiler::conditional(const Expression& e, Register free) {
  Label otherwise;
  Label end;
  branch(e.operands[0], false, otherwise, free);
  value_into(e.operands[1], free);
  emit_jump(Opcode::kJump, 0, 0, end);
  bind(otherwise);
  value_into(e.operands[2], free);
  bind(end);
  return free;
}

// The pid of the process that a remote reference names.
Compiler::Register Compiler::remote_pid(const Expression& e, Register free) {
  if (!e.operands.empty()) return value(e.operands[0], free);
  emit(Opcode::kFirstOf, free, 0, e.proctype);
  return free;
}

Compiler::Register Compiler::remote_variable(const Expression& e, Register free) {
  Label absent;
  Label end;
  emit(Opcode::kFrameOf, free, remote_pid(e, free), e.proctype);
  emit_jump(Opcode::kJumpConstantLess, free, 0, absent);
  if (!e.reference.indices.empty()) {
    const Register offset = byte_offset(e.reference.indices, free + 1);
    emit(Opcode::kAdd, free, free, static_cast<int32_t>(offset));
  }
  Place field;
  field.kind = Place::Kind::kComputed;
  field.width = width_of(e.reference.type);
  field.offset = e.reference.offset;
  field.index = free;
  load(field, free);
  emit_jump(Opcode::kJump, 0, 0, end);
  bind(absent);
  emit(Opcode::kConstant, free, 0, 0);
  bind(end);
  return free;
}

// The location of the process that a kRemoteLocation names; 0 if there is none.
Compiler::Register Compiler::remote_location(const Expression& e, Register free) {
  emit(Opcode::kLocationOf, free, remote_pid(e, free));
  return free;
}

// --- conditions

// Jumps to `target` iff the truth of the expression is `sense`, else goes on behind.
void Compiler::branch(ExpressionId id, bool sense, Label& target, Register free) {
  const Expression& e = model_.expressions[id];
  if (const std::optional<int32_t> folded = constant(id)) {
    if ((*folded != 0) == sense) emit_jump(Opcode::kJump, 0, 0, target);
    return;
  }
  if (free > kLastRegister) return compare_register(Comparison::kNotEqual, value(id, free), 0, target, free);
  if (e.op == Operator::kNot) return branch(e.operands[0], !sense, target, free);
  if (e.op == Operator::kAnd || e.op == Operator::kOr) return branch_both(e, sense, target, free);
  if (is_comparison(e.op)) {
    static constexpr Comparison kOf[] = {Comparison::kLess,         Comparison::kLessEqual, Comparison::kGreater,
                                         Comparison::kGreaterEqual, Comparison::kEqual,     Comparison::kNotEqual};
    static constexpr Comparison kNegated[] = {Comparison::kGreaterEqual, Comparison::kGreater,
                                              Comparison::kLessEqual,    Comparison::kLess,
                                              Comparison::kNotEqual,     Comparison::kEqual};
    const size_t number = static_cast<size_t>(e.op) - static_cast<size_t>(Operator::kLess);
    return compare(sense ? kOf[number] : kNegated[number], e.operands[0], e.operands[1], target, free);
  }
  if (e.op == Operator::kPoll || e.op == Operator::kReceivable) {
    const bool poll = e.op == Operator::kPoll;
    const Statement* receive = poll ? nullptr : &model_.statements[e.statement];
    Label absent;
    test_receive(poll ? e.operands[0] : receive->channel, poll ? e.arguments : receive->arguments,
                 poll ? e.flag : receive->flag, poll || receive->poll ? Opcode::kTestPoll : Opcode::kTestReceive,
                 sense ? absent : target, free);
    if (sense) emit_jump(Opcode::kJump, 0, 0, target);
    if (sense) bind(absent);
    return;
  }
  if (e.op == Operator::kRemoteLocation) {
    const Comparison comparison = sense ? Comparison::kEqual : Comparison::kNotEqual;
    return compare_register(comparison, remote_location(e, free), e.value, target, free);
  }
  compare_constant(sense ? Comparison::kNotEqual : Comparison::kEqual, id, 0, target, free);
}

void Compiler::branch_both(const Expression& e, bool sense, Label& target, Register free) {
  if ((e.op == Operator::kOr) == sense) {  // either operand decides for the jump
    branch(e.operands[0], sense, target, free);
    branch(e.operands[1], sense, target, free);
    return;
  }
  Label behind;
  branch(e.operands[0], !sense, behind, free);
  branch(e.operands[1], sense, target, free);
  bind(behind);
}

void Compiler::compare(Comparison comparison, ExpressionId left, ExpressionId right, Label& target, Register free) {
  static constexpr Comparison kMirrored[] = {Comparison::kEqual,   Comparison::kNotEqual,
                                             Comparison::kGreater, Comparison::kGreaterEqual,
                                             Comparison::kLess,    Comparison::kLessEqual};
  if (const std::optional<int32_t> folded = constant(right)) {
    return compare_constant(comparison, left, *folded, target, free);
  }
  if (const std::optional<int32_t> folded = constant(left)) {
    return compare_constant(kMirrored[static_cast<size_t>(comparison)], right, *folded, target, free);
  }
  const std::optional<Place> first = fixed_place(model_.expressions[left]);
  const std::optional<Place> second = fixed_place(model_.expressions[right]);
  const auto is_byte_of_frame = [](const std::optional<Place>& place, uint32_t most) {
    return place && place->space == Space::kLocal && place->width == Width::k8 && place->offset <= most;
  };
  if (is_byte_of_frame(first, 0xff) && is_byte_of_frame(second, kHalf)) {
    return emit_jump(offset_opcode(Opcode::kJumpLL8Equal, static_cast<uint32_t>(comparison)), first->offset,
                     second->offset, target);
  }
  const Register left_value = value(left, free);
  const Register right_value = value(right, free + 1);
  emit_jump(offset_opcode(Opcode::kJumpEqual, static_cast<uint32_t>(comparison)), left_value, right_value, target);
}

void Compiler::compare_constant(Comparison comparison, ExpressionId left, int32_t right, Label& target,
                                Register free) {
  const std::optional<Place> fixed = fixed_place(model_.expressions[left]);
  if (fixed && fixed->offset <= kHalf && fits_operand<int8_t>(right) &&
      (fixed->width == Width::k8 || fixed->width == Width::k32)) {
    const bool narrow = fixed->width == Width::k8;
    const Opcode family = fixed->space == Space::kGlobal ? (narrow ? Opcode::kJumpG8Equal : Opcode::kJumpG32Equal)
                                                         : (narrow ? Opcode::kJumpL8Equal : Opcode::kJumpL32Equal);
    emit_jump(offset_opcode(family, static_cast<uint32_t>(comparison)), static_cast<uint8_t>(right), fixed->offset,
              target);
    return;
  }
  compare_register(comparison, value(left, free), right, target, free);
}

void Compiler::compare_register(Comparison comparison, Register left, int32_t right, Label& target, Register free) {
  if (fits_operand<int16_t>(right)) {
    emit_jump(offset_opcode(Opcode::kJumpConstantEqual, static_cast<uint32_t>(comparison)), left,
              static_cast<uint16_t>(right), target);
    return;
  }
  emit(Opcode::kConstant, free + 1, 0, right);
  emit_jump(offset_opcode(Opcode::kJumpEqual, static_cast<uint32_t>(comparison)), left, free + 1, target);
}

// --- channels

// Jumps to `mismatch` unless the message in this slot (0: the first) has the values that the arguments ask for.
void Compiler::match(const std::vector<ReceiveArgument>& arguments, Register channel, Register slot, Label& mismatch,
                     Register free) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind != ReceiveArgument::Kind::kMatch) continue;
    const std::optional<int32_t> folded = constant(arguments[i].match);
    const Register wanted = folded ? free : value(arguments[i].match, free);
    emit(Opcode::kField, free + 1, channel | slot << 8, static_cast<int32_t>(i));
    if (folded) {
      compare_register(Comparison::kNotEqual, free + 1, *folded, mismatch, free + 1);
    } else {
      emit_jump(Opcode::kJumpNotEqual, free + 1, wanted, mismatch);
    }
  }
}

// The register that will hold the number of the first slot that matches; jumps to `none` if there is none.
Compiler::Register Compiler::find_slot(const std::vector<ReceiveArgument>& arguments, Register channel, Label& none,
                                       Register free) {
  Label next;
  Label loop;
  Label found;
  for (const ReceiveArgument& argument : arguments) {  // an error counts even if no slot comes to this argument
    if (argument.kind == ReceiveArgument::Kind::kMatch) evaluate_for_errors(argument.match, free);
  }
  emit(Opcode::kConstant, free, 0, 0);
  bind(loop);
  emit_jump(Opcode::kTestSlot, channel, free, none);
  match(arguments, channel, free, next, free + 1);
  emit_jump(Opcode::kJump, 0, 0, found);
  bind(next);
  emit(Opcode::kAddConstant, free, free, 1);
  emit_jump(Opcode::kJump, 0, 0, loop);
  bind(found);
  return free;
}

// Leaves the channel in register `free`.
void Compiler::test_receive(ExpressionId channel, const std::vector<ReceiveArgument>& arguments, bool random,
                            Opcode test, Label& blocked, Register free) {
  value_into(channel, free);
  emit_jump(test, free, 0, blocked);
  if (random) {
    find_slot(arguments, free, blocked, free + 1);
  } else {
    match(arguments, free, 0, blocked, free + 1);
  }
}

void Compiler::test_receive_statement(const Statement& statement) {
  Label blocked = known(kBlockedAddress);
  test_receive(statement.channel, statement.arguments, statement.flag,
               statement.poll ? Opcode::kTestPoll : Opcode::kTestReceive, blocked, kFirstRegister);
  emit(Opcode::kTestReceived, kFirstRegister);
}

void Compiler::receive(const Statement& statement) {
  const Register channel = kFirstRegister;
  value_into(statement.channel, channel);
  emit(statement.poll ? Opcode::kCheckPolled : Opcode::kCheckFields, channel, 0,
       static_cast<int32_t>(statement.arguments.size()));
  Register slot = 0;
  Register free = channel + 1;
  if (statement.flag) {
    Label none = known(kBlockedAddress);  // never: the test found one
    slot = find_slot(statement.arguments, channel, none, free);
    ++free;
  }
  for (size_t i = 0; i < statement.arguments.size(); ++i) {
    const ReceiveArgument& argument = statement.arguments[i];
    if (argument.kind != ReceiveArgument::Kind::kStore) continue;
    Register next = free + 1;
    emit(Opcode::kField, free, channel | slot << 8, static_cast<int32_t>(i));
    const Place target = place(argument.store, next);
    store(target, argument.store.type, free, next);
  }
  if (!statement.poll) emit(Opcode::kRemove, channel, slot);
}

void Compiler::send(const Statement& statement, Opcode opcode) {
  const Register channel = kFirstRegister;
  value_into(statement.channel, channel);
  const uint32_t count = static_cast<uint32_t>(statement.operands.size());
  emit(Opcode::kCheckFields, channel, 0, static_cast<int32_t>(count));
  for (uint32_t i = 0; i < count; ++i) {
    const std::optional<int32_t> folded = constant(statement.operands[i]);
    if (folded && fits_operand<int16_t>(*folded)) {
      emit(Opcode::kPutConstant, 0, static_cast<uint16_t>(*folded), static_cast<int32_t>(i));
    } else {
      emit(Opcode::kPut, value(statement.operands[i], channel + 1), 0, static_cast<int32_t>(i));
    }
  }
  emit(opcode, channel, 0, static_cast<int32_t>(count));
  program_.longest_message = std::max(program_.longest_message, count);
}

// --- statements

void Compiler::test_condition(const Statement& statement) {
  Label blocked = known(kBlockedAddress);
  branch(statement.expression, false, blocked, kFirstRegister);
  emit(Opcode::kExecutable);
}

bool Compiler::assign_constant(const Statement& statement) {
  const VariableReference& target = statement.target;
  const std::optional<int32_t> folded = constant(statement.expression);
  const std::optional<Place> place = fixed_place(target);
  if (!folded || !place || place->offset > kHalf) return false;
  if (model_.notes_overflow() && !fits(target.type, *folded)) return false;
  uint32_t value = static_cast<uint32_t>(*folded);
  if (is_narrow(target.type)) value &= mask_of(target.type);
  const Opcode opcode = offset_opcode(Opcode::kStoreConstantG8, store_variant(target, target.type.bytes));
  emit(opcode, 0, place->offset, static_cast<int32_t>(value));
  return true;
}

// x = x + constant, x = x - constant.
bool Compiler::assign_increment(const Statement& statement) {
  if (model_.notes_overflow()) return false;
  const VariableReference& target = statement.target;
  const Expression& e = model_.expressions[statement.expression];
  if (e.op != Operator::kAdd && e.op != Operator::kSubtract) return false;
  const std::optional<Place> place = fixed_place(target);
  if (!place || place->offset > kHalf || is_narrow(target.type)) return false;
  const Expression& left = model_.expressions[e.operands[0]];
  const std::optional<int32_t> right = constant(e.operands[1]);
  if (!right || left.op != Operator::kVariable) return false;
  const std::optional<Place> from = fixed_place(left.reference);
  if (!from || from->space != place->space || from->offset != place->offset) return false;
  const int32_t step = e.op == Operator::kAdd ? *right : apply(Operator::kNegate, *right);
  emit(offset_opcode(Opcode::kAddG8, store_variant(target, target.type.bytes)), 0, place->offset, step);
  return true;
}

void Compiler::assign(const Statement& statement) {
  if (statement.discard_target) return evaluate_for_errors(statement.expression, kFirstRegister);
  if (assign_constant(statement) || assign_increment(statement)) return;
  const Register source = value(statement.expression, kFirstRegister);
  Register free = kFirstRegister + 1;
  const Place target = place(statement.target, free);
  store(target, statement.target.type, source, free);
}

void Compiler::choose(const Statement& statement) {
  Register free = kFirstRegister;
  std::vector<Place> places;
  for (const VariableReference& target : statement.targets) {  // all indices are checked before anything is stored
    Place& place = places.emplace_back();
    place.space = target.space;
    place.offset = target.offset;
    if (target.indices.empty()) continue;
    place.kind = Place::Kind::kComputed;
    place.index = byte_offset(target.indices, free++);
  }
  for (size_t i = 0; i < places.size(); ++i) {
    emit(Opcode::kLoadWitness, free, 0, static_cast<int32_t>(i));
    store(places[i], statement.targets[i].type, free, free + 1);
  }
}

void Compiler::assertion(const Statement& statement) {
  Label holds;
  branch(statement.expression, true, holds, kFirstRegister);
  emit(Opcode::kAssertionFails);
  bind(holds);
}

void Compiler::evaluate_for_errors(ExpressionId id, Register free) {
  if (!cannot_fail(id)) value(id, free);
}

uint32_t Compiler::expression(ExpressionId id) {
  if (program_.expressions[id] == kNoCode) {
    program_.expressions[id] = here();
    emit(Opcode::kResult, value(id, kFirstRegister));
    finish_calls();
  }
  return program_.expressions[id];
}

// What executing a basic statement changes.
void Compiler::effect(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kCondition:
      if (model_.expressions[statement.expression].op == Operator::kRun) value(statement.expression, kFirstRegister);
      break;
    case StatementKind::kAssign: assign(statement); break;
    case StatementKind::kSend: send(statement, statement.flag ? Opcode::kSendSorted : Opcode::kSend); break;
    case StatementKind::kReceive: receive(statement); break;
    case StatementKind::kAssert: assertion(statement); break;
    case StatementKind::kPrintf:
      for (const ExpressionId operand : statement.operands) evaluate_for_errors(operand, kFirstRegister);
      break;
    case StatementKind::kPrintm: evaluate_for_errors(statement.expression, kFirstRegister); break;
    case StatementKind::kSetPriority: {
      value_into(statement.operands[0], kFirstRegister);
      const Register priority = value(statement.operands[1], kFirstRegister + 1);
      emit(Opcode::kSetPriority, kFirstRegister, priority);
      break;
    }
    case StatementKind::kEmbeddedC: emit(Opcode::kFail, static_cast<uint32_t>(RuntimeErrorKind::kEmbeddedC)); break;
    case StatementKind::kChoose: choose(statement); break;
    case StatementKind::kSkip:
    case StatementKind::kElse:
    case StatementKind::kAtomicBlock:
    case StatementKind::kEndProcess: break;  // the Stepper's
  }
}

// A d_step runs as one piece of code if nothing in it can be part of a rendezvous or create a process.
bool Compiler::can_run_block(const Statement& block) const {
  for (const DeterministicNode& node : block.body) {
    for (const DeterministicNode::Alternative& alternative : node.alternatives) {
      const Statement& statement = model_.statements[alternative.statement];
      switch (statement.kind) {
        case StatementKind::kCondition:
          if (model_.expressions[statement.expression].op == Operator::kRun) return false;
          break;
        case StatementKind::kSkip:
        case StatementKind::kElse:
        case StatementKind::kAssign:
        case StatementKind::kAssert:
        case StatementKind::kPrintf:
        case StatementKind::kPrintm: break;
        default: return false;
      }
    }
  }
  return true;
}

// Whether the code from `begin` on is one store of a constant, or the addition of one: nothing jumps there, nothing
// can fail.
bool Compiler::cannot_fail_from(uint32_t begin) const {
  if (here() != begin + 1) return false;
  const Opcode opcode = static_cast<Opcode>(program_.code[begin].opcode);
  return (opcode >= Opcode::kStoreConstantG8 && opcode <= Opcode::kStoreConstantL32) ||
         (opcode >= Opcode::kAddG8 && opcode <= Opcode::kAddL32);
}

// Each node is followed, where that is possible, by the one that its last alternative leads to. A statement that
// cannot fail and is always executed behind the one before is counted together with that.
void Compiler::block(StatementId id) {
  const std::vector<DeterministicNode>& nodes = model_.statements[id].body;
  std::vector<uint32_t> predecessors(nodes.size());
  predecessors[0] = 1;
  for (const DeterministicNode& node : nodes) {
    for (const DeterministicNode::Alternative& alternative : node.alternatives) {
      if (alternative.next != DeterministicNode::kDone) ++predecessors[alternative.next];
    }
  }
  std::vector<Label> labels(nodes.size());
  Label done;
  const auto label_of = [&](uint32_t node) -> Label& {
    return node == DeterministicNode::kDone ? done : labels[node];
  };
  std::vector<uint32_t> waiting{0};
  while (!waiting.empty()) {
    uint32_t current = waiting.back();
    waiting.pop_back();
    if (label_of(current).address != kNoCode) continue;
    bool goes_on = true;              // to `current`
    uint32_t count_before = kNoCode;  // the instruction that counted the statement before, if that leads here only
    while (goes_on && current != DeterministicNode::kDone && label_of(current).address == kNoCode) {
      const std::vector<DeterministicNode::Alternative>& alternatives = nodes[current].alternatives;
      bind(label_of(current));
      const uint32_t count = here();
      const bool follows = predecessors[current] == 1;
      emit(Opcode::kCountStatement, 0, 1,
           static_cast<int32_t>(alternatives.empty() ? id : alternatives[0].statement));
      goes_on = false;
      for (const DeterministicNode::Alternative& alternative : alternatives) {
        const Statement& statement = model_.statements[alternative.statement];
        goes_on = statement.kind != StatementKind::kCondition;
        if (&alternative != &alternatives[0] && statement.kind != StatementKind::kElse) {
          emit(Opcode::kStatement, 0, 0, static_cast<int32_t>(alternative.statement));
        }
        if (goes_on) {
          effect(statement);
          if (follows && count_before != kNoCode && cannot_fail_from(count + 1) &&
              program_.code[count_before].b < kHalf) {
            program_.code.erase(program_.code.begin() + count);
            ++program_.code[count_before].b;
          } else {
            count_before = alternatives.size() == 1 ? count : kNoCode;
          }
          current = alternative.next;
          break;
        }
        branch(statement.expression, true, label_of(alternative.next), kFirstRegister);
        if (alternative.next != DeterministicNode::kDone) waiting.push_back(alternative.next);
      }
      if (!goes_on) emit(Opcode::kFail, static_cast<uint32_t>(RuntimeErrorKind::kAtomicBlockBlocks));
    }
    if (goes_on) emit_jump(Opcode::kJump, 0, 0, label_of(current));
  }
  bind(done);
}

void Compiler::statement(StatementId id) {
  const Statement& statement = model_.statements[id];
  StatementCode& code = program_.statements[id];
  if (code.compiled) return;
  code.compiled = true;
  const bool creates =
      statement.kind == StatementKind::kCondition && model_.expressions[statement.expression].op == Operator::kRun;
  const uint32_t test = here();
  switch (statement.kind) {
    case StatementKind::kCondition:
      if (!creates) test_condition(statement);
      break;
    case StatementKind::kSend: emit(Opcode::kTestSend, value(statement.channel, kFirstRegister)); break;
    case StatementKind::kReceive: test_receive_statement(statement); break;
    case StatementKind::kChoose: {
      Label blocked = known(kBlockedAddress);
      emit(Opcode::kExists, kFirstRegister, 0, static_cast<int32_t>(statement.guard_number));
      compare_register(Comparison::kEqual, kFirstRegister, 0, blocked, kFirstRegister);
      emit(Opcode::kExecutable);
      break;
    }
    default: break;
  }
  if (here() > test) code.test = test;
  finish_calls();

  const uint32_t execute = here();
  if (statement.kind == StatementKind::kAtomicBlock) {
    if (can_run_block(statement)) block(id);
  } else {
    effect(statement);
  }
  if (here() > execute) {
    code.execute = execute;
    emit(Opcode::kExecutable);
    finish_calls();
  }

  if (statement.kind == StatementKind::kSend) {
    code.message = here();
    send(statement, Opcode::kTransmit);
    emit(Opcode::kExecutable);
    finish_calls();
  }
}

namespace {

// Every jump goes to an instruction that exists, and code does not run past its end: the interpreter relies on that.
void check_targets(const Program& program) {
  const size_t size = program.code.size();
  for (const Instruction& instruction : program.code) {
    CHECK(instruction.opcode < kOpcodeCount);
    const OpcodeDescription& description = describe(static_cast<Opcode>(instruction.opcode));
    const bool jumps = std::strstr(description.operands, "%t") != nullptr;
    CHECK(!jumps || static_cast<uint32_t>(instruction.c) < size);
  }
  const auto ends = [](const Instruction& instruction) {
    switch (static_cast<Opcode>(instruction.opcode)) {
      case Opcode::kBlocked:
      case Opcode::kExecutable:
      case Opcode::kResult:
      case Opcode::kFail:
      case Opcode::kJump:
      case Opcode::kTestSend:
      case Opcode::kTestReceived: return true;
      default: return false;
    }
  };
  CHECK(ends(program.code.back()));
  for (const StatementCode& statement : program.statements) {
    CHECK(statement.test < size && statement.execute < size);
    CHECK(statement.message == kNoCode || statement.message < size);
  }
  for (const uint32_t address : program.expressions) CHECK(address == kNoCode || address < size);
}

}  // namespace

Program compile(const Model& model) {
  Program program;
  program.code = {Instruction{static_cast<uint8_t>(Opcode::kBlocked), 0, 0, 0},
                  Instruction{static_cast<uint8_t>(Opcode::kExecutable), 0, 0, 0}};
  program.statements.resize(model.statements.size());
  program.expressions.assign(model.expressions.size(), kNoCode);
  Compiler compiler(model, program);
  for (StatementId id = 0; id < model.statements.size(); ++id) {
    compiler.statement(id);
    const Statement& statement = model.statements[id];
    if (statement.guard != kNoExpression) compiler.expression(statement.guard);
  }
  for (const SolverGuard& guard : model.guards) {
    for (const ExpressionId parameter : guard.parameters) compiler.expression(parameter);
    for (const SolverGuard::Target& target : guard.targets) {
      compiler.expression(target.low);
      compiler.expression(target.high);
    }
  }
  for (const Proctype& proctype : model.proctypes) {
    if (proctype.provided != kNoExpression) compiler.expression(proctype.provided);
  }
  check_targets(program);
  return program;
}

}  // namespace cmc::vm
