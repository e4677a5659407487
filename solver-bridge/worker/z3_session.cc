#include "solver-bridge/worker/z3_session.h"

#include <exception>
#include <new>

#include <fmt/format.h>

#include "base/check.h"

namespace cmc::solver {

class Z3Session::Running {
 public:
  Running(Z3Session& session, Z3_context context) : session_(session) {
    const std::scoped_lock lock(session.running_mutex_);
    session.running_ = context;
  }
  ~Running() {
    const std::scoped_lock lock(session_.running_mutex_);
    session_.running_ = nullptr;
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  Z3Session& session_;
};

// Runs the action, which yields an error message or ""; exceptions become messages.
template <class Action>
std::string Z3Session::guarded(Action action) noexcept {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    out_of_memory_ = true;
    return "out of memory";
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "an exception of an unknown type";
  }
}

Status Z3Session::prepare(const Constraint& constraint) noexcept {
  const std::string error = guarded([&]() -> std::string {
    if (is_prepared(constraint.key())) return "";
    auto warm = std::make_unique<Warm>(constraint);
    out_of_memory_ = out_of_memory_ || warm->context.out_of_memory();
    if (warm->context.failed()) return warm->context.error();
    constraints_.emplace(constraint.key(), Entry{constraint, std::move(warm)});
    return "";
  });
  if (!error.empty()) return Error{error};
  return Success{};
}

Answer Z3Session::ask(Warm& warm, const SolveRequest& request) {
  if (warm.context.failed()) return Answer::unknown(warm.context.error());
  const Running running(*this, warm.context.get());
  Answer answer = warm.prepared.ask(request.question, request.rlimit, interrupted_);
  // Z3 also gives up with this reason and without an error.
  const bool memory = warm.context.out_of_memory() || answer.reason.find("out of memory") != std::string::npos;
  out_of_memory_ = out_of_memory_ || memory;
  // Also if it is decided: no call that an interrupt may have cut short is relied on.
  return interrupted_.load() ? Answer::unknown("interrupted") : answer;
}

Answer Z3Session::solve(const SolveRequest& request) noexcept {
  Answer answer;
  const std::string error = guarded([&]() -> std::string {
    const auto place = constraints_.find(request.constraint_key);
    CHECK(place != constraints_.end());
    Entry& entry = place->second;
    if (!fits(request.question, entry.constraint)) return "the question does not fit the constraint";
    if (request.cold) {
      Warm fresh(entry.constraint);
      answer = ask(fresh, request);
      answer.from = Source::kColdSolver;
      return "";
    }
    if (!entry.warm) entry.warm = std::make_unique<Warm>(entry.constraint);
    answer = ask(*entry.warm, request);
    answer.from = Source::kWarmSolver;
    if (interrupted_.load() || entry.warm->context.failed()) entry.warm.reset();
    return "";
  });
  if (!error.empty()) return Answer::unknown(error);
  return answer;
}

std::string Z3Session::evaluate(const std::string& commands) noexcept {
  std::string output;
  const std::string error = guarded([&]() -> std::string {
    Z3Context context;
    const Running running(*this, context.get());
    const char* text = context.note(Z3_eval_smtlib2_string(context.get(), commands.c_str()));
    out_of_memory_ = out_of_memory_ || context.out_of_memory();
    if (text != nullptr) output = text;
    return context.failed() && output.empty() ? context.error() : "";
  });
  return error.empty() ? output : "error: " + error;
}

void Z3Session::interrupt() noexcept {
  interrupted_.store(true);
  const std::scoped_lock lock(running_mutex_);
  if (running_ != nullptr) Z3_interrupt(running_);
}

std::string Z3Session::z3_version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned build = 0;
  unsigned revision = 0;
  Z3_get_version(&major, &minor, &build, &revision);
  return fmt::format("{}.{}.{}", major, minor, build);
}

}  // namespace cmc::solver
