#include "solver-bridge/worker/prepared_constraint.h"

#include <algorithm>

#include <fmt/format.h>

namespace cmc::solver {

namespace {

// More witnesses than this are not collected: the answer is "unknown".
constexpr size_t kMostWitnesses = size_t{1} << 18;

}  // namespace

PreparedConstraint::PreparedConstraint(Z3Context& context, const Constraint& constraint)
    : context_(context), solver_(context, Z3_mk_simple_solver(context.get())) {
  for (const std::string& name : constraint.parameters()) parameters_.push_back(constant(name));
  for (const std::string& name : constraint.targets()) targets_.push_back(constant(name));
  const std::string text = constraint.declarations() + constraint.text();
  const Z3Terms assertions(
      context, Z3_parse_smtlib2_string(context.get(), text.c_str(), 0, nullptr, nullptr, 0, nullptr, nullptr));
  if (context.failed()) return;
  const unsigned number = Z3_ast_vector_size(context.get(), assertions.get());
  for (unsigned i = 0; i < number; ++i) {
    assert_term(Z3Term(context, Z3_ast_vector_get(context.get(), assertions.get(), i)));
  }
}

Z3Term PreparedConstraint::constant(const std::string& name) {
  const Z3_symbol symbol = Z3_mk_string_symbol(context_.get(), name.c_str());
  return {context_, Z3_mk_const(context_.get(), symbol, Z3_mk_bv_sort(context_.get(), 32))};
}

Z3Term PreparedConstraint::number(int32_t value) {
  return {context_,
          Z3_mk_unsigned_int(context_.get(), static_cast<uint32_t>(value), Z3_mk_bv_sort(context_.get(), 32))};
}

Z3Term PreparedConstraint::equal(const Z3Term& term, int32_t value) {
  return {context_, Z3_mk_eq(context_.get(), term.get(), number(value).get())};
}

Z3Term PreparedConstraint::at_most(const Z3Term& term, int32_t value) {
  return {context_, Z3_mk_bvsle(context_.get(), term.get(), number(value).get())};
}

Z3Term PreparedConstraint::at_least(const Z3Term& term, int32_t value) {
  return {context_, Z3_mk_bvsge(context_.get(), term.get(), number(value).get())};
}

Z3Term PreparedConstraint::differs_from(const Tuple& tuple) {
  std::vector<Z3Term> equalities;
  std::vector<Z3_ast> raw;
  for (size_t i = 0; i < tuple.size(); ++i) {
    equalities.push_back(equal(targets_[i], tuple[i]));
    raw.push_back(equalities.back().get());
  }
  const Z3Term same(context_, Z3_mk_and(context_.get(), static_cast<unsigned>(raw.size()), raw.data()));
  return {context_, Z3_mk_not(context_.get(), same.get())};
}

// t0 > v0 or (t0 = v0 and (t1 > v1 or (t1 = v1 and ... false)))
Z3Term PreparedConstraint::greater_than(const Tuple& tuple) {
  Z3Term result(context_, Z3_mk_false(context_.get()));
  for (size_t i = tuple.size(); i-- > 0;) {
    const Z3Term same = equal(targets_[i], tuple[i]);
    const Z3Term value = number(tuple[i]);
    const Z3Term greater(context_, Z3_mk_bvsgt(context_.get(), targets_[i].get(), value.get()));
    const Z3_ast both[] = {same.get(), result.get()};
    const Z3Term later(context_, Z3_mk_and(context_.get(), 2, both));
    const Z3_ast either[] = {greater.get(), later.get()};
    result = Z3Term(context_, Z3_mk_or(context_.get(), 2, either));
  }
  return result;
}

void PreparedConstraint::set_rlimit(uint32_t rlimit) {
  if (rlimit_ == rlimit) return;
  const Z3Params params(context_, Z3_mk_params(context_.get()));
  if (context_.failed()) return;
  Z3_params_set_uint(context_.get(), params.get(), Z3_mk_string_symbol(context_.get(), "rlimit"), rlimit);
  context_.note();
  Z3_solver_set_params(context_.get(), solver_.get(), params.get());
  context_.note();
  rlimit_ = rlimit;
}

void PreparedConstraint::assert_term(const Z3Term& term) {
  if (context_.failed()) return;
  Z3_solver_assert(context_.get(), solver_.get(), term.get());
  context_.note();
}

void PreparedConstraint::push() {
  if (context_.failed()) return;
  Z3_solver_push(context_.get(), solver_.get());
  context_.note();
}

void PreparedConstraint::pop() {
  if (context_.failed()) return;
  Z3_solver_pop(context_.get(), solver_.get(), 1);
  context_.note();
}

PreparedConstraint::Check PreparedConstraint::check() {
  if (context_.failed() || interrupted_->load()) return Check::kUnknown;
  const Z3_lbool result = context_.note(Z3_solver_check(context_.get(), solver_.get()));
  if (context_.failed() || result == Z3_L_UNDEF) return Check::kUnknown;
  if (result == Z3_L_FALSE) return Check::kUnsat;
  std::optional<Tuple> tuple = read_model();
  if (!tuple) return Check::kUnknown;
  model_ = std::move(*tuple);
  return Check::kSat;
}

std::optional<Tuple> PreparedConstraint::read_model() {
  const Z3Model model(context_, Z3_solver_get_model(context_.get(), solver_.get()));
  if (context_.failed()) return std::nullopt;
  Tuple tuple;
  for (const Z3Term& target : targets_) {
    Z3_ast value = nullptr;
    const bool evaluated = context_.note(Z3_model_eval(context_.get(), model.get(), target.get(), true, &value));
    if (!evaluated || context_.failed()) return std::nullopt;
    const Z3Term kept(context_, value);
    uint64_t number = 0;
    if (!context_.note(Z3_get_numeral_uint64(context_.get(), kept.get(), &number))) return std::nullopt;
    tuple.push_back(static_cast<int32_t>(static_cast<uint32_t>(number)));
  }
  return tuple;
}

Answer PreparedConstraint::ask(const Question& question, uint32_t rlimit, const std::atomic<bool>& interrupted) {
  interrupted_ = &interrupted;
  if (tuple_count(question.ranges) == 0) return Answer{.outcome = Outcome::kUnsat, .witnesses = {}, .reason = {}};
  set_rlimit(rlimit);
  push();
  assert_question(question);
  Answer result = answer(question);
  pop();
  return context_.failed() ? Answer::unknown(context_.error()) : result;
}

void PreparedConstraint::assert_question(const Question& question) {
  for (size_t i = 0; i < parameters_.size(); ++i) assert_term(equal(parameters_[i], question.parameters[i]));
  for (size_t i = 0; i < targets_.size(); ++i) {
    assert_term(at_least(targets_[i], question.ranges[i].low));
    assert_term(at_most(targets_[i], question.ranges[i].high));
  }
}

Answer PreparedConstraint::answer(const Question& question) {
  switch (question.goal) {
    case Goal::kAll: return all(question);
    case Goal::kLeast: return smallest(question, 1);
    case Goal::kExists: break;
  }
  switch (check()) {
    case Check::kSat: return Answer{.outcome = Outcome::kSat, .witnesses = {model_}, .reason = {}};
    case Check::kUnsat: return Answer{.outcome = Outcome::kUnsat, .witnesses = {}, .reason = {}};
    case Check::kUnknown: break;
  }
  return unknown();
}

// Excludes each witness found until there is no other; with more than are wanted, starts anew from the least one.
Answer PreparedConstraint::all(const Question& question) {
  const size_t wanted = question.max_witnesses == 0 ? kMostWitnesses : question.max_witnesses;
  if (wanted > kMostWitnesses) return Answer::unknown(fmt::format("more than {} witnesses", kMostWitnesses));
  Answer result;
  push();
  Check found = check();
  while (found == Check::kSat && result.witnesses.size() < wanted) {
    result.witnesses.push_back(model_);
    assert_term(differs_from(model_));
    found = check();
  }
  pop();
  if (found == Check::kUnknown) return unknown();
  if (found == Check::kUnsat) {
    std::sort(result.witnesses.begin(), result.witnesses.end());
    result.outcome = result.witnesses.empty() ? Outcome::kUnsat : Outcome::kSat;
    return result;
  }
  if (question.max_witnesses == 0) return Answer::unknown(fmt::format("more than {} witnesses", kMostWitnesses));
  result = smallest(question, question.max_witnesses);
  result.more = result.outcome == Outcome::kSat;
  return result;
}

// The `number` least witnesses, or as many as there are.
Answer PreparedConstraint::smallest(const Question& question, uint32_t number) {
  Answer result;
  while (result.witnesses.size() < number) {
    const Check found = check();
    if (found == Check::kUnknown) return unknown();
    if (found == Check::kUnsat) break;
    std::optional<Tuple> tuple = least(question);
    if (!tuple) return unknown();
    if (result.witnesses.size() + 1 < number) assert_term(greater_than(*tuple));
    result.witnesses.push_back(std::move(*tuple));
  }
  result.outcome = result.witnesses.empty() ? Outcome::kUnsat : Outcome::kSat;
  return result;
}

// The least witness by binary search: target by target, between what is excluded and the best model so far.
// REQUIRES: the last check was kSat.
std::optional<Tuple> PreparedConstraint::least(const Question& question) {
  Tuple best = model_;
  push();
  for (size_t i = 0; i < targets_.size(); ++i) {
    int64_t low = question.ranges[i].low;
    while (low < best[i]) {
      const auto middle = static_cast<int32_t>(low + (best[i] - low) / 2);
      push();
      assert_term(at_most(targets_[i], middle));
      const Check found = check();
      pop();
      if (found == Check::kUnknown) {
        pop();
        return std::nullopt;
      }
      if (found == Check::kSat) best = model_;
      if (found == Check::kUnsat) low = int64_t{middle} + 1;
    }
    assert_term(equal(targets_[i], best[i]));
  }
  pop();
  return best;
}

Answer PreparedConstraint::unknown() {
  if (context_.failed()) return Answer::unknown(context_.error());
  if (interrupted_->load()) return Answer::unknown("interrupted");
  const char* reason = context_.note(Z3_solver_get_reason_unknown(context_.get(), solver_.get()));
  // Z3 4.8.12 says "canceled" when rlimit is used up, too.
  const std::string text = reason == nullptr || context_.failed() ? "no reason" : reason;
  return Answer::unknown(text == "canceled" ? "the resource limit is used up" : "the solver gave up: " + text);
}

}  // namespace cmc::solver
