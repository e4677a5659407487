#pragma once

#include <cstdint>
#include <vector>

#include "base/tuples.h"
#include "ir/condition.h"
#include "ir/model.h"

// The seam between generators and whoever decides solver guards (SolverGuard, ir/expression.h).

namespace cmc {

enum class GuardGoal : uint8_t {
  kExists,  // is there a witness?
  kAll,     // all witnesses, or the so many least
  kLeast,   // the least one
};

// A guard in one state: all that its answer depends on.
struct GuardQuestion {
  uint32_t guard = 0;  // index into Model::guards
  GuardGoal goal = GuardGoal::kExists;
  uint32_t most_witnesses = 0;  // kAll: the so many least; 0: all
  std::vector<ParameterValue> parameters;
  std::vector<IntRange> ranges;
};

using Witness = IntTuple;  // one value for each target

struct GuardAnswer {
  enum class Outcome : uint8_t {
    kUndecided,  // never the same as kNone
    kNone,
    kSome,
    kUndefined,  // for some tuple the condition has no value: an error of the model
    kPending,    // not known yet
  } outcome = Outcome::kUndecided;
  std::vector<Witness> witnesses;  // kSome: in ascending lexicographic order; empty for kExists
  bool more = false;               // there are more than were asked for
  ConditionResult undefined;       // kUndefined: at the least such tuple
  uint32_t question = 0;           // kPending: its number, from 1
  friend bool operator==(const GuardAnswer&, const GuardAnswer&) = default;
};

// Equal questions have equal answers, "undecided" included; only "pending" becomes another one, once. Thread-safe.
class GuardDecider {
 public:
  virtual ~GuardDecider() = default;
  [[nodiscard]] virtual GuardAnswer decide(const GuardQuestion& question) = 0;
};

// The other side of a decider that says kPending instead of waiting: a search parks the state and goes on with
// others. Thread-safe.
class PendingGuards {
 public:
  virtual ~PendingGuards() = default;
  // The questions that were pending and are not any more. Each is told once.
  [[nodiscard]] virtual std::vector<uint32_t> answered() = 0;
  [[nodiscard]] virtual bool some_answered() const = 0;  // that were not told
  // Waits until some_answered(), at most so long. The caller has nothing else to do, so it is time for what took too
  // long.
  virtual void wait(double seconds) = 0;
};

// The answer by trying all tuples in ascending order, unless there are more than `max_tuples`: exact, and what every
// other answer is compared with. Where nothing can be undefined it ends with the last witness that is wanted.
[[nodiscard]] GuardAnswer try_tuples(const Model& model, const GuardQuestion& question, uint64_t max_tuples);

// How many a generator tries that was given no decider.
inline constexpr uint64_t kTriedTuples = uint64_t{1} << 16;

}  // namespace cmc
