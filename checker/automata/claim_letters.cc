#include "checker/automata/claim_letters.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "checker/automata/atoms.h"
#include "checker/automata/formula.h"
#include "checker/automata/rewrite.h"
#include "ir/condition.h"
#include "ir/effects.h"
#include "ir/print.h"

namespace cmc::automata {

namespace {

constexpr size_t kMostBits = 10;                // atoms, and whether they fail
constexpr size_t kMostPairs = size_t{1} << 16;  // of states, for each letter

// What is to be known of expressions: whether they are functions of the state, without _last and what is computed
// from the steps that it has, and whether they fail.
class ExpressionReader {
 public:
  explicit ExpressionReader(const Model& model) : model_(model) {}

  [[nodiscard]] bool reads_state_only(ExpressionId id) const {
    const Expression& e = model_.expressions[id];
    switch (e.op) {
      case Operator::kConstant:
      case Operator::kProcessCount:
      case Operator::kRemoteLocation: break;
      case Operator::kVariable:
        if (e.reference.space != Space::kGlobal || !reads_state_only(e.reference)) return false;
        break;
      case Operator::kRemoteVariable:
        if (!reads_state_only(e.reference)) return false;
        break;
      case Operator::kPoll:
        for (const ReceiveArgument& argument : e.arguments) {
          if (argument.kind == ReceiveArgument::Kind::kMatch && !reads_state_only(argument.match)) return false;
        }
        break;
      default:
        if (e.op < Operator::kNegate || e.op > Operator::kNotEmpty) return false;
        break;
    }
    return std::ranges::all_of(e.operands, [&](ExpressionId operand) { return reads_state_only(operand); });
  }

  // Whether it may have no value. The length of a channel has one if the channel has a name that it keeps.
  [[nodiscard]] bool may_have_no_value(ExpressionId id) const {
    const Expression& e = model_.expressions[id];
    if (e.op >= Operator::kLength && e.op <= Operator::kNotEmpty) return !names_channel(e.operands[0]);
    if (e.op < Operator::kNegate || e.op > Operator::kConditional || e.op == Operator::kDivide ||
        e.op == Operator::kModulo) {
      return may_fail(model_, id);
    }
    return std::ranges::any_of(e.operands, [&](ExpressionId operand) { return may_have_no_value(operand); });
  }

 private:
  [[nodiscard]] bool names_channel(ExpressionId id) const {
    const Expression& e = model_.expressions[id];
    if (e.op != Operator::kVariable || e.reference.space != Space::kGlobal || !e.reference.indices.empty()) {
      return false;
    }
    const auto here = [&](const VariableReference& other) {
      return other.space == Space::kGlobal && other.offset == e.reference.offset && other.indices.empty();
    };
    bool written = false;
    for (const Statement& statement : model_.statements) {
      for_each_written(model_, statement, [&](const VariableReference& target) {
        written = written || (target.space == Space::kGlobal && (!target.indices.empty() || here(target)));
      });
    }
    return !written && std::ranges::any_of(model_.initializers, [&](const Initializer& initializer) {
      return initializer.channel >= 0 && here(initializer.target);
    });
  }
  [[nodiscard]] bool reads_state_only(const VariableReference& reference) const {
    return std::ranges::all_of(reference.indices,
                               [&](const auto& index) { return reads_state_only(index.expression); });
  }

  const Model& model_;
};

class ClaimReader {
 public:
  ClaimReader(const Model& model, const Proctype& claim)
      : model_(model), claim_(claim), rewriter_(formulas_), atoms_(model, formulas_, rewriter_) {}

  Result<LetterAutomaton> read() {
    for (const Location& location : claim_.locations) {
      for (const Edge& edge : location.edges) {
        if (const char* fault = learn(edge)) return Error{at(fault, model_.statements[edge.statement].place)};
      }
    }
    bits_ = atoms_.expressions().size();
    for (AtomId atom = 0; atom < atoms_.expressions().size(); ++atom) {
      fail_bits_.push_back(ExpressionReader(model_).may_have_no_value(atoms_.expressions()[atom])
                               ? std::optional(bits_++)
                               : std::nullopt);
    }
    if (bits_ > kMostBits) return Error{at("has too many different conditions", claim_.place)};
    number_locations();
    for (uint32_t valuation = 0; valuation < uint32_t{1} << bits_; ++valuation) {
      if (!add_letter(valuation)) return Error{at("has an endless atomic sequence", claim_.place)};
    }
    const size_t states = automaton_.states.size();
    if (states * states * automaton_.letters > kMostPairs) return Error{at("is too large", claim_.place)};
    return std::move(automaton_);
  }

 private:
  static constexpr uint32_t kFinal = 1;  // number of the final state

  // Why it is no condition; null: it is one.
  const char* learn(const Edge& edge) {
    const Statement& statement = model_.statements[edge.statement];
    if (edge.escape != 0) return "has an `unless`";
    switch (statement.kind) {
      case StatementKind::kSkip:
      case StatementKind::kElse:
      case StatementKind::kEndProcess: return nullptr;
      case StatementKind::kCondition:
      case StatementKind::kAssert: break;
      default: return "does more than test conditions";
    }
    if (!ExpressionReader(model_).reads_state_only(statement.expression)) {
      return "asks for more than variables, channels and locations";
    }
    conditions_.try_emplace(statement.expression, atoms_.read(statement.expression));
    return nullptr;
  }
  [[nodiscard]] std::string at(const char* fault, SourcePlace place) const {
    return fmt::format("the claim {}{}", fault, place_text(model_, place, " (", ")"));
  }

