#include "promela/sema.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cmc::promela {

namespace {

using ast::ExpressionKind;
using ast::StatementKind;

// Larger state vectors are refused: a declaration like `int a[1000000000]` is a mistake or an attack.
constexpr uint64_t kMaxVariableBytes = 16U << 20U;

ScalarType scalar_type(BasicType basic, uint8_t bits) {
  ScalarType type;
  type.basic = basic;
  type.bits = bits;
  type.bytes = bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
  return type;
}

class Sema {
 public:
  Sema(ast::Program& program, Diagnostics& diagnostics) : program_(program), diagnostics_(diagnostics) {
    analysis_.mtype_sets.push_back({"", {}});
  }

  Analysis run() {
    for (ast::Unit& unit : program_.units) check(unit);
    lay_out_globals();
    for (auto& proctype : analysis_.proctypes) lay_out(*proctype);
    check_combinations();
    return std::move(analysis_);
  }

 private:
  void error(const Location& location, const std::string& message) { diagnostics_.error(location, message); }

  // ------------------------------------------------------------------------------------------ units

  void check(ast::Unit& unit) {
    switch (unit.kind) {
      case ast::Unit::Kind::kDeclaration: declare(*unit.declaration, false); break;
      case ast::Unit::Kind::kTypedef: check(*unit.type); break;
      case ast::Unit::Kind::kMtype: check(*unit.mtype); break;
      case ast::Unit::Kind::kProctype: check(*unit.proctype); break;
      case ast::Unit::Kind::kLtl: check(*unit.ltl->formula); break;
      case ast::Unit::Kind::kEmbeddedC:
      case ast::Unit::Kind::kExclusive: break;
    }
  }

  void check(const ast::MtypeDeclaration& mtype) {
    MtypeSet& set = analysis_.mtype_sets[mtype_set(mtype.set, mtype.location)];
    for (auto name = mtype.names.rbegin(); name != mtype.names.rend(); ++name) set.values.push_back(name->first);
  }

  uint8_t mtype_set(const std::string& name, const Location& location) {
    for (size_t i = 0; i < analysis_.mtype_sets.size(); ++i) {
      if (analysis_.mtype_sets[i].name == name) return static_cast<uint8_t>(i);
    }
    if (analysis_.mtype_sets.size() == 255) {
      error(location, "more than 254 named mtype sets");
      return 0;
    }
    analysis_.mtype_sets.push_back({name, {}});
    return static_cast<uint8_t>(analysis_.mtype_sets.size() - 1);
  }

  void check(ast::Typedef& type) {
    Structure& structure = analysis_.structures.emplace_back();
    structure.name = type.name;
    uint64_t offset = 0;
    for (ast::Declaration& declaration : type.fields) {
      for (ast::Declarator& declarator : declaration.declarators) {
        if (const Symbol* known = structure.field(declarator.name)) {
          error(declarator.location, fmt::format("field '{}' is declared twice", declarator.name));
          diagnostics_.note(known->location, "declared here before");
          continue;
        }
        Symbol field = make_symbol(declaration, declarator);
        field.hidden = false;
        field.offset = static_cast<uint32_t>(offset);
        field.first_leaf = structure.leaves;
        structure.leaves += field.structure != nullptr ? field.structure->leaves : 1;
        offset += field.bytes();
        if (offset > kMaxVariableBytes) {
          error(declarator.location, fmt::format("type '{}' is larger than {} bytes", type.name, kMaxVariableBytes));
          return;
        }
        if (declarator.initializer) check(*declarator.initializer);
        structure.fields.push_back(std::move(field));
      }
    }
    structure.bytes = static_cast<uint32_t>(offset);
    type.structure = &structure;
    analysis_.structure_names[type.name] = &structure;
  }

