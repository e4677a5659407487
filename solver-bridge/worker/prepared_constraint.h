#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solver-bridge/protocol/query.h"
#include "solver-bridge/worker/z3_context.h"

namespace cmc::solver {

// One constraint in one Z3 context, with a solver that keeps what it learned between questions: parameters and ranges
// are asserted behind a push, and popped afterwards. `Z3_mk_simple_solver`, because it is 1.1 ms fresh and 0.64 ms
// incremental a question where `Z3_mk_solver` takes 30 ms (Z3 4.8.12).
//
// Which model Z3 finds depends on all that it was asked before. So the answers are the least witness (binary search
// over each target in turn), or all of them (each one found is excluded until nothing is left), never "a" witness.
//
// Not thread-safe. REQUIRES: the context outlives it.
class PreparedConstraint {
 public:
  // A text that Z3 refuses: context.failed().
  PreparedConstraint(Z3Context& context, const Constraint& constraint);

  // Stops between two checks, with "unknown", when `interrupted` becomes true. REQUIRES: !context.failed(); the
  // question fits. If context.failed() afterwards, the context is not to be used any more.
  [[nodiscard]] Answer ask(const Question& question, uint32_t rlimit, const std::atomic<bool>& interrupted);

 private:
  enum class Check : uint8_t { kUnsat, kSat, kUnknown };

  void set_rlimit(uint32_t rlimit);
  void assert_term(const Z3Term& term);
  void push();
  void pop();
  [[nodiscard]] Check check();  // kSat: model_ is the model's tuple

  [[nodiscard]] Z3Term constant(const std::string& name);
  [[nodiscard]] Z3Term number(int32_t value);
  [[nodiscard]] Z3Term equal(const Z3Term& term, int32_t value);
  [[nodiscard]] Z3Term at_most(const Z3Term& term, int32_t value);
  [[nodiscard]] Z3Term at_least(const Z3Term& term, int32_t value);
  [[nodiscard]] Z3Term differs_from(const Tuple& tuple);
  [[nodiscard]] Z3Term greater_than(const Tuple& tuple);  // lexicographically
  [[nodiscard]] std::optional<Tuple> read_model();

  void assert_question(const Question& question);
  [[nodiscard]] Answer answer(const Question& question);
  [[nodiscard]] Answer all(const Question& question);
  [[nodiscard]] Answer smallest(const Question& question, uint32_t number);
  [[nodiscard]] std::optional<Tuple> least(const Question& question);
  [[nodiscard]] Answer unknown();

  Z3Context& context_;
  std::vector<Z3Term> parameters_;
  std::vector<Z3Term> targets_;
  Z3Solver solver_;
  std::optional<uint32_t> rlimit_;
  Tuple model_;
  const std::atomic<bool>* interrupted_ = nullptr;
};

}  // namespace cmc::solver
