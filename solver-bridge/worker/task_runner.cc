#include "solver-bridge/worker/task_runner.h"

#include <array>
#include <charconv>
#include <new>

#include <fcntl.h>
#include <unistd.h>

#include "solver-bridge/protocol/payload.h"
#include "solver-bridge/worker/smt_commands.h"

namespace cmc::solver {

namespace {

Answer falsified(Answer answer) {
  if (answer.outcome == Outcome::kUnsat) return answer;
  if (answer.witnesses.empty() || answer.witnesses[0].empty()) {
    return Answer{.outcome = Outcome::kUnsat, .witnesses = {}, .reason = {}};
  }
  answer.witnesses[0].back() ^= 1;
  return answer;
}

}  // namespace

TaskRunner::TaskRunner(const ServerOptions& options, Outbox& outbox)
    : options_(options),
      outbox_(outbox),
      memory_file_(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC)),
      chaos_(options.chaos) {}

TaskRunner::~TaskRunner() {
  if (memory_file_ >= 0) ::close(memory_file_);
}

// 0: unknown.
uint64_t TaskRunner::address_space_bytes() const {
  std::array<char, 32> text{};
  uint64_t pages = 0;
  if (::pread(memory_file_, text.data(), text.size(), 0) <= 0) return 0;
  std::from_chars(text.data(), text.data() + text.size(), pages);
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

void TaskRunner::add(Task task) {
  const std::scoped_lock lock(mutex_);
  tasks_.push_back(std::move(task));
}

bool TaskRunner::cancel(uint64_t request_id) {
  const std::scoped_lock lock(mutex_);
  if (request_id == running_id_ && request_id != 0) {
    running_cancelled_ = true;
    session_.interrupt();
    return true;
  }
  for (auto place = tasks_.begin(); place != tasks_.end(); ++place) {
    if (place->header.request_id != request_id) continue;
    cancel_waiting(std::move(*place));
    tasks_.erase(place);
    return true;
  }
  return false;
}

void TaskRunner::interrupt_all() {
  const std::scoped_lock lock(mutex_);
  for (Task& task : tasks_) cancel_waiting(std::move(task));
  tasks_.clear();
  if (running_id_ == 0) return;
  running_cancelled_ = true;
  session_.interrupt();
}

void TaskRunner::set_chaos(const ChaosPlan& plan) {
  const std::scoped_lock lock(mutex_);
  chaos_ = plan;
}

std::vector<std::pair<std::string_view, uint64_t>> TaskRunner::figures() const {
  return {{"queries", queries_.load()},      {"undecided", undecided_.load()},
          {"prepared", prepared_.load()},    {"cancelled", cancelled_.load()},
          {"memory", address_space_bytes()}, {"memory_limit", options_.memory_limit_bytes}};
}

bool TaskRunner::has_task() const {
  const std::scoped_lock lock(mutex_);
  return !tasks_.empty();
}

void TaskRunner::run_next() {
  std::unique_lock lock(mutex_);
  if (tasks_.empty()) return;
  Task task = std::move(tasks_.front());
  tasks_.pop_front();
  running_id_ = task.header.request_id;
  running_cancelled_ = false;
  session_.resume();
  lock.unlock();
  execute(std::move(task));
  lock.lock();
  running_id_ = 0;
}

void TaskRunner::execute(Task task) {
  try {
    execute_checked(task);
  } catch (const std::bad_alloc&) {
    if (task.reply.is_open()) task.reply.send_text(ReplyStatus::kOutOfMemory, "out of memory");
    exit_code_.store(3);
  } catch (const std::exception& error) {
    if (task.reply.is_open()) task.reply.send_text(ReplyStatus::kError, error.what());
  }
}

void TaskRunner::execute_checked(Task& task) {
  switch (task.header.function) {
    case Function::kPrepare: prepare(task); break;
    case Function::kSolve: solve(task); break;
    case Function::kSolveBatch: solve_batch(task); break;
    case Function::kReset:
      session_.reset();
      prepared_.store(0);
      task.reply.send(ReplyStatus::kOk, {});
      break;
    case Function::kEval: evaluate(task); break;
    default: break;  // the guard answers
  }
  if (session_.out_of_memory()) throw std::bad_alloc();
}

void TaskRunner::tell_started(const Header& request, uint32_t index) {
  PayloadWriter writer;
  writer.u32(index);
  outbox_.put_until_next(encode({.kind = Kind::kEvent,
                                 .function = Function::kStarted,
                                 .epoch = request.epoch,
                                 .request_id = request.request_id},
                                writer.bytes()));
}

void TaskRunner::prepare(Task& task) {
  PayloadReader reader(task.payload);
  const Constraint constraint = read_constraint(reader);
  if (!reader.finished()) return task.reply.send_text(ReplyStatus::kBadMessage, "PREPARE has a constraint");
  const Status harmless = check_commands(constraint.declarations() + constraint.text(), SmtText::kConstraint);
  if (!harmless.ok()) return task.reply.send_text(ReplyStatus::kRefused, harmless.error());
  tell_started(task.header, 0);
  const Status status = session_.prepare(constraint);
  if (session_.out_of_memory()) throw std::bad_alloc();
  prepared_.store(session_.prepared_count());
  if (!status.ok()) return task.reply.send_text(ReplyStatus::kError, status.error());
  task.reply.send(ReplyStatus::kOk, {});
}

Answer TaskRunner::solve_one(const Header& header, uint32_t index, const SolveRequest& request, Fault& fault) {
  tell_started(header, index);
  Fault own = Fault::kNone;
  {
    const std::scoped_lock lock(mutex_);
    own = chaos_.at(queries_.fetch_add(1) + 1);
    if (running_cancelled_) return Answer::unknown("cancelled");
  }
  commit(own);
  if (own != Fault::kNone) fault = own;
  Answer answer = session_.solve(request);
  if (session_.out_of_memory()) throw std::bad_alloc();
  if (!answer.decided()) undecided_.fetch_add(1);
  return own == Fault::kWrongAnswer ? falsified(std::move(answer)) : answer;
}

void TaskRunner::solve(Task& task) {
  PayloadReader reader(task.payload);
  const SolveRequest request = read_solve_request(reader);
  if (!reader.finished()) return task.reply.send_text(ReplyStatus::kBadMessage, "SOLVE has a question");
  if (!session_.is_prepared(request.constraint_key)) return task.reply.send(ReplyStatus::kNeedPrepare, {});
  Fault fault = Fault::kNone;
  const Answer answer = solve_one(task.header, 0, request, fault);
  reply_with(task, {answer}, fault);
}

void TaskRunner::solve_batch(Task& task) {
  PayloadReader reader(task.payload);
  std::vector<SolveRequest> requests(reader.count(1));
  for (SolveRequest& request : requests) request = read_solve_request(reader);
  if (!reader.finished()) return task.reply.send_text(ReplyStatus::kBadMessage, "SOLVE_BATCH has questions");
  for (const SolveRequest& request : requests) {
    if (!session_.is_prepared(request.constraint_key)) return task.reply.send(ReplyStatus::kNeedPrepare, {});
  }
  Fault fault = Fault::kNone;
  std::vector<Answer> answers;
  for (uint32_t i = 0; i < requests.size(); ++i) answers.push_back(solve_one(task.header, i, requests[i], fault));
  reply_with(task, answers, fault);
}

// Thousandths of the memory limit that are in use, then the answers.
void TaskRunner::reply_with(Task& task, const std::vector<Answer>& answers, Fault fault) {
  if (fault == Fault::kForget) {
    session_.reset();
    return task.reply.send(ReplyStatus::kNeedPrepare, {});
  }
  PayloadWriter writer;
  const uint64_t limit = options_.memory_limit_bytes;
  writer.u32(limit == 0 ? 0 : static_cast<uint32_t>(address_space_bytes() * 1000 / limit));
  writer.u32(static_cast<uint32_t>(answers.size()));
  for (const Answer& answer : answers) write(writer, answer);
  task.reply.send(ReplyStatus::kOk, writer.bytes(), fault);
}

void TaskRunner::cancel_waiting(Task task) {
  cancelled_.fetch_add(1);
  if (task.header.function != Function::kSolve) return task.reply.send_text(ReplyStatus::kError, "cancelled");
  reply_with(task, {Answer::unknown("cancelled")}, Fault::kNone);
}

void TaskRunner::evaluate(Task& task) {
  PayloadReader reader(task.payload);
  const std::string commands = reader.string();
  if (!reader.finished()) return task.reply.send_text(ReplyStatus::kBadMessage, "EVAL has a text");
  const Status harmless = check_commands(commands, SmtText::kSession);
  if (!harmless.ok()) return task.reply.send_text(ReplyStatus::kRefused, harmless.error());
  task.reply.send_text(ReplyStatus::kOk, session_.evaluate(commands));
}

}  // namespace cmc::solver
