#include "checker/generator/machine.h"

#include <fmt/format.h>

namespace cmc {

const char* runtime_error_name(RuntimeErrorKind kind) {
  switch (kind) {
    case RuntimeErrorKind::kAssertion: return "assertion";
    case RuntimeErrorKind::kMessageFields: return "message fields";
    case RuntimeErrorKind::kIndexOutOfBounds: return "index";
    case RuntimeErrorKind::kDivisionByZero: return "division";
    case RuntimeErrorKind::kUninitializedChannel: return "uninitialized channel";
    case RuntimeErrorKind::kRendezvousPolled: return "rendezvous polled";
    case RuntimeErrorKind::kRendezvousInAtomicBlock: return "rendezvous in d_step";
    case RuntimeErrorKind::kAtomicBlockBlocks: return "blocked d_step";
    case RuntimeErrorKind::kEndlessAtomicBlock: return "endless d_step";
    case RuntimeErrorKind::kTooManyProcesses: return "too many processes";
    case RuntimeErrorKind::kTooManyChannels: return "too many channels";
    case RuntimeErrorKind::kPriorityRange: return "priority";
    case RuntimeErrorKind::kEnabledOfSelf: return "enabled";
    case RuntimeErrorKind::kNondeterminism: return "nondeterminism";
    case RuntimeErrorKind::kEmbeddedC: return "embedded C";
    case RuntimeErrorKind::kUndecidedGuard: return "undecided guard";
    case RuntimeErrorKind::kMoreWitnesses: return "more witnesses";
    case RuntimeErrorKind::kPendingGuard: return "pending guard";
  }
  return "unknown";
}

bool runtime_error_continues(RuntimeErrorKind kind) {
  return kind == RuntimeErrorKind::kAssertion || kind == RuntimeErrorKind::kMessageFields ||
         kind == RuntimeErrorKind::kNondeterminism || kind == RuntimeErrorKind::kMoreWitnesses;
}

bool is_reason(RuntimeErrorKind kind) { return kind >= RuntimeErrorKind::kEmbeddedC; }

uint32_t pending_question(const SuccessorBatch& batch) {
  for (const RuntimeError& error : batch.errors) {
    if (error.kind == RuntimeErrorKind::kPendingGuard) return error.question;
  }
  return 0;
}

uint8_t Scratch::append_frame(ProctypeId proctype, uint8_t priority) {
  const StateIndex& old_index = *view.index;
  const Proctype& type = model_.proctypes[proctype];
  const uint32_t pid = old_index.process_count;
  if (pid >= kMaxProcesses) {
    view.fault(RuntimeErrorKind::kTooManyProcesses, static_cast<int32_t>(pid));
    return kNoProcess;
  }
  if (old_index.channel_count + type.channels.size() > kMaxChannels) {
    view.fault(RuntimeErrorKind::kTooManyChannels, static_cast<int32_t>(old_index.channel_count));
    return kNoProcess;
  }
  if (grown_.empty()) grown_.push_back(old_index);
  StateIndex& index = grown_.front();
  const uint32_t begin = index.frames[pid];
  for (const ChannelInstance& channel : type.channels) {
    index.channels[++index.channel_count] = {begin + channel.offset, channel.type};
  }
  index.types[pid] = proctype;
  index.process_count = pid + 1;
  index.frames[pid + 1] = begin + type.frame_bytes;
  view.index = &index;
  bytes_.resize(begin_ + begin + type.frame_bytes);
  rebase();
  std::byte* header = state + begin;
  store(header + kFrameProctype, proctype);
  store(header + kFramePriority, priority);
  store(header + kFrameLocation, type.start);
  store(state + model_.process_count_offset(), static_cast<uint8_t>(pid + 1));
  return static_cast<uint8_t>(pid);
}

void prepare_index(const Model& model, StateIndex& index) {
  uint32_t id = 0;
  for (const ChannelInstance& channel : model.channels) index.channels[++id] = {channel.offset, channel.type};
  index.channel_count = id;
  index.process_count = 0;
  index.frames[0] = model.global_bytes;
}

namespace {

bool same_processes(const std::byte* state, uint32_t process_count, const StateIndex& index) {
  if (process_count != index.process_count) return false;
  uint32_t pid = 0;
  while (pid < process_count && load<ProctypeId>(state + index.frames[pid] + kFrameProctype) == index.types[pid])
    ++pid;
  return pid == process_count;
}

}  // namespace

void build_index(const Model& model, const std::byte* state, StateIndex& index) {
  const uint32_t process_count = load<uint8_t>(state + model.process_count_offset());
  if (same_processes(state, process_count, index)) return;
  uint32_t channel_count = static_cast<uint32_t>(model.channels.size());
  uint32_t offset = model.global_bytes;
  for (uint32_t pid = 0; pid < process_count; ++pid) {
    const ProctypeId proctype = load<ProctypeId>(state + offset + kFrameProctype);
    const Proctype& type = model.proctypes[proctype];
    index.types[pid] = proctype;
    index.frames[pid] = offset;
    for (const ChannelInstance& channel : type.channels) {
      index.channels[++channel_count] = {offset + channel.offset, channel.type};
    }
    offset += type.frame_bytes;
  }
  index.frames[process_count] = offset;
  index.process_count = process_count;
  index.channel_count = channel_count;
}

namespace {

std::string fields_text(size_t count) { return count == 1 ? "1 field" : fmt::format("{} fields", count); }

std::string what_failed(const Model& model, const Fault& fault) {
  const std::string text = fault.statement == kNoStatement ? "" : model.statements[fault.statement].text;
  switch (fault.kind) {
    case RuntimeErrorKind::kAssertion: return "assertion violated: " + text;
    case RuntimeErrorKind::kMessageFields: {
      const Statement* const statement =
          fault.statement == kNoStatement ? nullptr : &model.statements[fault.statement];
      if (statement != nullptr && statement->kind == StatementKind::kSend) {
        return fmt::format("{} sent, but the channel's messages have {}", fields_text(statement->operands.size()),
                           fault.value);
      }
      if (statement != nullptr && statement->kind == StatementKind::kReceive) {
        return fmt::format("{} received, but the channel's messages have {}",
                           fields_text(statement->arguments.size()), fault.value);
      }
      return "the number of fields differs from that of the channel";
    }
    case RuntimeErrorKind::kIndexOutOfBounds: return fmt::format("array index {} is out of bounds", fault.value);
    case RuntimeErrorKind::kDivisionByZero: return "division by zero, or a quotient that does not fit an int";
    case RuntimeErrorKind::kUninitializedChannel:
      return fault.value == 0 ? "use of an uninitialized channel"
                              : fmt::format("use of a channel that does not exist (id {})", fault.value);
    case RuntimeErrorKind::kRendezvousPolled: return "poll of a rendezvous channel";
    case RuntimeErrorKind::kRendezvousInAtomicBlock: return "rendezvous send inside d_step";
    case RuntimeErrorKind::kAtomicBlockBlocks: return "a statement inside d_step is not executable";
    case RuntimeErrorKind::kEndlessAtomicBlock: return "a d_step does not end within 1000000 statements";
    case RuntimeErrorKind::kTooManyProcesses: return "too many processes (255 is the limit)";
    case RuntimeErrorKind::kTooManyChannels: return "too many channels (255 is the limit)";
    case RuntimeErrorKind::kPriorityRange: return fmt::format("priority {} is outside 1..255", fault.value);
    case RuntimeErrorKind::kEnabledOfSelf: return "enabled() of the process itself";
    case RuntimeErrorKind::kNondeterminism: return "nondeterminism in a D_proctype";
    case RuntimeErrorKind::kEmbeddedC: return "embedded C code is not executed";
    case RuntimeErrorKind::kUndecidedGuard: return "a solver guard could not be decided";
    case RuntimeErrorKind::kMoreWitnesses: return fmt::format("there are more than {} witnesses", fault.value);
    case RuntimeErrorKind::kPendingGuard: return "a solver guard is not decided yet";
  }
  return "unknown";
}

}  // namespace

std::string fault_message(const Model& model, const Fault& fault) {
  std::string message = what_failed(model, fault);
  if (fault.kind == RuntimeErrorKind::kAssertion || fault.statement == kNoStatement) return message;
  const std::string& text = model.statements[fault.statement].text;
  return text.empty() ? message : message + ": " + text;
}

}  // namespace cmc