  void check(ast::Proctype& syntax) {
    analysis_.proctypes.push_back(std::make_unique<AnalysedProctype>());
    AnalysedProctype& proctype = *analysis_.proctypes.back();
    proctype.syntax = &syntax;
    current_ = &proctype;
    scope_ = &proctype.scopes.emplace_back();
    if (!syntax.instances_name.empty()) syntax.instances = initial_value(syntax.instances_name, syntax.location, 0);
    if (syntax.priority > 0) note_priority(syntax.location);
    for (ast::Declaration& declaration : syntax.parameters) {
      declare(declaration, false);
      for (ast::Declarator& declarator : declaration.declarators) {
        if (declarator.symbol == nullptr) continue;
        declarator.symbol->parameter = true;
        if (declarator.is_array) error(declarator.location, "an array cannot be a parameter");
        if (declarator.initializer || declarator.channel) error(declarator.location, "a parameter cannot be initialised");
      }
    }
    if (syntax.provided) {
      check(*syntax.provided);
      check_provided(*syntax.provided);
    }
    open_initialisations_ = true;
    check(syntax.body, true);
    scope_ = nullptr;
    current_ = nullptr;
  }

  // Only globals, _pid and _priority make sense in a provided clause.
  void check_provided(const ast::Expression& e) {
    if (e.kind == ExpressionKind::kVariable && e.variable->symbol != nullptr && e.variable->symbol->proctype >= 0) {
      error(e.location, fmt::format("a provided clause cannot use the local variable '{}'", e.variable->name));
    }
    if (e.kind == ExpressionKind::kRun) error(e.location, "a provided clause cannot create a process");
    for (const ast::ExpressionPtr& operand : e.operands) check_provided(*operand);
  }

  void check_combinations() {
    if (!analysis_.has_rendezvous) return;
    if (analysis_.uses_priority && priority_use_.place.line > 0) {
      error(priority_use_, "priorities cannot be combined with rendezvous channels (SPIN refuses this model, too)");
    }
    if (analysis_.uses_enabled) {
      error(enabled_use_, "enabled() cannot be used in models with rendezvous channels (SPIN refuses this model, too)");
    }
  }

  // ------------------------------------------------------------------------------------------ declarations

  int32_t initial_value(const std::string& name, const Location& location, int32_t fallback) {
    const Symbol* symbol = find(name);
    if (symbol == nullptr) {
      error(location, fmt::format("undeclared variable '{}'", name));
      return fallback;
    }
    if (symbol->initializer != nullptr && symbol->initializer->kind == ExpressionKind::kNumber) {
      return symbol->initializer->value;
    }
    if (fallback == 0) error(location, fmt::format("'{}' needs a constant initial value here", name));
    return fallback;
  }

  Symbol make_symbol(const ast::Declaration& declaration, ast::Declarator& declarator) {
    Symbol symbol;
    symbol.name = declarator.name;
    symbol.location = declarator.location;
    symbol.is_array = declarator.is_array;
    if (!declarator.count_name.empty()) {
      declarator.count = initial_value(declarator.count_name, declarator.location, 8);  // 8: what SPIN takes instead
      diagnostics_.warning(declarator.location, fmt::format("array size '{}' is a variable; its initial value {} is used",
                                                            declarator.count_name, declarator.count));
      if (declarator.count <= 0) declarator.count = 8;
    }
    symbol.count = static_cast<uint32_t>(declarator.count);
    symbol.hidden = declaration.hidden;
    symbol.initializer = declarator.initializer.get();
    symbol.channel = declarator.channel.get();
    const std::string& type = declaration.type;
    if (const auto found = analysis_.structure_names.find(type); found != analysis_.structure_names.end()) {
      symbol.structure = found->second;
      if (declarator.initializer || declarator.channel) {
        error(declarator.location, fmt::format("'{}' is of type {} and cannot be initialised as a whole", symbol.name, type));
      }
    } else if (type == "bit") {
      // SPIN maps arrays of bits to arrays of bytes.
      symbol.type = scalar_type(BasicType::kBit, symbol.is_array ? 8 : 1);
      symbol.type.bytes = 1;
      if (symbol.hidden) error(declarator.location, fmt::format("bit variable '{}' cannot be hidden", symbol.name));
    } else if (type == "byte") {
      symbol.type = scalar_type(BasicType::kByte, 8);
    } else if (type == "pid") {
      symbol.type = scalar_type(BasicType::kPid, 8);
    } else if (type == "mtype") {
      symbol.type = scalar_type(BasicType::kMtype, 8);
      symbol.type.mtype_set = mtype_set(declaration.mtype_set, declaration.location);
    } else if (type == "chan") {
      symbol.type = scalar_type(BasicType::kChan, 8);
    } else if (type == "short") {
      symbol.type = scalar_type(BasicType::kShort, 16);
    } else if (type == "int") {
      symbol.type = scalar_type(BasicType::kInt, 32);
    } else if (type == "unsigned") {
      symbol.type = scalar_type(BasicType::kUnsigned, symbol.hidden ? 8 : static_cast<uint8_t>(declarator.bits));
    } else {
      error(declaration.location, fmt::format("type '{}' is not complete here", type));
    }
    if (symbol.bytes() > kMaxVariableBytes) {
      error(declarator.location, fmt::format("'{}' is larger than {} bytes", symbol.name, kMaxVariableBytes));
      symbol.count = 1;
    }
    if (declarator.channel) check(*declarator.channel, symbol);
    return symbol;
  }

