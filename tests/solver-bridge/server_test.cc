#include "solver-bridge/worker/server.h"

#include <chrono>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <zmq.hpp>

#include "solver-bridge/pool/worker_process.h"
#include "solver-bridge/protocol/endpoint.h"
#include "solver-bridge/protocol/payload.h"
#include "tests/solver-bridge/pool_cases.h"

#include "tests/catch.h"

namespace cmc::solver {
namespace {

// A worker, and a client that can send it anything.
class RawClient {
 public:
  explicit RawClient(std::vector<std::string> more = {}) : context_(1), socket_(context_, ZMQ_DEALER) {
    std::vector<std::string> arguments = {"--endpoint",  "ipc://@cmc-server-test-" + std::to_string(::getpid()),
                                          "--life-line", "0",
                                          "--parent",    std::to_string(::getpid())};
    arguments.insert(arguments.end(), more.begin(), more.end());
    WorkerProcess::StartError error;
    process_ = WorkerProcess::start(test::fast_options().worker_path, arguments, {}, &error);
    REQUIRE(process_);
    std::string line;
    for (int i = 0; i < 2000 && !process_->take_first_line(&line); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      process_->read_output();
    }
    REQUIRE(line.starts_with(kReadyPrefix));
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::rcvtimeo, 20'000);
    socket_.connect(line.substr(kReadyPrefix.size() + 1));
  }

  uint64_t send(Function function, const PayloadWriter& content = {}) {
    send_raw(encode({.kind = Kind::kRequest, .function = function, .epoch = 5, .request_id = ++last_id_},
                    content.bytes()));
    return last_id_;
  }
  void send_raw(const Bytes& bytes) { socket_.send(zmq::buffer(bytes.data(), bytes.size()), zmq::send_flags::none); }

