#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/tuples.h"

// Questions and answers: a constraint over 32-bit parameters and targets, a question about the tuples of
// target values that meet it, and an answer of three values. Everything here is plain data.

namespace cmc::solver {

using Tuple = IntTuple;  // one value for each target
using Range = IntRange;

// A condition as SMT-LIB2 text: assertions (and definitions) over the constants named by `parameters` and `targets`,
// all of sort (_ BitVec 32), which the text does not declare itself. A name holds neither '|' nor '\'.
class Constraint {
 public:
  Constraint(std::vector<std::string> parameters, std::vector<std::string> targets, std::string text);

  [[nodiscard]] const std::vector<std::string>& parameters() const { return parameters_; }
  [[nodiscard]] const std::vector<std::string>& targets() const { return targets_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& key() const { return key_; }  // SHA-1 of all three, 40 digits
  [[nodiscard]] std::string declarations() const;                // (declare-const |name| (_ BitVec 32)) for each

 private:
  std::vector<std::string> parameters_;
  std::vector<std::string> targets_;
  std::string text_;
  std::string key_;
};
using ConstraintPtr = std::shared_ptr<const Constraint>;

enum class Goal : uint8_t {
  kExists = 1,  // is there a witness at all?
  kAll = 2,     // all witnesses, ascending
  kLeast = 3,   // the smallest one
};

struct Question {
  Goal goal = Goal::kExists;
  uint32_t max_witnesses = 0;       // for kAll: the so many least; 0: all
  std::vector<int32_t> parameters;  // their values, in the order of the constraint
  std::vector<Range> ranges;        // of the targets, in the order of the constraint
  bool operator==(const Question&) const = default;
};

struct Query {
  ConstraintPtr constraint;
  Question question;
  uint32_t effort = 1;  // multiplies rlimit and time limits
  bool cold = false;    // in a fresh context, where nothing that was asked before has an influence
};

// A query as a solver sees it: the constraint is named by its key, the limit is a number.
struct SolveRequest {
  std::string constraint_key;
  Question question;
  uint32_t rlimit = 0;  // Z3's resource units for each check; 0: no limit
  bool cold = false;
  bool operator==(const SolveRequest&) const = default;
};

enum class Outcome : uint8_t { kUnknown = 0, kUnsat = 1, kSat = 2 };
enum class Source : uint8_t { kNobody = 0, kCache = 1, kNative = 2, kWarmSolver = 3, kColdSolver = 4 };

// kUnknown never counts as "no witness".
struct Answer {
  Outcome outcome = Outcome::kUnknown;
  // kAll, kLeast: the witnesses, in ascending lexicographic order. kExists: one witness as evidence, to be checked;
  // which one it is depends on the solver's mood, nothing else may depend on it.
  std::vector<Tuple> witnesses;
  bool more = false;   // kAll with max_witnesses: there are others beyond
  std::string reason;  // of kUnknown
  Source from = Source::kNobody;
  bool operator==(const Answer&) const = default;

  [[nodiscard]] bool decided() const { return outcome != Outcome::kUnknown; }
  [[nodiscard]] static Answer unknown(std::string why) { return Answer{.witnesses = {}, .reason = std::move(why)}; }
};

[[nodiscard]] std::string_view name_of(Goal goal);
[[nodiscard]] std::string_view name_of(Outcome outcome);
[[nodiscard]] std::string_view name_of(Source source);

// Does the question have as many parameters and ranges as the constraint has parameters and targets?
[[nodiscard]] bool fits(const Question& question, const Constraint& constraint);

// Do the witnesses have the form that the question asks for (number, length, ranges, ascending order)?
[[nodiscard]] bool well_formed(const Question& question, const Answer& answer);

// Identifies constraint and question (not effort and cold): equal keys have equal answers.
[[nodiscard]] std::string cache_key(const Query& query);

// The query as a text for `z3 FILE`.
[[nodiscard]] std::string to_smt2(const Query& query);

// A value as an SMT-LIB2 constant of 32 bits: #x0000002a
[[nodiscard]] std::string smt2_constant(int32_t value);

}  // namespace cmc::solver
