#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/generator/guard_decider.h"
#include "checker/reference/state.h"
#include "ir/model.h"

// The meaning of a Promela model, as SPIN's verifier has it, for one state at a time: plain containers, recursion
// over the IR, no compilation, no caching. interpreter.cc has expressions and statements, steps.cc has processes,
// escapes and rendezvous, observers.cc has claims and traces.

namespace cmc::reference {

// A run-time error. It is thrown where the step cannot be completed, and noted where it can.
struct Failure {
  RuntimeErrorKind kind = RuntimeErrorKind::kAssertion;
  StatementId statement = kNoStatement;
  int32_t value = 0;  // what error_message() (checker/generator/runtime_errors.h) shows
};

// One attempt of a process to move: the steps, the errors on the way, and the successor unless an error prevented it.
struct Outcome {
  std::vector<Step> path;
  std::vector<Failure> failures;
  std::optional<State> state;
  uint8_t pid = kNoProcess;  // the process in which the failures happened; kNoProcess: while globals were initialised
};

// A message that was sent in a rendezvous and is not received yet.
struct Message {
  uint32_t channel = 0;  // id
  std::vector<int32_t> values;
};

// Who evaluates or executes, in what state, under what circumstances.
struct Context {
  enum class Actor : uint8_t { kProcess, kClaim, kTrace };

  State* state = nullptr;
  Actor actor = Actor::kProcess;
  uint8_t pid = kNoProcess;          // of the process; a trace moves with one
  bool timeout = false;              // the value of `timeout`
  bool earlier = false;              // an earlier edge of the process that moves was executable
  const Message* message = nullptr;  // of the rendezvous under way; null: there is none
  StatementId statement = kNoStatement;
  unsigned enabled_depth = 0;  // nesting of enabled()
  const Witness* witness = nullptr;

  [[nodiscard]] Process& process() const { return state->processes[pid]; }
  [[nodiscard]] Context as(size_t other) const {
    Context context = *this;
    context.actor = Actor::kProcess;
    context.pid = static_cast<uint8_t>(other);
    return context;
  }
  [[nodiscard]] Context as_observer(Actor observer) const {
    Context context = *this;
    context.actor = observer;
    return context;
  }
  // Where the actor's local variables are.
  [[nodiscard]] Bytes& memory() const {
    if (actor == Actor::kClaim) return state->claim.memory;
    return actor == Actor::kTrace ? state->trace.memory : process().memory;
  }
};

class Interpreter {
 public:
  // `model` must be valid (ir/validate.h). `decider` decides its solver guards; null: few tuples are tried.
  Interpreter(const Model& model, GuardDecider* decider) : model_(model), decider_(decider) {}

  // The initial state: one outcome with an empty path.
  [[nodiscard]] Outcome initial();

  // Appends all steps that the process can take. The state is as before behind it: who takes an edge does so in a
  // copy (perform(), offer()). True: it can move, or failed trying.
  bool steps_of(State& state, uint8_t pid, bool timeout, std::vector<Outcome>& out);

  // Appends all moves of the claim. An atomic sequence is one move, or none if it blocks half-way; what fails on the
  // way is there nevertheless. True: a sequence that returns to one of its states, or is very long, was cut.
  bool claim_moves(const State& state, bool timeout, std::vector<Outcome>& out);

  // Throws Failure. The expression is not a `run`.
  [[nodiscard]] int32_t value(const Context& context, ExpressionId id);

  // The number of a solver guard's question that somebody left pending (GuardAnswer::kPending); 0: none.
  [[nodiscard]] uint32_t pending_question() const { return pending_question_; }

 private:
  enum class Can : uint8_t {
    kNo,
    kYes,
    kHandshake,  // a send to a rendezvous channel, or a receive that takes the message under way
  };
  enum class Taken : uint8_t { kNo, kNoPartner, kYes };
  struct Rendezvous;

