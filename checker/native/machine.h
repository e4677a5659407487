#pragma once

#include <memory>

#include "checker/native/interface.h"
#include "checker/native/library.h"
#include "checker/vm/machine.h"

namespace cmc::native {

// The Machine (checker/generator/machine.h) that calls native code, and the VM where there is none. Not thread-safe.
class NativeMachine {
 public:
  // use() has to follow.
  NativeMachine(const Model& model, GuardDecider* decider);
  NativeMachine(const NativeMachine&) = delete;
  NativeMachine& operator=(const NativeMachine&) = delete;

  // `library`: of this model.
  void use(std::shared_ptr<const Library> library);

  [[nodiscard]] const Model& model() const { return vm_.model(); }
  [[nodiscard]] GuardDecider* decider() const { return vm_.decider(); }

  bool evaluate(const View& view, ExpressionId id, int32_t& value) {
    const CmcExpression& code = expressions_[id];
    const CmcEvaluate function = code.evaluate;
    if (function == nullptr) return vm_.evaluate(view, id, value);
    return function(enter(view), &value, code.constants) != CMC_FAULT;
  }
  Executability test(const View& view, StatementId id) {
    const CmcCode& code = statements_[id].test;
    const CmcFunction function = code.function;
    if (function == nullptr) return vm_.test(view, id);
    return static_cast<Executability>(function(enter(view), code.constants));
  }
  // Which edges of the own process can be executable, one bit each, and for which of them that is certain. False: the
  // edges are to be tested one by one.
  bool select(const View& view, uint64_t& edges, uint64_t& certain) {
    if (view.trace != nullptr || view.pid == kNoProcess) return false;
    const LocationId location = load<LocationId>(view.frame + kFrameLocation);
    const CmcSelect function = selections_[load<ProctypeId>(view.frame + kFrameProctype)][location];
    if (function == nullptr) return false;
    edges = function(enter(view), &certain);
    return true;
  }
  bool message(const View& view, StatementId id, RendezvousMessage& message);
  [[nodiscard]] bool runs_block(StatementId id) const { return vm_.runs_block(id); }
  bool execute(Scratch& scratch, StatementId id) {
    const CmcCode& code = statements_[id].execute;
    const CmcFunction function = code.function;
    if (function == nullptr) return vm_.execute(scratch, id);
    return function(enter(scratch.view), code.constants) != CMC_FAULT;
  }

 private:
  // What the callbacks are given.
  struct Call {
    CmcCall c;
    const View* view = nullptr;
  };
  static void note_fault(CmcCall* call, uint32_t kind, int32_t value);
  static void note_touch(const CmcCall* call, const uint8_t* at);

  CmcCall* enter(const View& view) {
    const StateIndex& index = *view.index;
    CmcCall& call = call_.c;
    call_.view = &view;
    // Functions that store are called with a scratch state only, whose memory is writable.
    call.state = reinterpret_cast<uint8_t*>(const_cast<std::byte*>(view.state));
    call.frame = reinterpret_cast<uint8_t*>(const_cast<std::byte*>(view.frame));
    call.frames = index.frames;
    call.channels = reinterpret_cast<const CmcChannel*>(index.channels);
    call.process_count = index.process_count;
    call.channel_count = index.channel_count;
    call.statement = view.statement;
    call.rendezvous = view.message->channel;
    call.message = view.message->values.data();
    call.message_count = static_cast<uint32_t>(view.message->values.size());
    call.pid = view.pid == kNoProcess ? uint8_t{0} : view.pid;  // a claim has pid 0, as in SPIN
    call.timeout = view.timeout;
    call.earlier = view.earlier;
    call.traced = view.trace != nullptr;
    return &call;
  }

  vm::VmMachine vm_;
  std::shared_ptr<const Library> library_;
  const CmcStatement* statements_ = nullptr;      // of library_
  const CmcExpression* expressions_ = nullptr;    // likewise
  const CmcSelect* const* selections_ = nullptr;  // likewise
  Call call_;
  std::vector<int32_t> sent_;  // room for the values of a message
};

}  // namespace cmc::native
