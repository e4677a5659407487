#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "promela/lower/control_flow.h"
#include "promela/lower/lower_expression.h"
#include "promela/sema/symbols.h"
#include "promela/syntax/ast.h"
#include "promela/text/diagnostic.h"

// The work behind lower() (lower.h). Its parts: the model as a whole and proctypes in lower.cc, variables and
// channels in lower_variable.cc, the bodies of d_steps in lower_d_step.cc, claims, formulas and other properties in
// lower_property.cc. Used once.

namespace cmc::promela {

class Lowering {
 public:
  Lowering(const ast::Program& program, const Analysis& analysis, const Sources& sources, bool like_java,
           Diagnostics& diagnostics);

  [[nodiscard]] Model run();

 private:
  static constexpr uint64_t kMaxStateBytes = 64U << 20U;

  struct BodyBuilder;
  void error(const Location& location, std::string message) { diagnostics_.error(location, std::move(message)); }

  // names
  void describe_names();
  void number_proctypes();
  [[nodiscard]] ProctypeId proctype_id(const std::string& name) const;
  [[nodiscard]] int label_state(const std::string& proctype, const std::string& label) const;
  void build_control_flow();
  void number_elements();
  void prepare_remote_labels();

  // variables and channels
  // One Variable per scalar or array-of-scalars leaf.
  static void describe(const Symbol& symbol, Variable base, std::vector<Variable>& out);
  static void describe(const Symbol& symbol, std::string distinction, std::vector<Variable>& out);
  // For Variable::distinction: the lines of the inline calls that brought the variable in, else of its declaration.
  [[nodiscard]] std::string distinction(const Symbol& symbol) const;
  void append_fields(const Symbol& symbol, ChannelType& type);
  [[nodiscard]] uint32_t channel_type(const ast::ChannelInit& channel);
  // The initial values of one variable, element by element; channels are created on the way.
  struct Region {
    std::vector<Initializer>* initializers;
    std::vector<ChannelInstance>* channels;
  };
  void initialise(const Symbol& symbol, const VariableReference& base, const std::string& name, Region region);
  void initialise(const Symbol& symbol, Region region);
  // Places the channels' contents behind the variables.
  [[nodiscard]] uint32_t place_channels(std::vector<ChannelInstance>& channels, uint64_t offset,
                                        const Location& location);
  // SPIN initialises globals type by type, in this order; it matters when one initial value reads another variable.
  [[nodiscard]] static int initialisation_rank(const Symbol& symbol);
  void lower_globals();

  // proctypes
  [[nodiscard]] Proctype lower_proctype(const AnalysedProctype& source, ControlFlow& flow);
  void lower_states(ControlFlow& flow, Proctype& proctype);
  [[nodiscard]] static std::string element_text(const FlowElement& element);
  [[nodiscard]] static bool is_generic(const FlowElement& element);
  [[nodiscard]] StatementId lower_element(ControlFlow& flow, const FlowElement& element);

  // d_step
  [[nodiscard]] StatementId lower_d_step(ControlFlow& flow, const FlowElement& element);
  [[nodiscard]] StatementId skip(const FlowElement& element);
  [[nodiscard]] ExpressionId idle_and(ExpressionId condition);
  // Whether one statement could start a d_step; kNoExpression: SPIN's verifier tests nothing.
  [[nodiscard]] ExpressionId start_condition(ControlFlow& flow, const FlowElement& element, bool inside_choice);
  [[nodiscard]] ExpressionId d_step_guard(ControlFlow& flow, const FlowElement* first);
  // The disjunction of the options' guards. As in SPIN's verifier an option that begins with an assignment, a jump or
  // a loop contributes nothing.
  [[nodiscard]] ExpressionId any_option(ControlFlow& flow, const FlowElement& choice);
  [[nodiscard]] ExpressionId disjunction(std::span<const ExpressionId> conditions);

  // properties
  // Model::claims and their properties; behind the proctypes, whose numbers in the arenas they leave as they are.
  void lower_claims();
  void warn_of_jumps(const Proctype& trace);
  void lower_formulas();
  [[nodiscard]] uint32_t lower_formula(const ast::Expression& e);
  [[nodiscard]] uint32_t lower_atom(const ast::Expression& e);
  [[nodiscard]] uint32_t add(Formula formula);
  void collect_properties();  // those that are neither claims nor formulas
  void warn_of_accept_labels();

  // the rest
  void activate();

  const ast::Program& program_;
  const Analysis& analysis_;
  const Sources& sources_;
  const bool like_java_;
  Diagnostics& diagnostics_;
  Model model_;
  ExpressionLowering emit_;
  std::vector<const AnalysedProctype*> running_;
  std::map<std::string, ProctypeId, std::less<>> ids_;
  std::vector<std::unique_ptr<ControlFlow>> flows_;
  std::vector<std::unique_ptr<ControlFlow>> claim_flows_;  // in the order of Model::claims
  std::map<const ast::ChannelInit*, uint32_t> channel_types_;
  std::map<std::string, ExpressionId, std::less<>> atoms_;  // by their text: equal atoms are one expression
};

}  // namespace cmc::promela
