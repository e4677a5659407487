#include "checker/native/machine.h"

#include <cstddef>
#include <type_traits>

namespace cmc::native {

namespace {

constexpr uint32_t number(RuntimeErrorKind kind) { return static_cast<uint32_t>(kind); }

// The interface in C repeats what C++ defines.
static_assert(CMC_BLOCKED == static_cast<int>(Executability::kBlocked));
static_assert(CMC_EXECUTABLE == static_cast<int>(Executability::kExecutable));
static_assert(CMC_RENDEZVOUS == static_cast<int>(Executability::kRendezvous));
static_assert(CMC_FAULT == static_cast<int>(Executability::kFault));
static_assert(CMC_ASSERTION == number(RuntimeErrorKind::kAssertion));
static_assert(CMC_MESSAGE_FIELDS == number(RuntimeErrorKind::kMessageFields));
static_assert(CMC_INDEX_OUT_OF_BOUNDS == number(RuntimeErrorKind::kIndexOutOfBounds));
static_assert(CMC_DIVISION_BY_ZERO == number(RuntimeErrorKind::kDivisionByZero));
static_assert(CMC_UNINITIALIZED_CHANNEL == number(RuntimeErrorKind::kUninitializedChannel));
static_assert(CMC_RENDEZVOUS_POLLED == number(RuntimeErrorKind::kRendezvousPolled));
static_assert(CMC_ATOMIC_BLOCK_BLOCKS == number(RuntimeErrorKind::kAtomicBlockBlocks));
static_assert(CMC_ENDLESS_ATOMIC_BLOCK == number(RuntimeErrorKind::kEndlessAtomicBlock));
static_assert(CMC_PRIORITY_RANGE == number(RuntimeErrorKind::kPriorityRange));
static_assert(sizeof(CmcChannel) == sizeof(StateIndex::Channel) &&
              alignof(CmcChannel) == alignof(StateIndex::Channel));
static_assert(offsetof(CmcChannel, offset) == offsetof(StateIndex::Channel, offset));
static_assert(offsetof(CmcChannel, type) == offsetof(StateIndex::Channel, type));
static_assert(kFrameProctype == 0 && kFramePriority == 1 && kFrameLocation == 2, "as in prelude.c");
static_assert(kChannelHeaderBytes == 2, "as in prelude.c");

}  // namespace

NativeMachine::NativeMachine(const Model& model, GuardDecider* decider) : vm_(model, decider) {
  static_assert(std::is_standard_layout_v<Call> && offsetof(Call, c) == 0);
  call_.c.fault = note_fault;
  call_.c.touch = note_touch;
}

void NativeMachine::use(std::shared_ptr<const Library> library) {
  CHECK(library->model().statement_count == model().statements.size());
  CHECK(library->model().expression_count == model().expressions.size());
  CHECK(library->model().proctype_count == model().proctypes.size());
  library_ = std::move(library);
  statements_ = library_->model().statements;
  expressions_ = library_->model().expressions;
  selections_ = library_->model().selections;
  sent_.resize(library_->model().longest_message);
  call_.c.sent = sent_.data();
}

bool NativeMachine::message(const View& view, StatementId id, RendezvousMessage& message) {
  const CmcCode& code = statements_[id].message;
  const CmcFunction function = code.function;
  if (function == nullptr) return vm_.message(view, id, message);
  CmcCall* const call = enter(view);
  if (function(call, code.constants) == CMC_FAULT) return false;
  DCHECK(call->sent_count <= sent_.size());
  message.channel = call->sent_channel;
  message.values.assign(call->sent, call->sent + call->sent_count);
  return true;
}

void NativeMachine::note_fault(CmcCall* call, uint32_t kind, int32_t value) {
  const View& view = *reinterpret_cast<const Call*>(call)->view;
  view.faults->push_back(Fault{static_cast<RuntimeErrorKind>(kind), call->statement, value});
}

void NativeMachine::note_touch(const CmcCall* call, const uint8_t* at) {
  reinterpret_cast<const Call*>(call)->view->touch(reinterpret_cast<const std::byte*>(at));
}

}  // namespace cmc::native