  // The next message that is no STARTED; payload_ has its content.
  Header receive() {
    while (true) {
      zmq::message_t message;
      REQUIRE(socket_.recv(message));
      const Decoded decoded = decode({static_cast<const std::byte*>(message.data()), message.size()});
      REQUIRE(decoded.error == DecodeError::kNone);
      if (decoded.header.kind == Kind::kEvent) {
        ++started;
        continue;
      }
      payload.assign(decoded.payload.begin(), decoded.payload.end());
      return decoded.header;
    }
  }
  ReplyStatus ask(Function function, const PayloadWriter& content = {}) {
    const uint64_t id = send(function, content);
    const Header header = receive();
    REQUIRE(header.request_id == id);
    REQUIRE(header.epoch == 5);
    REQUIRE(header.function == function);
    return header.status;
  }
  bool is_silent() {
    socket_.set(zmq::sockopt::rcvtimeo, 50);
    zmq::message_t message;
    const bool silent = !socket_.recv(message);
    socket_.set(zmq::sockopt::rcvtimeo, 20'000);
    return silent;
  }
  void greet() {
    PayloadWriter nonce;
    nonce.u64(77);
    REQUIRE(ask(Function::kHello, nonce) == ReplyStatus::kOk);
    PayloadReader reader(payload);
    REQUIRE(reader.u64() == 77);
    REQUIRE(reader.u32() == static_cast<uint32_t>(process_->pid()));
  }
  ReplyStatus ask_text(Function function, const std::string& text) {
    PayloadWriter content;
    content.string(text);
    return ask(function, content);
  }
  [[nodiscard]] std::string text() const { return PayloadReader(payload).string(); }
  [[nodiscard]] WorkerProcess& process() { return *process_; }

  Bytes payload;
  int started = 0;

 private:
  zmq::context_t context_;
  std::unique_ptr<WorkerProcess> process_;
  zmq::socket_t socket_;
  uint64_t last_id_ = 0;
};

PayloadWriter question_payload(const ConstraintPtr& constraint, const Question& question) {
  PayloadWriter writer;
  write(writer, SolveRequest{.constraint_key = constraint->key(), .question = question});
  return writer;
}

PayloadWriter constraint_payload(const ConstraintPtr& constraint) {
  PayloadWriter writer;
  write(writer, *constraint);
  return writer;
}

TEST_CASE("server: the worker answers each kind of request once") {
  RawClient client({"--eval"});
  CHECK(client.ask(Function::kEcho) == ReplyStatus::kError);  // HELLO comes first
  client.greet();
  CHECK(client.ask_text(Function::kEcho, "hello") == ReplyStatus::kOk);
  CHECK(client.text() == "hello");
  CHECK(client.ask_text(Function::kEval, "(check-sat)") == ReplyStatus::kOk);
  CHECK(client.text() == "sat\n");
  CHECK(client.ask_text(Function::kChaos, "abort") == ReplyStatus::kRefused);
  CHECK(client.ask(Function::kStarted) == ReplyStatus::kBadMessage);

  const auto example = test::examples()[0];
  const Question question{.goal = Goal::kLeast, .parameters = {5}, .ranges = {{0, 9}, {0, 9}}};
  const PayloadWriter solve = question_payload(example.constraint, question);
  CHECK(client.ask(Function::kSolve, solve) == ReplyStatus::kNeedPrepare);
  CHECK(client.ask(Function::kPrepare, constraint_payload(example.constraint)) == ReplyStatus::kOk);
  CHECK(client.ask(Function::kSolve, solve) == ReplyStatus::kOk);
  PayloadReader reader(client.payload);
  CHECK(reader.u32() == 0);  // no memory limit was set
  CHECK(reader.u32() == 1);
  CHECK(agrees(example, question, read_answer(reader)));
  CHECK(reader.finished());
  CHECK(client.ask(Function::kStats) == ReplyStatus::kOk);
  PayloadReader stats(client.payload);
  std::map<std::string, uint64_t> rows;
  for (uint32_t left = stats.u32(); left > 0; --left) {
    const std::string name = stats.string();
    rows[name] = stats.u64();
  }
  CHECK(rows["queries"] == 1);
  CHECK(rows["prepared"] == 1);
  CHECK(rows["memory"] > 0);
  CHECK(client.ask(Function::kReset) == ReplyStatus::kOk);
  CHECK(client.ask(Function::kSolve, solve) == ReplyStatus::kNeedPrepare);
  CHECK(client.is_silent());
  CHECK(client.ask(Function::kShutdown) == ReplyStatus::kOk);
  CHECK(client.process().reap().exit_code == 0);
}

TEST_CASE("server: requests that cannot be understood are answered, too") {
  RawClient client({"--eval"});
  client.greet();
  PayloadWriter nonsense;
  nonsense.u64(0xffffffffffffffff);
  nonsense.u8(1);
  for (const Function function : {Function::kHello, Function::kPrepare, Function::kSolve, Function::kSolveBatch,
                                  Function::kCancel, Function::kEval}) {
    CHECK(client.ask(function, nonsense) == ReplyStatus::kBadMessage);
  }
  Bytes other = encode({.function = Function::kEcho, .request_id = 99, .version = 2}, {});
  client.send_raw(other);
  Header header = client.receive();
  CHECK(header.status == ReplyStatus::kBadVersion);
  CHECK(header.request_id == 99);
  client.send_raw(Bytes(7));
  CHECK(client.receive().status == ReplyStatus::kBadMessage);
  client.send_raw({});
  CHECK(client.receive().status == ReplyStatus::kBadMessage);
  client.send_raw(encode({.kind = Kind::kReply, .function = Function::kEcho}, {}));
  CHECK(client.receive().status == ReplyStatus::kBadMessage);
  CHECK(client.is_silent());
  CHECK(client.ask(Function::kEcho) == ReplyStatus::kOk);
}

TEST_CASE("server: CANCEL and RESET reach what runs and what waits: each is answered once") {
  for (const bool reset : {false, true}) {
    RawClient client;
    client.greet();
    const auto hard = test::hard_constraint();
    CHECK(client.ask(Function::kPrepare, constraint_payload(hard)) == ReplyStatus::kOk);
    const PayloadWriter solve = question_payload(hard, test::hard_question());
    std::map<uint64_t, Header> replies;
    const uint64_t running = client.send(Function::kSolve, solve);
    const uint64_t waiting = client.send(Function::kSolve, solve);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    size_t expected = 3;
    if (reset) {
      client.send(Function::kReset);
    } else {
      for (const uint64_t id : {waiting, running, uint64_t{12345}}) {
        PayloadWriter payload;
        payload.u64(id);
        client.send(Function::kCancel, payload);
      }
      expected = 5;
    }
    while (replies.size() < expected) {
      const Header header = client.receive();
      CHECK(header.status == ReplyStatus::kOk);
      CHECK(replies.emplace(header.request_id, header).second);
    }
    CHECK(replies.contains(running));
    CHECK(replies.contains(waiting));
    CHECK(client.started >= 1);  // it ran long enough for that
    CHECK(client.is_silent());
    CHECK(client.ask(Function::kSolve, question_payload(hard, {.parameters = {0}, .ranges = {{3, 3}, {4, 4}}})) ==
          (reset ? ReplyStatus::kNeedPrepare : ReplyStatus::kOk));
  }
}

TEST_CASE("server: no message makes the worker write a file") {
  const std::string path = fmt::format("/tmp/cmc-server-test-{}", ::getpid());
  const std::string attack = fmt::format("(set-option :regular-output-channel \"{}\")(echo \"mine\")", path);
  for (const bool with_eval : {false, true}) {
    RawClient client(with_eval ? std::vector<std::string>{"--eval"} : std::vector<std::string>{});
    client.greet();
    for (const std::string& text :
         {attack, "(|set-option|" + attack.substr(11), "; \" \n" + attack, "(echo \"" + attack + "\")" + attack}) {
      CHECK(client.ask_text(Function::kEval, text) == ReplyStatus::kRefused);
      const auto constraint =
          std::make_shared<const Constraint>(std::vector<std::string>{}, std::vector<std::string>{"x"}, text);
      CHECK(client.ask(Function::kPrepare, constraint_payload(constraint)) == ReplyStatus::kRefused);
    }
    const auto name = std::make_shared<const Constraint>(
        std::vector<std::string>{}, std::vector<std::string>{"x| Int)" + attack + "(declare-const |y"},
        "(assert true)");
    CHECK(client.ask(Function::kPrepare, constraint_payload(name)) == ReplyStatus::kRefused);
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("server: over tcp a worker without keys does not start, and a client without them is not heard") {
  for (const char* address : {"tcp://127.0.0.1:*", "tcp://[::1]:*"}) {
    WorkerProcess::StartError error;
    auto process = WorkerProcess::start(test::fast_options().worker_path, {"--endpoint", address, "--life-line", "0"},
                                        {}, &error);
    REQUIRE(process);
    CHECK(process->reap().exit_code == 2);
  }
  const auto make_key = [](char(&public_key)[41], char(&secret_key)[41]) {
    REQUIRE(zmq_curve_keypair(public_key, secret_key) == 0);
  };
  zmq::context_t context(1);
  char server[2][41];
  char client[2][41];
  char other[2][41];
  make_key(server[0], server[1]);
  make_key(client[0], client[1]);
  make_key(other[0], other[1]);
  WorkerProcess::StartError error;
  auto process =
      WorkerProcess::start(test::fast_options().worker_path, {"--endpoint", "tcp://127.0.0.1:*", "--life-line", "0"},
                           {fmt::format("CMC_SOLVERD_KEYS={} {} {}", server[0], server[1], client[0])}, &error);
  REQUIRE(process);
  std::string line;
  for (int i = 0; i < 2000 && !process->take_first_line(&line); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    process->read_output();
  }
  REQUIRE(line.starts_with(kReadyPrefix));
  PayloadWriter nonce;
  nonce.u64(1);
  const Bytes hello =
      encode({.kind = Kind::kRequest, .function = Function::kHello, .epoch = 1, .request_id = 1}, nonce.bytes());
  const auto is_heard = [&](const char(*keys)[41]) {
    zmq::socket_t socket(context, ZMQ_DEALER);
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::rcvtimeo, keys == client ? 20'000 : 500);
    if (keys != nullptr) {
      socket.set(zmq::sockopt::curve_serverkey, server[0]);
      socket.set(zmq::sockopt::curve_publickey, keys[0]);
      socket.set(zmq::sockopt::curve_secretkey, keys[1]);
    }
    socket.connect(line.substr(kReadyPrefix.size() + 1));
    socket.send(zmq::buffer(hello.data(), hello.size()), zmq::send_flags::none);
    zmq::message_t reply;
    return socket.recv(reply).has_value();
  };
  CHECK_FALSE(is_heard(nullptr));
  CHECK_FALSE(is_heard(other));
  CHECK(is_heard(client));
}

TEST_CASE("server: faults on request are made, and an address that is too open is refused") {
  {
    RawClient client({"--chaos", "none", "--memory", "2000000000"});
    client.greet();
    CHECK(client.ask_text(Function::kChaos, "no-such-fault") == ReplyStatus::kBadMessage);
    CHECK(client.ask_text(Function::kChaos, "oom:1") == ReplyStatus::kOk);
    const auto example = test::examples()[0];
    CHECK(client.ask(Function::kPrepare, constraint_payload(example.constraint)) == ReplyStatus::kOk);
    const Question question{.goal = Goal::kLeast, .parameters = {5}, .ranges = {{0, 9}, {0, 9}}};
    CHECK(client.ask(Function::kSolve, question_payload(example.constraint, question)) == ReplyStatus::kOutOfMemory);
    CHECK(client.process().reap().exit_code == 3);
  }
  WorkerProcess::StartError error;
  auto process = WorkerProcess::start(test::fast_options().worker_path,
                                      {"--endpoint", "tcp://0.0.0.0:*", "--life-line", "0"}, {}, &error);
  REQUIRE(process);
  CHECK(process->reap().exit_code == 2);
  process->read_output();
  CHECK(process->output().find("needs CURVE keys") != std::string::npos);
}

}  // namespace
}  // namespace cmc::solver