  void check(const ast::ChannelInit& channel, const Symbol& symbol) {
    if (!symbol.is_channel()) {
      error(channel.location, fmt::format("channel initialiser for '{}', which is no channel", symbol.name));
    }
    if (channel.capacity == 0) analysis_.has_rendezvous = true;
    for (const ast::ChannelInit::Field& field : channel.fields) {
      if (field.type == "mtype") (void)mtype_set(field.mtype_set, field.location);
    }
  }

  void declare(ast::Declaration& declaration, bool as_statement) {
    for (ast::Declarator& declarator : declaration.declarators) {
      if (is_predefined(declarator.name)) {
        error(declarator.location, fmt::format("'{}' is predefined", declarator.name));
        continue;
      }
      if (const Symbol* known = find(declarator.name)) {
        error(declarator.location, fmt::format("redeclaration of '{}'", declarator.name));
        diagnostics_.note(known->location, "declared here before");
        continue;
      }
      if (declaration.hidden && current_ != nullptr) {
        error(declaration.location, fmt::format("only global variables can be hidden, not '{}'", declarator.name));
      }
      if (declaration.hidden && declaration.type == "chan") {
        error(declaration.location, fmt::format("channel '{}' cannot be hidden", declarator.name));
      }
      if (declarator.initializer) {
        check(*declarator.initializer);
        check_initializer(declarator);
      }
      declarator.is_statement = as_statement;
      Symbol& symbol = analysis_.symbols.emplace_back(make_symbol(declaration, declarator));
      declarator.symbol = &symbol;
      if (as_statement) {
        symbol.initializer = nullptr;
        symbol.channel = nullptr;
        if (declarator.channel) {
          error(declarator.location, fmt::format("channel '{}' must be declared at the start of the proctype, "
                                                 "before any statement and outside blocks", declarator.name));
        }
        if (declarator.initializer && declarator.initializer->kind == ExpressionKind::kList) {
          error(declarator.location, fmt::format("array '{}' can be initialised with a list only at the start of the "
                                                 "proctype, before any statement and outside blocks", declarator.name));
        }
      }
      if (current_ != nullptr) {
        symbol.proctype = static_cast<int>(analysis_.proctypes.size()) - 1;
        symbol.scope = scope_;
        current_->variables.push_back(&symbol);
        locals_[scope_][symbol.name] = &symbol;
      } else {
        analysis_.globals.push_back(&symbol);
        globals_[symbol.name] = &symbol;
      }
    }
  }

  void check_initializer(const ast::Declarator& declarator) {
    const ast::Expression& value = *declarator.initializer;
    if (value.kind == ExpressionKind::kList && !declarator.is_array) {
      error(value.location, fmt::format("'{}' is no array and cannot be initialised with a list", declarator.name));
    }
    if (contains_run(value)) error(value.location, "'run' cannot be used in the initialiser of a variable");
  }

