#pragma once

#include <atomic>
#include <functional>
#include <string>

#include <zmq.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "solver-bridge/pool/pool_options.h"
#include "solver-bridge/pool/supervisor.h"

namespace cmc::solver {

// One worker that a person talks to: one request at a time, waiting for its reply. A worker that is lost is not
// started again. Not thread-safe.
class Dialogue {
 public:
  // `interrupted` ends all waiting.
  Dialogue(PoolOptions options, const Clock& clock, const std::atomic<bool>& interrupted)
      : options_(std::move(options)), interrupted_(interrupted), worker_(context_, options_, clock) {}

  // Starts it; both sides check that the other one speaks their version of the protocol.
  [[nodiscard]] Status start();
  // The payload of the reply. Error: what the worker says is wrong, or what became of it.
  [[nodiscard]] Result<Bytes> ask(Function function, ByteView payload);

  [[nodiscard]] pid_t pid() const { return worker_.pid(); }
  [[nodiscard]] const std::string& solver_version() const { return worker_.solver_version(); }

 private:
  // Waits until `done`, which sees every reply.
  [[nodiscard]] Status wait_until(const std::function<bool(const WorkerEvent* reply)>& done);

  const PoolOptions options_;
  const std::atomic<bool>& interrupted_;
  zmq::context_t context_{1};
  Supervisor worker_;
  uint64_t last_request_ = 0;
};

}  // namespace cmc::solver
