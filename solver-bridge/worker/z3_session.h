#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "solver-bridge/protocol/query.h"
#include "solver-bridge/worker/prepared_constraint.h"

namespace cmc::solver {

// Z3 behind four calls. Constraints are prepared once; each has a context and an incremental solver of its own, so
// that an error or an interrupt harms one constraint only. Nothing is thrown out. `memory_max_size` is never set:
// once it was exceeded, Z3 4.8.12 refuses everything for the rest of the process; who wants a limit limits the
// address space, and ends the process when out_of_memory() is true.
//
// A context is thrown away after an interrupt and after any error: an interrupt that comes between two calls makes
// the next one fail (measured: a push is lost, and its pop goes wrong).
//
// Thread-safety: one thread, but for interrupt().
class Z3Session {
 public:
  Z3Session() = default;
  Z3Session(const Z3Session&) = delete;
  Z3Session& operator=(const Z3Session&) = delete;

  // An error is Z3's message about the text. Preparing again is free.
  [[nodiscard]] Status prepare(const Constraint& constraint) noexcept;
  [[nodiscard]] bool is_prepared(const std::string& constraint_key) const {
    return constraints_.contains(constraint_key);
  }

  // REQUIRES: is_prepared(request.constraint_key).
  [[nodiscard]] Answer solve(const SolveRequest& request) noexcept;

  // Executes SMT-LIB2 commands in a context of their own and yields their output; for debugging.
  [[nodiscard]] std::string evaluate(const std::string& commands) noexcept;

  // What runs now, or what begins next if nothing runs, ends soon with "unknown", until resume(). Any thread.
  void interrupt() noexcept;
  void resume() noexcept { interrupted_.store(false); }

  void reset() noexcept { constraints_.clear(); }

  [[nodiscard]] size_t prepared_count() const { return constraints_.size(); }
  [[nodiscard]] bool out_of_memory() const { return out_of_memory_; }
  [[nodiscard]] static std::string z3_version();

 private:
  struct Warm {
    explicit Warm(const Constraint& constraint) : prepared(context, constraint) {}
    Z3Context context;
    PreparedConstraint prepared;
  };
  struct Entry {
    Constraint constraint;
    std::unique_ptr<Warm> warm;  // null: to be made again
  };
  // Names the context that interrupt() is to reach.
  class Running;

  template <class Action>
  std::string guarded(Action action) noexcept;
  [[nodiscard]] Answer ask(Warm& warm, const SolveRequest& request);

  std::map<std::string, Entry> constraints_;
  std::atomic<bool> interrupted_ = false;
  bool out_of_memory_ = false;
  std::mutex running_mutex_;
  Z3_context running_ = nullptr;
};

}  // namespace cmc::solver
