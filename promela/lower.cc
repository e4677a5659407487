#include "promela/lower.h"

#include <fmt/format.h>

#include <map>

#include "promela/control_flow.h"
#include "promela/lower_expression.h"

namespace cmc::promela {

namespace {

using FlowKind = FlowElement::Kind;
using ast::ExpressionKind;

constexpr uint64_t kMaxStateBytes = 64U << 20U;

class Lowering {
 public:
  Lowering(const ast::Program& program, const Analysis& analysis, const Sources& sources, bool like_java, Diagnostics& diagnostics)
      : program_(program), analysis_(analysis), sources_(sources), like_java_(like_java), diagnostics_(diagnostics),
        emit_(model_, {[this](const std::string& name) { return proctype_id(name); },
                       [this](const std::string& proctype, const std::string& label) { return label_state(proctype, label); }}) {}

  Model run() {
    describe_names();
    number_proctypes();
    build_control_flow();
    if (diagnostics_.error_count() > 0) return std::move(model_);
    lower_globals();
    for (size_t i = 0; i < running_.size(); ++i) lower_proctype(i);
    activate();
    collect_undecided();
    return std::move(model_);
  }

 private:
  void error(const Location& location, std::string message) { diagnostics_.error(location, std::move(message)); }

  // ------------------------------------------------------------------------------------------ names

  void describe_names() {
    for (size_t i = 0; i < sources_.file_count(); ++i) model_.files.push_back(sources_.name(static_cast<uint32_t>(i)));
    for (const MtypeSet& set : analysis_.mtype_sets) {
      model_.mtype_sets.push_back(set.values);
      model_.mtype_set_names.push_back(set.name);
    }
    model_.uses_priority = analysis_.uses_priority;
    model_.uses_last = analysis_.uses_last;
    model_.uses_timeout = analysis_.uses_timeout;
    model_.has_rendezvous = analysis_.has_rendezvous;
    model_.escapes_like_java = like_java_;
  }

  void number_proctypes() {
    for (const auto& proctype : analysis_.proctypes) {
      if (!proctype->runs()) continue;
      if (running_.size() == 255) {
        error(proctype->syntax->location, "more than 255 proctypes");
        return;
      }
      ids_.emplace(proctype->syntax->name, static_cast<ProctypeId>(running_.size()));
      running_.push_back(proctype.get());
    }
  }

  ProctypeId proctype_id(const std::string& name) const {
    const auto found = ids_.find(name);
    return found == ids_.end() ? ProctypeId{0} : found->second;
  }

  int label_state(const std::string& proctype, const std::string& label) const {
    return flows_[proctype_id(proctype)]->label_state(label);
  }

  void build_control_flow() {
    for (const AnalysedProctype* proctype : running_) flows_.push_back(std::make_unique<ControlFlow>(*proctype, diagnostics_));
    // Claims and traces are checked, but no engine runs them yet.
    for (const auto& proctype : analysis_.proctypes) {
      if (!proctype->runs()) claims_.push_back(std::make_unique<ControlFlow>(*proctype, diagnostics_));
    }
    for (const ast::Expression* remote : analysis_.remote_labels) {
      if (!flows_[proctype_id(remote->name)]->prepare_remote_label(remote->label)) {
        error(remote->location, fmt::format("proctype '{}' has no label '{}'", remote->name, remote->label));
      }
    }
    if (diagnostics_.error_count() > 0) return;
    for (auto& flow : flows_) flow->generate(like_java_);
    for (auto& claim : claims_) claim->generate(like_java_);
  }

  // ------------------------------------------------------------------------------------------ variables and channels

