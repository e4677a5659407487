#include "solver-bridge/protocol/query.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/sha1.h"

namespace cmc::solver {

namespace {

// Length and content, so that different lists never give the same text.
void append_sized(std::string& to, std::string_view text) { to += fmt::format("{}:{},", text.size(), text); }

std::string key_of(const std::vector<std::string>& parameters, const std::vector<std::string>& targets,
                   std::string_view text) {
  std::string all = fmt::format("{} {} ", parameters.size(), targets.size());
  for (const std::string& name : parameters) append_sized(all, name);
  for (const std::string& name : targets) append_sized(all, name);
  append_sized(all, text);
  return sha1_hex(all);
}

bool in_ranges(const Tuple& tuple, std::span<const Range> ranges) {
  if (tuple.size() != ranges.size()) return false;
  for (size_t i = 0; i < tuple.size(); ++i) {
    if (tuple[i] < ranges[i].low || tuple[i] > ranges[i].high) return false;
  }
  return true;
}

}  // namespace

Constraint::Constraint(std::vector<std::string> parameters, std::vector<std::string> targets, std::string text)
    : parameters_(std::move(parameters)),
      targets_(std::move(targets)),
      text_(std::move(text)),
      key_(key_of(parameters_, targets_, text_)) {}

std::string Constraint::declarations() const {
  std::string result;
  for (const auto* names : {&parameters_, &targets_}) {
    for (const std::string& name : *names) result += fmt::format("(declare-const |{}| (_ BitVec 32))\n", name);
  }
  return result;
}

std::string_view name_of(Goal goal) {
  switch (goal) {
    case Goal::kExists: return "exists";
    case Goal::kAll: return "all";
    case Goal::kLeast: return "least";
  }
  return "?";
}

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kUnknown: return "unknown";
    case Outcome::kUnsat: return "unsat";
    case Outcome::kSat: return "sat";
  }
  return "?";
}

std::string_view name_of(Source source) {
  switch (source) {
    case Source::kNobody: return "nobody";
    case Source::kCache: return "cache";
    case Source::kNative: return "native";
    case Source::kWarmSolver: return "warm";
    case Source::kColdSolver: return "cold";
  }
  return "?";
}

bool fits(const Question& question, const Constraint& constraint) {
  return question.parameters.size() == constraint.parameters().size() &&
         question.ranges.size() == constraint.targets().size();
}

bool well_formed(const Question& question, const Answer& answer) {
  const std::vector<Tuple>& witnesses = answer.witnesses;
  if (answer.outcome != Outcome::kSat) return witnesses.empty() && !answer.more;
  if (witnesses.empty() || (question.goal != Goal::kAll && witnesses.size() != 1)) return false;
  const bool limited = question.goal == Goal::kAll && question.max_witnesses != 0;
  if (limited && witnesses.size() > question.max_witnesses) return false;
  if (answer.more && !(limited && witnesses.size() == question.max_witnesses)) return false;
  const auto outside = [&](const Tuple& tuple) { return !in_ranges(tuple, question.ranges); };
  if (std::any_of(witnesses.begin(), witnesses.end(), outside)) return false;
  return std::adjacent_find(witnesses.begin(), witnesses.end(), std::greater_equal<>()) == witnesses.end();
}

std::string cache_key(const Query& query) {
  const Question& question = query.question;
  std::string key = query.constraint->key();
  const auto append = [&key](auto value) { key.append(reinterpret_cast<const char*>(&value), sizeof value); };
  append(question.goal);
  append(question.max_witnesses);
  for (const int32_t value : question.parameters) append(value);
  for (const Range& range : question.ranges) {
    append(range.low);
    append(range.high);
  }
  return key;
}

std::string smt2_constant(int32_t value) { return fmt::format("#x{:08x}", static_cast<uint32_t>(value)); }

std::string to_smt2(const Query& query) {
  const Constraint& constraint = *query.constraint;
  const Question& question = query.question;
  CHECK(fits(question, constraint));
  std::string text = fmt::format("; cmc solver query: {}, at most {} witnesses (0: all), constraint {}\n",
                                 name_of(question.goal), question.max_witnesses, constraint.key());
  text += "(set-logic QF_BV)\n" + constraint.declarations() + constraint.text() + "\n";
  for (size_t i = 0; i < question.parameters.size(); ++i) {
    text += fmt::format("(assert (= |{}| {}))\n", constraint.parameters()[i], smt2_constant(question.parameters[i]));
  }
  for (size_t i = 0; i < question.ranges.size(); ++i) {
    const std::string& name = constraint.targets()[i];
    text += fmt::format("(assert (and (bvsle {} |{}|) (bvsle |{}| {})))\n", smt2_constant(question.ranges[i].low),
                        name, name, smt2_constant(question.ranges[i].high));
  }
  return text + "(check-sat)\n(get-model)\n";
}

}  // namespace cmc::solver
