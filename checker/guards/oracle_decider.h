#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "checker/base/clock.h"
#include "checker/base/result.h"
#include "checker/generator/guard_decider.h"
#include "checker/guards/guard_encoding.h"
#include "solver-bridge/oracle_ladder.h"
#include "solver-bridge/worker_pool.h"

namespace cmc::guards {

struct DeciderOptions {
  enum class Solver : uint8_t { kWorker, kInProcess, kNative } solver = Solver::kWorker;
  solver::PoolOptions pool;                    // kWorker
  solver::LadderOptions ladder;
  uint64_t cache_bytes = uint64_t{64} << 20;
  std::string cache_file;                      // empty: none
  std::string log_file;                        // empty: none
  uint32_t retry_effort = 10;                  // for retry(): multiplies all limits
  const std::atomic<bool>* interrupt = nullptr;  // then nothing more is decided
};

// Decides solver guards by an OracleLadder. Few tuples are tried where the question comes up; everything else is asked by a
// thread of its own, which owns the solver, so that several searching threads keep several workers busy and a worker's life
// is bound to no thread that searches.
//
// A question that nobody could decide is parked, once for all states in which it comes up: it stays undecided during this
// search. retry() asks all parked questions again with more effort; when some are decided then, the search is to be run
// again.
class OracleDecider final : public GuardDecider {
 public:
  // `model` and `clock` live longer. Error: a file cannot be used, or a guard cannot be encoded.
  [[nodiscard]] static Result<std::unique_ptr<OracleDecider>> make(const Model& model, DeciderOptions options,
                                                                   const Clock& clock);
  ~OracleDecider() override;
  OracleDecider(const OracleDecider&) = delete;
  OracleDecider& operator=(const OracleDecider&) = delete;

  [[nodiscard]] GuardAnswer decide(const GuardQuestion& question) override;

  // No search is running. True: something was decided, and from now on every question gets that much effort.
  [[nodiscard]] bool retry();

  // For the user: why the solver does not answer (any more).
  [[nodiscard]] std::optional<std::string> trouble();
  [[nodiscard]] uint64_t parked();
  // While no search is running.
  [[nodiscard]] const solver::LadderFigures& figures() const { return ladder_->figures(); }
  [[nodiscard]] const solver::RequestLog& requests() const { return log_; }
  [[nodiscard]] solver::PoolFigures pool_figures() const { return pool_ != nullptr ? pool_->figures() : solver::PoolFigures{}; }

 private:
  struct Job {
    solver::Query query;
    std::promise<solver::Answer> answer;
  };

  OracleDecider(const Model& model, DeciderOptions options, const Clock& clock,
                std::unique_ptr<solver::GuardOracle> in_process);
  [[nodiscard]] Status prepare();
  void work();
  void take_jobs(std::map<solver::Ticket, Job>& in_flight);
  [[nodiscard]] std::future<solver::Answer> ask(const solver::Query& query);
  [[nodiscard]] solver::Answer wait(std::future<solver::Answer> answer);
  [[nodiscard]] solver::Answer ask_or_park(solver::Query query);
  [[nodiscard]] bool evaluate(const solver::Query& query, const solver::Tuple& tuple);
  [[nodiscard]] ConditionResult evaluate(uint32_t guard, std::span<const int32_t> packed, const solver::Tuple& tuple);

  const Model& model_;
  const DeciderOptions options_;
  const Clock& clock_;
  std::vector<GuardEncoding> encodings_;                         // by guard
  std::unordered_map<const solver::Constraint*, uint32_t> guards_;  // whose constraint it is

  // The thread's own.
  std::unique_ptr<solver::GuardOracle> solver_;
  solver::WorkerPool* pool_ = nullptr;  // if that is what solver_ is
  solver::AnswerCache cache_;
  solver::RequestLog log_;
  std::unique_ptr<solver::OracleLadder> ladder_;

  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool ends_ = false;
  bool reset_ = false;  // the pool is to forget what went wrong
  std::optional<std::string> trouble_;
  std::unordered_map<std::string, solver::Query> parked_;  // by solver::cache_key
  uint32_t effort_ = 1;

  std::thread thread_;
};

}  // namespace cmc::guards
