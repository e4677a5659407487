#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "solver-bridge/oracle/answer_cache.h"
#include "solver-bridge/oracle/guard_oracle.h"
#include "solver-bridge/oracle/request_log.h"

namespace cmc::solver {

struct LadderOptions {
  uint64_t native_first_tuples = uint64_t{1} << 16;  // up to here no solver is asked
  uint64_t native_last_tuples = uint64_t{1} << 24;   // up to here tried when the solvers gave up
  double audit_probability = 0.01;                   // of comparing a solver's answer with trying the tuples
  uint64_t audit_tuples = uint64_t{1} << 20;         // where there are not more than so many
  uint64_t seed = 1;                                 // of the choice what is audited
};

struct LadderFigures {
  uint64_t queries = 0;
  uint64_t shared = 0;  // asked while the same was being answered
  uint64_t by_source[5] = {};
  uint64_t undecided = 0;
  uint64_t audits = 0;
  uint64_t refuted = 0;  // answers that were wrong: a witness that is none, or another answer than by trying
  // Answers of solvers and of the cache that exclude tuples: unsat, and lists of witnesses beside which there are no
  // others. A verdict rests on them, since nothing but an audit can refute them.
  uint64_t unsat = 0;
  uint64_t excluding = 0;             // unsat among them
  uint64_t excluding_audited = 0;     // of them
  uint64_t excluding_from_cache = 0;  // of them
};

// Asks, in this order: the cache; trying the tuples, if they are few; the solver, warm; the solver, cold; trying
// the tuples, if they are not too many; nobody. A solver's answer (or one from the cache) is believed only if every
// witness is one; a part of all answers, "unsat" above all, is compared with trying. A refuted answer counts as
// unknown, and the next one is asked. The witness of kExists, which depends on the solver's mood, is thrown away.
//
// Errs: a wrong "unsat", or a witness left out, on a large domain is not noticed. Not thread-safe.
class OracleLadder final : public GuardOracle {
 public:
  // `solver` and `log` may be null. REQUIRES: all of them live longer.
  OracleLadder(GuardOracle* solver, AnswerCache& cache, RequestLog* log, Evaluate evaluate, LadderOptions options,
               const Clock& clock);

  Ticket submit(Query query) override;
  [[nodiscard]] size_t pending() const override { return in_work_ + done_.size(); }
  [[nodiscard]] const LadderFigures& figures() const { return figures_; }

 private:
  struct Asker {
    Ticket ticket;
    double submitted;
  };
  struct Work {
    Query query;
    std::string key;
    std::vector<Asker> askers;
    std::string first_reason;  // why the warm solver did not answer
    double solving_seconds = 0;
    bool audited = false;
  };
  using WorkPtr = std::unique_ptr<Work>;

  [[nodiscard]] std::vector<Completed> collect(double seconds) override;
  void begin(WorkPtr work);
  void ask_solver(WorkPtr work, bool cold);
  void go_on(WorkPtr work, Answer answer);
  [[nodiscard]] Answer try_all(Work& work, uint64_t max_tuples);
  void fall_back(WorkPtr work, const std::string& reason);
  void finish(WorkPtr work, Answer answer);
  [[nodiscard]] bool is_right(const Query& query, const Answer& answer);
  [[nodiscard]] bool survives_audit(Work& work, const Answer& answer);
  void count_exclusion(const Work& work, const Answer& answer);

  GuardOracle* solver_;
  AnswerCache& cache_;
  RequestLog* log_;
  Evaluate evaluate_;
  LadderOptions options_;
  const Clock& clock_;
  std::mt19937_64 random_;
  std::map<Ticket, WorkPtr> at_solver_;            // by the solver's ticket
  std::unordered_map<std::string, Work*> by_key_;  // what is at the solver
  std::vector<Completed> done_;
  size_t in_work_ = 0;  // tickets
  Ticket last_ticket_ = 0;
  LadderFigures figures_;
};

}  // namespace cmc::solver
