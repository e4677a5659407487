#pragma once

#include <cstdint>

// The instruction set of the VM: one table, from which the enumeration, the interpreter's dispatch and the
// disassembler are made.
//
// A register machine: 256 registers of 32 bits, valid within one run of a piece of code. Register 0 holds `_pid` and
// is never written. An instruction has 8 bytes: opcode, `a` (a register or an 8-bit constant), `b` (a register, two
// registers, or a 16-bit constant or offset), `c` (a 32-bit constant, offset or jump target).
//
// A statement has up to three pieces of code: `test` (is it executable?), `execute` (change the copied state) and,
// for a send, `message` (what a rendezvous offers). Address 0 holds `blocked` and address 1 `executable`, so that a
// jump there is a verdict.
//
// Suffix of a memory access: g, l: offset from the start of the state or of the own frame; 8, 16, s16, 32: its width
// (s: signed). A channel operand is a register that holds a channel id; a slot operand is a register that holds the
// number of a message in the channel, where register 0 means message 0.

namespace cmc::vm {

struct Instruction {
  uint8_t opcode = 0;
  uint8_t a = 0;
  uint16_t b = 0;
  int32_t c = 0;
};
static_assert(sizeof(Instruction) == 8);

// clang-format off
// Families: one operation for several widths or comparisons.
#define CMC_VM_LOADS(X, name, mnemonic, operands, meaning) \
  X(name##G8, mnemonic ".g8", operands, meaning)           \
  X(name##G16, mnemonic ".g16", operands, meaning)         \
  X(name##Gs16, mnemonic ".gs16", operands, meaning)       \
  X(name##G32, mnemonic ".g32", operands, meaning)         \
  X(name##L8, mnemonic ".l8", operands, meaning)           \
  X(name##L16, mnemonic ".l16", operands, meaning)         \
  X(name##Ls16, mnemonic ".ls16", operands, meaning)       \
  X(name##L32, mnemonic ".l32", operands, meaning)

#define CMC_VM_STORES(X, name, mnemonic, operands, meaning) \
  X(name##G8, mnemonic ".g8", operands, meaning)            \
  X(name##G16, mnemonic ".g16", operands, meaning)          \
  X(name##G32, mnemonic ".g32", operands, meaning)          \
  X(name##L8, mnemonic ".l8", operands, meaning)            \
  X(name##L16, mnemonic ".l16", operands, meaning)          \
  X(name##L32, mnemonic ".l32", operands, meaning)

#define CMC_VM_COMPARISONS(X, name, mnemonic, suffix, operands, meaning) \
  X(name##Equal, mnemonic "_eq" suffix, operands, meaning)               \
  X(name##NotEqual, mnemonic "_ne" suffix, operands, meaning)            \
  X(name##Less, mnemonic "_lt" suffix, operands, meaning)                \
  X(name##LessEqual, mnemonic "_le" suffix, operands, meaning)           \
  X(name##Greater, mnemonic "_gt" suffix, operands, meaning)             \
  X(name##GreaterEqual, mnemonic "_ge" suffix, operands, meaning)

// X(name, mnemonic, operands, meaning). In `operands`: %A %B %C register a, b, c; %L %H the register in the low, high
// byte of b; %a %b %c constant (a and c signed); %t jump target c; %o %n low, high half of c; %k kind of error a;
// %y %z address b, a: an offset in the state vector or in the frame.
// In `meaning`: a, b, c are the operands; m[...] is memory.
#define CMC_VM_INSTRUCTIONS(X)                                                                                   \
  /* ends of code */                                                                                             \
  X(Blocked, "blocked", "", "end: not executable")                                                               \
  X(Executable, "executable", "", "end: executable, or executed")                                                \
  X(Result, "result", "%A", "end: the value of the expression is a")                                             \
  X(Fail, "fail", "%k", "end: run-time error a")                                                                 \
  /* control */                                                                                                  \
  X(Jump, "jump", "%t", "go on at c")                                                                            \
  CMC_VM_COMPARISONS(X, Jump, "jump", "", "%A, %B, %t", "if a ? b go on at c")                                   \
  CMC_VM_COMPARISONS(X, JumpConstant, "jump", ".c", "%A, %b, %t", "if a ? constant b go on at c")                \
  CMC_VM_COMPARISONS(X, JumpG8, "jump", ".g8", "[%y], %a, %t", "if m[b] ? constant a go on at c")                \
  CMC_VM_COMPARISONS(X, JumpG32, "jump", ".g32", "[%y], %a, %t", "if m[b] ? constant a go on at c")              \
  CMC_VM_COMPARISONS(X, JumpL8, "jump", ".l8", "[%y], %a, %t", "if m[b] ? constant a go on at c")                \
  CMC_VM_COMPARISONS(X, JumpL32, "jump", ".l32", "[%y], %a, %t", "if m[b] ? constant a go on at c")              \
  CMC_VM_COMPARISONS(X, JumpLL8, "jump", ".ll8", "[%z], [%y], %t", "if m[a] ? m[b] go on at c, both of the frame") \
  X(Call, "call", "%A, %t", "a = result of the code at c, in registers of its own")                              \
  /* memory */                                                                                                   \
  CMC_VM_LOADS(X, Load, "load", "%A, [%c]", "a = m[c]")                                                          \
  CMC_VM_LOADS(X, LoadAt, "load_at", "%A, [%B + %c]", "a = m[b + c]")                                            \
  CMC_VM_LOADS(X, LoadElement, "load_element", "%A, [%o][%B < %n]",                                              \
               "a = element b of the array at the low half of c with as many elements as its high half")         \
  CMC_VM_LOADS(X, LoadElementByG, "load_element_by_g", "%A, [%o][[%y] < %n]", "the same, element m[b], a byte")   \
  CMC_VM_LOADS(X, LoadElementByL, "load_element_by_l", "%A, [%o][[%y] < %n]", "the same, m[b] of the frame")      \
  CMC_VM_STORES(X, Store, "store", "%A, [%c]", "m[c] = a")                                                       \
  CMC_VM_STORES(X, StoreAt, "store_at", "%A, [%B + %c]", "m[b + c] = a")                                         \
  CMC_VM_STORES(X, StoreElement, "store_element", "%A, [%o][%B < %n]", "as load_element")                        \
  CMC_VM_STORES(X, StoreElementByG, "store_element_by_g", "%A, [%o][[%y] < %n]", "as load_element_by_g")          \
  CMC_VM_STORES(X, StoreElementByL, "store_element_by_l", "%A, [%o][[%y] < %n]", "as load_element_by_l")          \
  CMC_VM_STORES(X, StoreConstant, "store_constant", "%c, [%y]", "m[b] = constant c")                             \
  CMC_VM_STORES(X, Add, "add_constant", "%c, [%y]", "m[b] += constant c")                                        \
  X(Index, "index", "%A, %B < %n, stride %o", "a = b * low half of c, if 0 <= b < high half of c")               \
  X(CheckIndex, "check_index", "%A < %c", "error unless 0 <= a < c (unsigned)")                                  \
  X(CheckFits, "check_fits", "%A, %b", "error unless a fits b bits without a sign, or -b with one; go on")       \
  /* arithmetic */                                                                                               \
  X(Constant, "constant", "%A, %c", "a = constant c")                                                            \
  X(Move, "move", "%A, %B", "a = b")                                                                             \
  X(Negate, "negate", "%A, %B", "a = -b")                                                                        \
  X(Not, "not", "%A, %B", "a = b == 0")                                                                          \
  X(Complement, "complement", "%A, %B", "a = ~b")                                                                \
  X(Add, "add", "%A, %B, %C", "a = b + c")                                                                       \
  X(Subtract, "subtract", "%A, %B, %C", "a = b - c")                                                             \
  X(Multiply, "multiply", "%A, %B, %C", "a = b * c")                                                             \
  X(Divide, "divide", "%A, %B, %C", "a = b / c")                                                                 \
  X(Modulo, "modulo", "%A, %B, %C", "a = b % c")                                                                 \
  X(BitAnd, "and", "%A, %B, %C", "a = b & c")                                                                    \
  X(BitOr, "or", "%A, %B, %C", "a = b | c")                                                                      \
  X(BitXor, "xor", "%A, %B, %C", "a = b ^ c")                                                                    \
  X(ShiftLeft, "shift_left", "%A, %B, %C", "a = b << (c & 31)")                                                  \
  X(ShiftRight, "shift_right", "%A, %B, %C", "a = b >> (c & 31), arithmetic")                                    \
  X(AddConstant, "add.c", "%A, %B, %c", "a = b + constant c")                                                    \
  X(MultiplyConstant, "multiply.c", "%A, %B, %c", "a = b * constant c")                                          \
  X(DivideConstant, "divide.c", "%A, %B, %c", "a = b / constant c, which is neither 0 nor -1")                   \
  X(ModuloConstant, "modulo.c", "%A, %B, %c", "a = b % constant c, which is neither 0 nor -1")                   \
  X(BitAndConstant, "and.c", "%A, %B, %c", "a = b & constant c")                                                 \
  CMC_VM_COMPARISONS(X, Set, "set", "", "%A, %B, %C", "a = b ? c")                                               \
  /* circumstances */                                                                                            \
  X(LoadTimeout, "timeout", "%A", "a = value of timeout")                                                        \
  X(LoadNonProgress, "non_progress", "%A", "a = 1 iff no process is at a progress label")                        \
  X(LoadNoRendezvous, "no_rendezvous", "%A", "a = 1 iff no rendezvous is under way")                             \
  X(LoadNotEarlier, "not_earlier", "%A", "a = 1 iff no earlier edge of this process was executable")             \
  /* channels */                                                                                                 \
  X(Length, "length", "%A, %B", "a = number of messages in channel b")                                           \
  X(Full, "full", "%A, %B", "")                                                                                  \
  X(Empty, "empty", "%A, %B", "")                                                                                \
  X(NotFull, "not_full", "%A, %B", "")                                                                           \
  X(NotEmpty, "not_empty", "%A, %B", "")                                                                         \
  X(Put, "put", "%A, %c", "value c of the message that is being composed = a")                                   \
  X(PutConstant, "put.c", "%b, %c", "value c of the message that is being composed = constant b")                \
  X(CheckFields, "check_fields", "%A, %c", "error unless the messages of channel a have c fields; go on")         \
  X(CheckPolled, "check_polled", "%A, %c", "error unless they have at least c fields; go on")                     \
  X(TestSend, "test_send", "%A", "end: what a send to channel a is: executable, blocked or a rendezvous")        \
  X(Send, "send", "%A, %c", "append the message of c values to channel a")                                       \
  X(SendSorted, "send_sorted", "%A, %c", "insert the message of c values into channel a")                        \
  X(Transmit, "transmit", "%A, %c", "the message of c values is what a rendezvous on channel a offers")          \
  X(TestReceive, "test_receive", "%A, %t", "unless channel a has a message (or the one under way): go on at c")  \
  X(TestPoll, "test_poll", "%A, %t", "the same, but a rendezvous channel is an error")                           \
  X(TestSlot, "test_slot", "%A, %B, %t", "unless channel a has a message number b: go on at c")                  \
  X(Field, "field", "%A, %L[%H].%c", "a = field c of the message in the channel and slot of b; 0 if none")       \
  X(TestReceived, "test_received", "%A", "end: the receive from channel a is executable or a rendezvous")        \
  X(Remove, "remove", "%A[%B]", "remove slot b of channel a (register 0: the first); nothing in a rendezvous")   \
  /* processes */                                                                                                \
  X(Run, "run", "%A, %c", "a = pid of the process that expression c creates")                                    \
  X(Enabled, "enabled", "%A, %B", "a = enabled(b)")                                                              \
  X(LocationOf, "location_of", "%A, %B", "a = location of process b; 0 if there is none")                        \
  X(PriorityOf, "priority_of", "%A, %B", "a = priority of process b; 0 if there is none")                        \
  X(SetPriority, "set_priority", "%A, %B", "priority of process a = b")                                          \
  X(FirstOf, "first_of", "%A, %c", "a = lowest pid of proctype c; -1 if there is none")                          \
  X(FrameOf, "frame_of", "%A, %B, %c", "a = offset of the frame of process b; -1 unless it is of proctype c")    \
  /* solver guards */                                                                                            \
  X(Exists, "exists", "%A, %c", "a = 1 iff solver guard c has a witness")                                        \
  X(LoadWitness, "witness", "%A, %c", "a = value of target c in the witness that is chosen")                     \
  /* others */                                                                                                   \
  X(AssertionFails, "assertion_fails", "", "an error; go on")                                                    \
  X(Statement, "statement", "%c", "errors from here on are those of statement c")                                \
  X(CountStatement, "count_statement", "%c, %b", "the same; b statements more, an error of the d_step if they are too many")

// clang-format on

enum class Opcode : uint8_t {
#define CMC_VM_ENUMERATOR(name, mnemonic, operands, meaning) k##name,
  CMC_VM_INSTRUCTIONS(CMC_VM_ENUMERATOR)
#undef CMC_VM_ENUMERATOR
};

inline constexpr int kOpcodeCount = 0
#define CMC_VM_COUNT(name, mnemonic, operands, meaning) +1
    CMC_VM_INSTRUCTIONS(CMC_VM_COUNT)
#undef CMC_VM_COUNT
    ;
static_assert(kOpcodeCount <= 256);

struct OpcodeDescription {
  const char* name;  // mnemonic
  const char* operands;
  const char* meaning;
};

[[nodiscard]] const OpcodeDescription& describe(Opcode opcode);

}  // namespace cmc::vm
