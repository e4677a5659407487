#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

// Formulas of linear temporal logic in negative normal form: only atoms are negated. Eventually p is `true U p`,
// always p is `false R p`.

namespace cmc::automata {

using FormulaId = uint32_t;
using AtomId = uint32_t;  // index into Automaton::atoms

inline constexpr FormulaId kFalse = 0;
inline constexpr FormulaId kTrue = 1;

// Owns formulas and names them by number: equal formulas have equal numbers. It changes nothing in what it is given;
// Rewriter (rewrite.h) does.
class Formulas {
 public:
  enum class Op : uint8_t { kLiteral, kAnd, kOr, kNext, kUntil, kRelease };

  struct Node {
    Op op = Op::kLiteral;
    bool negated = false;  // kLiteral
    AtomId atom = 0;       // kLiteral
    // kAnd, kOr: two or more, ascending; none: true and false. kNext: one. kUntil, kRelease: two.
    std::vector<FormulaId> operands;
    friend auto operator<=>(const Node&, const Node&) = default;
  };

  Formulas();

  FormulaId intern(Node node);
  FormulaId literal(AtomId atom, bool negated);
  FormulaId negation(FormulaId id);

  // Of the formula; valid until the next one is made.
  [[nodiscard]] const Node& operator[](FormulaId id) const { return nodes_[id]; }
  [[nodiscard]] Op op(FormulaId id) const { return nodes_[id].op; }
  [[nodiscard]] FormulaId operand(FormulaId id, size_t i) const { return nodes_[id].operands[i]; }
  [[nodiscard]] bool is_eventually(FormulaId id) const { return op(id) == Op::kUntil && operand(id, 0) == kTrue; }
  [[nodiscard]] bool is_always(FormulaId id) const { return op(id) == Op::kRelease && operand(id, 0) == kFalse; }

  // Syntactic classes (Etessami, Holzmann, Optimizing Büchi automata, 2000). If an eventual formula holds at a later
  // position, it holds now; if a universal one holds now, it holds at all later positions.
  [[nodiscard]] bool is_eventual(FormulaId id) const { return traits_[id].eventual; }
  [[nodiscard]] bool is_universal(FormulaId id) const { return traits_[id].universal; }
  [[nodiscard]] bool is_suspendable(FormulaId id) const { return is_eventual(id) && is_universal(id); }

 private:
  struct Traits {
    bool eventual = true;
    bool universal = true;
  };
  [[nodiscard]] Traits traits_of(const Node& node) const;

  std::vector<Node> nodes_;
  std::vector<Traits> traits_;
  std::vector<FormulaId> negations_;  // by formula; kUnknown: not made yet
  std::map<Node, FormulaId> ids_;
};

}  // namespace cmc::automata