  // One Variable per scalar or array-of-scalars leaf.
  static void describe(const Symbol& symbol, Variable base, std::vector<Variable>& out) {
    if (symbol.is_array) base.dimensions.push_back({symbol.count, symbol.element_bytes(), ""});
    if (symbol.structure == nullptr) {
      base.type = symbol.type;
      out.push_back(std::move(base));
      return;
    }
    for (const Symbol& field : symbol.structure->fields) {
      Variable inner = base;
      inner.offset += field.offset;
      (inner.dimensions.empty() ? inner.name : inner.dimensions.back().suffix) += "." + field.name;
      describe(field, std::move(inner), out);
    }
  }

  static void describe(const Symbol& symbol, std::vector<Variable>& out) {
    Variable variable;
    variable.name = symbol.name;
    variable.space = symbol.proctype >= 0 ? Space::kLocal : Space::kGlobal;
    variable.offset = symbol.offset;
    variable.hidden = symbol.hidden;
    variable.is_parameter = symbol.parameter;
    variable.place = symbol.location.place;
    describe(symbol, std::move(variable), out);
  }

  void append_fields(const Symbol& symbol, ChannelType& type) {
    for (uint32_t i = 0; i < symbol.count; ++i) {
      if (symbol.structure == nullptr) {
        type.fields.push_back(symbol.type);
        if (symbol.type.basic == BasicType::kBit) type.fields.back().bits = 1;
        continue;
      }
      for (const Symbol& field : symbol.structure->fields) append_fields(field, type);
    }
  }

  uint32_t channel_type(const ast::ChannelInit& channel) {
    if (const auto known = channel_types_.find(&channel); known != channel_types_.end()) return known->second;
    ChannelType type;
    type.capacity = static_cast<uint32_t>(channel.capacity);
    for (const ast::ChannelInit::Field& field : channel.fields) {
      Symbol symbol;
      const auto structure = analysis_.structure_names.find(field.type);
      if (structure != analysis_.structure_names.end()) {
        symbol.structure = structure->second;
      } else {
        symbol.type.basic = field.type == "bit"     ? BasicType::kBit
                            : field.type == "mtype" ? BasicType::kMtype
                            : field.type == "chan"  ? BasicType::kChan
                            : field.type == "pid"   ? BasicType::kPid
                            : field.type == "short" ? BasicType::kShort
                            : field.type == "int"   ? BasicType::kInt
                                                    : BasicType::kByte;
        symbol.type.bits = symbol.type.basic == BasicType::kShort ? 16 : symbol.type.basic == BasicType::kInt ? 32 : 8;
        symbol.type.bytes = static_cast<uint8_t>(symbol.type.bits / 8);
        for (size_t set = 0; set < model_.mtype_set_names.size(); ++set) {
          if (field.type == "mtype" && model_.mtype_set_names[set] == field.mtype_set) {
            symbol.type.mtype_set = static_cast<uint8_t>(set);
          }
        }
      }
      append_fields(symbol, type);
    }
    // A lone bit field is stored as a byte.
    if (type.fields.size() == 1 && type.fields[0].basic == BasicType::kBit) type.fields[0].bits = 8;
    for (const ScalarType& field : type.fields) {
      type.field_offsets.push_back(type.message_bytes);
      type.message_bytes += field.bytes;
    }
    if (uint64_t{type.capacity} * type.message_bytes > kMaxStateBytes) {
      error(channel.location, fmt::format("a channel of {} messages of {} bytes is too large", type.capacity, type.message_bytes));
      type.capacity = 1;
    }
    model_.channel_types.push_back(std::move(type));
    const auto id = static_cast<uint32_t>(model_.channel_types.size() - 1);
    channel_types_.emplace(&channel, id);
    return id;
  }

  // The initial values of one variable, element by element; channels are created on the way.
  struct Region {
    std::vector<Initializer>* initializers;
    std::vector<ChannelInstance>* channels;
  };

