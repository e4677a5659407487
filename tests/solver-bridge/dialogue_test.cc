#include "solver-bridge/pool/dialogue.h"

#include <csignal>
#include <thread>

#include "solver-bridge/protocol/payload.h"
#include "tests/solver-bridge/pool_cases.h"

#include "tests/catch.h"

namespace cmc::solver {
namespace {

const std::atomic<bool> kNever = false;

PoolOptions with_eval() {
  PoolOptions options = test::fast_options();
  options.eval = true;
  return options;
}

Bytes text_payload(const std::string& text) {
  PayloadWriter writer;
  writer.string(text);
  return writer.bytes();
}

TEST_CASE("dialogue: a person asks a worker, which leaves nothing behind") {
  const SystemClock clock;
  pid_t pid = 0;
  {
    Dialogue worker(with_eval(), clock, kNever);
    REQUIRE(worker.start().ok());
    pid = worker.pid();
    CHECK(test::is_alive(pid));
    CHECK(worker.solver_version().starts_with("4."));
    const Result<Bytes> answer = worker.ask(Function::kEval, text_payload("(check-sat)"));
    REQUIRE(answer.ok());
    CHECK(PayloadReader(answer.value()).string() == "sat\n");
    CHECK(worker.ask(Function::kStats, {}).ok());
    const Result<Bytes> refused = worker.ask(Function::kChaos, text_payload("segv"));
    REQUIRE(!refused.ok());
    CHECK(refused.error() == "started without --chaos");
  }
  CHECK(test::all_gone({pid}, 1));
  CHECK(test::sockets_of(::getpid()) == 0);
}

TEST_CASE("dialogue: a worker that dies, or is none, is an error that says so") {
  const SystemClock clock;
  Dialogue worker(with_eval(), clock, kNever);
  CHECK(!worker.ask(Function::kStats, {}).ok());
  REQUIRE(worker.start().ok());
  ::kill(worker.pid(), SIGKILL);
  const Result<Bytes> answer = worker.ask(Function::kEval, text_payload("(check-sat)"));
  REQUIRE(!answer.ok());
  CHECK(answer.error().find("signal 9") != std::string::npos);
  CHECK(worker.ask(Function::kStats, {}).error() == "there is no solver worker");

  PoolOptions options = test::fast_options();
  options.worker_path = "/bin/true";
  Dialogue other(options, clock, kNever);
  const Status started = other.start();
  REQUIRE(!started.ok());
  CHECK(started.error().find("exit code 0") != std::string::npos);
}

TEST_CASE("dialogue: waiting for an answer can be interrupted") {
  const SystemClock clock;
  std::atomic<bool> interrupted = false;
  Dialogue worker(with_eval(), clock, interrupted);
  REQUIRE(worker.start().ok());
  std::thread user([&interrupted] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    interrupted = true;
  });
  // A product of two large primes.
  const Result<Bytes> answer = worker.ask(
      Function::kEval, text_payload("(declare-const x (_ BitVec 64))(declare-const y (_ BitVec 64))"
                                    "(assert (= (bvmul x y) #x3ffffff8000003fb))(assert (bvult x #x0000000100000000))"
                                    "(assert (bvult y #x0000000100000000))(assert (bvult #x0000000000000001 x))"
                                    "(assert (bvult #x0000000000000001 y))(check-sat)"));
  user.join();
  REQUIRE(!answer.ok());
  CHECK(answer.error() == "interrupted");
}

}  // namespace
}  // namespace cmc::solver
