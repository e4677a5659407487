#include <fmt/format.h>

#include "promela/sema/sema_checker.h"

// Solver guards: exists, choose, least.

namespace cmc::promela {

using ast::ExpressionKind;

namespace {

constexpr size_t kMaxTargets = 64;
constexpr uint64_t kMaxElements = 4096;  // of an array that is indexed by what depends on targets

enum class Relation : uint8_t { kDifferent, kSame, kUnclear };

// Whether two variables are the same scalar. Indices that are not constant have to be the same text for that.
Relation relation(const ast::VariableRef& a, const ast::VariableRef& b) {
  if (a.symbol == nullptr || a.symbol != b.symbol) return Relation::kDifferent;
  const auto constant = [](const ast::VariableRef& part, int32_t& value) {
    value = part.index ? part.index->value : 0;
    return !part.index || part.index->kind == ExpressionKind::kNumber;
  };
  int32_t index_a = 0;
  int32_t index_b = 0;
  const bool constant_a = constant(a, index_a);
  const bool constant_b = constant(b, index_b);
  const bool constants = constant_a && constant_b;
  if (constants && index_a != index_b) return Relation::kDifferent;
  const bool clear = constants || (a.index && b.index && to_text(*a.index) == to_text(*b.index));
  const Relation rest = a.field && b.field ? relation(*a.field, *b.field) : Relation::kSame;
  return rest == Relation::kSame && !clear ? Relation::kUnclear : rest;
}

}  // namespace

void Sema::check_guard(std::vector<ast::GuardTarget>& targets, ast::Expression& condition, bool own_names) {
  if (targets_ != nullptr) {
    error(condition.location, "a solver guard is not allowed in the condition of another; give all ranges to one");
    return;
  }
  if (targets.size() > kMaxTargets) {
    error(targets[kMaxTargets].variable->location,
          fmt::format("a solver guard looks for at most {} values", kMaxTargets));
    return;
  }
  const size_t errors = diagnostics_.error_count();
  check_ranges(targets);
  if (own_names) {
    check_own_names(targets);
  } else {
    check_assigned(targets);
  }
  if (diagnostics_.error_count() > errors) return;
  targets_ = &targets;
  own_names_ = own_names;
  check(condition);
  check_closed(condition);
  targets_ = nullptr;
}

void Sema::check_ranges(const std::vector<ast::GuardTarget>& targets) {
  for (const ast::GuardTarget& target : targets) {
    for (ast::Expression* bound : {target.low.get(), target.high.get()}) check(*bound);
  }
}

void Sema::check_own_names(const std::vector<ast::GuardTarget>& targets) {
  for (size_t i = 0; i < targets.size(); ++i) {
    const ast::VariableRef& variable = *targets[i].variable;
    if (variable.index || variable.field) {
      error(variable.location,
            "'exists' looks for values of names of its own; they have neither an index nor fields");
    }
    if (is_predefined(variable.name)) error(variable.location, fmt::format("'{}' is predefined", variable.name));
    for (size_t j = 0; j < i; ++j) {
      if (targets[j].variable->name == variable.name) {
        error(variable.location, fmt::format("'{}' is looked for twice", variable.name));
      }
    }
  }
}

void Sema::check_assigned(const std::vector<ast::GuardTarget>& targets) {
  for (const ast::GuardTarget& target : targets) {
    ast::VariableRef& variable = *target.variable;
    if (is_predefined(variable.name)) {
      error(variable.location, fmt::format("'{}' cannot be chosen", variable.name));
      continue;
    }
    const Symbol* symbol = resolve_scalar(variable);
    if (symbol != nullptr && symbol->is_channel()) {
      error(variable.location, fmt::format("channel '{}' cannot be chosen", to_text(variable)));
    }
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    const ast::VariableRef& variable = *targets[i].variable;
    for (size_t j = 0; j < i; ++j) {
      const ast::VariableRef& other = *targets[j].variable;
      if (relation(variable, other) == Relation::kDifferent) continue;
      error(variable.location, fmt::format("'{}' may be the same variable as '{}', which is chosen, too",
                                           to_text(variable), to_text(other)));
    }
  }
  // Where the chosen values are stored does not depend on them.
  targets_ = &targets;
  own_names_ = false;
  for (const ast::GuardTarget& target : targets) {
    for (const ast::VariableRef* part = target.variable.get(); part != nullptr; part = part->field.get()) {
      if (!part->index) continue;
      check(*part->index);
      if (depends_on_target(*part->index)) {
        error(part->index->location, fmt::format("the index of '{}' is chosen itself", to_text(*target.variable)));
      }
    }
  }
  targets_ = nullptr;
}

void Sema::check_choose(ast::Statement& statement) {
  if (in_d_step_ && !statement.least) {
    error(statement.location, "'choose' has several successors and cannot be used in a d_step; 'least' can");
  }
  check_guard(statement.targets, *statement.expression, false);
}

bool Sema::mark_own_name(ast::VariableRef& variable) {
  if (targets_ == nullptr || !own_names_) return false;
  for (size_t i = 0; i < targets_->size(); ++i) {
    if ((*targets_)[i].variable->name != variable.name) continue;
    variable.target = static_cast<int>(i);
    if (variable.index || variable.field) {
      error(variable.location, fmt::format("'{}' is a number; it has neither an index nor fields", variable.name));
    }
    return true;
  }
  return false;
}

void Sema::mark_target(ast::VariableRef& variable) {
  if (targets_ == nullptr || own_names_) return;
  for (size_t i = 0; i < targets_->size(); ++i) {
    const ast::VariableRef& target = *(*targets_)[i].variable;
    switch (relation(variable, target)) {
      case Relation::kDifferent: break;
      case Relation::kSame: variable.target = static_cast<int>(i); break;
      case Relation::kUnclear:
        error(variable.location,
              fmt::format("whether '{}' is '{}', which is chosen, is not clear; write the same index",
                          to_text(variable), to_text(target)));
        return;
    }
  }
}

void Sema::check_closed(const ast::VariableRef& variable) {
  uint64_t elements = 1;
  bool depends = false;
  for (const ast::VariableRef* part = &variable; part != nullptr; part = part->field.get()) {
    if (!part->index || part->index->kind == ExpressionKind::kNumber) continue;
    check_closed(*part->index);
    depends = depends || depends_on_target(*part->index);
    elements *= part->symbol != nullptr ? part->symbol->count : 1;
  }
  if (depends && elements > kMaxElements) {
    error(variable.location, fmt::format("'{}' can be one of {} elements; a solver guard takes at most {}",
                                         to_text(variable), elements, kMaxElements));
  }
}

void Sema::check_closed(const ast::Expression& e) {
  switch (e.kind) {
    case ExpressionKind::kVariable: check_closed(*e.variable); return;
    case ExpressionKind::kUnary:
    case ExpressionKind::kBinary:
    case ExpressionKind::kConditional:
      for (const ast::ExpressionPtr& operand : e.operands) check_closed(*operand);
      return;
    default: break;
  }
  if (!depends_on_target(e)) return;
  error(e.location,
        fmt::format("'{}' depends on what is looked for; only arithmetic, comparisons and elements of arrays can",
                    to_text(e)));
}

}  // namespace cmc::promela