  void initialise(const Symbol& symbol, const VariableReference& base, const std::string& name, Region region) {
    for (uint32_t i = 0; i < symbol.count; ++i) {
      VariableReference element = base;
      element.offset += i * symbol.element_bytes();
      const std::string element_name = symbol.is_array ? fmt::format("{}[{}]", name, i) : name;
      if (symbol.structure != nullptr) {
        for (const Symbol& field : symbol.structure->fields) {
          VariableReference inner = element;
          inner.offset += field.offset;
          inner.variable += field.first_leaf;
          initialise(field, inner, element_name + "." + field.name, region);
        }
        continue;
      }
      if (symbol.initializer == nullptr && symbol.channel == nullptr) continue;
      Initializer initializer;
      initializer.target = element;
      initializer.target.type = symbol.type;
      if (symbol.channel != nullptr) {
        initializer.channel = static_cast<int32_t>(region.channels->size());
        region.channels->push_back({element_name, channel_type(*symbol.channel), 0});
        if (region.channels->size() > kMaxChannels) {
          error(symbol.location, "more than 255 channels");
          return;
        }
      } else if (symbol.initializer->kind == ExpressionKind::kList) {
        const auto& values = symbol.initializer->operands;
        initializer.value = emit_.constant(values[std::min<size_t>(i, values.size() - 1)]->value);
      } else {
        initializer.value = emit_.lower(*symbol.initializer);
      }
      region.initializers->push_back(std::move(initializer));
    }
  }

  void initialise(const Symbol& symbol, Region region) {
    VariableReference base;
    base.space = symbol.proctype >= 0 ? Space::kLocal : Space::kGlobal;
    base.offset = symbol.offset;
    base.variable = symbol.first_leaf;
    initialise(symbol, base, symbol.name, region);
  }

  // Places the channels' contents behind the variables.
  uint32_t place_channels(std::vector<ChannelInstance>& channels, uint64_t offset, const Location& location) {
    for (ChannelInstance& channel : channels) {
      channel.offset = static_cast<uint32_t>(offset);
      offset += model_.channel_types[channel.type].bytes();
      if (offset > kMaxStateBytes) {
        error(location, fmt::format("the channels need more than {} bytes", kMaxStateBytes));
        return 0;
      }
    }
    return static_cast<uint32_t>(offset);
  }

  // SPIN initialises globals type by type, in this order; it matters when one initial value reads another variable.
  static int initialisation_rank(const Symbol& symbol) {
    if (symbol.structure != nullptr) return 7;
    switch (symbol.type.basic) {
      case BasicType::kUnsigned: return 0;
      case BasicType::kBit: return 1;
      case BasicType::kByte: case BasicType::kPid: return 2;
      case BasicType::kChan: return 3;
      case BasicType::kMtype: return 4;
      case BasicType::kShort: return 5;
      case BasicType::kInt: return 6;
    }
    return 7;
  }

  void lower_globals() {
    uint64_t end = kHeaderBytes;
    for (const Symbol* symbol : analysis_.globals) {
      describe(*symbol, model_.globals);
      if (symbol->hidden) model_.hidden_bytes += static_cast<uint32_t>(symbol->bytes());
      end += symbol->bytes();
    }
    for (int rank = 0; rank <= 7; ++rank) {
      for (const Symbol* symbol : analysis_.globals) {
        if (initialisation_rank(*symbol) == rank) initialise(*symbol, {&model_.initializers, &model_.channels});
      }
    }
    model_.global_bytes = place_channels(model_.channels, end, {});
  }

  // ------------------------------------------------------------------------------------------ proctypes

  void lower_proctype(size_t id) {
    const AnalysedProctype& source = *running_[id];
    Proctype proctype;
    proctype.name = source.syntax->name;
    proctype.place = source.syntax->location.place;
    proctype.is_init = source.syntax->kind == ast::Proctype::Kind::kInit;
    proctype.deterministic = source.syntax->deterministic;
    for (const Symbol* symbol : source.variables) {
      describe(*symbol, proctype.variables);
      if (symbol->parameter) {
        for (VariableReference& parameter : emit_.flatten(*symbol)) proctype.parameters.push_back(std::move(parameter));
      } else {
        initialise(*symbol, {&proctype.initializers, &proctype.channels});
      }
    }
    proctype.frame_bytes = place_channels(proctype.channels, source.frame_bytes, source.syntax->location);
    if (source.syntax->provided) proctype.provided = emit_.lower(*source.syntax->provided);
    lower_states(*flows_[id], proctype);
    model_.proctypes.push_back(std::move(proctype));
  }

