#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/limits.h"
#include "base/result.h"
#include "checker/generator/wrappers/state_stack.h"
#include "checker/session/session.h"

namespace cmc::session {

struct Found {
  enum class Outcome : uint8_t { kFound, kNowhere, kLimit } outcome = Outcome::kNowhere;
  uint64_t states = 0;  // that were looked at
};

// Looks for the nearest state, from where the run is, in which the expression is not 0 as process `pid` sees it:
// breadth first, over basic steps. The run then goes there; each step on the way was taken by the reference
// interpreter, too. Else it stays. A search in slices, between which the run must not be moved.
class Finder {
 public:
  // `session` outlives this object.
  Finder(Session& session, Expression expression, uint8_t pid);

  // Looks at so many more states at most. None: it has not come to its end. kNowhere: all states that can be reached
  // from here were looked at. Error: the two interpreters disagree.
  [[nodiscard]] std::optional<Result<Found>> go_on(uint64_t states, Limits& limits);
  [[nodiscard]] uint64_t states() const { return known_.size(); }

 private:
  struct Origin {
    uint32_t state = 0;  // number of the one before
    uint32_t choice = 0;
  };
  // True: it holds in one of the states that a step leads to from this one; then that is the last one that is known.
  bool expand(uint32_t number);
  // The run takes the choices that lead to the state. False: the reference interpreter would not.
  bool walk(uint32_t number);
  [[nodiscard]] Result<Found> finish();

  Session& session_;
  Expression expression_;
  uint8_t pid_;
  StateStack known_;
  std::deque<Origin> origins_;
  uint32_t next_ = 0;  // number of the first state that was not looked at
  SuccessorBatch batch_;
  Bytes state_;
  uint64_t last_growth_ = 0;  // choices of the last state
};

// All of it at once.
[[nodiscard]] Result<Found> find(Session& session, const Expression& expression, uint8_t pid, Limits& limits);

}  // namespace cmc::session
