#include "checker/automata/generalized.h"

#include <algorithm>
#include <map>
#include <utility>

namespace cmc::automata {

namespace {

constexpr size_t kMostTerms = 4'096;  // of one state, before those are dropped that ask for more than others
constexpr size_t kMostComparisons = 1'000'000'000;  // of terms: some seconds
constexpr size_t kMostMarks = 64;

using FormulaSet = std::vector<FormulaId>;  // ascending; all of them hold

struct Term {
  Cube cube;
  FormulaSet next;
  Marks promises = 0;
  friend auto operator<=>(const Term&, const Term&) = default;

  [[nodiscard]] bool asks_no_more_than(const Term& other) const {
    return cube.contains(other.cube) && (promises & ~other.promises) == 0 &&
           std::includes(other.next.begin(), other.next.end(), next.begin(), next.end());
  }
};
using Terms = std::vector<Term>;

class Translation {
 public:
  Translation(const Formulas& formulas, GraphLimits limits) : formulas_(formulas), limits_(limits) {}

  std::optional<Graph> run(FormulaId root) {
    state_of(normal({root}));
    Graph graph;
    size_t edges = 0;
    for (uint32_t state = 0; state < terms_of_state_.size() && !too_large_; ++state) {
      const Terms terms = terms_of_state_[state];
      edges += terms.size();
      if (edges > limits_.edges) return std::nullopt;
      auto& out = graph.states.emplace_back();
      for (const Term& term : terms) out.push_back({state_of(term.next), term.cube, term.promises});
    }
    if (too_large_) return std::nullopt;
    graph.all_marks = promised_;
    for (auto& out : graph.states) {
      for (Graph::Edge& edge : out) edge.marks = graph.all_marks & ~edge.marks;
    }
    return graph;
  }

 private:
  using Op = Formulas::Op;

  uint32_t state_of(const FormulaSet& set) {
    const auto known = states_.find(set);
    if (known != states_.end()) return known->second;
    Terms terms = {Term{}};
    for (const FormulaId id : set) terms = product(terms, terms_of(id));
    std::sort(terms.begin(), terms.end());
    const auto [place, is_new] = states_by_terms_.try_emplace(terms, static_cast<uint32_t>(terms_of_state_.size()));
    if (is_new) terms_of_state_.push_back(std::move(terms));
    too_large_ = too_large_ || terms_of_state_.size() > limits_.states;
    return states_[set] = place->second;
  }

  const Terms& terms_of(FormulaId id) {
    const auto known = terms_.find(id);
    if (known != terms_.end()) return known->second;
    return terms_[id] = new_terms(id);
  }

  Terms new_terms(FormulaId id) {
    const Formulas::Node& node = formulas_[id];
    switch (node.op) {
      case Op::kLiteral: {
        const uint32_t bit = uint32_t{1} << node.atom;
        return {Term{node.negated ? Cube{0, bit} : Cube{bit, 0}, {}, 0}};
      }
      case Op::kAnd: {
        Terms terms = {Term{}};
        for (const FormulaId operand : node.operands) terms = product(terms, terms_of(operand));
        return terms;
      }
      case Op::kOr: {
        Terms terms;
        for (const FormulaId operand : node.operands) terms = sum(terms, terms_of(operand));
        return terms;
      }
      case Op::kNext: return {Term{{}, normal({node.operands[0]}), 0}};
      case Op::kUntil: {
        const Terms later = {Term{{}, {id}, mark_of(node.operands[1])}};
        return sum(terms_of(node.operands[1]), product(terms_of(node.operands[0]), later));
      }
      case Op::kRelease: break;
    }
    const Terms later = {Term{{}, {id}, 0}};
    return product(terms_of(node.operands[1]), sum(terms_of(node.operands[0]), later));
  }

  Marks mark_of(FormulaId goal) {
    const auto [place, is_new] = marks_.try_emplace(goal, marks_.size());
    if (place->second >= kMostMarks) {
      too_large_ = true;
      return 0;
    }
    const Marks mark = Marks{1} << place->second;
    promised_ |= mark;
    return mark;
  }

  Terms sum(Terms a, const Terms& b) {
    a.insert(a.end(), b.begin(), b.end());
    keep_least(a);
    return a;
  }

  Terms product(const Terms& a, const Terms& b) {
    Terms result;
    for (const Term& x : a) {
      for (const Term& y : b) {
        const Cube cube = x.cube & y.cube;
        if (cube.empty()) continue;
        FormulaSet next = x.next;
        next.insert(next.end(), y.next.begin(), y.next.end());
        result.push_back({cube, normal(std::move(next)), x.promises | y.promises});
        if (result.size() > kMostTerms) {
          too_large_ = true;
          return {};
        }
      }
    }
    keep_least(result);
    return result;
  }

  // Drops terms that ask for no less than another one.
  void keep_least(Terms& terms) {
    comparisons_ += terms.size() * terms.size();
    if (terms.size() > kMostTerms || comparisons_ > kMostComparisons) {
      too_large_ = true;
      terms.clear();
    }
    std::sort(terms.begin(), terms.end());
    terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
    Terms kept;
    for (Term& term : terms) {
      const auto asks_less = [&](const Term& other) { return &other != &term && other.asks_no_more_than(term); };
      if (std::none_of(terms.begin(), terms.end(), asks_less)) kept.push_back(term);
    }
    terms = std::move(kept);
  }

  // The set with conjunctions taken apart, without formulas that add no transition and forbid none: b beside a R b,
  // a U b beside b.
  FormulaSet normal(const FormulaSet& set) {
    FormulaSet flat;
    for (const FormulaId id : set) append_conjuncts(flat, id);
    FormulaSet implied;
    for (const FormulaId id : flat) {
      if (formulas_.op(id) == Op::kRelease) append_conjuncts(implied, formulas_.operand(id, 1));
    }
    std::sort(flat.begin(), flat.end());
    flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
    std::sort(implied.begin(), implied.end());
    FormulaSet present = flat;
    present.insert(present.end(), implied.begin(), implied.end());
    std::erase_if(flat, [&](FormulaId id) {
      if (std::binary_search(implied.begin(), implied.end(), id)) return true;
      if (formulas_.op(id) != Op::kUntil) return false;
      FormulaSet goals;
      append_conjuncts(goals, formulas_.operand(id, 1));
      return std::all_of(goals.begin(), goals.end(), [&](FormulaId goal) {
        return std::find(present.begin(), present.end(), goal) != present.end();
      });
    });
    return flat;
  }

  void append_conjuncts(FormulaSet& set, FormulaId id) const {
    if (formulas_.op(id) != Op::kAnd) {
      set.push_back(id);
      return;
    }
    const FormulaSet& operands = formulas_[id].operands;
    set.insert(set.end(), operands.begin(), operands.end());
  }

  const Formulas& formulas_;
  GraphLimits limits_;
  bool too_large_ = false;
  size_t comparisons_ = 0;
  Marks promised_ = 0;
  std::map<FormulaId, size_t> marks_;  // number of the mark
  std::map<FormulaId, Terms> terms_;
  std::map<FormulaSet, uint32_t> states_;
  std::map<Terms, uint32_t> states_by_terms_;
  std::vector<Terms> terms_of_state_;
};

}  // namespace

std::optional<Graph> generalized_automaton(const Formulas& formulas, FormulaId root, GraphLimits limits) {
  return Translation(formulas, limits).run(root);
}

}  // namespace cmc::automata