  static bool contains_run(const ast::Expression& e) {
    if (e.kind == ExpressionKind::kRun) return true;
    return std::any_of(e.operands.begin(), e.operands.end(),
                       [](const ast::ExpressionPtr& operand) { return contains_run(*operand); });
  }

  const Symbol* find(const std::string& name) const {
    for (const Scope* scope = scope_; scope != nullptr; scope = scope->parent) {
      const auto table = locals_.find(scope);
      if (table == locals_.end()) continue;
      if (const auto found = table->second.find(name); found != table->second.end()) return found->second;
    }
    const auto found = globals_.find(name);
    return found == globals_.end() ? nullptr : found->second;
  }

  // ------------------------------------------------------------------------------------------ statements

  void check(ast::Sequence& sequence, bool opens_scope) {
    const Scope* outer = scope_;
    if (opens_scope) {
      Scope& inner = current_->scopes.emplace_back();
      inner.parent = outer;
      scope_ = &inner;
    }
    for (ast::StatementPtr& step : sequence.steps) check(*step);
    scope_ = outer;
  }

  // A sequence inside a statement: declarations in it are steps.
  void check_nested(ast::Sequence& sequence, bool opens_scope) {
    open_initialisations_ = false;
    check(sequence, opens_scope);
  }

  void check(ast::Statement& statement) {
    if (statement.kind == StatementKind::kDeclaration) {
      declare(statement.declaration, !open_initialisations_);
      return;
    }
    if (statement.kind == StatementKind::kExclusive) {
      for (const auto& variable : statement.variables) {
        const Symbol* symbol = resolve(*variable);
        if (symbol != nullptr && !symbol->is_channel()) {
          error(variable->location, fmt::format("{} needs channels; '{}' is none", statement.text, variable->name));
        }
      }
      return;
    }
    check_parts(statement);
    open_initialisations_ = false;
  }

  void check_parts(ast::Statement& statement) {
    switch (statement.kind) {
      case StatementKind::kLabel:
        statement.label_symbol = label(statement.label);
        if (statement.body) check(*statement.body);
        return;
      case StatementKind::kGoto: statement.label_symbol = label(statement.label); return;
      case StatementKind::kIf:
      case StatementKind::kDo:
        for (ast::Sequence& option : statement.sequences) check_nested(option, false);
        warn_of_else_beside_channels(statement);
        return;
      case StatementKind::kAtomic:
      case StatementKind::kDStep:
      case StatementKind::kBlock: {
        const bool outer = in_d_step_;
        in_d_step_ = outer || statement.kind == StatementKind::kDStep;
        for (ast::Sequence& sequence : statement.sequences) check_nested(sequence, true);
        in_d_step_ = outer;
        return;
      }
      case StatementKind::kUnless:
        check(*statement.body);
        check(*statement.escape);
        return;
      case StatementKind::kFor: check_for(statement); return;
      case StatementKind::kSelect: check_counter(statement); return;
      case StatementKind::kAssign: check_assignment(statement); return;
      case StatementKind::kSend:
        check_channel(*statement.variable);
        for (ast::ExpressionPtr& operand : statement.operands) {
          check_argument(*operand);
          if (contains_run(*operand)) error(operand->location, "'run' cannot be used in a message");
        }
        return;
      case StatementKind::kReceive:
        check_channel(*statement.variable);
        check(statement.arguments);
        return;
      case StatementKind::kPrintm: case StatementKind::kAssert: check(*statement.expression); return;
      case StatementKind::kExpression:
        check(*statement.expression);
        check_run_alone(*statement.expression);
        return;
      case StatementKind::kSetPriority: note_priority(statement.location); [[fallthrough]];
      case StatementKind::kPrintf:
        for (ast::ExpressionPtr& operand : statement.operands) check(*operand);
        return;
      default: return;
    }
  }

