#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "checker/generator/generator.h"
#include "checker/generator/state_index.h"
#include "checker/generator/touch_trace.h"
#include "ir/model.h"
#include "ir/scalar.h"

// Data that a Stepper (stepper.h) and its Machine share. The Stepper owns control: which process and edge
// is tried, escapes, rendezvous, timeout, priorities, d_step bodies, frames that come and go. A Machine owns data: it
// evaluates an expression and executes a basic statement. The Machine concept is at the end of this file.

namespace cmc {

class GuardDecider;

inline constexpr uint32_t kMaxAtomicBlockStatements = 1'000'000;

// A run-time error, noted by the Machine, completed and reported by the Stepper.
struct Fault {
  RuntimeErrorKind kind = RuntimeErrorKind::kAssertion;
  StatementId statement = kNoStatement;
  int32_t value = 0;  // the offending index, priority, channel id or value that does not fit, the number of a
                      // question or of a channel's fields, 1 for nondeterminism in a trace; 0 for the other kinds

  // No error, but an answer that is missing: whatever depends on it is not known.
  [[nodiscard]] bool is_open_question() const {
    return kind == RuntimeErrorKind::kUndecidedGuard || kind == RuntimeErrorKind::kPendingGuard;
  }
};

// The context in which expressions are evaluated: a state and the circumstances of the evaluating process. `state` is
// never null, except while nothing but constants can be evaluated.
struct View {
  const std::byte* state = nullptr;
  const std::byte* frame = nullptr;  // of the own process; null while globals are initialised
  const StateIndex* index = nullptr;
  const RendezvousMessage* message = nullptr;  // its channel is 0 when no rendezvous is under way
  std::vector<Fault>* faults = nullptr;
  TouchTrace* trace = nullptr;  // notes every variable, channel and frame that is read or changed; may be null
  StatementId statement = kNoStatement;  // being executed, for faults
  const int32_t* witness = nullptr;      // kChoose: the values of its targets, while it is executed
  uint8_t pid = 0;
  bool timeout = false;       // value of kTimeout
  bool earlier = false;       // an earlier edge of this process was executable (kElse, kElseGuard)
  uint8_t enabled_depth = 0;  // nesting of kEnabled evaluations

  // Notes an error. Returns false, so that a Machine can `return view.fault(...)`.
  bool fault(RuntimeErrorKind kind, int32_t value = 0) const {
    faults->push_back(Fault{kind, statement, value});
    return false;
  }
  [[nodiscard]] uint32_t rendezvous_channel() const { return message->channel; }

  // The same state as seen by another existing process.
  [[nodiscard]] View as(uint8_t other) const {
    View view = *this;
    view.enter(other);
    return view;
  }
  void enter(uint8_t other) {
    DCHECK(other < index->process_count);
    pid = other;
    frame = state + index->frames[other];
    if (trace != nullptr) trace->touch_process(other);
  }
  // An observer depends on its own frame always.
  void enter(const Observer& observer) {
    pid = kNoProcess;
    frame = state + observer.offset;
    touch(frame);
  }
  void touch(const std::byte* at) const {
    if (trace != nullptr) [[unlikely]]
      trace->touch(*index, state, at);
  }
};

// A successor under construction, at the end of a byte buffer, and the view of it: reads through `view` see writes
// through `state`. Pointers change when a process is created.
class Scratch {
 public:
  // Copies `base.state` to the end of `bytes`.
  Scratch(const Model& model, const View& base, Bytes& bytes)
      : view(base), model_(model), bytes_(bytes), begin_(bytes.size()) {
    bytes.insert(bytes.end(), base.state, base.state + base.index->frames[base.index->process_count]);
    rebase();
  }

  View view;
  std::byte* state = nullptr;  // writable; the same address as view.state
  std::byte* frame = nullptr;  // writable; the same address as view.frame

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] size_t begin() const { return begin_; }
  [[nodiscard]] uint32_t size() const { return view.index->frames[view.index->process_count]; }

  // Appends a frame: its header, at the start location, and zeroes; enters its channels into the index. Returns the
  // pid, or notes a fault and returns kNoProcess.
  uint8_t append_frame(ProctypeId proctype, uint8_t priority);

  // From now on reads and writes are those of the process `pid`, which exists.
  void enter(uint8_t pid) {
    view = view.as(pid);
    frame = state + view.index->frames[pid];
  }
  // From now on they are those of an observer, which is no process.
  void enter(const Observer& observer) {
    view.enter(observer);
    frame = state + observer.offset;
  }

 private:
  [[nodiscard]] uint32_t frame_offset() const {
    return view.pid == kNoProcess ? model_.claim.offset : view.index->frames[view.pid];
  }
  void rebase() {
    state = bytes_.data() + begin_;
    view.state = state;
    frame = view.frame == nullptr ? nullptr : state + frame_offset();
    view.frame = frame;
  }

