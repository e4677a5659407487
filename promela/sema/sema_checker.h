#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "promela/sema/symbols.h"
#include "promela/syntax/ast.h"
#include "promela/text/diagnostic.h"

// The work behind analyse() (sema.h): one walk over the tree in the order of the text. Its parts: units and layout in
// sema.cc, declarations in sema_declaration.cc, statements in sema_statement.cc, expressions and names in
// sema_expression.cc. Used once.

namespace cmc::promela {

class Sema {
 public:
  // Larger state vectors are refused: a declaration like `int a[1000000000]` is a mistake or an attack.
  static constexpr uint64_t kMaxVariableBytes = 16U << 20U;

  Sema(ast::Program& program, Diagnostics& diagnostics) : program_(program), diagnostics_(diagnostics) {
    analysis_.mtype_sets.push_back({"", {}});
  }

  [[nodiscard]] Analysis run();

 private:
  // units: definitions and combinations
  void error(const Location& location, const std::string& message) { diagnostics_.error(location, message); }
  void check(ast::Unit& unit);
  void check(const ast::MtypeDeclaration& mtype);
  [[nodiscard]] uint8_t mtype_set(const std::string& name, const Location& location);
  void check(ast::Typedef& type);
  void check(ast::Proctype& syntax);
  // Only globals, _pid and _priority make sense in a provided clause.
  void check_provided(const ast::Expression& e);
  void check_combinations();

  // declarations
  [[nodiscard]] int32_t initial_value(const std::string& name, const Location& location, int32_t fallback);
  [[nodiscard]] Symbol make_symbol(const ast::Declaration& declaration, ast::Declarator& declarator);
  void check(const ast::ChannelInit& channel, const Symbol& symbol);
  void declare(ast::Declaration& declaration, bool as_statement);
  void note_mtype_sets(const ast::Declaration& declaration);
  [[nodiscard]] bool becomes_global(const ast::Declarator& declarator, bool as_statement);
  void check_initializer(const ast::Declarator& declarator);
  // A constant that loses bits when it is stored in the variable.
  void warn_unless_fits(const ast::Expression& value, const Symbol& symbol);
  void warn_unless_fits(const ast::Expression& value, const ScalarType& type, const std::string& name);
  void warn_unless_fit(const ast::Statement& send);
  [[nodiscard]] static bool is_constant(const ast::Expression& value);
  [[nodiscard]] const Symbol* find(const std::string& name) const;

  // statements
  void check(ast::Sequence& sequence, bool opens_scope);
  // A sequence inside a statement: declarations in it are steps.
  void check_nested(ast::Sequence& sequence, bool opens_scope);
  void check(ast::Statement& statement);
  void check_parts(ast::Statement& statement);
  // In a trace, `q!_` stands for any message.
  [[nodiscard]] bool is_pattern(const ast::Expression& operand) const;
  // Whether such an `else` can be taken depends on what other processes do at the same moment.
  void warn_of_else_beside_channels(const ast::Statement& selection);
  void warn_of_conversions(const ast::Statement& print);
  [[nodiscard]] LabelSymbol* label(const std::string& name);
  void check_assignment(ast::Statement& statement);
  void check_counter(ast::Statement& statement);
  void check_for(ast::Statement& statement);

  // claims, traces and formulas (sema_claim.cc)
  // Whether _pid and _priority are those of a never claim.
  [[nodiscard]] bool in_claim() const { return in_formula_ || (current_ != nullptr && current_->is_never()); }
  void check(ast::LtlFormula& formula);
  void check_in_scope(ast::Expression& e, const std::string& proctype);
  struct FormulaTraits {
    bool temporal = false;
    bool can_fail = false;  // evaluating it can end in a run-time error
  };
  // Divides the formula into its structure and atoms (Expression::is_atom).
  FormulaTraits check_structure(ast::Expression& e);
  // A temporal operator, -> or <-> inside of an atom.
  void check_inside_atom(ast::Expression& e);
  // After check_parts: the names are resolved.
  void check_in_never(const ast::Statement& statement);
  void check_in_trace(const ast::Statement& statement);
  void warn_of_change(const ast::VariableRef& variable);
  void check_event_channel(const ast::VariableRef& variable);
  void warn_of_wildcard(const Location& location, const std::string& text);
  void check_enabled(const ast::Expression& e);

