#include "checker/guards/oracle_decider.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "solver-bridge/pool/dialogue.h"
#include "solver-bridge/protocol/protocol.h"

namespace cmc::guards {

namespace {

using Outcome = GuardAnswer::Outcome;

// How long a new question may wait while others are at the solver.
constexpr double kSliceSeconds = 0.001;
constexpr std::chrono::milliseconds kInterruptCheck{50};

solver::Goal goal_of(GuardGoal goal) {
  switch (goal) {
    case GuardGoal::kExists: return solver::Goal::kExists;
    case GuardGoal::kAll: return solver::Goal::kAll;
    case GuardGoal::kLeast: break;
  }
  return solver::Goal::kLeast;
}

}  // namespace

OracleDecider::OracleDecider(const Model& model, DeciderOptions options, const Clock& clock,
                             solver::InProcessSolver in_process)
    : model_(model), options_(std::move(options)), clock_(clock), cache_(options_.cache_bytes), log_(clock) {
  if (options_.solver == DeciderOptions::Solver::kWorker) {
    auto pool = std::make_unique<solver::WorkerPool>(options_.pool, clock_);
    pool_ = pool.get();
    pool_->set_tell_loss([this](const std::string& why, uint64_t again) { log_.note_loss(why, again); });
    solver_ = std::move(pool);
  } else {
    solver_ = std::move(in_process.oracle);
    in_process_version_ = std::move(in_process.z3_version);
  }
  ladder_ = std::make_unique<solver::OracleLadder>(
      solver_.get(), cache_, &log_,
      [this](const solver::Query& query, const solver::Tuple& tuple) { return evaluate(query, tuple); },
      options_.ladder, clock_);
}

Result<std::unique_ptr<OracleDecider>> OracleDecider::make(const Model& model, DeciderOptions options,
                                                           const Clock& clock) {
  solver::InProcessSolver in_process;
  if (options.solver == DeciderOptions::Solver::kInProcess) {
    CMC_TRY(in_process, solver::load_in_process_oracle(options.pool.rlimit, clock));
  }
  std::unique_ptr<OracleDecider> decider(new OracleDecider(model, std::move(options), clock, std::move(in_process)));
  if (const Status prepared = decider->prepare(); !prepared.ok()) return Error{prepared.error()};
  try {
    decider->thread_ = std::thread([raw = decider.get()] { raw->work(); });
  } catch (const std::system_error& error) {
    return Error{fmt::format("there can be no thread for questions to the solver: {}", error.code().message())};
  }
  return decider;
}

OracleDecider::~OracleDecider() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Status OracleDecider::prepare() {
  for (uint32_t i = 0; i < model_.guards.size(); ++i) {
    Result<GuardEncoding> encoding = GuardEncoding::make(model_, model_.guards[i]);
    if (!encoding.ok()) {
      const SourcePlace& place = model_.guards[i].place;
      return Error{fmt::format("{}:{}: {}", model_.files[place.file], place.line, encoding.error())};
    }
    encodings_.push_back(std::move(encoding).value());
    guards_[encodings_[i].witness().get()] = i;
    if (encodings_[i].undefined() != nullptr) guards_[encodings_[i].undefined().get()] = i;
  }
  figures_.resize(model_.guards.size());
  if (!options_.cache_file.empty()) {
    if (Status opened = open_cache(); !opened.ok()) return opened;
  }
  return options_.log_file.empty() ? Status{Success{}} : log_.open(options_.log_file);
}

Status OracleDecider::open_cache() {
  const Result<std::string> name = solver_name();
  if (!name.ok()) {
    warning_ = fmt::format("the file of answers '{}' is not used, because the version of the solver is unknown: {}",
                           options_.cache_file, name.error());
    return Success{};
  }
  CMC_TRY(warning_, cache_.open(options_.cache_file, fmt::format("{} with {}", options_.program, name.value())));
  return Success{};
}

// With all that its answers depend on beside the question.
Result<std::string> OracleDecider::solver_name() const {
  switch (options_.solver) {
    case DeciderOptions::Solver::kNative: return std::string("no solver");
    case DeciderOptions::Solver::kInProcess: return fmt::format("Z3 {} in process", in_process_version_);
    case DeciderOptions::Solver::kWorker: break;
  }
  static const std::atomic<bool> kNever = false;
  solver::Dialogue worker(options_.pool, clock_, options_.interrupt != nullptr ? *options_.interrupt : kNever);
  if (const Status started = worker.start(); !started.ok()) return Error{started.error()};
  return fmt::format("Z3 {} as a worker, protocol {}", worker.solver_version(), solver::kProtocolVersion);
}

SolverFigures OracleDecider::solver_figures() const {
  const solver::LadderFigures& ladder = ladder_->figures();
  const solver::PoolFigures pool = pool_figures();
  return {ladder.unsat,   ladder.excluding, ladder.excluding_audited, ladder.excluding_from_cache,
          ladder.refuted, pool.losses,      pool.asked_again};
}

// --- the thread that asks

void OracleDecider::work() {
  std::map<solver::Ticket, Asked*> in_flight;
  std::vector<Asked*> jobs;
  bool tried_again = false;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      const auto too_hard = [&] { return waiting_ > 0 && !too_hard_.empty(); };
      if (in_flight.empty()) changed_.wait(lock, [&] { return ends_ || !jobs_.empty() || too_hard(); });
      if (ends_) break;
      if (in_flight.empty() && jobs_.empty()) {
        if (pool_ != nullptr && !std::exchange(tried_again, true)) pool_->retry();
        for (Asked* asked : too_hard_) asked->query.effort = options_.retry_effort;
        jobs_.swap(too_hard_);
      }
      jobs.swap(jobs_);
    }
    for (Asked* asked : jobs) in_flight.emplace(ladder_->submit(asked->query), asked);
    jobs.clear();
    std::vector<solver::Completed> answers = ladder_->poll(kSliceSeconds);
    if (answers.empty()) continue;
    const std::lock_guard lock(mutex_);
    if (pool_ != nullptr) trouble_ = pool_->trouble();
    for (solver::Completed& completed : answers) {
      const auto asked = in_flight.find(completed.ticket);
      CHECK(asked != in_flight.end());
      note(*asked->second, std::move(completed));
      in_flight.erase(asked);
    }
    answered_.notify_all();
  }
  ladder_.reset();
  solver_.reset();  // by the thread that started the workers
}