  // Expressions.
  int32_t binary(const Context& context, const Expression& expression);
  int32_t channel_value(const Context& context, const Expression& expression);
  int32_t process_value(const Context& context, const Expression& expression);
  [[nodiscard]] bool non_progress(const State& state) const;
  std::byte* place(const Context& context, const VariableReference& reference, Bytes& local);
  std::byte* place(const Context& context, const VariableReference& reference);
  uint32_t channel_id(const Context& context, ExpressionId channel);
  Channel& channel_of(const Context& context, ExpressionId channel);
  bool matches(const Context& context, const std::vector<ReceiveArgument>& arguments, bool random,
               const std::vector<int32_t>& message);
  std::optional<size_t> find_message(const Context& context, const Channel& channel,
                                     const std::vector<ReceiveArgument>& arguments, bool random);
  GuardAnswer ask(const Context& context, uint32_t guard, GuardGoal goal, uint32_t most_witnesses);
  void forget(const Failure& failure);

  // Statements.
  Can can(const Context& context, StatementId id);
  void execute(Context& context, StatementId id);
  int32_t value_or_run(const Context& context, ExpressionId id);
  int32_t run(const Context& context, const Expression& expression);
  void initialize(const Context& context, const std::vector<Initializer>& initializers, size_t channels_before);
  void assign(const Context& context, const VariableReference& target, int32_t value);
  void note_unless_fits(const Context& context, const ScalarType& type, int32_t value);
  std::vector<int32_t> truncated(const Context& context, std::vector<int32_t> values, const ChannelType& type);
  std::vector<int32_t> message_values(const Context& context, const Statement& send, const ChannelType& type);
  Message message_of(const Context& context, const Statement& send);
  void send(const Context& context, const Statement& statement);
  void receive(const Context& context, const Statement& statement);
  void set_priority(const Context& context, const Statement& statement);
  void choose_values(const Context& context, const Statement& statement);
  void run_block(Context& context, const Statement& block);
  bool try_in_block(Context& context, StatementId id);

  // Claims and traces.
  struct Sequence;
  void claim_steps(const State& state, Sequence& sequence, std::vector<Outcome>& out);
  void enter_claim_location(const Context& context, LocationId location);
  void event(const Context& context, StatementKind kind, uint32_t channel, const std::vector<int32_t>& message);
  bool trace_names(const Context& context, StatementKind kind, uint32_t channel);
  bool is_event(Context& context, StatementId id, StatementKind kind, uint32_t channel);

  // Processes.
  bool take_edges(Context& context, std::vector<Outcome>& out);
  void arrive(const Context& context, const Edge& edge);
  bool some_edge(const Context& context);
  bool has_receiver(const Context& context, const Statement& send);
  bool has_sender(const Context& context, StatementId receive);
  std::optional<Message> try_message(const Context& context, const Statement& send);
  std::optional<Can> try_can(const Context& context, StatementId id);
  bool can_take(Context context, StatementId receive, const Message& message);
  bool is_enabled(const Context& context, int32_t pid);
  bool has_priority(const Context& context);
  Taken take(Context& context, uint16_t number, std::vector<Outcome>& out);
  Taken choose(Context& context, const Edge& edge, Step step, std::vector<Outcome>& out);
  void perform(const Context& context, const Edge& edge, const Step& step, std::vector<Outcome>& out);
  void note_nondeterminism(const Context& context);
  Taken offer(const Context& context, const Edge& edge, const Step& step, std::vector<Outcome>& out);
  unsigned find_receivers(const Context& context, uint8_t excluded, Rendezvous& rendezvous,
                          std::vector<Outcome>& out);
  unsigned try_receiver(Context context, Rendezvous& rendezvous, std::vector<Outcome>& out);
  bool may_receive(const Context& context, const Statement& statement);
  unsigned handshake(const Context& context, const Edge& edge, const Step& step, Rendezvous& rendezvous,
                     std::vector<Outcome>& out);
  unsigned pass_by(const Context& context, const Step& inside, Rendezvous& rendezvous, std::vector<Outcome>& out);
  void end_rendezvous(const Context& context, const Step& step, const Rendezvous& rendezvous,
                      std::vector<Outcome>& out);
  Step make_step(const Context& context, uint16_t number) const;
  [[nodiscard]] const Location& location_of(const Context& context) const;

  [[noreturn]] static void fail(const Context& context, RuntimeErrorKind kind, int32_t value = 0) {
    throw Failure{kind, context.statement, value};
  }
  void note(const Context& context, RuntimeErrorKind kind, int32_t value = 0) {
    notes_.push_back({kind, context.statement, value});
  }

  const Model& model_;
  GuardDecider* decider_;
  std::vector<Failure> notes_;  // of the step under way
  uint32_t pending_question_ = 0;
};

}  // namespace cmc::reference