  const Model& model_;
  Bytes& bytes_;
  size_t begin_;
  std::vector<StateIndex> grown_;  // at most one: the index once it differs from the base state's
};

enum class Executability : uint8_t {
  kBlocked,
  kExecutable,
  kRendezvous,  // kSend on a rendezvous channel; kReceive that takes the message of the rendezvous under way
  kFault,       // a fault was noted; the edge counts as executable but has no successor
};

// How a value that does not fit is noted. REQUIRES: Model::notes_overflow().
[[nodiscard]] inline RuntimeErrorKind overflow_kind(const Model& model) {
  return model.overflow == Overflow::kError ? RuntimeErrorKind::kOverflow : RuntimeErrorKind::kOverflowNote;
}

// Stores the value, and notes if it does not fit.
inline void store_noting(const Model& model, const View& view, const ScalarType& type, std::byte* to, int32_t value) {
  store_scalar(type, to, value);
  if (model.notes_overflow() && !fits(type, value)) view.fault(overflow_kind(model), value);
}

// A Machine evaluates expressions and executes basic statements. It keeps no state between calls. All statements that
// it is given are basic: never kSkip, kElse, kAtomicBlock or kEndProcess, which the Stepper does itself.
//
//   evaluate(view, expression, value)   stores the value; false: a fault was noted (view.fault).
//       Used for guards of d_steps, `provided`, arguments of run, initializers. For kEnabled it calls is_enabled
//       (process_rules.h); kElseGuard is !view.earlier; kNoRendezvous is view.rendezvous_channel() == 0; kReceivable
//       is `test(view, statement) != kBlocked` (kFault: a fault); for kExists it calls guard_exists
//       (solver_guards.h). Changes nothing; never gets a kRun.
//   test(view, statement)   is the statement executable in this state? Changes nothing.
//       kCondition: its value (kRun at the root: executable; the limit shows when it is executed).
//       kSend: on a rendezvous channel kRendezvous (at all times); buffered: not full.
//       kReceive: on a rendezvous channel kRendezvous iff it is the channel of view.message and the arguments match,
//       else kBlocked (poll: kFault, kRendezvousPolled); buffered: by its contents, but kBlocked (poll: not so) while
//       a rendezvous is under way. That nothing else can happen in its middle is the Stepper's business. kChoose:
//       kExecutable iff there is a witness (guard_exists). All others: kExecutable.
//   message(view, statement, out)   a kSend that tested as kRendezvous: the channel id and the truncated values.
//       Notes kMessageFields (and goes on) if the number of operands differs from the channel's; false: a fault was
//       noted.
//   select(view, edges, certain), optional   the edges of the own location, one bit each, that are not blocked, and
//       which of these bits are certain; false: the edges are to be tested one by one. A location with escapes, a
//       claim and a view with a trace have none. Changes and notes nothing.
//   runs_block(statement), optional   whether execute() also runs this d_step as a whole, with the same faults.
//   execute(scratch, statement)   a statement that tested as kExecutable, or a kReceive that tested as
//       kRendezvous, in the state in which it was tested. Changes variables and channels only (for run: through
//       create_process, process_rules.h). False: a fault was noted, the scratch state is garbage. Faults whose kind
//       continues (runtime_error_continues) are noted and true is returned. kChoose: assigns view.witness to the
//       targets, all of whose places are found first. The Stepper writes locations and the header.
//   decider()   who decides solver guards; null: they are tried (try_tuples).
//
// So that all machines note the same faults in the same order: operands are evaluated left to right; of a channel
// operation the channel first; of an assignment the value first, then the target's indices. Match arguments are
// evaluated only if there is a message; of a FIFO receive up to the first that differs, of a random one (??) all
// before the slots are searched. Fields that a channel does not have read as 0. kMessageFields is noted by execute
// (for a rendezvous send: message) before all other effects: sends and receives if the numbers differ, but not for a
// poll with fewer arguments than fields, and never in expressions. If Model::notes_overflow(), a value that does not
// fit is noted behind the store of which it is the value; those of a message when it is complete, in the order of the
// fields.
template <class M>
concept Machine = requires(M& machine, const View& view, Scratch& scratch, ExpressionId expression,
                           StatementId statement, int32_t& value, RendezvousMessage& message) {
  { machine.evaluate(view, expression, value) } -> std::same_as<bool>;
  { machine.test(view, statement) } -> std::same_as<Executability>;
  { machine.message(view, statement, message) } -> std::same_as<bool>;
  { machine.execute(scratch, statement) } -> std::same_as<bool>;
  { machine.model() } -> std::same_as<const Model&>;
  { machine.decider() } -> std::same_as<GuardDecider*>;
};

}  // namespace cmc
