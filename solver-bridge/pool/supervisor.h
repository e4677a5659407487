#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <zmq.hpp>

#include "base/clock.h"
#include "solver-bridge/pool/pool_options.h"
#include "solver-bridge/pool/worker_process.h"
#include "solver-bridge/protocol/protocol.h"

namespace cmc::solver {

struct WorkerEvent {
  enum class Kind : uint8_t {
    kReply,
    kStarted,   // the worker begins with a request
    kLost,      // the worker has died, or was killed because of what it did
    kUnusable,  // no worker can be had: to start another one would not help
  };
  Kind kind = Kind::kReply;
  Header header;              // kReply, kStarted
  Bytes payload;              // kReply, kStarted
  std::string text;           // kLost, kUnusable: what happened
  bool from_outside = false;  // kLost: by a SIGKILL that was not ours
  bool at_start = false;      // kLost: before it was ready
};

// One place for a worker: starts it, greets it, passes messages to and fro, notices its end, starts it again after a
// pause (none at first, then 10 ms doubled up to 1 s). Each incarnation has a socket and an epoch of its own, so no
// message of an earlier one can be mistaken. Whatever is no correct message of this incarnation costs the worker its
// life.
//
// Passive: nothing happens outside of its calls. Not thread-safe; the worker dies with the thread that called
// start().
class Supervisor {
 public:
  Supervisor(zmq::context_t& context, const PoolOptions& options, const Clock& clock)
      : context_(context), options_(options), clock_(clock) {}

  [[nodiscard]] bool is_down() const { return state_ == State::kDown; }
  [[nodiscard]] bool is_ready() const { return state_ == State::kReady; }
  [[nodiscard]] bool is_due() const { return is_down() && clock_.wall_seconds() >= next_start_; }
  [[nodiscard]] uint32_t epoch() const { return epoch_; }
  [[nodiscard]] pid_t pid() const { return process_ ? process_->pid() : -1; }
  [[nodiscard]] const std::string& solver_version() const {
    return solver_version_;
  }  // of the last one that was ready

  // REQUIRES: is_due(). `epoch` is greater than all before. Failure is an event of the next process().
  void start(uint32_t epoch, bool with_chaos);
  // REQUIRES: is_ready().
  void send(Function function, uint64_t request_id, ByteView payload);
  // Kills it; no event follows.
  void stop();
  // Kills it, and reports it as lost, unless it is lost already.
  void lose(std::string why) {
    if (!is_down()) give_up(std::move(why), false);
  }
  // It has answered: the next restart is without a pause.
  void succeeded() { losses_ = 0; }

  void append_poll_items(std::vector<zmq_pollitem_t>& items);
  // Deals with all that has arrived, without waiting.
  [[nodiscard]] std::vector<WorkerEvent> process();
  // When process() has something to do though nothing arrives, or start() something to start.
  [[nodiscard]] std::optional<double> next_deadline(bool wanted) const;

 private:
  enum class State : uint8_t { kDown, kStarting, kGreeting, kReady };

  [[nodiscard]] bool choose_keys();
  void connect(const std::string& endpoint);
  void receive();
  void receive_message(const zmq::message_t& message);
  void receive_greeting(const Decoded& decoded);
  void notice_end();
  void give_up(std::string why, bool from_outside);
  void refuse_for_good(std::string why);
  [[nodiscard]] std::string with_last_words(std::string text) const;

  zmq::context_t& context_;
  const PoolOptions& options_;
  const Clock& clock_;
  State state_ = State::kDown;
  std::unique_ptr<WorkerProcess> process_;
  std::optional<zmq::socket_t> socket_;
  std::optional<CurveKeys> keys_;  // of this incarnation; none: the transport needs none
  uint32_t epoch_ = 0;
  std::string solver_version_;
  double start_deadline_ = 0;
  double next_start_ = 0;
  unsigned losses_ = 0;  // since the last success
  std::vector<WorkerEvent> events_;
};

}  // namespace cmc::solver
