#pragma once

#include "checker/generator/batch_writer.h"
#include "checker/generator/solver_guards.h"
#include "checker/generator/trace_rules.h"

namespace cmc {

// What SPIN's verifier decides in five places. Tests have others, to see that a comparison with the reference
// interpreter finds the difference.
struct SpinRules {
  static constexpr bool kTraceInBlock = true;  // a trace moves inside a d_step
  static constexpr bool may_take_else(bool earlier) { return !earlier; }
  static constexpr bool has_timeout(bool moved) { return !moved; }
  static constexpr bool takes_precedence(uint8_t other_priority, uint8_t priority) {
    return other_priority > priority;
  }
  // Who is asked for a message when `left` of all processes have not been asked.
  static constexpr uint32_t receiver(uint32_t left, uint32_t /*processes*/) { return left - 1; }
};

// What a Machine does not do with an edge: the body of a d_step, statements with which a trace moves, witnesses.
template <Machine M, class Rules>
class BlockMachine final : public M {
 public:
  BlockMachine(const Model& model, GuardDecider* decider, const EdgeTable& table)
      : M(model, decider), table_(table), trace_(model) {}

  [[nodiscard]] TraceRules<M>& trace() { return trace_; }

  // As test(), of an edge that is neither kEndProcess nor kChoose.
  Executability test_edge(const View& view, const FastEdge& edge) {
    switch (edge.kind) {
      case StatementKind::kSkip: return Executability::kExecutable;
      case StatementKind::kElse:
        return Rules::may_take_else(view.earlier) ? Executability::kExecutable : Executability::kBlocked;
      case StatementKind::kAtomicBlock: return test_guard(view, edge);
      default: return M::test(view, edge.statement);
    }
  }
  // Of a d_step.
  Executability test_guard(const View& view, const FastEdge& edge) {
    return test_condition(view, M::model().statements[edge.statement].guard);
  }
  Executability test_provided(const View& view) { return test_condition(view, table_.proctype_of(view).provided); }

  // Of a kChoose, into witnesses().
  Executability find_witnesses(const View& view, StatementId id) {
    const Statement& statement = M::model().statements[id];
    const GuardGoal goal = statement.flag ? GuardGoal::kLeast : GuardGoal::kAll;
    if (!ask_guard<M>(*this, view, statement.guard_number, goal, statement.most_witnesses, witnesses_))
      return Executability::kFault;
    return witnesses_.witnesses.empty() ? Executability::kBlocked : Executability::kExecutable;
  }
  [[nodiscard]] const GuardAnswer& witnesses() const { return witnesses_; }

  // As execute(), of an edge of a process.
  bool execute_edge(Scratch& scratch, const FastEdge& edge) {
    if (edge.kind == StatementKind::kAtomicBlock) return execute_block(scratch, edge);
    return execute_statement(scratch, edge.statement, edge.event);
  }

  // A d_step. A receive in it may take the message of a rendezvous under way; the scratch view shows afterwards
  // whether one did.
  bool execute_block(Scratch& scratch, const FastEdge& edge) {
    if constexpr (requires(M & machine) { machine.runs_block(edge.statement); }) {
      if (M::runs_block(edge.statement) && !edge.event) {
        const bool ok = M::execute(scratch, edge.statement);
        scratch.view.statement = edge.statement;
        return ok;
      }
    }
    uint32_t at = edge.body;
    uint32_t executed = 0;
    for (; at < BodyEdge::kBlocks && executed < kMaxAtomicBlockStatements; ++executed) {
      if (!execute_node(scratch, at)) return false;
    }
    scratch.view.statement = edge.statement;
    if (at == BodyEdge::kDone) return true;
    return scratch.view.fault(executed < kMaxAtomicBlockStatements ? RuntimeErrorKind::kAtomicBlockBlocks
                                                                   : RuntimeErrorKind::kEndlessAtomicBlock);
  }

 private:
  Executability test_condition(const View& view, ExpressionId condition) {
    int32_t value = 1;
    if (condition != kNoExpression && !M::evaluate(view, condition, value)) return Executability::kFault;
    return value != 0 ? Executability::kExecutable : Executability::kBlocked;
  }

  bool execute_statement(Scratch& scratch, StatementId statement, bool event) {
    if (event) [[unlikely]]
      return trace_.execute(*this, scratch, statement);
    return M::execute(scratch, statement);
  }

  // Takes the first alternative from `at` on that is executable; `at` becomes the next node.
  bool execute_node(Scratch& scratch, uint32_t& at) {
    for (;; ++at) {
      const BodyEdge& alternative = table_.body[at];
      scratch.view.statement = alternative.statement;
      if (alternative.control) break;
      const Executability executability = alternative.choose ? find_witnesses(scratch.view, alternative.statement)
                                                             : M::test(scratch.view, alternative.statement);
      if (executability == Executability::kFault) return false;
      if (executability == Executability::kBlocked) {
        if (alternative.last) return scratch.view.fault(RuntimeErrorKind::kAtomicBlockBlocks);
        continue;
      }
      const bool rendezvous = executability == Executability::kRendezvous;
      if (rendezvous && alternative.send) return scratch.view.fault(RuntimeErrorKind::kRendezvousInAtomicBlock);
      if (alternative.choose) scratch.view.witness = witnesses_.witnesses.front().data();
      if (!execute_statement(scratch, alternative.statement, alternative.event && Rules::kTraceInBlock)) return false;
      if (rendezvous) scratch.view.message = &kNoMessage;
      break;
    }
    at = table_.body[at].next;
    return true;
  }

  const EdgeTable& table_;
  TraceRules<M> trace_;
  GuardAnswer witnesses_;
};

}  // namespace cmc