  // Whether such an `else` can be taken depends on what other processes do at the same moment.
  void warn_of_else_beside_channels(const ast::Statement& selection) {
    const ast::Statement* otherwise = nullptr;
    bool channels = false;
    for (const ast::Sequence& option : selection.sequences) {
      if (option.steps.empty()) continue;
      const ast::Statement& first = *option.steps.front();
      if (first.kind == StatementKind::kElse) otherwise = &first;
      if (first.kind == StatementKind::kSend || first.kind == StatementKind::kReceive) channels = true;
    }
    if (otherwise != nullptr && channels && warned_of_else_.insert(otherwise->location.place.line).second) {
      diagnostics_.warning(otherwise->location, "'else' beside a send or receive: it can be taken only while none of them is possible");
    }
  }

  void check_run_alone(const ast::Expression& e) {
    if (e.kind != ExpressionKind::kRun && contains_run(e)) {
      error(e.location, "'run' cannot be part of a larger condition; assign it first: p = run P()");
    }
  }

  LabelSymbol* label(const std::string& name) {
    for (auto known = current_->labels.rbegin(); known != current_->labels.rend(); ++known) {
      if (known->name == name && known->scope->encloses(scope_)) return &*known;
    }
    return &current_->labels.emplace_back(LabelSymbol{name, scope_});
  }

  void check_assignment(ast::Statement& statement) {
    ast::VariableRef& target = *statement.variable;
    if (target.name == "_nr_pr" || target.name == "_pid" || target.name == "_last") {
      error(target.location, fmt::format("'{}' cannot be assigned", target.name));
      return;
    }
    if (target.name == "_priority") note_priority(target.location);
    const Symbol* symbol = is_predefined(target.name) ? nullptr : resolve_scalar(target);
    check(*statement.expression);
    // As SPIN, which does not look into structures here.
    if (symbol != nullptr && symbol->is_channel() && !target.field && statement.expression->kind == ExpressionKind::kNumber) {
      error(statement.expression->location, fmt::format("a number cannot be assigned to channel '{}'", target.name));
    }
    if (statement.expression->kind != ExpressionKind::kRun) check_run_alone(*statement.expression);
  }

  void check_counter(ast::Statement& statement) {
    const Symbol* symbol = resolve_scalar(*statement.variable);
    if (symbol != nullptr && symbol->is_channel()) {
      error(statement.variable->location, fmt::format("channel '{}' cannot count", statement.variable->name));
    }
    check(*statement.expression);
    check(*statement.to);
  }

  void check_for(ast::Statement& statement) {
    if (!statement.over) {
      check_counter(statement);
      check_nested(statement.sequences[0], true);
      return;
    }
    const Symbol* over = resolve(*statement.over);
    const Symbol* variable = resolve(*statement.variable);
    if (over == nullptr || variable == nullptr) return;
    if (variable->structure != nullptr) {
      const ast::ChannelInit* channel = over->channel;
      if (!over->is_channel() || channel == nullptr || channel->capacity <= 0 || channel->fields.size() != 1 ||
          channel->fields[0].type != variable->structure->name) {
        error(statement.over->location, fmt::format("'for ({} in ...)' needs a channel that holds messages of type {}",
                                                    variable->name, variable->structure->name));
        return;
      }
      Symbol& counter = analysis_.symbols.emplace_back();
      counter.name = "_for_counter";
      counter.location = statement.location;
      counter.type = scalar_type(channel->capacity > 255 ? BasicType::kShort : BasicType::kByte,
                                 channel->capacity > 255 ? 16 : 8);
      counter.proctype = static_cast<int>(analysis_.proctypes.size()) - 1;
      counter.scope = scope_;
      current_->variables.push_back(&counter);
      statement.counter = &counter;
    } else if (!over->is_array || statement.over->index || statement.over->field) {
      error(statement.over->location, fmt::format("'{}' is no array", to_text(*statement.over)));
    }
    check_nested(statement.sequences[0], true);
  }

  // ------------------------------------------------------------------------------------------ expressions

  void note_priority(const Location& location) {
    analysis_.uses_priority = true;
    if (priority_use_.place.line == 0) priority_use_ = location;
  }