  void lower_states(ControlFlow& flow, Proctype& proctype) {
    const std::vector<FlowState>& states = flow.states();
    if (states.size() > 65535) {
      diagnostics_.error({proctype.place, 0}, fmt::format("proctype '{}' has more than 65534 states", proctype.name));
      return;
    }
    std::map<const FlowElement*, StatementId> statements;
    proctype.locations.resize(states.size());
    proctype.start = static_cast<LocationId>(flow.start());
    proctype.end = static_cast<LocationId>(flow.end());
    for (size_t number = 1; number < states.size(); ++number) {
      const FlowState& state = states[number];
      Location_& location = proctype.locations[number];
      location.labels = state.labels;
      location.valid_end = state.valid_end;
      location.accepting = state.accepting;
      location.progress = state.progress;
      if (state.element != nullptr) {
        location.place = state.element->location.place;
        location.text = element_text(*state.element);
        location.generic = is_generic(*state.element);
      }
      for (const FlowTransition& transition : state.transitions) {
        auto [known, is_new] = statements.try_emplace(transition.element, kNoStatement);
        if (is_new) known->second = lower_element(flow, *transition.element);
        Edge edge;
        edge.statement = known->second;
        edge.target = static_cast<LocationId>(transition.target);
        edge.escape = static_cast<LocationId>(transition.escape);
        edge.element = transition.id;
        edge.atomic = transition.atomic;
        location.edges.push_back(edge);
      }
    }
  }

  using Location_ = ::cmc::Location;

  static std::string element_text(const FlowElement& element) {
    switch (element.kind) {
      case FlowKind::kEnd: return "-end-";
      case FlowKind::kTarget: return ".(goto)";
      case FlowKind::kBreakTarget: return "break";
      case FlowKind::kGoto: return element.loop >= 0 ? "break" : element.statement != nullptr ? statement_text(*element.statement) : "goto";
      case FlowKind::kBlock: return "{...}";
      default: return element.statement != nullptr ? statement_text(*element.statement) : "";
    }
  }

  static bool is_generic(const FlowElement& element) {
    switch (element.kind) {
      case FlowKind::kStatement:
        return element.statement != nullptr && element.statement->kind == ast::StatementKind::kExpression &&
               element.statement->expression->kind == ExpressionKind::kNumber && element.statement->expression->value == 1;
      case FlowKind::kEnd: case FlowKind::kDStep: return false;
      default: return true;
    }
  }

  StatementId lower_element(ControlFlow& flow, const FlowElement& element) {
    Statement statement;
    statement.place = element.location.place;
    switch (element.kind) {
      case FlowKind::kStatement:
        if (!element.no_operation) return emit_.lower(*element.statement);
        statement.text = statement_text(*element.statement);
        break;
      case FlowKind::kElse:
        statement.kind = StatementKind::kElse;
        statement.text = "else";
        break;
      case FlowKind::kEnd:
        statement.kind = StatementKind::kEndProcess;
        statement.text = "-end-";
        break;
      case FlowKind::kDStep: return lower_d_step(flow, element);
      default: statement.text = element_text(element); break;
    }
    return emit_.add(std::move(statement));
  }

  // ------------------------------------------------------------------------------------------ d_step