  void number_locations() {
    const auto add = [&](LocationId location) {
      number_[location] = static_cast<uint32_t>(automaton_.states.size());
      LetterAutomaton::State& state = automaton_.states.emplace_back();
      state.accepting = claim_.locations[location].accepting;
    };
    number_.resize(claim_.locations.size(), kFinal);
    add(claim_.start);
    LetterAutomaton::State& final = automaton_.states.emplace_back();
    final.accepting = final.final = true;
    for (LocationId location = 1; location < claim_.locations.size(); ++location) {
      if (location != claim_.start && !claim_.locations[location].valid_end) add(location);
    }
    if (claim_.locations[claim_.start].valid_end) automaton_.states[0].accepting = automaton_.states[0].final = true;
  }

  // Valuations by which the automaton cannot tell states apart are one letter. False: a move never ends.
  bool add_letter(uint32_t valuation) {
    std::vector<std::vector<uint32_t>> targets(automaton_.states.size());
    for (LocationId location = 1; location < claim_.locations.size(); ++location) {
      std::vector<uint32_t>& its = targets[number_[location]];
      if (number_[location] == kFinal) continue;
      std::vector<LocationId> way{location};
      if (!follow(valuation, way, its)) return false;
      std::ranges::sort(its);
      its.erase(std::unique(its.begin(), its.end()), its.end());
    }
    for (uint32_t state = 0; state < targets.size(); ++state) {
      if (automaton_.states[state].final) targets[state] = {state};
    }
    if (!letters_.insert({targets, automaton_.letters}).second) return true;
    ++automaton_.letters;
    for (size_t i = 0; i < targets.size(); ++i) automaton_.states[i].targets.push_back(std::move(targets[i]));
    return true;
  }

  enum class Truth : uint8_t { kFalse, kTrue, kFails };

  // Adds where the moves lead that begin with `way`: through atomic sequences without a stop.
  bool follow(uint32_t valuation, std::vector<LocationId>& way, std::vector<uint32_t>& targets) {
    bool earlier = false;  // an edge before this one can be taken
    for (const Edge& edge : claim_.locations[way.back()].edges) {
      const Statement& statement = model_.statements[edge.statement];
      if (statement.kind == StatementKind::kEndProcess || (statement.kind == StatementKind::kElse && earlier))
        continue;
      const bool asks = statement.kind == StatementKind::kCondition || statement.kind == StatementKind::kAssert;
      const Truth truth = asks ? truth_of(statement.expression, valuation) : Truth::kTrue;
      if (statement.kind == StatementKind::kCondition && truth == Truth::kFalse) continue;
      earlier = true;
      if (truth != Truth::kTrue || number_[edge.target] == kFinal) {
        targets.push_back(kFinal);
      } else if (!edge.atomic) {
        targets.push_back(number_[edge.target]);
      } else {
        if (std::ranges::find(way, edge.target) != way.end()) return false;
        way.push_back(edge.target);
        if (!follow(valuation, way, targets)) return false;
        way.pop_back();
      }
    }
    return true;
  }

  // A condition of which a part may fail is one atom (Atoms), so no other part protects it.
  [[nodiscard]] Truth truth_of(ExpressionId condition, uint32_t valuation) const {
    const FormulaId formula = conditions_.at(condition);
    if (fails(formula, valuation)) return Truth::kFails;
    return holds(formula, valuation) ? Truth::kTrue : Truth::kFalse;
  }
  [[nodiscard]] bool fails(FormulaId id, uint32_t valuation) const {
    const Formulas::Node& node = formulas_[id];
    if (node.op != Formulas::Op::kLiteral) {
      return std::ranges::any_of(node.operands, [&](FormulaId each) { return fails(each, valuation); });
    }
    const std::optional<size_t> bit = fail_bits_[node.atom];
    return bit && (valuation >> *bit & 1) != 0;
  }
  [[nodiscard]] bool holds(FormulaId id, uint32_t valuation) const {
    const Formulas::Node& node = formulas_[id];
    const auto its = [&](FormulaId each) { return holds(each, valuation); };
    switch (node.op) {
      case Formulas::Op::kAnd: return std::ranges::all_of(node.operands, its);
      case Formulas::Op::kOr: return std::ranges::any_of(node.operands, its);
      default: return ((valuation >> node.atom & 1) != 0) != node.negated;
    }
  }

  const Model& model_;
  const Proctype& claim_;
  Formulas formulas_;
  Rewriter rewriter_;
  Atoms atoms_;
  std::map<ExpressionId, FormulaId> conditions_;
  size_t bits_ = 0;                               // of a valuation: the truth of each atom, then which of them fail
  std::vector<std::optional<size_t>> fail_bits_;  // by atom; none: it cannot fail
  std::vector<uint32_t> number_;                  // by location
  LetterAutomaton automaton_;
  std::map<std::vector<std::vector<uint32_t>>, size_t> letters_;  // by the targets of all states
};

}  // namespace

Result<LetterAutomaton> letters_of_claim(const Model& model, const Proctype& claim) {
  return ClaimReader(model, claim).read();
}

}  // namespace cmc::automata