  void check(std::vector<ast::ReceiveArg>& arguments) {
    for (ast::ReceiveArg& argument : arguments) {
      if (argument.value) check(*argument.value);
      if (!argument.variable || argument.variable->name == "_") continue;
      (void)resolve(*argument.variable);
    }
    // SPIN refuses a variable that would be stored twice.
    for (size_t i = 0; i < arguments.size(); ++i) {
      for (size_t j = i + 1; j < arguments.size(); ++j) {
        if (!arguments[i].variable || !arguments[j].variable) continue;
        const Symbol* symbol = arguments[i].variable->symbol;
        if (symbol != nullptr && symbol == arguments[j].variable->symbol && !symbol->is_array && !symbol->structure) {
          error(arguments[j].variable->location, fmt::format("'{}' receives two fields of one message", symbol->name));
        }
      }
    }
  }

  void check_channel(ast::VariableRef& variable) {
    const Symbol* symbol = resolve_scalar(variable);
    if (symbol == nullptr) return;
    switch (symbol->type.basic) {
      case BasicType::kChan: case BasicType::kByte: case BasicType::kInt: case BasicType::kShort: case BasicType::kPid: return;
      default: error(variable.location, fmt::format("'{}' is no channel", to_text(variable)));
    }
  }

  // An argument of a send or run: a whole structure stands for its fields.
  void check_argument(ast::Expression& e) {
    if (e.kind == ExpressionKind::kVariable && !is_predefined(e.variable->name)) {
      (void)resolve(*e.variable);
      return;
    }
    check(e);
  }

  void check(ast::Expression& e) {
    switch (e.kind) {
      case ExpressionKind::kVariable: check_variable(*e.variable); return;
      case ExpressionKind::kChannelQuery: check_channel(*e.variable); return;
      case ExpressionKind::kPoll:
        check_channel(*e.variable);
        check(e.arguments);
        return;
      case ExpressionKind::kTimeout: analysis_.uses_timeout = true; return;
      case ExpressionKind::kRun: check_run(e); return;
      case ExpressionKind::kEnabled:
        analysis_.uses_enabled = true;
        if (enabled_use_.place.line == 0) enabled_use_ = e.location;
        break;
      case ExpressionKind::kGetPriority: note_priority(e.location); break;
      case ExpressionKind::kRemoteLabel:
        if (in_d_step_) error(e.location, "a remote reference cannot be used in a d_step");
        if (analysis_.proctype(e.name) == nullptr) error(e.location, fmt::format("unknown proctype '{}'", e.name));
        analysis_.remote_labels.push_back(&e);
        break;
      case ExpressionKind::kRemoteVariable: check_remote_variable(e); break;
      default: break;
    }
    for (ast::ExpressionPtr& operand : e.operands) check(*operand);
  }

  void check_variable(ast::VariableRef& variable) {
    if (!is_predefined(variable.name)) {
      (void)resolve_scalar(variable);
      return;
    }
    // In a trace, `q!_` stands for any message.
    const bool pattern = current_ != nullptr && !current_->runs();
    if (variable.name == "_" && !pattern) error(variable.location, "'_' can be written but not read");
    if (variable.name == "_last") analysis_.uses_last = true;
    if (variable.name == "_priority") note_priority(variable.location);
    if (current_ == nullptr && (variable.name == "_pid" || variable.name == "_priority")) {
      error(variable.location, fmt::format("'{}' has no meaning outside a process", variable.name));
    }
  }

  void check_run(ast::Expression& e) {
    if (current_ == nullptr) error(e.location, "'run' can be used in a process only");
    if (in_d_step_) error(e.location, "'run' cannot be used in a d_step; use atomic");
    if (e.value > 0) note_priority(e.location);
    for (ast::ExpressionPtr& operand : e.operands) check_argument(*operand);
    runs_.push_back(&e);
  }

  void check_remote_variable(ast::Expression& e) {
    if (in_d_step_) error(e.location, "a remote reference cannot be used in a d_step");
    const AnalysedProctype* owner = analysis_.proctype(e.name);
    if (owner == nullptr) {
      error(e.location, fmt::format("unknown proctype '{}'", e.name));
      return;
    }
    for (const Symbol* symbol : owner->variables) {
      if (symbol->name != e.variable->name) continue;
      e.variable->symbol = symbol;
      check_indices(*e.variable, *symbol, true);
      return;
    }
    error(e.variable->location, fmt::format("proctype '{}' has no variable '{}'", e.name, e.variable->name));
  }

