#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "checker/generator/half.h"
#include "ir/model.h"

// The one seam between models and searches: a generator maps a state vector to its successors, a batch at a time.

namespace cmc {

class EdgeTrace;
class TouchTrace;

// Run-time errors of a model, where SPIN's verifier reports an error, aborts or reads out of bounds.
enum class RuntimeErrorKind : uint8_t {
  kAssertion,         // the step is completed and exploration goes on behind it, as in SPIN
  kMessageFields,     // number of fields sent or received differs from the channel's; the step is completed
  kIndexOutOfBounds,  // this and all below: the step has no successor
  kDivisionByZero,    // also INT_MIN / -1
  kUninitializedChannel,
  kRendezvousPolled,
  kRendezvousInAtomicBlock,
  kAtomicBlockBlocks,   // a statement inside d_step is not executable
  kEndlessAtomicBlock,  // a d_step does not end within 10^6 statements: a reason as those below, since it may end
                        // later
  kTooManyProcesses,
  kTooManyChannels,
  kPriorityRange,
  kEnabledOfSelf,
  kNondeterminism,  // in a D_proctype or a trace; the step is completed
  kClaimEnd,        // the never claim reached its end; the step is completed
  kTraceMismatch,   // an event that the trace does not allow; the step is completed
  kNotraceMatched,  // all events of the notrace happened; the step is completed
  kOverflow,        // a value does not fit what it is stored in (Model::overflow); the step is completed
  // No errors of the model, but reasons why a search is incomplete:
  kEmbeddedC,       // CMC cannot execute it
  kUndecidedGuard,  // nobody could decide a solver guard
  kMoreWitnesses,   // `choose` with `max`: there are more; the step is completed with those that were asked for
  // No error, and no reason either:
  kOverflowNote,  // as kOverflow, if the user only wants to know; the step is completed
  // Nothing about the model:
  kPendingGuard,  // a solver guard is not decided yet (pending_question())
};

// Short name as in the JSON result ("assertion", "index", ...), whether the step is completed nevertheless, and
// whether it is a reason or a note instead of an error.
[[nodiscard]] const char* runtime_error_name(RuntimeErrorKind kind);
[[nodiscard]] bool runtime_error_continues(RuntimeErrorKind kind);
[[nodiscard]] bool is_reason(RuntimeErrorKind kind);
[[nodiscard]] constexpr bool is_overflow(RuntimeErrorKind kind) {
  return kind == RuntimeErrorKind::kOverflow || kind == RuntimeErrorKind::kOverflowNote;
}

// One basic step: `pid` takes edge number `edge` of its location; in a rendezvous `partner` takes the receiving edge.
// A move of the never claim (Model::claim) is a step of kNoProcess.
struct Step {
  uint8_t pid = kNoProcess;
  uint8_t partner = kNoProcess;
  LocationId location = 0;
  LocationId partner_location = 0;
  uint16_t edge = 0;
  uint16_t partner_edge = 0;
  bool timeout = false;  // taken while `timeout` was 1
  // A d_step that ran in the middle of the rendezvous that the next step (not marked so) completes; see rendezvous.h.
  bool inside_rendezvous = false;
  uint32_t witness = 0;  // of a `choose`: which one, in ascending order
  friend bool operator==(const Step&, const Step&) = default;
};

struct RuntimeError {
  RuntimeErrorKind kind = RuntimeErrorKind::kAssertion;
  std::string message;
  SourcePlace place;
  // The steps from the expanded state to the error, the failing one last: a range of SuccessorBatch::steps. Empty:
  // the error lies in the state itself (a provided clause cannot be evaluated).
  uint32_t path_begin = 0;
  uint32_t path_count = 0;
  uint32_t question = 0;  // of kPendingGuard: its number
};

// How far a generator goes in one call. The steps of one state can be very many, and take very long to compute: all
// paths through an atomic sequence.
struct SuccessorLimits {
  size_t most_entries = SIZE_MAX;  // a generator may stop there, and say that there are `more`
  size_t most_steps = SIZE_MAX;    // likewise, of SuccessorBatch::steps
  // Asked now and then during a long computation, if not null: true ends it, and the batch is `stopped`.
  const std::function<bool()>* should_stop = nullptr;
};

// The successors of one state, in SPIN's order. Buffers are reused between calls; nothing is freed by clear(), which
// keeps the limits.
struct SuccessorBatch {
  struct Entry {
    uint32_t offset = 0;  // of the state vector in `bytes`
    uint32_t size = 0;
    uint32_t path_begin =
        0;  // the basic steps that lead here: a range of `steps`; one, unless atomic chains are closed
    uint32_t path_count = 0;
  };
  struct Path {  // a range of `steps`
    uint32_t begin = 0;
    uint32_t count = 0;
  };
  Bytes bytes;
  std::vector<Entry> entries;
  std::vector<Step> steps;
  std::vector<RuntimeError> errors;
  bool blocked = false;         // no process can move, not even by timeout
  bool invalid_end = false;     // blocked, and some process is not at a valid end location
  bool endless_atomic = false;  // an atomic sequence that comes back to itself was cut (step mode spin)
  // Paths to where that was, and such as meet others, for coverage: each of their statements is on one of these.
  std::vector<Path> endless_paths;
  bool long_atomic = false;  // one of more than a million steps was cut: its rest was not explored
  // The atomic holder could not move: the successors are those of the same state with the holder released.
  bool holder_released = false;
  bool more = false;     // the limits were reached: SuccessorGenerator::resume() goes on
  bool stopped = false;  // because limits.should_stop said so: what is there is not all
  SuccessorLimits limits;

