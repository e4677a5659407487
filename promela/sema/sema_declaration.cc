#include <algorithm>

#include <fmt/format.h>

#include "ir/scalar.h"
#include "promela/sema/constant_value.h"
#include "promela/sema/sema_checker.h"

namespace cmc::promela {

using ast::ExpressionKind;
using ast::StatementKind;

int32_t Sema::initial_value(const std::string& name, const Location& location, int32_t fallback) {
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

Symbol Sema::make_symbol(const ast::Declaration& declaration, ast::Declarator& declarator) {
  Symbol symbol;
  symbol.name = declarator.name;
  symbol.location = declarator.location;
  symbol.is_array = declarator.is_array;
  if (!declarator.count_name.empty()) {
    declarator.count = initial_value(declarator.count_name, declarator.location, 8);  // 8: what SPIN takes instead
    if (find(declarator.count_name) != nullptr)
      diagnostics_.warning(declarator.location,
                           fmt::format("array size '{}' is a variable; its initial value {} is used",
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
      diagnostics_.warning(declarator.location,
                           fmt::format("'{}' is a structure of type {}; its initial value is ignored, as SPIN does: "
                                       "give initial values to the fields, in the typedef",
                                       symbol.name, type));
      symbol.initializer = nullptr;
      symbol.channel = nullptr;
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

void Sema::check(const ast::ChannelInit& channel, const Symbol& symbol) {
  if (!symbol.is_channel() && symbol.structure == nullptr) {
    error(channel.location, fmt::format("channel initialiser for '{}', which is no channel", symbol.name));
  }
  if (channel.capacity == 0) analysis_.has_rendezvous = true;
  for (const ast::ChannelInit::Field& field : channel.fields) {
    if (field.type == "mtype") (void)mtype_set(field.mtype_set, field.location);
  }
  most_fields_ = std::max(most_fields_, fields_of(channel));
}

// SPIN has made a global symbol of each name of an mtype set that it has met outside proctypes. A declaration of that
// name in a proctype completes it, so that the variable is a global one.
void Sema::note_mtype_sets(const ast::Declaration& declaration) {
  mtype_set_names_.insert(declaration.mtype_set);
  for (const ast::Declarator& declarator : declaration.declarators) {
    if (!declarator.channel) continue;
    for (const ast::ChannelInit::Field& field : declarator.channel->fields) mtype_set_names_.insert(field.mtype_set);
  }
}

bool Sema::becomes_global(const ast::Declarator& declarator, bool as_statement) {
  if (current_ == nullptr || !mtype_set_names_.contains(declarator.name)) return false;
  if (scope_->parent == nullptr) {
    error(declarator.location,
          fmt::format("parameter '{}' has the name of an mtype set, which SPIN takes for a global "
                      "variable: rename one of the two",
                      declarator.name));
    return false;
  }
  diagnostics_.warning(
      declarator.location,
      fmt::format("'{}' is the name of an mtype set: SPIN takes this variable for a global one, which "
                  "all processes share; rename one of the two",
                  declarator.name));
  if (!as_statement && declarator.initializer && !is_constant(*declarator.initializer)) {
    error(declarator.initializer->location,
          fmt::format("the initial value of '{}' is not constant, but SPIN takes the variable for a global one",
                      declarator.name));
  }
  return true;
}

void Sema::declare(ast::Declaration& declaration, bool as_statement) {
  if (current_ == nullptr) note_mtype_sets(declaration);
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
    const bool is_local = current_ != nullptr && !becomes_global(declarator, as_statement);
    Symbol& symbol = analysis_.symbols.emplace_back(make_symbol(declaration, declarator));
    if (symbol.initializer != nullptr) warn_unless_fits(*symbol.initializer, symbol);
    declarator.symbol = &symbol;
    if (as_statement) {
      symbol.initializer = nullptr;
      symbol.channel = nullptr;
      if (declarator.channel) {
        error(declarator.location, fmt::format("channel '{}' must be declared at the start of the proctype, "
                                               "before any statement and outside blocks",
                                               declarator.name));
      }
      const bool list = declarator.initializer && declarator.initializer->kind == ExpressionKind::kList;
      if (list && declarator.initializer->operands.size() == 1) {
        // To SPIN, { 1 } is 1 here; and unlike 1 itself, it is also the value of all elements from the start.
        ast::ExpressionPtr value = std::move(declarator.initializer->operands.front());
        declarator.initializer = std::move(value);
        symbol.initializer = declarator.initializer.get();
      } else if (list) {
        error(declarator.location, fmt::format("array '{}' can be initialised with a list only at the start of the "
                                               "proctype, before any statement and outside blocks",
                                               declarator.name));
      }
    }
    if (is_local) {
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

void Sema::check_initializer(const ast::Declarator& declarator) {
  const ast::Expression& value = *declarator.initializer;
  if (value.kind == ExpressionKind::kList && !declarator.is_array) {
    error(value.location, fmt::format("'{}' is no array and cannot be initialised with a list", declarator.name));
  }
}

void Sema::warn_unless_fits(const ast::Expression& value, const Symbol& symbol) {
  if (value.kind == ExpressionKind::kList) {
    for (const ast::ExpressionPtr& element : value.operands) warn_unless_fits(*element, symbol);
    return;
  }
  if (symbol.structure == nullptr && !symbol.is_channel())
    warn_unless_fits(value, symbol.type, fmt::format("'{}'", symbol.name));
}

void Sema::warn_unless_fits(const ast::Expression& value, const ScalarType& type, const std::string& name) {
  const std::optional<int32_t> constant = constant_value(value);
  if (!constant) return;
  const int32_t stored = truncate(type, *constant);
  if (stored == *constant || !warned_of_truncation_.insert(value.location.place).second) return;
  diagnostics_.warning(value.location, fmt::format("{} does not fit in {}, which has {} bit{}{}; {} is stored",
                                                   *constant, name, type.bits, type.bits == 1 ? "" : "s",
                                                   type.is_signed() ? " and a sign" : "", stored));
}

void Sema::warn_unless_fit(const ast::Statement& send) {
  const ast::VariableRef& channel = innermost(*send.variable);
  if (channel.symbol == nullptr || channel.symbol->channel == nullptr) return;
  const std::vector<ast::ChannelInit::Field>& fields = channel.symbol->channel->fields;
  if (fields.size() != send.operands.size()) return;
  for (size_t at = 0; at < fields.size(); ++at) {
    const std::string& type = fields[at].type;
    const bool is_short = type == "short";  // a bit takes a byte there
    if (!is_short && type != "bit" && type != "bool" && type != "byte" && type != "pid") continue;
    warn_unless_fits(*send.operands[at],
                     is_short ? scalar_type(BasicType::kShort, 16) : scalar_type(BasicType::kByte, 8),
                     fmt::format("field {} of '{}'", at + 1, to_text(*send.variable)));
  }
}

bool Sema::is_constant(const ast::Expression& value) {
  if (value.kind != ExpressionKind::kList) return constant_value(value).has_value();
  return std::ranges::all_of(value.operands, [](const ast::ExpressionPtr& each) { return is_constant(*each); });
}

const Symbol* Sema::find(const std::string& name) const {
  for (const Scope* scope = scope_; scope != nullptr; scope = scope->parent) {
    const auto table = locals_.find(scope);
    if (table == locals_.end()) continue;
    if (const auto found = table->second.find(name); found != table->second.end()) return found->second;
  }
  const auto found = globals_.find(name);
  return found == globals_.end() ? nullptr : found->second;
}

}  // namespace cmc::promela
