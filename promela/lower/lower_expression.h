#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/model.h"
#include "promela/lower/control_flow.h"
#include "promela/sema/constant_value.h"
#include "promela/sema/symbols.h"
#include "promela/text/diagnostic.h"

// Expressions, references and basic statements of the tree as IR nodes in a Model's arenas.

namespace cmc::promela {

class ExpressionLowering {
 public:
  // `proctype_id` maps a running proctype to its id; `label_state` a remote label to its location.
  struct Names {
    std::function<ProctypeId(const std::string&)> proctype_id;
    std::function<int(const std::string& proctype, const std::string& label)> label_state;
  };

  ExpressionLowering(Model& model, Names names) : model_(model), names_(std::move(names)) {}

  [[nodiscard]] ExpressionId add(Expression expression);
  [[nodiscard]] ExpressionId constant(int32_t value);
  [[nodiscard]] ExpressionId leaf(Operator op);
  [[nodiscard]] ExpressionId negation(ExpressionId operand);
  [[nodiscard]] ExpressionId binary(Operator op, ExpressionId left, ExpressionId right);
  [[nodiscard]] ExpressionId lower(const ast::Expression& expression);
  // A variable read as a channel id.
  [[nodiscard]] ExpressionId channel(const ast::VariableRef& variable);

  [[nodiscard]] VariableReference reference(const ast::VariableRef& variable);
  // As reference, with indices that are lowered in another way.
  using LowerIndex = std::function<ExpressionId(const ast::Expression&)>;
  [[nodiscard]] VariableReference reference(const ast::VariableRef& variable, const LowerIndex& lower_index);
  // As reference, with a structure or array standing for all its scalars, in order.
  [[nodiscard]] std::vector<VariableReference> flatten(const ast::VariableRef& variable);
  [[nodiscard]] std::vector<VariableReference> flatten(const Symbol& symbol);

  // The arguments of a send, run or receive with structures replaced by their fields.
  [[nodiscard]] std::vector<ExpressionId> arguments(const std::vector<ast::ExpressionPtr>& arguments);
  [[nodiscard]] std::vector<ReceiveArgument> arguments(const std::vector<ast::ReceiveArg>& arguments);

  // What follows stands in a process; in a never claim or formula, whose _pid and _priority are constants; in a
  // trace, where messages are described by patterns (Model::claims).
  enum class Context : uint8_t { kProcess, kClaim, kTrace };
  void enter(Context context) { context_ = context; }

  // A basic statement; `kSkip` for constants 1 and for jumps is up to the caller.
  [[nodiscard]] StatementId lower(const ast::Statement& statement);
  // A solver guard (lower_guard.cc): its number. The same for the same condition.
  [[nodiscard]] uint32_t guard(const std::vector<ast::GuardTarget>& targets, const ast::Expression& condition);
  [[nodiscard]] ExpressionId exists(uint32_t guard);
  [[nodiscard]] StatementId add(Statement statement);

 private:
  [[nodiscard]] VariableReference reference(const ast::VariableRef& variable, const LowerIndex& lower_index,
                                            const Symbol** last);
  // A whole structure stands for its fields.
  void append_argument(const ast::Expression& argument, std::vector<ExpressionId>& out);
  [[nodiscard]] std::vector<ReceiveArgument> patterns(const std::vector<ast::ExpressionPtr>& message);
  [[nodiscard]] ExpressionId lower_variable(const ast::VariableRef& variable);
  static void append_leaves(const Symbol& symbol, VariableReference base, std::vector<VariableReference>& out);

  Model& model_;
  Names names_;
  Context context_ = Context::kProcess;
  std::map<const ast::Expression*, uint32_t> guards_;
};

// The text that SPIN shows for a statement.
[[nodiscard]] std::string statement_text(const ast::Statement& statement);

}  // namespace cmc::promela