  const Symbol* resolve(ast::VariableRef& variable) {
    const Symbol* symbol = find(variable.name);
    if (symbol == nullptr) {
      report_undeclared(variable);
      return nullptr;
    }
    variable.symbol = symbol;
    return check_indices(variable, *symbol, false);
  }

  // As resolve, for places where a whole structure makes no sense.
  const Symbol* resolve_scalar(ast::VariableRef& variable) {
    const Symbol* symbol = resolve(variable);
    if (symbol != nullptr && symbol->structure != nullptr) {
      error(variable.location, fmt::format("'{}' is a structure of type {}; name one of its fields", to_text(variable),
                                           symbol->structure->name));
      return nullptr;
    }
    if (symbol != nullptr && symbol->is_array && !innermost(variable).index) {
      error(variable.location, fmt::format("'{}' is an array; an index is missing", to_text(variable)));
      return nullptr;
    }
    return symbol;
  }

  static const ast::VariableRef& innermost(const ast::VariableRef& variable) {
    return variable.field ? innermost(*variable.field) : variable;
  }

  // Checks indices and fields from here on; returns the symbol of the innermost field.
  const Symbol* check_indices(ast::VariableRef& variable, const Symbol& symbol, bool remote) {
    if (variable.index) {
      check(*variable.index);
      const bool zero = variable.index->kind == ExpressionKind::kNumber && variable.index->value == 0;
      if (!symbol.is_array && !zero) {
        error(variable.location, fmt::format("'{}' is no array", symbol.name));
        diagnostics_.note(symbol.location, "declared here");
      }
    }
    if (!variable.field) return &symbol;
    if (symbol.structure == nullptr) {
      error(variable.field->location, fmt::format("'{}' is no structure and has no field '{}'", symbol.name, variable.field->name));
      return nullptr;
    }
    if (symbol.is_array && !variable.index) {
      error(variable.location, fmt::format("'{}' is an array; an index is missing", symbol.name));
    }
    const Symbol* field = symbol.structure->field(variable.field->name);
    if (field == nullptr) {
      std::vector<std::string_view> names;
      for (const Symbol& candidate : symbol.structure->fields) names.push_back(candidate.name);
      const std::string_view match = closest_match(variable.field->name, names);
      error(variable.field->location,
            fmt::format("type '{}' has no field '{}'{}", symbol.structure->name, variable.field->name,
                        match.empty() ? std::string() : fmt::format("; did you mean '{}'?", match)));
      return nullptr;
    }
    variable.field->symbol = field;
    return check_indices(*variable.field, *field, remote);
  }

  void report_undeclared(const ast::VariableRef& variable) {
    if (!reported_.insert({variable.name, current_}).second) return;
    std::vector<std::string_view> names;
    for (const Scope* scope = scope_; scope != nullptr; scope = scope->parent) {
      const auto table = locals_.find(scope);
      if (table == locals_.end()) continue;
      for (const auto& [name, symbol] : table->second) names.push_back(name);
    }
    for (const auto& [name, symbol] : globals_) names.push_back(name);
    for (const MtypeSet& set : analysis_.mtype_sets) {
      for (const std::string& name : set.values) names.push_back(name);
    }
    const std::string_view match = closest_match(variable.name, names);
    error(variable.location, fmt::format("undeclared variable '{}'{}", variable.name,
                                         match.empty() ? std::string() : fmt::format("; did you mean '{}'?", match)));
  }

  // ------------------------------------------------------------------------------------------ layout

  static uint32_t leaves_of(const Symbol& symbol) { return symbol.structure != nullptr ? symbol.structure->leaves : 1; }

