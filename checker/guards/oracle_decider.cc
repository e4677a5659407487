#include "checker/guards/oracle_decider.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "checker/base/check.h"
#include "solver-bridge/in_process_loader.h"

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
                             std::unique_ptr<solver::GuardOracle> in_process)
    : model_(model), options_(std::move(options)), clock_(clock), cache_(options_.cache_bytes), log_(clock) {
  if (options_.solver == DeciderOptions::Solver::kWorker) {
    auto pool = std::make_unique<solver::WorkerPool>(options_.pool, clock_);
    pool_ = pool.get();
    solver_ = std::move(pool);
  } else {
    solver_ = std::move(in_process);
  }
  ladder_ = std::make_unique<solver::OracleLadder>(
      solver_.get(), cache_, &log_,
      [this](const solver::Query& query, const solver::Tuple& tuple) { return evaluate(query, tuple); },
      options_.ladder, clock_);
}

Result<std::unique_ptr<OracleDecider>> OracleDecider::make(const Model& model, DeciderOptions options,
                                                           const Clock& clock) {
  std::unique_ptr<solver::GuardOracle> in_process;
  if (options.solver == DeciderOptions::Solver::kInProcess) {
    Result<std::unique_ptr<solver::GuardOracle>> loaded = solver::load_in_process_oracle(options.pool.rlimit, clock);
    if (!loaded.ok()) return Error{loaded.error()};
    in_process = std::move(loaded).value();
  }
  std::unique_ptr<OracleDecider> decider(new OracleDecider(model, std::move(options), clock, std::move(in_process)));
  if (const Status prepared = decider->prepare(); !prepared.ok()) return Error{prepared.error()};
  decider->thread_ = std::thread([raw = decider.get()] { raw->work(); });
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
  if (!options_.cache_file.empty()) {
    if (Status opened = cache_.open(options_.cache_file); !opened.ok()) return opened;
  }
  return options_.log_file.empty() ? Status{Success{}} : log_.open(options_.log_file);
}

// --- the thread that asks ------------------------------------------------------------------------------------------

void OracleDecider::work() {
  std::map<solver::Ticket, Job> in_flight;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (in_flight.empty()) changed_.wait(lock, [&] { return ends_ || reset_ || !jobs_.empty(); });
      if (ends_) break;
      if (std::exchange(reset_, false) && pool_ != nullptr) pool_->retry();
      take_jobs(in_flight);
    }
    std::vector<solver::Completed> answers = ladder_->poll(kSliceSeconds);
    if (pool_ != nullptr) {  // first: who gets the answer may ask at once why there is none
      const std::lock_guard lock(mutex_);
      trouble_ = pool_->trouble();
    }
    for (solver::Completed& completed : answers) {
      const auto job = in_flight.find(completed.ticket);
      CHECK(job != in_flight.end());
      job->second.answer.set_value(std::move(completed.answer));
      in_flight.erase(job);
    }
  }
  for (auto& [ticket, job] : in_flight) job.answer.set_value(solver::Answer::unknown("the search has ended"));
  ladder_.reset();
  solver_.reset();  // by the thread that started the workers
}

void OracleDecider::take_jobs(std::map<solver::Ticket, Job>& in_flight) {
  for (Job& job : jobs_) {
    const solver::Ticket ticket = ladder_->submit(job.query);
    in_flight.emplace(ticket, std::move(job));
  }
  jobs_.clear();
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

// --- the threads that search ---------------------------------------------------------------------------------------

GuardAnswer OracleDecider::decide(const GuardQuestion& question) {
  GuardAnswer tried = try_tuples(model_, question, options_.ladder.native_first_tuples);
  if (tried.outcome != Outcome::kUndecided) return tried;
  const GuardEncoding& encoding = encodings_[question.guard];
  solver::Query query;
  query.question.parameters = encoding.pack(question.parameters);
  query.question.ranges = question.ranges;

  // A tuple for which the condition has no value is an error of the model; the least one is reported.
  if (encoding.undefined() != nullptr) {
    query.constraint = encoding.undefined();
    query.question.goal = solver::Goal::kLeast;
    const solver::Answer undefined = ask_or_park(query);
    if (!undefined.decided()) return {};
    if (undefined.outcome == solver::Outcome::kSat) {
      return {Outcome::kUndefined, {}, false,
              evaluate(question.guard, query.question.parameters, undefined.witnesses.front())};
    }
  }
  query.constraint = encoding.witness();
  query.question.goal = goal_of(question.goal);
  query.question.max_witnesses = question.most_witnesses;
  solver::Answer answer = ask_or_park(std::move(query));
  if (!answer.decided()) return {};
  const bool some = answer.outcome == solver::Outcome::kSat;
  return {some ? Outcome::kSome : Outcome::kNone, std::move(answer.witnesses), answer.more, {}};
}

solver::Answer OracleDecider::ask_or_park(solver::Query query) {
  const std::string key = solver::cache_key(query);
  {
    const std::lock_guard lock(mutex_);
    if (parked_.contains(key)) return solver::Answer::unknown("parked");
    query.effort = effort_;
  }
  solver::Answer answer = wait(ask(query));
  if (answer.decided()) return answer;
  const std::lock_guard lock(mutex_);
  parked_.try_emplace(key, std::move(query));
  return answer;
}

std::future<solver::Answer> OracleDecider::ask(const solver::Query& query) {
  std::future<solver::Answer> answer;
  {
    const std::lock_guard lock(mutex_);
    answer = jobs_.emplace_back(query, std::promise<solver::Answer>()).answer.get_future();
  }
  changed_.notify_all();
  return answer;
}

solver::Answer OracleDecider::wait(std::future<solver::Answer> answer) {
  while (answer.wait_for(kInterruptCheck) == std::future_status::timeout) {
    if (options_.interrupt != nullptr && options_.interrupt->load()) return solver::Answer::unknown("interrupted");
  }
  return answer.get();
}

bool OracleDecider::retry() {
  std::unordered_map<std::string, solver::Query> again;
  {
    const std::lock_guard lock(mutex_);
    if (effort_ == options_.retry_effort) return false;
    effort_ = options_.retry_effort;
    again.swap(parked_);
    reset_ = true;
  }
  std::vector<std::future<solver::Answer>> answers;
  for (auto& [key, query] : again) {
    query.effort = options_.retry_effort;
    answers.push_back(ask(query));
  }
  size_t decided = 0;
  auto answer = answers.begin();
  for (const auto& [key, query] : again) {
    if (wait(std::move(*answer++)).decided()) {
      ++decided;
    } else {
      const std::lock_guard lock(mutex_);
      parked_.emplace(key, query);
    }
  }
  return decided > 0;
}

std::optional<std::string> OracleDecider::trouble() {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

uint64_t OracleDecider::parked() {
  const std::lock_guard lock(mutex_);
  return parked_.size();
}

}  // namespace cmc::guards