  StatementId lower_d_step(ControlFlow& flow, const FlowElement& element) {
    Statement statement;
    statement.kind = StatementKind::kAtomicBlock;
    statement.place = element.location.place;
    statement.text = "d_step";
    statement.guard = d_step_guard(flow, element.branches[0]->first);
    BodyBuilder builder{*this, flow, {}, {}, {}};
    const uint32_t start = builder.node(element.branches[0]->first);
    if (start == DeterministicNode::kDone) builder.nodes.push_back({{{skip(element), DeterministicNode::kDone}}});
    builder.finish();
    statement.body = std::move(builder.nodes);
    return emit_.add(std::move(statement));
  }

  StatementId skip(const FlowElement& element) {
    Statement statement;
    statement.place = element.location.place;
    statement.text = "skip";
    return emit_.add(std::move(statement));
  }

  struct BodyBuilder {
    Lowering& lowering;
    ControlFlow& flow;
    std::vector<DeterministicNode> nodes;
    std::map<const FlowElement*, uint32_t> numbers;
    std::vector<const FlowElement*> pending;

    // The node that control reaches at `element`.
    uint32_t node(const FlowElement* element) {
      element = flow.follow_in_d_step(element);
      if (element == nullptr) return DeterministicNode::kDone;
      const auto [known, is_new] = numbers.try_emplace(element, static_cast<uint32_t>(nodes.size()));
      if (is_new) {
        nodes.emplace_back();
        pending.push_back(element);
      }
      return known->second;
    }

    void finish() {
      while (!pending.empty()) {
        const FlowElement* element = pending.back();
        pending.pop_back();
        const uint32_t number = numbers[element];
        std::vector<DeterministicNode::Alternative> alternatives;
        if (element->kind == FlowKind::kIf || element->kind == FlowKind::kDo) {
          for (const FlowSequence* option : element->branches) alternatives.push_back(alternative(option->first));
        } else {
          alternatives.push_back(alternative(element));
        }
        nodes[number].alternatives = std::move(alternatives);
      }
    }

    // A basic statement is tried; anything else commits to its option at once, as in SPIN's verifier.
    DeterministicNode::Alternative alternative(const FlowElement* first) {
      if (first->kind == FlowKind::kStatement || first->kind == FlowKind::kElse) {
        return {lowering.lower_element(flow, *first), node(first->next)};
      }
      return {lowering.skip(*first), node(first)};
    }
  };

  ExpressionId idle_and(ExpressionId condition) {
    return emit_.binary(Operator::kAnd, emit_.leaf(Operator::kNoRendezvous), condition);
  }

  // Whether one statement could start a d_step; kNoExpression: SPIN's verifier tests nothing.
  ExpressionId start_condition(ControlFlow& flow, const FlowElement& element, bool inside_choice) {
    if (element.kind == FlowKind::kElse) {
      if (inside_choice) return emit_.leaf(Operator::kNoRendezvous);
      return idle_and(emit_.leaf(Operator::kElseGuard));
    }
    if (element.kind != FlowKind::kStatement || element.no_operation) return kNoExpression;
    const ast::Statement& statement = *element.statement;
    switch (statement.kind) {
      case ast::StatementKind::kExpression: return idle_and(emit_.lower(*statement.expression));
      case ast::StatementKind::kSend: {
        Expression room;
        room.op = Operator::kNotFull;
        room.operands.push_back(emit_.channel(*statement.variable));
        return idle_and(emit_.add(std::move(room)));
      }
      case ast::StatementKind::kReceive: {
        Expression receivable;
        receivable.op = Operator::kReceivable;
        receivable.statement = lower_element(flow, element);
        return emit_.add(std::move(receivable));
      }
      case ast::StatementKind::kAssign: return inside_choice ? kNoExpression : emit_.leaf(Operator::kNoRendezvous);
      default: return kNoExpression;
    }
  }

