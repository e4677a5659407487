#pragma once

#include <atomic>
#include <list>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "solver-bridge/worker/outbox.h"
#include "solver-bridge/worker/server.h"
#include "solver-bridge/worker/z3_session.h"

namespace cmc::solver {

// A request on its way to the solver, with the reply that is owed.
struct Task {
  Header header;
  Bytes payload;
  Reply reply;
};

// The half of the worker that solves: one request after the other, by the thread that calls run_next(). CANCEL and
// RESET come from another thread meanwhile, and reach the solver through Z3_interrupt.
class TaskRunner {
 public:
  // REQUIRES: options and outbox live as long.
  TaskRunner(const ServerOptions& options, Outbox& outbox);
  ~TaskRunner();
  TaskRunner(const TaskRunner&) = delete;
  TaskRunner& operator=(const TaskRunner&) = delete;

  // Executes the oldest task, if there is one. Always by the same thread.
  void run_next();

  // From any thread.
  [[nodiscard]] bool has_task() const;  // one that waits
  void add(Task task);
  [[nodiscard]] bool cancel(uint64_t request_id);  // false: there is no such request
  void interrupt_all();
  void set_chaos(const ChaosPlan& plan);
  [[nodiscard]] std::vector<std::pair<std::string_view, uint64_t>> figures() const;
  // Not negative: the process has to end, when the outbox is empty.
  [[nodiscard]] int exit_code() const { return exit_code_.load(); }

 private:
  void execute(Task task);
  void execute_checked(Task& task);
  void prepare(Task& task);
  void solve(Task& task);
  void solve_batch(Task& task);
  void evaluate(Task& task);
  [[nodiscard]] Answer solve_one(const Header& header, uint32_t index, const SolveRequest& request, Fault& fault);
  void tell_started(const Header& request, uint32_t index);
  void reply_with(Task& task, const std::vector<Answer>& answers, Fault fault);
  void cancel_waiting(Task task);
  [[nodiscard]] uint64_t address_space_bytes() const;

  const ServerOptions& options_;
  Outbox& outbox_;
  const int memory_file_;
  Z3Session session_;
  mutable std::mutex mutex_;
  std::list<Task> tasks_;
  uint64_t running_id_ = 0;  // 0: none
  bool running_cancelled_ = false;
  ChaosPlan chaos_;
  std::atomic<int> exit_code_ = -1;
  std::atomic<uint64_t> queries_ = 0;
  std::atomic<uint64_t> undecided_ = 0;
  std::atomic<uint64_t> prepared_ = 0;
  std::atomic<uint64_t> cancelled_ = 0;
};

}  // namespace cmc::solver
