#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "solver-bridge/protocol/query.h"

namespace cmc::solver {

using Ticket = uint64_t;

struct Completed {
  Ticket ticket = 0;
  Answer answer;
  double seconds = 0;          // from submit() to here
  double solving_seconds = 0;  // of them, what the answer itself took: without the time in a queue
};

// Is the tuple a witness of the query's constraint under its parameters? An undefined tuple is none. Called by the
// thread that calls the oracle.
using Evaluate = std::function<bool(const Query& query, const Tuple& tuple)>;

// Decides the guards that only a solver can decide. The seam between search and bridge: WorkerPool (Z3
// in processes of their own), InProcessOracle (Z3 in this one), NativeOracle (tries every tuple), OracleLadder (each
// of them in turn).
//
// Every ticket gets exactly one answer, in any order; "unknown" is an answer. Not thread-safe.
class GuardOracle {
 public:
  virtual ~GuardOracle() = default;

  // REQUIRES: the question fits the constraint. Does not wait.
  virtual Ticket submit(Query query) = 0;
  // The answers so far; waits at most this many seconds for the first one. A signal also ends the waiting.
  [[nodiscard]] std::vector<Completed> poll(double seconds);
  // Asks and waits for the answer; the other ones are kept for poll().
  [[nodiscard]] Answer solve(Query query);
  // Tickets without an answer that poll() has handed out (but for those that solve() keeps).
  [[nodiscard]] virtual size_t pending() const = 0;

 private:
  [[nodiscard]] virtual std::vector<Completed> collect(double seconds) = 0;
  std::vector<Completed> kept_;
};

}  // namespace cmc::solver
