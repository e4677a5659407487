#include "checker/vm/machine.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "checker/generator/process_rules.h"
#include "checker/generator/solver_guards.h"

namespace cmc::vm {

VmMachine::VmMachine(const Model& model, GuardDecider* decider)
    : model_(model), decider_(decider), program_(compile(model)), compiler_(model_, program_) {
  size_t longest = program_.longest_message;
  for (const ChannelType& type : model.channel_types) {
    ChannelLayout& layout = layouts_.emplace_back();
    layout.capacity = type.capacity;
    layout.message_bytes = type.message_bytes;
    for (size_t i = 0; i < type.fields.size(); ++i) layout.fields.push_back({type.fields[i], type.field_offsets[i]});
    longest = std::max(longest, type.fields.size());
  }
  message_.resize(longest);
}

// A field of the message in a slot, or of the one under way if this is a rendezvous channel; 0 if there is none.
int32_t VmMachine::field(const View& view, const Channel& channel, uint32_t slot, uint32_t number) {
  if (channel.rendezvous()) {
    const std::vector<int32_t>& values = view.message->values;
    return number < values.size() ? values[number] : 0;
  }
  if (number >= channel.layout->fields.size()) return 0;
  DCHECK(slot < channel.length());
  const Field& at = channel.layout->fields[number];
  return load_scalar(at.type, channel.contents + channel.slot_offset(slot) + at.offset);
}

// Truncates the composed values to the types of the channel's fields; missing ones become 0.
void VmMachine::truncate_message(const View& view, const Channel& channel, size_t operands) {
  const std::vector<Field>& fields = channel.layout->fields;
  DCHECK(fields.size() <= message_.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    const int32_t given = i < operands ? message_[i] : 0;
    message_[i] = truncate(fields[i].type, given);
    if (message_[i] != given && model_.notes_overflow()) [[unlikely]]
      view.fault(overflow_kind(model_), given);
  }
}

// The slot in front of the first message that is greater than the composed one, which is not truncated yet.
uint32_t VmMachine::sorted_position(const View& view, const Channel& channel, size_t operands) const {
  const uint32_t fields = static_cast<uint32_t>(channel.layout->fields.size());
  for (uint32_t slot = 0; slot < channel.length(); ++slot) {
    for (uint32_t i = 0; i < fields; ++i) {
      const int32_t there = field(view, channel, slot, i);
      const int32_t given = i < operands ? message_[i] : 0;
      if (given < there) return slot;
      if (given > there) break;
    }
  }
  return channel.length();
}

void VmMachine::insert(const Channel& channel, std::byte* contents, uint32_t slot) const {
  const uint32_t length = channel.length();
  DCHECK(slot <= length && length < channel.layout->capacity);
  std::byte* at = contents + channel.slot_offset(slot);
  if (slot < length) {
    std::memmove(at + channel.layout->message_bytes, at, size_t{length - slot} * channel.layout->message_bytes);
  }
  const std::vector<Field>& fields = channel.layout->fields;
  for (size_t i = 0; i < fields.size(); ++i) store_scalar(fields[i].type, at + fields[i].offset, message_[i]);
  cmc::store(contents, static_cast<uint16_t>(length + 1));
}

void VmMachine::remove(const Channel& channel, std::byte* contents, uint32_t slot) {
  const uint32_t length = channel.length();
  DCHECK(slot < length);
  const uint32_t bytes = channel.layout->message_bytes;
  std::byte* at = contents + channel.slot_offset(slot);
  std::memmove(at, at + bytes, size_t{length - slot - 1} * bytes);
  std::memset(contents + channel.slot_offset(length - 1), 0, bytes);
  cmc::store(contents, static_cast<uint16_t>(length - 1));
}

void VmMachine::transmit(const Channel& channel, int32_t id, RendezvousMessage& message) const {
  message.channel = static_cast<uint32_t>(id);
  message.values.assign(message_.begin(),
                        message_.begin() + static_cast<std::ptrdiff_t>(channel.layout->fields.size()));
}

// Only a claim asks for it. Nothing is noted as touched: whoever remembers a claim's moves looks at np_ itself.
// A system that is blocked makes no cycle without progress, as SPIN's verifier has it.
bool VmMachine::non_progress(const View& view) const {
  if (model_.claim.exists() && load<uint8_t>(view.state + model_.claim.offset + kFrameProctype) != 0) return false;
  for (uint32_t pid = 0; pid < view.index->process_count; ++pid) {
    const std::byte* frame = view.state + view.index->frames[pid];
    const Proctype& type = model_.proctypes[load<uint8_t>(frame + kFrameProctype)];
    DCHECK(load<LocationId>(frame + kFrameLocation) < type.locations.size());
    if (type.locations[load<LocationId>(frame + kFrameLocation)].progress) return false;
  }
  return true;
}

// enabled() can compose the message of another process's rendezvous while one is being composed here.
bool VmMachine::enabled(const View& view, int32_t pid, int32_t& value) {
  const std::vector<int32_t> composed = message_;
  const bool ok = is_enabled(*this, view, pid, value);
  message_ = composed;
  return ok;
}

Executability VmMachine::call(uint32_t address, const View& view, Run& run, int32_t& value) {
  Run nested = run;
  const Executability result = interpret(address, view, nested);
  value = nested.result;
  return result;
}

namespace {

int32_t wrap(uint32_t bits) { return static_cast<int32_t>(bits); }
uint32_t bits_of(int32_t value) { return static_cast<uint32_t>(value); }

// As in kCheckFits: negative if there is a sign.
ScalarType type_of_bits(int bits) {
  return {bits < 0 ? BasicType::kInt : BasicType::kUnsigned, static_cast<uint8_t>(std::abs(bits)), 4, 0};
}

bool divides(int32_t dividend, int32_t divisor) {
  return divisor != 0 && (divisor != -1 || dividend != std::numeric_limits<int32_t>::min());
}

template <class T>
int32_t load_as(const std::byte* from) {
  return static_cast<int32_t>(cmc::load<T>(from));
}

template <class T>
void store_as(std::byte* to, int32_t value) {
  cmc::store(to, static_cast<T>(value));
}

}  // namespace

// Families of instructions. ..._CASES(family, OPERATION, more...) makes a case of each width and space, or of each
// comparison: OPERATION(space, type, more...) or OPERATION(comparison, more...). clang-format does not understand
// them.
// clang-format off
#define CMC_VM_LOAD_CASES(NAME, OPERATION, ...)                      \
  case Opcode::k##NAME##G8: OPERATION(state, uint8_t, __VA_ARGS__)   \
  case Opcode::k##NAME##G16: OPERATION(state, uint16_t, __VA_ARGS__) \
  case Opcode::k##NAME##Gs16: OPERATION(state, int16_t, __VA_ARGS__) \
  case Opcode::k##NAME##G32: OPERATION(state, int32_t, __VA_ARGS__)  \
  case Opcode::k##NAME##L8: OPERATION(frame, uint8_t, __VA_ARGS__)   \
  case Opcode::k##NAME##L16: OPERATION(frame, uint16_t, __VA_ARGS__) \
  case Opcode::k##NAME##Ls16: OPERATION(frame, int16_t, __VA_ARGS__) \
  case Opcode::k##NAME##L32: OPERATION(frame, int32_t, __VA_ARGS__)

#define CMC_VM_STORE_CASES(NAME, OPERATION, ...)                     \
  case Opcode::k##NAME##G8: OPERATION(state, uint8_t, __VA_ARGS__)   \
  case Opcode::k##NAME##G16: OPERATION(state, uint16_t, __VA_ARGS__) \
  case Opcode::k##NAME##G32: OPERATION(state, uint32_t, __VA_ARGS__) \
  case Opcode::k##NAME##L8: OPERATION(frame, uint8_t, __VA_ARGS__)   \
  case Opcode::k##NAME##L16: OPERATION(frame, uint16_t, __VA_ARGS__) \
  case Opcode::k##NAME##L32: OPERATION(frame, uint32_t, __VA_ARGS__)

#define CMC_VM_COMPARE_CASES(NAME, OPERATION, LEFT, RIGHT)       \
  case Opcode::k##NAME##Equal: OPERATION(==, LEFT, RIGHT)        \
  case Opcode::k##NAME##NotEqual: OPERATION(!=, LEFT, RIGHT)     \
  case Opcode::k##NAME##Less: OPERATION(<, LEFT, RIGHT)          \
  case Opcode::k##NAME##LessEqual: OPERATION(<=, LEFT, RIGHT)    \
  case Opcode::k##NAME##Greater: OPERATION(>, LEFT, RIGHT)       \
  case Opcode::k##NAME##GreaterEqual: OPERATION(>=, LEFT, RIGHT)

// Operations. PLACE is a pointer, OFFSET one into the space; both are evaluated twice.
#define CMC_VM_READ(TYPE, PLACE) (touch(PLACE), load_as<TYPE>(PLACE))

#define CMC_VM_JUMP(COMPARE, LEFT, RIGHT)    \
  {                                          \
    const int32_t left = LEFT;               \
    const int32_t right = RIGHT;             \
    if (left COMPARE right) next = code + c; \
    break;                                   \
  }

#define CMC_VM_SET(COMPARE, LEFT, RIGHT) \
  r[i.a] = LEFT COMPARE RIGHT;           \
  break;

#define CMC_VM_LOAD(SPACE, TYPE, OFFSET)        \
  r[i.a] = CMC_VM_READ(TYPE, SPACE + (OFFSET)); \
  break;

#define CMC_VM_STORE(SPACE, TYPE, OFFSET, VALUE) \
  touch(SPACE + (OFFSET));                       \
  store_as<TYPE>(SPACE + (OFFSET), VALUE);       \
  break;

#define CMC_VM_ADD(SPACE, TYPE, OFFSET) CMC_VM_STORE(SPACE, TYPE, OFFSET, wrap(cmc::load<TYPE>(SPACE + (OFFSET)) + c))

// Loads or stores an element of the array at the low half of c, which has as many as the high half tells.
#define CMC_VM_ELEMENT(SPACE, TYPE, INDEX, ACCESS, ...)                                                \
  {                                                                                                    \
    const uint32_t index = INDEX;                                                                      \
    if (index >= c >> 16) [[unlikely]] return fault(RuntimeErrorKind::kIndexOutOfBounds, wrap(index)); \
    ACCESS(SPACE, TYPE, (c & 0xffff) + index * sizeof(TYPE) __VA_OPT__(,) __VA_ARGS__)                 \
  }
// clang-format on

template <bool kTraced>
Executability VmMachine::interpret_as(uint32_t address, const View& view, Run& run) {
  const Instruction* code = program_.code.data();
  const Instruction* next = code + address;
  // Code that stores runs with a scratch state only, whose memory is writable.
  std::byte* state = const_cast<std::byte*>(view.state);
  std::byte* frame = const_cast<std::byte*>(view.frame);
  Channel channel;
  uint64_t executed = 0;  // statements of a block
  int32_t r[256];
  r[0] = view.pid == kNoProcess ? 0 : view.pid;  // a claim has pid 0, as in SPIN

  const auto touch = [&](const std::byte* at) {
    DCHECK(at >= view.state && at < view.state + view.index->frames[view.index->process_count]);
    if constexpr (kTraced) view.touch(at);
  };
  const auto fault = [&](RuntimeErrorKind kind, int32_t value = 0) {
    view.fault(kind, value);
    return Executability::kFault;
  };
  // After something that can compile or move the state; `position` is where to go on.
  // Inlined, or all that it captures would lie in memory.
  const auto reload = [&](std::ptrdiff_t position) __attribute__((always_inline)) {
    code = program_.code.data();
    next = code + position;
    state = const_cast<std::byte*>(view.state);
    frame = const_cast<std::byte*>(view.frame);
  };

  for (;;) {
    DCHECK(next >= code && next < code + program_.code.size());
    const Instruction i = *next++;
    const uint32_t c = static_cast<uint32_t>(i.c);
    switch (static_cast<Opcode>(i.opcode)) {
      case Opcode::kBlocked: return Executability::kBlocked;
      case Opcode::kExecutable: return Executability::kExecutable;
      case Opcode::kResult: run.result = r[i.a]; return Executability::kExecutable;
      case Opcode::kFail: return fault(static_cast<RuntimeErrorKind>(i.a));

      case Opcode::kJump:
        next = code + c;
        break;
        CMC_VM_COMPARE_CASES(Jump, CMC_VM_JUMP, r[i.a], r[i.b])
        CMC_VM_COMPARE_CASES(JumpConstant, CMC_VM_JUMP, r[i.a], static_cast<int16_t>(i.b))
        // NOLINTBEGIN(bugprone-signed-char-misuse): the byte is a number of -128 to 127, no character.
        CMC_VM_COMPARE_CASES(JumpG8, CMC_VM_JUMP, CMC_VM_READ(uint8_t, state + i.b), static_cast<int8_t>(i.a))
        CMC_VM_COMPARE_CASES(JumpG32, CMC_VM_JUMP, CMC_VM_READ(int32_t, state + i.b), static_cast<int8_t>(i.a))
        CMC_VM_COMPARE_CASES(JumpL8, CMC_VM_JUMP, CMC_VM_READ(uint8_t, frame + i.b), static_cast<int8_t>(i.a))
        CMC_VM_COMPARE_CASES(JumpL32, CMC_VM_JUMP, CMC_VM_READ(int32_t, frame + i.b), static_cast<int8_t>(i.a))
        // NOLINTEND(bugprone-signed-char-misuse)
        CMC_VM_COMPARE_CASES(JumpLL8, CMC_VM_JUMP, CMC_VM_READ(uint8_t, frame + i.a),
                             CMC_VM_READ(uint8_t, frame + i.b))
      case Opcode::kCall: {
        const std::ptrdiff_t position = next - code;
        if (call(c, view, run, r[i.a]) == Executability::kFault) return Executability::kFault;
        reload(position);
        break;
      }

        CMC_VM_LOAD_CASES(Load, CMC_VM_LOAD, c)
        CMC_VM_LOAD_CASES(LoadAt, CMC_VM_LOAD, bits_of(r[i.b]) + c)
        CMC_VM_LOAD_CASES(LoadElement, CMC_VM_ELEMENT, bits_of(r[i.b]), CMC_VM_LOAD)
        CMC_VM_LOAD_CASES(LoadElementByG, CMC_VM_ELEMENT, bits_of(CMC_VM_READ(uint8_t, state + i.b)), CMC_VM_LOAD)
        CMC_VM_LOAD_CASES(LoadElementByL, CMC_VM_ELEMENT, bits_of(CMC_VM_READ(uint8_t, frame + i.b)), CMC_VM_LOAD)
        CMC_VM_STORE_CASES(Store, CMC_VM_STORE, c, r[i.a])
        CMC_VM_STORE_CASES(StoreAt, CMC_VM_STORE, bits_of(r[i.b]) + c, r[i.a])
        CMC_VM_STORE_CASES(StoreElement, CMC_VM_ELEMENT, bits_of(r[i.b]), CMC_VM_STORE, r[i.a])
        CMC_VM_STORE_CASES(StoreElementByG, CMC_VM_ELEMENT, bits_of(CMC_VM_READ(uint8_t, state + i.b)), CMC_VM_STORE,
                           r[i.a])
        CMC_VM_STORE_CASES(StoreElementByL, CMC_VM_ELEMENT, bits_of(CMC_VM_READ(uint8_t, frame + i.b)), CMC_VM_STORE,
                           r[i.a])
        CMC_VM_STORE_CASES(StoreConstant, CMC_VM_STORE, i.b, i.c)
        CMC_VM_STORE_CASES(Add, CMC_VM_ADD, i.b)
      case Opcode::kIndex: {
        const uint32_t index = bits_of(r[i.b]);
        if (index >= c >> 16) [[unlikely]]
          return fault(RuntimeErrorKind::kIndexOutOfBounds, wrap(index));
        r[i.a] = wrap(index * (c & 0xffff));
        break;
      }
      case Opcode::kCheckIndex:
        if (bits_of(r[i.a]) >= c) return fault(RuntimeErrorKind::kIndexOutOfBounds, r[i.a]);
        break;

      case Opcode::kCheckFits:
        if (!fits(type_of_bits(static_cast<int16_t>(i.b)), r[i.a])) view.fault(overflow_kind(model_), r[i.a]);
        break;

      case Opcode::kConstant: r[i.a] = i.c; break;
      case Opcode::kMove: r[i.a] = r[i.b]; break;
      case Opcode::kNegate: r[i.a] = wrap(0u - bits_of(r[i.b])); break;
      case Opcode::kNot: r[i.a] = r[i.b] == 0; break;
      case Opcode::kComplement: r[i.a] = ~r[i.b]; break;
      case Opcode::kAdd: r[i.a] = wrap(bits_of(r[i.b]) + bits_of(r[c])); break;
      case Opcode::kSubtract: r[i.a] = wrap(bits_of(r[i.b]) - bits_of(r[c])); break;
      case Opcode::kMultiply: r[i.a] = wrap(bits_of(r[i.b]) * bits_of(r[c])); break;
      case Opcode::kDivide:
        if (!divides(r[i.b], r[c])) return fault(RuntimeErrorKind::kDivisionByZero);
        r[i.a] = r[i.b] / r[c];
        break;
      case Opcode::kModulo:
        if (!divides(r[i.b], r[c])) return fault(RuntimeErrorKind::kDivisionByZero);
        r[i.a] = r[i.b] % r[c];
        break;
      case Opcode::kBitAnd: r[i.a] = r[i.b] & r[c]; break;
      case Opcode::kBitOr: r[i.a] = r[i.b] | r[c]; break;
      case Opcode::kBitXor: r[i.a] = r[i.b] ^ r[c]; break;
      case Opcode::kShiftLeft: r[i.a] = wrap(bits_of(r[i.b]) << (r[c] & 31)); break;
      case Opcode::kShiftRight: r[i.a] = r[i.b] >> (r[c] & 31); break;
      case Opcode::kAddConstant: r[i.a] = wrap(bits_of(r[i.b]) + c); break;
      case Opcode::kMultiplyConstant: r[i.a] = wrap(bits_of(r[i.b]) * c); break;
      case Opcode::kDivideConstant: r[i.a] = r[i.b] / i.c; break;
      case Opcode::kModuloConstant: r[i.a] = r[i.b] % i.c; break;
      case Opcode::kBitAndConstant:
        r[i.a] = r[i.b] & i.c;
        break;
        CMC_VM_COMPARE_CASES(Set, CMC_VM_SET, r[i.b], r[c])

      case Opcode::kLoadTimeout: r[i.a] = view.timeout; break;
      case Opcode::kLoadNonProgress: r[i.a] = non_progress(view); break;
      case Opcode::kLoadNoRendezvous: r[i.a] = view.rendezvous_channel() == 0; break;
      case Opcode::kLoadNotEarlier: r[i.a] = !view.earlier; break;

      case Opcode::kLength:
        if (!find_channel(view, r[i.b], channel)) return Executability::kFault;
        r[i.a] = static_cast<int32_t>(channel.length());
        break;
      case Opcode::kFull:
        if (!find_channel(view, r[i.b], channel)) return Executability::kFault;
        r[i.a] = channel.full();
        break;
      case Opcode::kEmpty:
        if (!find_channel(view, r[i.b], channel)) return Executability::kFault;
        r[i.a] = channel.length() == 0;
        break;
      case Opcode::kNotFull:
        if (!find_channel(view, r[i.b], channel)) return Executability::kFault;
        r[i.a] = !channel.full();
        break;
      case Opcode::kNotEmpty:
        if (!find_channel(view, r[i.b], channel)) return Executability::kFault;
        r[i.a] = channel.length() != 0;
        break;
      case Opcode::kPut:
        DCHECK(c < message_.size());
        message_[c] = r[i.a];
        break;
      case Opcode::kPutConstant:
        DCHECK(c < message_.size());
        message_[c] = static_cast<int16_t>(i.b);
        break;
      case Opcode::kCheckFields:
        if (!find_channel(view, r[i.a], channel)) return Executability::kFault;
        if (channel.layout->fields.size() != c) {
          view.fault(RuntimeErrorKind::kMessageFields, static_cast<int32_t>(channel.layout->fields.size()));
        }
        break;
      case Opcode::kCheckPolled:
        if (!find_channel(view, r[i.a], channel)) return Executability::kFault;
        if (channel.layout->fields.size() < c) {
          view.fault(RuntimeErrorKind::kMessageFields, static_cast<int32_t>(channel.layout->fields.size()));
        }
        break;
      case Opcode::kTestSend:
        if (!find_channel(view, r[i.a], channel)) return Executability::kFault;
        if (channel.rendezvous()) return Executability::kRendezvous;
        return channel.full() ? Executability::kBlocked : Executability::kExecutable;
      case Opcode::kSend:
      case Opcode::kSendSorted: {
        if (!find_channel(view, r[i.a], channel)) return Executability::kFault;
        const bool sorted = static_cast<Opcode>(i.opcode) == Opcode::kSendSorted;
        const uint32_t slot = sorted ? sorted_position(view, channel, c) : channel.length();
        truncate_message(view, channel, c);
        DCHECK(run.scratch != nullptr);
        insert(channel, state + (channel.contents - state), slot);
        break;
      }
      case Opcode::kTransmit:
        if (!find_channel(view, r[i.a], channel)) return Executability::kFault;
        truncate_message(view, channel, c);
        DCHECK(run.message != nullptr);
        transmit(channel, r[i.a], *run.message);
        break;
      case Opcode::kTestReceive:
        if (!find_channel(view, r[i.a], channel)) return Executability::kFault;
        if (channel.rendezvous() ? view.rendezvous_channel() != bits_of(r[i.a])
                                 : channel.length() == 0 || view.rendezvous_channel() != 0) {
          next = code + c;
        }
        break;
      case Opcode::kTestPoll:
        if (!find_channel(view, r[i.a], channel)) return Executability::kFault;
        if (channel.rendezvous()) return fault(RuntimeErrorKind::kRendezvousPolled);
        if (channel.length() == 0) next = code + c;
        break;
      case Opcode::kTestSlot:
        if (!find_channel(view, r[i.a], channel)) return Executability::kFault;
        if (bits_of(r[i.b]) >= (channel.rendezvous() ? 1 : channel.length())) next = code + c;
        break;
      case Opcode::kField: {
        if (!find_channel(view, r[i.b & 0xff], channel)) return Executability::kFault;
        const uint32_t slot_register = i.b >> 8;
        r[i.a] = field(view, channel, slot_register == 0 ? 0 : bits_of(r[slot_register]), c);
        break;
      }
      case Opcode::kTestReceived:
        if (!find_channel(view, r[i.a], channel)) return Executability::kFault;
        return channel.rendezvous() ? Executability::kRendezvous : Executability::kExecutable;
      case Opcode::kRemove:
        if (!find_channel(view, r[i.a], channel)) return Executability::kFault;
        if (channel.rendezvous()) break;
        DCHECK(run.scratch != nullptr);
        remove(channel, state + (channel.contents - state), i.b == 0 ? 0 : bits_of(r[i.b]));
        break;

      case Opcode::kRun: {
        const std::ptrdiff_t position = next - code;
        DCHECK(run.scratch != nullptr);
        if (!create_process(*this, *run.scratch, c, r[i.a])) return Executability::kFault;
        reload(position);
        break;
      }
      case Opcode::kEnabled: {
        const std::ptrdiff_t position = next - code;
        if (!enabled(view, r[i.b], r[i.a])) return Executability::kFault;
        reload(position);
        break;
      }
      case Opcode::kLocationOf: {
        const uint32_t pid = bits_of(r[i.b]);
        const bool exists = pid < view.index->process_count;
        if (exists) touch(state + view.index->frames[pid]);
        r[i.a] = exists ? load_as<LocationId>(state + view.index->frames[pid] + kFrameLocation) : 0;
        break;
      }
      case Opcode::kPriorityOf: {
        const uint32_t pid = bits_of(r[i.b]);
        const bool exists = pid < view.index->process_count;
        if (exists) touch(state + view.index->frames[pid]);
        r[i.a] = exists ? load_as<uint8_t>(state + view.index->frames[pid] + kFramePriority) : 0;
        break;
      }
      case Opcode::kSetPriority: {
        const uint32_t pid = bits_of(r[i.a]);
        if (pid >= view.index->process_count) break;
        if (r[i.b] < 1 || r[i.b] > 255) return fault(RuntimeErrorKind::kPriorityRange, r[i.b]);
        touch(state + view.index->frames[pid]);
        store_as<uint8_t>(state + view.index->frames[pid] + kFramePriority, r[i.b]);
        break;
      }
      case Opcode::kFirstOf: {
        uint32_t pid = 0;
        const uint32_t count = view.index->process_count;
        while (pid < count && load<uint8_t>(state + view.index->frames[pid] + kFrameProctype) != c) ++pid;
        r[i.a] = pid < count ? wrap(pid) : -1;
        break;
      }
      case Opcode::kFrameOf: {
        const uint32_t pid = bits_of(r[i.b]);
        const bool found =
            pid < view.index->process_count && load<uint8_t>(state + view.index->frames[pid] + kFrameProctype) == c;
        r[i.a] = found ? wrap(view.index->frames[pid]) : -1;
        break;
      }

      case Opcode::kExists: {
        const std::ptrdiff_t position = next - code;
        if (!guard_exists(*this, view, c, r[i.a])) return Executability::kFault;
        reload(position);
        break;
      }
      case Opcode::kLoadWitness:
        DCHECK(view.witness != nullptr);
        r[i.a] = view.witness[c];
        break;

      case Opcode::kAssertionFails: view.fault(RuntimeErrorKind::kAssertion); break;
      case Opcode::kStatement: run.scratch->view.statement = c; break;
      case Opcode::kCountStatement:
        run.scratch->view.statement = c;
        executed += i.b;
        if (executed <= kMaxAtomicBlockStatements) break;
        run.scratch->view.statement = run.block;
        return fault(RuntimeErrorKind::kEndlessAtomicBlock);
      default: __builtin_unreachable();  // programs are the Compiler's
    }
  }
}

}  // namespace cmc::vm
