#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "checker/generator/guard_decider.h"
#include "checker/guards/guard_encoding.h"
#include "checker/guards/guard_figures.h"
#include "solver-bridge/oracle/oracle_ladder.h"
#include "solver-bridge/pool/in_process_loader.h"
#include "solver-bridge/pool/worker_pool.h"

namespace cmc::guards {

struct DeciderOptions {
  enum class Solver : uint8_t { kWorker, kInProcess, kNative } solver = Solver::kWorker;
  solver::PoolOptions pool;  // kWorker
  solver::LadderOptions ladder;
  uint64_t cache_bytes = uint64_t{64} << 20;
  std::string cache_file;                        // empty: none
  std::string program;                           // name and version, which the answers in the file belong to
  std::string log_file;                          // empty: none
  uint32_t retry_effort = 10;                    // multiplies all limits, the second time
  const std::atomic<bool>* interrupt = nullptr;  // then nothing more is decided
};

// Decides solver guards. The calling thread tries all tuples if there are few. Other questions go to an OracleLadder,
// which a thread of its own runs: several searching threads keep several workers busy, and the lifetime of a worker
// depends on no searching thread.
//
// As a GuardDecider this class waits for answers; parking() is a decider that says "pending" instead. Answers are
// kept as long as this object lives, so a search may ask again at any time. A question that nobody could decide is
// asked once more, with `retry_effort` times the limits, when a search waits and no other question is open; after
// that it is undecided.
class OracleDecider final : public GuardDecider, public PendingGuards {
 public:
  // `model` and `clock` live longer. Error: a file cannot be used, or a guard cannot be encoded.
  [[nodiscard]] static Result<std::unique_ptr<OracleDecider>> make(const Model& model, DeciderOptions options,
                                                                   const Clock& clock);
  ~OracleDecider() override;
  OracleDecider(const OracleDecider&) = delete;
  OracleDecider& operator=(const OracleDecider&) = delete;

  [[nodiscard]] GuardAnswer decide(const GuardQuestion& question) override { return decide(question, true); }
  [[nodiscard]] GuardDecider& parking() { return parking_; }

  [[nodiscard]] std::vector<uint32_t> answered() override;
  [[nodiscard]] bool some_answered() const override { return some_answered_.load(std::memory_order_relaxed); }
  void wait(double seconds) override;

  // Why the solver does not answer (any more), for the user.
  [[nodiscard]] std::optional<std::string> trouble();
  // How many questions have no answer: nobody could decide them, or they were given up because of an interrupt.
  [[nodiscard]] uint64_t undecided();
  // By guard of the model.
  [[nodiscard]] std::vector<GuardFigures> guard_figures();
  // While no search is running.
  [[nodiscard]] const solver::LadderFigures& figures() const { return ladder_->figures(); }
  [[nodiscard]] SolverFigures solver_figures() const;
  // For the user: about the file of answers; empty: nothing.
  [[nodiscard]] const std::string& warning() const { return warning_; }
  [[nodiscard]] solver::PoolFigures pool_figures() const {
    return pool_ != nullptr ? pool_->figures() : solver::PoolFigures{};
  }

 private:
  struct Parking final : GuardDecider {
    explicit Parking(OracleDecider& of) : decider(of) {}
    [[nodiscard]] GuardAnswer decide(const GuardQuestion& question) override {
      return decider.decide(question, false);
    }
    OracleDecider& decider;
  };
  // A question that came up, and what is known.
  struct Asked {
    solver::Query query;
    uint32_t number = 0;
    bool told = false;  // that it is pending, so that its answer is to be told, too
    double seconds = 0;
    std::optional<solver::Answer> answer;
  };

  OracleDecider(const Model& model, DeciderOptions options, const Clock& clock, solver::InProcessSolver in_process);
  [[nodiscard]] Status prepare();
  [[nodiscard]] Status open_cache();
  [[nodiscard]] Result<std::string> solver_name() const;
  void work();
  void note(Asked& asked, solver::Completed completed);
  [[nodiscard]] GuardAnswer decide(const GuardQuestion& question, bool waits);
  [[nodiscard]] std::optional<solver::Answer> ask(solver::Query query, bool waits, uint32_t& number);
  [[nodiscard]] bool interrupted() const { return options_.interrupt != nullptr && options_.interrupt->load(); }
  [[nodiscard]] bool evaluate(const solver::Query& query, const solver::Tuple& tuple);
  [[nodiscard]] ConditionResult evaluate(uint32_t guard, std::span<const int32_t> packed, const solver::Tuple& tuple);

  const Model& model_;
  const DeciderOptions options_;
  const Clock& clock_;
  Parking parking_{*this};
  std::vector<GuardEncoding> encodings_;                            // by guard
  std::unordered_map<const solver::Constraint*, uint32_t> guards_;  // whose constraint it is

  // The thread's own.
  std::unique_ptr<solver::GuardOracle> solver_;
  std::string in_process_version_;
  std::string warning_;
  solver::WorkerPool* pool_ = nullptr;  // if that is what solver_ is
  solver::AnswerCache cache_;
  solver::RequestLog log_;
  std::unique_ptr<solver::OracleLadder> ladder_;

  std::mutex mutex_;                              // of all below
  std::condition_variable changed_;               // for the thread that asks
  std::condition_variable answered_;              // for those that search
  std::unordered_map<std::string, Asked> asked_;  // by solver::cache_key
  std::vector<Asked*> jobs_;
  std::vector<Asked*> too_hard_;  // with the limits so far
  std::vector<uint32_t> to_tell_;
  std::atomic<bool> some_answered_{false};  // to_tell_ is not empty
  unsigned waiting_ = 0;                    // who wait, and have nothing else to do
  bool ends_ = false;
  std::optional<std::string> trouble_;
  uint64_t undecided_ = 0;
  std::vector<GuardFigures> figures_;

  std::thread thread_;
};

}  // namespace cmc::guards
