#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ir/expression.h"

// What a model's text asks for beside assertions, end states and freedom from run-time errors, as data.

namespace cmc {

inline constexpr uint32_t kNoClaim = 0xffffffff;
inline constexpr uint32_t kNoFormula = 0xffffffff;
inline constexpr size_t kMostAtoms = 20;  // different ones of a formula that becomes an automaton

// A node of a formula of linear temporal logic. Formulas live in an arena of the Model (Model::formulas); children
// come before their parents.
struct Formula {
  enum class Op : uint8_t {
    kTrue,
    kFalse,
    kAtom,  // `atom`, an expression that is evaluated as one of a claim: not 0
    kNot,   // left
    kAnd,   // left, right
    kOr,
    kImplies,
    kEquivalent,
    kNext,        // X left
    kAlways,      // [] left
    kEventually,  // <> left
    kUntil,       // left U right
    kRelease,     // left V right
    kWeakUntil,   // left W right
  };
  Op op = Op::kTrue;
  uint32_t left = kNoFormula;  // index into Model::formulas
  uint32_t right = kNoFormula;
  ExpressionId atom = kNoExpression;
  friend bool operator==(const Formula&, const Formula&) = default;
};

// What the text asks for.
struct Property {
  enum class Kind : uint8_t {
    kNeverClaim,
    kLtl,
    kTrace,
    kNotrace,
    kAcceptanceCycle,   // asked for by an `accept` label of a process
    kNonProgressCycle,  // asked for by a `progress` label of a process
    kEmbeddedC,         // C code, whose effect on the model is unknown
  };
  Kind kind = Kind::kNeverClaim;
  std::string name;  // of the property, or the label; may be empty
  SourcePlace place;
  uint32_t claim = kNoClaim;      // index into Model::claims: never claims, trace and notrace have one
  uint32_t formula = kNoFormula;  // index into Model::formulas of the root: ltl has one
};

// The one table of what properties are called.
struct PropertyKindInfo {
  const char* name;  // in JSON, dumps and lists: "never claim"
  const char* noun;  // the subject of a sentence: "the never claim"
};
[[nodiscard]] const PropertyKindInfo& info(Property::Kind kind);

}  // namespace cmc