void OracleDecider::note(Asked& asked, solver::Completed completed) {
  GuardFigures& figures = figures_[guards_.at(asked.query.constraint.get())];
  asked.seconds += completed.solving_seconds;
  figures.seconds += completed.solving_seconds;
  figures.slowest_seconds = std::max(figures.slowest_seconds, asked.seconds);
  if (!completed.answer.decided()) {
    if (asked.query.effort < options_.retry_effort) return too_hard_.push_back(&asked);
    ++undecided_;
    ++figures.undecided;
  }
  ++figures.questions;
  if (completed.answer.from == solver::Source::kCache) ++figures.from_cache;
  asked.answer = std::move(completed.answer);
  if (!asked.told) return;
  to_tell_.push_back(asked.number);
  some_answered_ = true;
}

bool OracleDecider::evaluate(const solver::Query& query, const solver::Tuple& tuple) {
  const solver::Constraint* const constraint = query.constraint.get();
  const uint32_t guard = guards_.at(constraint);
  const ConditionResult result = evaluate(guard, query.question.parameters, tuple);
  return constraint == encodings_[guard].witness().get() ? result.kind == ConditionResult::Kind::kTrue
                                                         : !result.defined();
}

ConditionResult OracleDecider::evaluate(uint32_t guard, std::span<const int32_t> packed, const solver::Tuple& tuple) {
  return evaluate_condition(model_, model_.guards[guard], encodings_[guard].unpack(packed), tuple);
}

// --- the threads that search

GuardAnswer OracleDecider::decide(const GuardQuestion& question, bool waits) {
  GuardAnswer tried = try_tuples(model_, question, options_.ladder.native_first_tuples);
  if (tried.outcome != Outcome::kUndecided) return tried;
  const GuardEncoding& encoding = encodings_[question.guard];
  solver::Query query;
  query.question.parameters = encoding.pack(question.parameters);
  query.question.ranges = question.ranges;
  GuardAnswer pending{.outcome = Outcome::kPending, .witnesses = {}, .undefined = {}};

  // A tuple for which the condition has no value is an error of the model; the least one is reported.
  if (encoding.undefined() != nullptr) {
    query.constraint = encoding.undefined();
    query.question.goal = solver::Goal::kLeast;
    const std::optional<solver::Answer> undefined = ask(query, waits, pending.question);
    if (!undefined) return pending;
    if (!undefined->decided()) return {};
    if (undefined->outcome == solver::Outcome::kSat) {
      return {Outcome::kUndefined,
              {},
              false,
              evaluate(question.guard, query.question.parameters, undefined->witnesses.front())};
    }
  }
  query.constraint = encoding.witness();
  query.question.goal = goal_of(question.goal);
  query.question.max_witnesses = question.most_witnesses;
  std::optional<solver::Answer> answer = ask(std::move(query), waits, pending.question);
  if (!answer) return pending;
  if (!answer->decided()) return {};
  const bool some = answer->outcome == solver::Outcome::kSat;
  return {some ? Outcome::kSome : Outcome::kNone, std::move(answer->witnesses), answer->more, {}};
}

// Nothing: not known yet, and not to be waited for; `number` is that of the question then.
std::optional<solver::Answer> OracleDecider::ask(solver::Query query, bool waits, uint32_t& number) {
  std::string key = solver::cache_key(query);
  std::unique_lock lock(mutex_);
  const auto [place, is_new] = asked_.try_emplace(std::move(key));
  Asked& asked = place->second;
  if (is_new) {
    asked.query = std::move(query);
    asked.number = static_cast<uint32_t>(asked_.size());
    jobs_.push_back(&asked);
    changed_.notify_all();
  }
  if (asked.answer) return asked.answer;
  if (!waits) {
    asked.told = true;
    number = asked.number;
    return std::nullopt;
  }
  ++waiting_;
  changed_.notify_all();
  while (!asked.answer && !interrupted()) answered_.wait_for(lock, kInterruptCheck);
  --waiting_;
  if (!asked.answer) {
    ++undecided_;
    return solver::Answer::unknown("interrupted");
  }
  return asked.answer;
}

std::vector<uint32_t> OracleDecider::answered() {
  const std::lock_guard lock(mutex_);
  some_answered_ = false;
  return std::exchange(to_tell_, {});
}

void OracleDecider::wait(double seconds) {
  std::unique_lock lock(mutex_);
  ++waiting_;
  changed_.notify_all();
  answered_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return !to_tell_.empty(); });
  --waiting_;
}

std::optional<std::string> OracleDecider::trouble() {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

std::vector<GuardFigures> OracleDecider::guard_figures() {
  const std::lock_guard lock(mutex_);
  return figures_;
}

uint64_t OracleDecider::undecided() {
  const std::lock_guard lock(mutex_);
  return undecided_;
}

}  // namespace cmc::guards