  ExpressionId d_step_guard(ControlFlow& flow, const FlowElement* first) {
    switch (first->kind) {
      case FlowKind::kUnless: case FlowKind::kBlock: case FlowKind::kAtomic:
        return d_step_guard(flow, first->branches[0]->first);
      case FlowKind::kIf: return any_option(flow, *first);
      case FlowKind::kTarget:
        return first->next != nullptr && first->next->kind == FlowKind::kDo ? any_option(flow, *first->next) : kNoExpression;
      default: return start_condition(flow, *first, false);
    }
  }

  // The disjunction of the options' guards. As in SPIN's verifier an option that begins with an assignment, a jump or a
  // loop contributes nothing.
  ExpressionId any_option(ControlFlow& flow, const FlowElement& choice) {
    ExpressionId any = kNoExpression;
    for (const FlowSequence* option : choice.branches) {
      const FlowElement* first = flow.option_start(option->first);
      ExpressionId condition = kNoExpression;
      if (first->kind == FlowKind::kBlock || first->kind == FlowKind::kAtomic) {
        const FlowElement* inner = first->branches[0]->first;
        if (inner->kind == FlowKind::kIf || inner->kind == FlowKind::kDo) condition = any_option(flow, *inner);
      } else if (first->kind == FlowKind::kIf) {
        condition = any_option(flow, *first);
      } else {
        condition = start_condition(flow, *first, true);
      }
      if (condition == kNoExpression) continue;
      any = any == kNoExpression ? condition : emit_.binary(Operator::kOr, any, condition);
    }
    return any;
  }

  // ------------------------------------------------------------------------------------------ the rest

  void activate() {
    for (size_t id = 0; id < running_.size(); ++id) {
      const ast::Proctype& syntax = *running_[id]->syntax;
      for (int32_t i = 0; i < syntax.instances; ++i) {
        if (model_.active.size() == kMaxProcesses) {
          error(syntax.location, "more than 255 processes at the start");
          return;
        }
        model_.active.push_back({static_cast<ProctypeId>(id), static_cast<uint8_t>(syntax.priority > 0 ? syntax.priority : 1)});
      }
    }
    if (model_.active.empty()) {
      diagnostics_.error({{0, 1, 1}, 0}, "no process runs: there is no init and no active proctype");
    }
  }

  void undecided(const char* kind, std::string name, const Location& location) {
    model_.undecided.push_back({kind, std::move(name), location.place});
  }

  void collect_undecided() {
    for (const auto& proctype : analysis_.proctypes) {
      const ast::Proctype& syntax = *proctype->syntax;
      switch (syntax.kind) {
        case ast::Proctype::Kind::kNever: undecided("never claim", syntax.name, syntax.location); break;
        case ast::Proctype::Kind::kTrace: undecided("trace", "", syntax.location); break;
        case ast::Proctype::Kind::kNotrace: undecided("notrace", "", syntax.location); break;
        default: break;
      }
    }
    for (const ast::Unit& unit : program_.units) {
      if (unit.ltl) undecided("ltl", unit.ltl->name, unit.ltl->location);
      if (unit.c) undecided("embedded C", unit.c->keyword, unit.c->location);
    }
    for (const ::cmc::Proctype& proctype : model_.proctypes) {
      for (const Location_& location : proctype.locations) {
        for (const std::string& label : location.labels) {
          if (label.starts_with("accept")) model_.undecided.push_back({"acceptance cycle", label, location.place});
          if (label.starts_with("progress")) model_.undecided.push_back({"non-progress cycle", label, location.place});
        }
      }
    }
    for (const Location& place : program_.undecided_c) undecided("embedded C", "", place);
  }

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
  std::vector<std::unique_ptr<ControlFlow>> claims_;
  std::map<const ast::ChannelInit*, uint32_t> channel_types_;
};

}  // namespace

Model lower(const ast::Program& program, const Analysis& analysis, const Sources& sources, bool escapes_like_java,
            Diagnostics& diagnostics) {
  return Lowering(program, analysis, sources, escapes_like_java, diagnostics).run();
}

}  // namespace cmc::promela
