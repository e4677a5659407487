#pragma once

#include <optional>
#include <set>
#include <vector>

#include "checker/por/futures.h"

// The inside of futures.h: what expressions and statements of one process use.

namespace cmc {

struct Futures::Frame {
  const Proctype& proctype;
  uint8_t pid;
  Components::Range range;           // of what is known, in the frame
  ByteView content;                  // of that range
  const std::vector<bool>* unknown;  // by offset in the frame; null: none
  // By offset: the variable names a channel that does not exist yet. Null: none does.
  const std::vector<bool>* fresh = nullptr;

  [[nodiscard]] LocationId location() const {
    return load<LocationId>(content.data() + kFrameLocation - range.offset);
  }
};

// Adds what expressions and statements of one process use to a Future.
class Futures::Reader {
 public:
  Reader(const Futures& futures, const Processes& processes, const Frame& frame, Future& out);

  void location(const Location& location, bool inside);

  // `inside`: not where the process was found, so that values on the way matter, and whether an atomic sequence stops
  // here. `tests`: it matters otherwise whether it cannot be executed.
  void statement(const Statement& statement, bool inside, bool tests);

  // `grows`: it is a guard that is true for more values the more its channel tests are true, and these decide about
  // no operand that may fail.
  void expression(ExpressionId id, bool grows);

  [[nodiscard]] std::optional<int32_t> evaluate(ExpressionId id) const;

  // Whether it is a guard that cannot be true any more.
  [[nodiscard]] bool is_false(const Statement& statement) const;
  // What the statement does with locals, and needs to know of them.
  void locals(const Statement& statement, std::vector<LocalUse>& uses) const;

  // The channel of an operation; control: one that does not exist yet; none: it is not known.
  [[nodiscard]] std::optional<ComponentId> channel(ExpressionId id) const;

 private:
  // Where the element is that the reference names; none: it is not known.
  [[nodiscard]] std::optional<uint32_t> offset(const VariableReference& reference) const;
  // Whether its evaluation may be an error, or do something.
  [[nodiscard]] bool may_fail(ExpressionId id) const;
  [[nodiscard]] std::optional<int32_t> value(const VariableReference& reference) const;

  // The local that the expression is; none: it is none that is known.
  [[nodiscard]] std::optional<uint32_t> local(ExpressionId id) const;
  // What is added, if the expression is the sum of the local and something known.
  [[nodiscard]] std::optional<int32_t> added(ExpressionId id, uint32_t at) const;
  // Of a condition that is true.
  void needs(ExpressionId id, std::vector<LocalUse>& uses) const;
  void indices(const VariableReference& reference);
  // Of a global variable.
  void elements(const VariableReference& reference, Access access);
  void use(ExpressionId channel, Access access, bool tests);
  void arguments(const std::vector<ReceiveArgument>& arguments);
  void guard(const SolverGuard& guard);
  [[nodiscard]] bool is_fresh(ExpressionId id) const;
  // What the new process, and those that it creates, may do. Arguments whose values are known are its parameters as
  // long as it does not assign them.
  void created(const Expression& run);

  // A kind of process that is created: its proctype and what is known of its parameters.
  struct Created {
    ProctypeId proctype;
    Bytes content;
    std::vector<bool> known;
    std::vector<bool> fresh;
    friend auto operator<=>(const Created&, const Created&) = default;
  };
  static constexpr int kMostKinds = 8;  // of one proctype; then nothing is known

  const Futures& futures_;
  const Model& model_;
  const Processes& processes_;
  const Frame& frame_;
  Future& out_;
  std::set<Created> creating_;  // that were followed
};

}  // namespace cmc
