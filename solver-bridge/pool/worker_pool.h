#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <zmq.hpp>

#include "base/clock.h"
#include "solver-bridge/oracle/guard_oracle.h"
#include "solver-bridge/pool/supervisor.h"
#include "solver-bridge/protocol/active_wait.h"
#include "solver-bridge/protocol/query.h"

namespace cmc::solver {

struct PoolFigures {
  uint64_t submitted = 0;
  uint64_t answered = 0;     // by a worker
  uint64_t messages = 0;     // SOLVE and SOLVE_BATCH
  uint64_t starts = 0;       // of workers
  uint64_t losses = 0;       // of workers
  uint64_t asked_again = 0;  // queries of these, each time
  uint64_t soft_timeouts = 0;
  uint64_t hard_timeouts = 0;
  uint64_t poisoned = 0;
  uint64_t recycled = 0;
  uint64_t stale_replies = 0;
};

// Workers that answer queries, whatever happens to them. Every ticket gets exactly one answer.
//
// A worker has one message at a time (a query, or a batch of queries about one constraint), so a death is the fault
// of that message; STARTED tells which query of a batch. Queries of a dead worker are sent again, those of a batch
// one by one, and one that a worker has died of in a fresh worker, where nothing else can be the cause. After
// `deaths_until_poison` deaths a query is poison: unknown, until retry(), and written down. Workers that die one
// after the other without an answer open the circuit breaker: everything is unknown until retry().
//
// Passive: workers are fed and deadlines are kept in submit() and poll() only; who leaves them alone for long gets
// late answers, but never wrong ones. Not thread-safe. The destructor leaves no process and no socket behind.
class WorkerPool final : public GuardOracle {
 public:
  WorkerPool(PoolOptions options, const Clock& clock);
  ~WorkerPool() override;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  Ticket submit(Query query) override;
  [[nodiscard]] size_t pending() const override { return queue_.size() + in_flight_ + done_.size(); }
  // Why nothing is answered (any more): for the user.
  [[nodiscard]] const std::optional<std::string>& trouble() const { return trouble_; }
  // Closes the circuit breaker, and forgets which queries are poison.
  void retry();

  [[nodiscard]] const PoolFigures& figures() const { return figures_; }
  // To be told of each worker that dies: why, and how many queries are asked again.
  using TellLoss = std::function<void(const std::string& why, uint64_t asked_again)>;
  void set_tell_loss(TellLoss tell_loss) { tell_loss_ = std::move(tell_loss); }
  [[nodiscard]] std::vector<pid_t> worker_pids() const;
  // An ECHO of so many bytes on a worker that is idle and ready; false if there is none, or it was lost. For
  // benchmarks.
  [[nodiscard]] bool echo(size_t bytes);

 private:
  struct Job {
    Ticket ticket = 0;
    Query query;
    double submitted = 0;
    double solving_seconds = 0;  // until `since`
    double since = 0;            // when the worker that has it began with it
    unsigned deaths = 0;
    unsigned kills = 0;
    unsigned prepares = 0;
    bool alone = false;  // not in a batch (again)
  };
  struct Flight {
    uint64_t request_id = 0;
    uint64_t prepare_id = 0;  // 0: none
    std::vector<Job> jobs;
    double soft_deadline = 0;
    double hard_deadline = 0;
    bool cancelled = false;
    std::optional<uint32_t> started;  // index of the job that the worker began with last
  };
  struct Slot {
    explicit Slot(zmq::context_t& context, const PoolOptions& options, const Clock& clock)
        : supervisor(context, options, clock) {}
    Supervisor supervisor;
    std::set<std::string> prepared;  // keys of constraints that this incarnation has
    uint64_t next_request_id = 1;
    unsigned queries = 0;
    std::optional<Flight> flight;
    bool echoed = false;
  };

  [[nodiscard]] std::vector<Completed> collect(double seconds) override;
  void make_slots();
  void start_workers();
  void dispatch();
  [[nodiscard]] std::vector<Job> take_batch(bool is_fresh);
  void set_deadlines(Flight& flight, uint32_t effort);
  void send_flight(Slot& slot, std::vector<Job> jobs);
  [[nodiscard]] bool wait(double seconds);
  void process_events();
  void handle(Slot& slot, const WorkerEvent& event);
  void note_started(Slot& slot, const WorkerEvent& event);
  void handle_reply(Slot& slot, const WorkerEvent& event);
  void finish_flight(Slot& slot, const WorkerEvent& event);
  void read_answers(Slot& slot, const WorkerEvent& event, Flight flight);
  void take_back(Flight flight, const std::string& why, bool from_outside);
  void blame(Job& job, bool from_outside);
  void requeue_or_poison(Job job, const std::string& why);
  void check_deadlines();
  void recycle(Slot& slot, uint32_t memory_permille);
  void complete(const Job& job, Answer answer);
  static void end_solving(Flight& flight, double now);
  static void share_solving(Flight& flight, double now);
  void open_breaker(const std::string& why);
  [[nodiscard]] double next_deadline() const;
  [[nodiscard]] std::string write_poison(const Job& job) const;

  const PoolOptions options_;
  const Clock& clock_;
  std::unique_ptr<zmq::context_t> context_;  // null until the first query
  std::vector<std::unique_ptr<Slot>> slots_;
  std::deque<Job> queue_;
  size_t in_flight_ = 0;
  std::vector<Completed> done_;
  ActiveWait active_wait_;
  std::map<std::string, std::string> refused_;  // constraints that Z3 refuses, and why
  std::map<std::string, std::string> poison_;   // cache keys of queries, and what they did
  std::optional<std::string> trouble_;
  unsigned losses_ = 0;  // since the last answer
  bool was_ready_ = false;
  uint32_t last_epoch_ = 0;
  Ticket last_ticket_ = 0;
  PoolFigures figures_;
  TellLoss tell_loss_;  // may be empty
};

}  // namespace cmc::solver
