#include "promela/sema/sema.h"

#include <fmt/format.h>

#include "base/check.h"
#include "promela/sema/sema_checker.h"

namespace cmc::promela {

using ast::ExpressionKind;
using ast::StatementKind;

Analysis Sema::run() {
  CHECK(analysis_.globals.empty() && analysis_.proctypes.empty());  // used once
  for (ast::Unit& unit : program_.units) check(unit);
  lay_out_globals();
  for (auto& proctype : analysis_.proctypes) lay_out(*proctype);
  check_combinations();
  return std::move(analysis_);
}

void Sema::check(ast::Unit& unit) {
  switch (unit.kind) {
    case ast::Unit::Kind::kDeclaration: declare(*unit.declaration, false); break;
    case ast::Unit::Kind::kTypedef: check(*unit.type); break;
    case ast::Unit::Kind::kMtype: check(*unit.mtype); break;
    case ast::Unit::Kind::kProctype: check(*unit.proctype); break;
    case ast::Unit::Kind::kLtl: check(*unit.ltl); break;
    case ast::Unit::Kind::kEmbeddedC: break;
  }
}

void Sema::check(const ast::MtypeDeclaration& mtype) {
  mtype_set_names_.insert(mtype.set);
  MtypeSet& set = analysis_.mtype_sets[mtype_set(mtype.set, mtype.location)];
  for (auto name = mtype.names.rbegin(); name != mtype.names.rend(); ++name) set.values.push_back(name->first);
}

uint8_t Sema::mtype_set(const std::string& name, const Location& location) {
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

void Sema::check(ast::Typedef& type) {
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
      if (field.initializer != nullptr) warn_unless_fits(*field.initializer, field);
      structure.fields.push_back(std::move(field));
    }
  }
  structure.bytes = static_cast<uint32_t>(offset);
  type.structure = &structure;
  analysis_.structure_names[type.name] = &structure;
}

void Sema::check(ast::Proctype& syntax) {
  analysis_.proctypes.push_back(std::make_unique<AnalysedProctype>());
  AnalysedProctype& proctype = *analysis_.proctypes.back();
  proctype.syntax = &syntax;
  const auto namesake = globals_.find(syntax.name);
  if (syntax.kind == ast::Proctype::Kind::kProctype && namesake != globals_.end()) {
    error(syntax.location, fmt::format("redeclaration of '{}'", syntax.name));
    diagnostics_.note(namesake->second->location, "declared here before");
  }
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
      if (declarator.initializer || declarator.channel)
        error(declarator.location, "a parameter cannot be initialised");
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

void Sema::check_provided(const ast::Expression& e) {
  if (e.kind == ExpressionKind::kVariable && e.variable->symbol != nullptr && e.variable->symbol->proctype >= 0) {
    error(e.location, fmt::format("a provided clause cannot use the local variable '{}'", e.variable->name));
  }
  for (const ast::ExpressionPtr& operand : e.operands) check_provided(*operand);
  for (const ast::GuardTarget& target : e.targets) {
    check_provided(*target.low);
    check_provided(*target.high);
  }
}

void Sema::check_combinations() {
  check_message_lengths();
  if (!analysis_.has_rendezvous) return;
  if (analysis_.uses_priority && priority_use_.place.line > 0) {
    error(priority_use_, "priorities cannot be combined with rendezvous channels (SPIN refuses this model, too)");
  }
  if (enabled_use_.place.line > 0) {
    error(enabled_use_, "enabled() cannot be used in models with rendezvous channels (SPIN refuses this model, too)");
  }
  if (enabled_use_in_claim_.place.line > 0) {
    diagnostics_.remark(
        enabled_use_in_claim_,
        "SPIN refuses enabled() in models with rendezvous channels; here a process is enabled at a send or "
        "receive iff a handshake is possible");
  }
}

void Sema::lay_out_globals() {
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
    error(analysis_.globals.back()->location,
          fmt::format("the global variables need more than {} bytes", kMaxVariableBytes));
  }
}

void Sema::lay_out(AnalysedProctype& proctype) {
  uint64_t offset = kFrameHeaderBytes;
  for (Symbol* symbol : proctype.variables) {
    symbol->offset = static_cast<uint32_t>(offset);
    symbol->first_leaf = proctype.leaves;
    proctype.leaves += leaves_of(*symbol);
    offset += symbol->bytes();
  }
  if (offset > kMaxVariableBytes) {
    error(proctype.syntax->location,
          fmt::format("the variables of '{}' need more than {} bytes", proctype.syntax->name, kMaxVariableBytes));
    offset = kFrameHeaderBytes;
  }
  proctype.frame_bytes = static_cast<uint32_t>(offset);
  for (const ast::Expression* run : runs_) check_run_target(*run);
  runs_.clear();
}

