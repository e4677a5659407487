#include "solver-bridge/oracle/oracle_ladder.h"

#include <algorithm>
#include <utility>

#include "solver-bridge/oracle/native_oracle.h"

namespace cmc::solver {

OracleLadder::OracleLadder(GuardOracle* solver, AnswerCache& cache, RequestLog* log, Evaluate evaluate,
                           LadderOptions options, const Clock& clock)
    : solver_(solver),
      cache_(cache),
      log_(log),
      evaluate_(std::move(evaluate)),
      options_(options),
      clock_(clock),
      random_(options.seed) {}

Ticket OracleLadder::submit(Query query) {
  ++figures_.queries;
  ++in_work_;
  const Asker asker{++last_ticket_, clock_.wall_seconds()};
  std::string key = cache_key(query);
  const auto same = by_key_.find(key);
  if (same != by_key_.end() && same->second->query.effort >= query.effort) {
    ++figures_.shared;
    same->second->askers.push_back(asker);
    return asker.ticket;
  }
  auto work = std::make_unique<Work>(
      Work{.query = std::move(query), .key = std::move(key), .askers = {asker}, .first_reason = {}});
  begin(std::move(work));
  return asker.ticket;
}

void OracleLadder::begin(WorkPtr work) {
  if (std::optional<Answer> known = cache_.find(work->key)) {
    if (is_right(work->query, *known) && survives_audit(*work, *known)) {
      known->from = Source::kCache;
      return finish(std::move(work), std::move(*known));
    }
    ++figures_.refuted;
    cache_.forget(work->key);
  }
  if (tuple_count(work->query.question.ranges) <= options_.native_first_tuples) {
    Answer answer = try_all(*work, options_.native_first_tuples);
    return finish(std::move(work), std::move(answer));
  }
  if (solver_ == nullptr) return fall_back(std::move(work), "there is no solver");
  ask_solver(std::move(work), false);
}

void OracleLadder::ask_solver(WorkPtr work, bool cold) {
  work->query.cold = cold;
  by_key_[work->key] = work.get();
  const Ticket ticket = solver_->submit(work->query);
  at_solver_[ticket] = std::move(work);
}

std::vector<Completed> OracleLadder::collect(double seconds) {
  const double deadline = clock_.wall_seconds() + seconds;
  while (solver_ != nullptr && !at_solver_.empty()) {
    const double left = done_.empty() ? std::max(0.0, deadline - clock_.wall_seconds()) : 0;
    std::vector<Completed> answers = solver_->poll(left);
    for (Completed& completed : answers) {
      const auto place = at_solver_.find(completed.ticket);
      if (place == at_solver_.end()) continue;
      WorkPtr work = std::move(place->second);
      at_solver_.erase(place);
      const auto by_key = by_key_.find(work->key);
      if (by_key != by_key_.end() && by_key->second == work.get()) by_key_.erase(by_key);
      work->solving_seconds += completed.solving_seconds;
      go_on(std::move(work), std::move(completed.answer));
    }
    const bool disturbed = answers.empty();  // or the time is over
    if (!done_.empty() || disturbed || clock_.wall_seconds() >= deadline) break;
  }
  return std::exchange(done_, {});
}

void OracleLadder::go_on(WorkPtr work, Answer answer) {
  std::string reason = answer.reason;
  if (answer.decided()) {
    if (is_right(work->query, answer) && survives_audit(*work, answer)) {
      return finish(std::move(work), std::move(answer));
    }
    ++figures_.refuted;
    reason = "the solver's answer was wrong";
  }
  if (work->query.cold) {
    const std::string first_reason = work->first_reason;  // the order of two arguments is the compiler's
    return fall_back(std::move(work), first_reason);
  }
  work->first_reason = reason;
  ask_solver(std::move(work), true);
}

void OracleLadder::fall_back(WorkPtr work, const std::string& reason) {
  Answer answer = try_all(*work, options_.native_last_tuples);
  if (!answer.decided()) answer.reason = reason;
  finish(std::move(work), std::move(answer));
}

Answer OracleLadder::try_all(Work& work, uint64_t max_tuples) {
  const double begin = clock_.wall_seconds();
  Answer answer = enumerate(work.query, evaluate_, max_tuples);
  work.solving_seconds += clock_.wall_seconds() - begin;
  return answer;
}

void OracleLadder::finish(WorkPtr work, Answer answer) {
  ++figures_.by_source[static_cast<size_t>(answer.from)];
  count_exclusion(*work, answer);
  if (!answer.decided()) figures_.undecided += work->askers.size();
  // Answers that were found quickly by trying are not worth a place; answers from the cache have one already.
  const bool by_solver = answer.from == Source::kWarmSolver || answer.from == Source::kColdSolver;
  const bool slow = by_solver || tuple_count(work->query.question.ranges) > options_.native_first_tuples;
  if (answer.decided() && slow && answer.from != Source::kCache) cache_.insert(work->key, answer);
  if (work->query.question.goal == Goal::kExists) answer.witnesses.clear();  // the cache keeps it, as evidence
  in_work_ -= work->askers.size();
  for (const Asker& asker : work->askers) {
    const double seconds = clock_.wall_seconds() - asker.submitted;
    const Completed completed{asker.ticket, answer, seconds, work->solving_seconds};
    if (log_ != nullptr) log_->note(completed, work->query);
    done_.push_back(completed);
  }
}

bool OracleLadder::is_right(const Query& query, const Answer& answer) {
  return well_formed(query.question, answer) &&
         std::all_of(answer.witnesses.begin(), answer.witnesses.end(),
                     [&](const Tuple& tuple) { return evaluate_(query, tuple); });
}

void OracleLadder::count_exclusion(const Work& work, const Answer& answer) {
  const bool tried = answer.from == Source::kNative;
  const bool excludes = answer.outcome == Outcome::kUnsat || work.query.question.goal != Goal::kExists;
  if (!answer.decided() || tried || !excludes) return;
  ++figures_.excluding;
  if (answer.outcome == Outcome::kUnsat) ++figures_.unsat;
  if (work.audited) ++figures_.excluding_audited;
  if (answer.from == Source::kCache) ++figures_.excluding_from_cache;
}

bool OracleLadder::survives_audit(Work& work, const Answer& answer) {
  const Query& query = work.query;
  if (tuple_count(query.question.ranges) > options_.audit_tuples) return true;
  if (std::uniform_real_distribution<>(0, 1)(random_) >= options_.audit_probability) return true;
  ++figures_.audits;
  work.audited = true;
  const Answer right = enumerate(query, evaluate_, options_.audit_tuples);
  if (answer.outcome != right.outcome || answer.more != right.more) return false;
  return query.question.goal == Goal::kExists || answer.witnesses == right.witnesses;
}

}  // namespace cmc::solver