  // expressions and names
  void note_priority(const Location& location);
  void check(std::vector<ast::ReceiveArg>& arguments);
  void check_channel(ast::VariableRef& variable);
  // An argument of a send or run: a whole structure stands for its fields.
  void check_argument(ast::Expression& e);
  void check(ast::Expression& e);
  // An expression that may be a `run`; a part of one may not.
  void check_or_run(ast::Expression& e);
  void check_variable(ast::VariableRef& variable);
  void check_run(ast::Expression& e);
  void check_remote_variable(ast::Expression& e);
  // Solver guards (sema_guard.cc). `own_names`: the targets are names of `exists`, not variables.
  void check_guard(std::vector<ast::GuardTarget>& targets, ast::Expression& condition, bool own_names);
  void check_ranges(const std::vector<ast::GuardTarget>& targets);
  void check_own_names(const std::vector<ast::GuardTarget>& targets);
  void check_assigned(const std::vector<ast::GuardTarget>& targets);
  void check_choose(ast::Statement& statement);
  // Marks the variable if it is a target of the guard whose condition is being checked; it may be an own name (then
  // nothing else is to be found out about it), or a variable that was resolved.
  [[nodiscard]] bool mark_own_name(ast::VariableRef& variable);
  void mark_target(ast::VariableRef& variable);
  // Only what a solver understands may depend on targets.
  void check_closed(const ast::Expression& e);
  void check_closed(const ast::VariableRef& variable);
  [[nodiscard]] const Symbol* resolve(ast::VariableRef& variable);
  // As resolve, for places where a whole structure makes no sense, or may stand, but no whole array.
  [[nodiscard]] const Symbol* resolve_scalar(ast::VariableRef& variable);
  const Symbol* resolve_element(ast::VariableRef& variable);
  // `symbol` is that of the innermost field. False: an error was reported.
  bool check_scalar(const ast::VariableRef& variable, const Symbol& symbol);
  bool check_element(const ast::VariableRef& variable, const Symbol& symbol);
  [[nodiscard]] static const ast::VariableRef& innermost(const ast::VariableRef& variable);
  // Checks indices and fields from here on; returns the symbol of the innermost field.
  [[nodiscard]] const Symbol* check_indices(ast::VariableRef& variable, const Symbol& symbol);
  void report_undeclared(const ast::VariableRef& variable);

  // messages: their lengths are compared at the end, when all channels are known
  struct Message {
    // kRead: q?<...>; it and a poll may ask for the first fields only. kDescribed: in a trace; likewise.
    enum class Kind : uint8_t { kSent, kReceived, kRead, kPolled, kDescribed } kind;
    const ast::VariableRef* variable;
    const ast::ChannelInit* channel;  // null: which channel the variable holds is not known
    uint64_t fields;
  };
  void note_message(Message::Kind kind, const ast::VariableRef& variable, uint64_t fields);
  void note_message(Message::Kind kind, const ast::VariableRef& variable, const std::vector<ast::ReceiveArg>& fields);
  void check_message_lengths();
  void warn_of_length(const Message& message, const std::string& count, uint64_t wanted);
  [[nodiscard]] uint64_t fields_of(const ast::ChannelInit& channel) const;
  // Scalars that an argument of a message stands for: a structure or an array stands for all of its own.
  [[nodiscard]] static uint64_t fields_of(const ast::VariableRef& variable);

  // layout and what needs all proctypes
  static uint32_t leaves_of(const Symbol& symbol) {
    return symbol.structure != nullptr ? symbol.structure->leaves : 1;
  }
  // Hidden variables first: they are no part of a state's identity.
  void lay_out_globals();
  void lay_out(AnalysedProctype& proctype);
  void check_run_target(const ast::Expression& run);
  [[nodiscard]] static uint64_t scalars_of(const Symbol& symbol);
  [[nodiscard]] static uint64_t scalars_in(const ast::Expression& argument);

  ast::Program& program_;
  Diagnostics& diagnostics_;
  Analysis analysis_;
  AnalysedProctype* current_ = nullptr;
  const Scope* scope_ = nullptr;
  bool in_d_step_ = false;
  const ast::Expression* may_run_ = nullptr;  // the place of the statement at hand where a `run` may stand
  bool in_formula_ = false;
  bool remarked_on_next_ = false;                           // the X of formulas
  const AnalysedProctype* warned_of_change_ = nullptr;      // the latest claim that was found to change the model
  const std::vector<ast::GuardTarget>* targets_ = nullptr;  // of the solver guard whose condition is being checked
  bool own_names_ = false;                                  // they are names of `exists`, not variables
  bool open_initialisations_ = false;  // declarations here initialise at process creation, not by a step
  std::map<std::string, Symbol*, std::less<>> globals_;
  std::map<const Scope*, std::map<std::string, Symbol*, std::less<>>> locals_;
  std::set<std::string, std::less<>> mtype_set_names_;  // that stand outside proctypes
  std::set<std::pair<std::string, const AnalysedProctype*>> reported_;
  std::vector<const ast::Expression*> runs_;
  std::set<uint32_t> warned_of_else_;  // lines
  std::set<SourcePlace> warned_of_truncation_;
  std::set<SourcePlace> warned_of_length_;
  std::set<SourcePlace> warned_of_conversions_;
  std::vector<Message> messages_;
  uint64_t most_fields_ = 0;  // of a message of any channel
  Location priority_use_;
  Location enabled_use_;  // in a process
  Location enabled_use_in_claim_;
};

}  // namespace cmc::promela