void Sema::check_run_target(const ast::Expression& run) {
  const AnalysedProctype* target = analysis_.proctype(run.name);
  if (target == nullptr) {
    std::vector<std::string_view> names;
    for (const auto& proctype : analysis_.proctypes) names.push_back(proctype->syntax->name);
    error(run.location, fmt::format("unknown proctype '{}'{}", run.name, diagnostics_.suggestion(run.name, names)));
    return;
  }
  for (const ast::Declaration& declaration : target->syntax->parameters) {
    for (const ast::Declarator& declarator : declaration.declarators) {
      if (declarator.symbol == nullptr) return;  // its mistake has been reported
    }
  }
  uint64_t given = 0;
  for (const ast::ExpressionPtr& operand : run.operands) given += scalars_in(*operand);
  uint64_t wanted = 0;
  for (const Symbol* symbol : target->variables) {
    if (symbol->parameter) wanted += scalars_of(*symbol);
  }
  if (given != wanted) {
    error(run.location,
          fmt::format("proctype '{}' takes {} argument{}, not {}", run.name, wanted, wanted == 1 ? "" : "s", given));
    diagnostics_.note(target->syntax->location, "declared here");
    return;
  }
  std::vector<const Symbol*> parameters;
  for (const Symbol* symbol : target->variables) {
    if (symbol->parameter) parameters.push_back(symbol);
  }
  if (parameters.size() != run.operands.size()) return;  // a structure is given as its fields
  for (size_t at = 0; at < parameters.size(); ++at) warn_unless_fits(*run.operands[at], *parameters[at]);
}

void Sema::check_message_lengths() {
  if (diagnostics_.error_count() > 0) return;  // channels or their types may be missing
  for (const Message& message : messages_) {
    const std::string count = fmt::format("{} field{}", message.fields, message.fields == 1 ? "" : "s");
    const uint64_t wanted = message.channel == nullptr ? message.fields : fields_of(*message.channel);
    if (message.kind == Message::Kind::kDescribed) {
      if (message.fields <= wanted) continue;
      error(message.variable->location,
            fmt::format("{} in a trace, but the messages of '{}' have {}", count, message.variable->name, wanted));
      diagnostics_.note(message.channel->location, "declared here");
    } else if (message.kind == Message::Kind::kSent && message.fields > most_fields_) {
      error(message.variable->location,
            fmt::format("{} sent, but no channel of the model has messages of more than {} (SPIN refuses this model, "
                        "too)",
                        count, most_fields_));
    } else if (message.channel != nullptr) {
      warn_of_length(message, count, wanted);
    }
  }
}

void Sema::warn_of_length(const Message& message, const std::string& count, uint64_t wanted) {
  static constexpr const char* kVerbs[] = {"sent", "received", "read", "polled", "described"};
  const bool polled = message.kind == Message::Kind::kPolled;
  const bool may_be_shorter = polled || message.kind == Message::Kind::kRead;
  if (message.fields == wanted || (may_be_shorter && message.fields < wanted)) return;
  if (!warned_of_length_.insert(message.variable->location.place).second) return;
  diagnostics_.warning(
      message.variable->location,
      fmt::format("{} {}, but the messages of '{}' have {}{}", count, kVerbs[static_cast<size_t>(message.kind)],
                  message.variable->name, wanted, polled ? "" : ": an error when this is executed"));
  diagnostics_.note(message.channel->location, "declared here");
}

uint64_t Sema::fields_of(const ast::ChannelInit& channel) const {
  uint64_t sum = 0;
  for (const ast::ChannelInit::Field& field : channel.fields) {
    const auto structure = analysis_.structure_names.find(field.type);
    if (structure == analysis_.structure_names.end()) {
      ++sum;
      continue;
    }
    for (const Symbol& member : structure->second->fields) sum += scalars_of(member);
  }
  return sum;
}

uint64_t Sema::fields_of(const ast::VariableRef& variable) {
  const ast::VariableRef& last = innermost(variable);
  if (last.symbol == nullptr) return 1;
  const Symbol& symbol = *last.symbol;
  DCHECK(symbol.count > 0);
  return scalars_of(symbol) / (last.index ? symbol.count : 1);
}

uint64_t Sema::scalars_of(const Symbol& symbol) {
  if (symbol.structure == nullptr) return symbol.count;
  uint64_t sum = 0;
  for (const Symbol& field : symbol.structure->fields) sum += scalars_of(field);
  return sum * symbol.count;
}

uint64_t Sema::scalars_in(const ast::Expression& argument) {
  if (argument.kind != ExpressionKind::kVariable) return 1;
  const Symbol* symbol = innermost(*argument.variable).symbol;
  if (symbol == nullptr || symbol->structure == nullptr) return 1;
  uint64_t sum = 0;
  for (const Symbol& field : symbol->structure->fields) sum += scalars_of(field);
  return sum;
}

Analysis analyse(ast::Program& program, Diagnostics& diagnostics) { return Sema(program, diagnostics).run(); }

}  // namespace cmc::promela