  void clear() {
    bytes.clear();
    entries.clear();
    steps.clear();
    errors.clear();
    endless_paths.clear();
    blocked = invalid_end = endless_atomic = long_atomic = holder_released = more = stopped = false;
  }
  [[nodiscard]] ByteView state(const Entry& entry) const { return ByteView(bytes).subspan(entry.offset, entry.size); }
  // The steps to an entry, or to an error.
  template <class Target>
  [[nodiscard]] std::span<const Step> path(const Target& target) const {
    return std::span(steps).subspan(target.path_begin, target.path_count);
  }
};

// The number of a question that is not answered yet (guard_decider.h), 0 if there is none. If there is, nothing else
// in the batch counts: the state is to be expanded again.
[[nodiscard]] uint32_t pending_question(const SuccessorBatch& batch);

// Not thread-safe; one instance per thread. `state` is a full state vector (model.h), as made by this model.
class SuccessorGenerator {
 public:
  virtual ~SuccessorGenerator() = default;

  // Appends the initial state to `out` (one entry without steps), or an error if an initializer fails.
  virtual void initial(SuccessorBatch& out) = 0;

  // Appends every basic step (one statement; a rendezvous pair is one step; a d_step is one step). If a process holds
  // atomicity and can move, only it moves. `out` must be clear.
  virtual void successors(ByteView state, SuccessorBatch& out) = 0;

  // What successors() appends on behalf of one existing process while nobody holds atomicity or `pid` does; `timeout`
  // is the value of timeout. Sets none of the flags about the whole state (blocked, invalid_end, holder_released).
  // True if the process can move, or failed trying. All that the answer depends on is noted in `trace`, which may be
  // null (the reference interpreter cannot note). `out` must be clear.
  virtual bool process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace,
                                  SuccessorBatch& out) = 0;

  // Appends the moves that the never claim (Model::claim) can make, all in the state that is given: one entry each,
  // with the system as it is, unless the claim itself changes it. An atomic sequence of the claim is one move. A
  // claim at its end has none. `out` must be clear. REQUIRES: Model::claim exists.
  virtual void claim_moves(ByteView state, bool timeout, TouchTrace* trace, SuccessorBatch& out) {
    static_cast<void>(state), static_cast<void>(timeout), static_cast<void>(trace), static_cast<void>(out);
    CHECK(!"a generator without claims");
  }

  // Whether half() can be called.
  [[nodiscard]] virtual bool has_halves() const { return false; }
  // The half of `pid` in a step of its own; with a message, in a step of another process that offers it in this
  // state. All that the answer depends on is noted in `trace`. REQUIRES: has_halves().
  virtual void half(ByteView state, uint8_t pid, bool timeout, const RendezvousMessage* message, TouchTrace* trace,
                    Half& out) {
    static_cast<void>(state), static_cast<void>(pid), static_cast<void>(timeout), static_cast<void>(message);
    static_cast<void>(trace), static_cast<void>(out);
    CHECK(!"a generator without halves");
  }

  // The edges of `pid` that are executable in the state, in SPIN's order, each by a number that it has in every
  // state; it does not depend on the process. What edge_successors() appends for one after the other is then what
  // process_successors() appends, and the process can move if there are any. False: nothing can be said about single
  // edges here, and `edges` means nothing.
  [[nodiscard]] virtual bool executable_edges(ByteView state, uint8_t pid, bool timeout,
                                              std::vector<uint32_t>& edges) {
    static_cast<void>(state), static_cast<void>(pid), static_cast<void>(timeout), static_cast<void>(edges);
    return false;
  }
  // What `pid` can do if it takes this edge, which executable_edges() named. All that the answer depends on, as long
  // as the edge is executable, is noted in `trace`. False: it depends on other edges, too, and the batch means
  // nothing. `out` must be clear.
  [[nodiscard]] virtual bool edge_successors(ByteView state, uint8_t pid, bool timeout, uint32_t edge,
                                             TouchTrace* trace, SuccessorBatch& out) {
    static_cast<void>(state), static_cast<void>(pid), static_cast<void>(timeout), static_cast<void>(edge);
    static_cast<void>(trace), static_cast<void>(out);
    return false;
  }

  // Appends what comes next, after a call of one of the functions above, or of this one, whose batch had `more`. The
  // generator must not have been used otherwise meanwhile; a trace that it was given is still told. `out` must be
  // clear.
  virtual void resume(SuccessorBatch& out) {
    static_cast<void>(out);
    CHECK(!"a generator that hands out no portions");
  }

  // From now on, every edge that is tried is noted there (edge_trace.h); null: nowhere. The reference interpreter
  // notes nothing.
  virtual void watch(EdgeTrace* trace) { static_cast<void>(trace); }
};

}  // namespace cmc