  // Hidden variables first: they are no part of a state's identity.
  void lay_out_globals() {
    uint64_t offset = 0;
    uint32_t leaf = 0;
    const auto place = [&](bool hidden) {
      for (Symbol* symbol : analysis_.globals) {
        if (symbol->hidden != hidden) continue;
        symbol->offset = static_cast<uint32_t>(offset);
        offset += symbol->bytes();
      }
    };
    place(true);
    offset += kHeaderBytes;
    place(false);
    for (Symbol* symbol : analysis_.globals) {
      symbol->first_leaf = leaf;
      leaf += leaves_of(*symbol);
    }
    if (offset > kMaxVariableBytes) {
      error(analysis_.globals.back()->location, fmt::format("the global variables need more than {} bytes", kMaxVariableBytes));
    }
  }

  void lay_out(AnalysedProctype& proctype) {
    uint64_t offset = kFrameHeaderBytes;
    for (Symbol* symbol : proctype.variables) {
      symbol->offset = static_cast<uint32_t>(offset);
      symbol->first_leaf = proctype.leaves;
      proctype.leaves += leaves_of(*symbol);
      offset += symbol->bytes();
    }
    if (offset > kMaxVariableBytes) {
      error(proctype.syntax->location, fmt::format("the variables of '{}' need more than {} bytes", proctype.syntax->name, kMaxVariableBytes));
      offset = kFrameHeaderBytes;
    }
    proctype.frame_bytes = static_cast<uint32_t>(offset);
    for (const ast::Expression* run : runs_) check_run_target(*run);
    runs_.clear();
  }

  void check_run_target(const ast::Expression& run) {
    const AnalysedProctype* target = analysis_.proctype(run.name);
    if (target == nullptr) {
      std::vector<std::string_view> names;
      for (const auto& proctype : analysis_.proctypes) names.push_back(proctype->syntax->name);
      const std::string_view match = closest_match(run.name, names);
      error(run.location, fmt::format("unknown proctype '{}'{}", run.name,
                                      match.empty() ? std::string() : fmt::format("; did you mean '{}'?", match)));
      return;
    }
    uint64_t given = 0;
    for (const ast::ExpressionPtr& operand : run.operands) given += scalars_in(*operand);
    uint64_t wanted = 0;
    for (const Symbol* symbol : target->variables) {
      if (symbol->parameter) wanted += scalars_of(*symbol);
    }
    if (given != wanted) {
      error(run.location, fmt::format("proctype '{}' takes {} argument{}, not {}", run.name, wanted, wanted == 1 ? "" : "s", given));
      diagnostics_.note(target->syntax->location, "declared here");
    }
  }

  static uint64_t scalars_of(const Symbol& symbol) {
    if (symbol.structure == nullptr) return symbol.count;
    uint64_t sum = 0;
    for (const Symbol& field : symbol.structure->fields) sum += scalars_of(field);
    return sum * symbol.count;
  }

  static uint64_t scalars_in(const ast::Expression& argument) {
    if (argument.kind != ExpressionKind::kVariable) return 1;
    const Symbol* symbol = innermost(*argument.variable).symbol;
    if (symbol == nullptr || symbol->structure == nullptr) return 1;
    uint64_t sum = 0;
    for (const Symbol& field : symbol->structure->fields) sum += scalars_of(field);
    return sum;
  }

  ast::Program& program_;
  Diagnostics& diagnostics_;
  Analysis analysis_;
  AnalysedProctype* current_ = nullptr;
  const Scope* scope_ = nullptr;
  bool in_d_step_ = false;
  bool open_initialisations_ = false;  // declarations here initialise at process creation, not by a step
  std::map<std::string, Symbol*, std::less<>> globals_;
  std::map<const Scope*, std::map<std::string, Symbol*, std::less<>>> locals_;
  std::set<std::pair<std::string, const AnalysedProctype*>> reported_;
  std::vector<const ast::Expression*> runs_;
  std::set<uint32_t> warned_of_else_;  // lines
  Location priority_use_;
  Location enabled_use_;
};

}  // namespace

Analysis analyse(ast::Program& program, Diagnostics& diagnostics) { return Sema(program, diagnostics).run(); }

}  // namespace cmc::promela
