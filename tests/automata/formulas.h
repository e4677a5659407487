#pragma once

#include <cctype>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/support/model_builder.h"

// Formulas for tests: from texts in SPIN's syntax, and random ones. An atom is the name of a bit variable.

namespace cmc::test {

class Formulary {
 public:
  using Op = Formula::Op;

  Model& model() { return builder_.model; }

  uint32_t parse(const std::string& text) {
    text_ = text;
    at_ = 0;
    const uint32_t root = equivalence();
    if (!token().empty()) throw std::runtime_error("what is " + token() + " in " + text);
    return root;
  }

  // With at most `depth` operators on each path; atoms are p, q, ...
  uint32_t random(std::mt19937_64& engine, int depth, unsigned atoms) {
    if (depth == 0 || engine() % 8 == 0) {
      if (engine() % 16 == 0) return add({engine() % 2 == 0 ? Op::kTrue : Op::kFalse});
      return atom(std::string(1, static_cast<char>('p' + engine() % atoms)));
    }
    const auto op = static_cast<Op>(static_cast<unsigned>(Op::kNot) + engine() % 11);
    const uint32_t left = random(engine, depth - 1, atoms);
    return is_unary(op) ? add({op, left}) : add({op, left, random(engine, depth - 1, atoms)});
  }

  uint32_t negation(uint32_t formula) { return add({Op::kNot, formula}); }

  ExpressionId variable(const std::string& name) {
    const auto known = variables_.find(name);
    if (known != variables_.end()) return known->second;
    return variables_[name] = builder_.read(builder_.global(name, kBitType));
  }

  uint32_t atom(const std::string& name) { return add({Op::kAtom, kNoFormula, kNoFormula, variable(name)}); }

  uint32_t add(Formula formula) {
    model().formulas.push_back(formula);
    return static_cast<uint32_t>(model().formulas.size() - 1);
  }

  std::string text(uint32_t id) {
    const Formula& formula = model().formulas[id];
    if (formula.op == Op::kTrue) return "true";
    if (formula.op == Op::kFalse) return "false";
    if (formula.op == Op::kAtom) return expression_name(formula.atom);
    const char* name = kNames[static_cast<size_t>(formula.op) - static_cast<size_t>(Op::kNot)];
    if (is_unary(formula.op)) return name + (" " + text(formula.left));
    return "(" + text(formula.left) + " " + name + " " + text(formula.right) + ")";
  }

 private:
  static constexpr const char* kNames[] = {"!", "&&", "||", "->", "<->", "X", "[]", "<>", "U", "V", "W"};

  static bool is_unary(Op op) {
    return op == Op::kNot || op == Op::kNext || op == Op::kAlways || op == Op::kEventually;
  }

  std::string expression_name(ExpressionId id) const {
    for (const auto& [name, expression] : variables_) {
      if (expression == id) return name;
    }
    return "?";
  }

  // The next token, which stays; empty: the end.
  std::string token() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    for (const char* symbol : {"<->", "->", "<>", "[]", "&&", "||", "!", "(", ")"}) {
      if (text_.compare(at_, std::string(symbol).size(), symbol) == 0) return symbol;
    }
    size_t end = at_;
    while (end < text_.size() && std::isalnum(static_cast<unsigned char>(text_[end])) != 0) ++end;
    return text_.substr(at_, end - at_);
  }
  bool take(const std::string& wanted) {
    if (token() != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  uint32_t equivalence() {
    uint32_t left = implication();
    while (take("<->")) left = add({Op::kEquivalent, left, implication()});
    return left;
  }
  uint32_t implication() {
    const uint32_t left = disjunction();
    return take("->") ? add({Op::kImplies, left, implication()}) : left;
  }
  uint32_t disjunction() {
    uint32_t left = conjunction();
    while (take("||")) left = add({Op::kOr, left, conjunction()});
    return left;
  }
  uint32_t conjunction() {
    uint32_t left = binary();
    while (take("&&")) left = add({Op::kAnd, left, binary()});
    return left;
  }
  uint32_t binary() {
    const uint32_t left = unary();
    for (const auto& [name, op] : {std::pair{"U", Op::kUntil}, {"V", Op::kRelease}, {"W", Op::kWeakUntil}}) {
      if (take(name)) return add({op, left, unary()});
    }
    return left;
  }
  uint32_t unary() {
    for (const auto& [name, op] :
         {std::pair{"!", Op::kNot}, {"X", Op::kNext}, {"[]", Op::kAlways}, {"<>", Op::kEventually}}) {
      if (take(name)) return add({op, unary()});
    }
    if (take("(")) {
      const uint32_t inner = equivalence();
      if (!take(")")) throw std::runtime_error("no ) in " + text_);
      return inner;
    }
    if (take("true")) return add({Op::kTrue});
    if (take("false")) return add({Op::kFalse});
    const std::string name = token();
    if (name.empty() || !take(name)) throw std::runtime_error("the end comes too early in " + text_);
    return atom(name);
  }

  ModelBuilder builder_;
  std::map<std::string, ExpressionId> variables_;
  std::string text_;
  size_t at_ = 0;
};

}  // namespace cmc::test
