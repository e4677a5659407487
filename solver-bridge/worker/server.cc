#include "solver-bridge/worker/server.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <zmq.hpp>

#include "base/check.h"
#include "solver-bridge/protocol/active_wait.h"
#include "solver-bridge/protocol/endpoint.h"
#include "solver-bridge/protocol/payload.h"
#include "solver-bridge/worker/outbox.h"
#include "solver-bridge/worker/task_runner.h"

namespace cmc::solver {

namespace {

// 0: never.
void set_timer(int timer, std::chrono::nanoseconds delay) {
  const itimerspec once{{0, 0}, {0, delay.count()}};
  CHECK(::timerfd_settime(timer, 0, &once, nullptr) == 0);
}

// A question that takes longer is not delayed noticeably by waking the deputy up.
constexpr std::chrono::milliseconds kDeputyAfter{5};

// One thread at a time serves the socket: whoever holds serving_. That is the main thread, which also solves, so a
// short question passes from thread to thread only inside libzmq. While it solves for longer than kDeputyAfter, its
// deputy serves the socket (CANCEL, STATS, STARTED on their way out), until the main thread wants it back.
class Server {
 public:
  explicit Server(const ServerOptions& options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] Status listen();
  [[noreturn]] void serve();

 private:
  void be_deputy();
  void solve_next();
  void take_turn(ActiveWait& wait, long timeout_ms);
  void authenticate();
  void receive();
  void handle(const Header& header, ByteView payload);
  void greet(ByteView payload, Reply reply);
  void cancel(ByteView payload, Reply reply);
  void report_statistics(Reply reply);
  void set_chaos(ByteView payload, Reply reply);
  void send_outbox();
  [[noreturn]] void leave(int exit_code);

  const ServerOptions& options_;
  zmq::context_t context_;
  zmq::socket_t socket_;
  std::optional<zmq::socket_t> authentication_;  // with CURVE keys: libzmq asks it about every client
  zmq::message_t owner_;                         // the client; its first HELLO
  bool greeted_ = false;
  Outbox outbox_;
  TaskRunner solver_;
  std::optional<int> exit_code_;
  ActiveWait active_wait_;
  std::mutex serving_;                    // of the sockets, owner_, greeted_ and exit_code_
  std::atomic<bool> is_solving_ = false;  // true before the main thread gives serving_ away
  int timer_;                             // readable when the main thread has been solving for kDeputyAfter
  std::thread deputy_;
};

Status Server::listen() {
  try {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::sndhwm, 0);
    socket_.set(zmq::sockopt::rcvhwm, 0);
    socket_.set(zmq::sockopt::maxmsgsize, int64_t{kMaxPayloadBytes + kHeaderBytes});
    if (options_.endpoint.starts_with("ipc://")) {
      // An abstract name has no permissions: only this user may connect.
      const uid_t user = ::getuid();
      if (zmq_setsockopt(socket_.handle(), ZMQ_IPC_FILTER_UID, &user, sizeof user) != 0) throw zmq::error_t();
    }
    if (options_.keys) {
      authentication_.emplace(context_, ZMQ_REP);
      authentication_->bind("inproc://zeromq.zap.01");
      socket_.set(zmq::sockopt::zap_domain, "cmc");
      socket_.set(zmq::sockopt::curve_server, true);
      socket_.set(zmq::sockopt::curve_secretkey, options_.keys->secret_key);
    }
    socket_.bind(options_.endpoint);
    const std::string bound = socket_.get(zmq::sockopt::last_endpoint);
    std::fprintf(stdout, "%s %s\n", std::string(kReadyPrefix).c_str(), bound.c_str());
    std::fflush(stdout);
    return Success{};
  } catch (const zmq::error_t& error) {
    return Error{fmt::format("cannot listen at '{}': {}", options_.endpoint, error.what())};
  }
}

Server::Server(const ServerOptions& options)
    : options_(options),
      context_(1),
      socket_(context_, ZMQ_ROUTER),
      solver_(options, outbox_),
      active_wait_(options.wait),
      timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  if (timer_ < 0) throw std::system_error(errno, std::generic_category(), "timerfd_create");
}

// With a deputy, the end of the process: it may be in the middle of anything.
Server::~Server() {
  if (deputy_.joinable()) ::_exit(3);
  ::close(timer_);
}

void Server::serve() {
  serving_.lock();
  deputy_ = std::thread([this] { be_deputy(); });
  while (true) {
    take_turn(active_wait_, solver_.has_task() ? 0 : -1);
    if (solver_.has_task()) solve_next();
  }
}

// REQUIRES: the calling thread serves, as it does afterwards.
void Server::solve_next() {
  is_solving_ = true;
  serving_.unlock();
  set_timer(timer_, kDeputyAfter);
  solver_.run_next();
  set_timer(timer_, std::chrono::milliseconds(0));
  is_solving_ = false;
  outbox_.wake();  // the deputy, if it serves
  serving_.lock();
  // Read before the outbox is emptied: then the last reply is in it.
  if (solver_.exit_code() >= 0) exit_code_ = solver_.exit_code();
  send_outbox();
  if (exit_code_) leave(*exit_code_);
  active_wait_.restart();
}

void Server::be_deputy() {
  ActiveWait sleep(WaitPolicy::block());
  while (true) {
    std::vector<zmq_pollitem_t> items = {{nullptr, timer_, ZMQ_POLLIN, 0}};
    if (options_.life_line) items.push_back({nullptr, *options_.life_line, ZMQ_POLLIN, 0});
    if (zmq_poll(items.data(), static_cast<int>(items.size()), -1) < 0) continue;
    if (options_.life_line && items[1].revents != 0) ::_exit(0);
    uint64_t expirations = 0;
    if (::read(timer_, &expirations, sizeof expirations) < 0) continue;  // the question has been answered
    // If the main thread serves again, there is nothing to do.
    const std::unique_lock lock(serving_, std::try_to_lock);
    while (lock.owns_lock() && is_solving_) take_turn(sleep, -1);
  }
}

// Waits for something, and deals with it. REQUIRES: the calling thread serves.
void Server::take_turn(ActiveWait& wait, long timeout_ms) {
  const int life_line = options_.life_line.value_or(-1);
  std::vector<zmq_pollitem_t> items = {{socket_.handle(), 0, ZMQ_POLLIN, 0},
                                       {nullptr, outbox_.event_descriptor(), ZMQ_POLLIN, 0}};
  if (options_.life_line) items.push_back({nullptr, life_line, ZMQ_POLLIN, 0});
  if (authentication_) items.push_back({authentication_->handle(), 0, ZMQ_POLLIN, 0});
  if (wait.poll(items, timeout_ms) < 0) return;
  // Nothing is ever written to the life line: it is readable when the checker has gone.
  if (options_.life_line && items[2].revents != 0) ::_exit(0);
  if (authentication_ && items.back().revents != 0) authenticate();
  if (items[1].revents != 0) send_outbox();  // STARTED, before a reply to what is received supersedes it
  if (items[0].revents != 0) receive();
  send_outbox();
  if (exit_code_) leave(*exit_code_);
}

// The ZeroMQ authentication protocol (RFC 27): version, request id, domain, address, identity, mechanism,
// credentials.
void Server::authenticate() {
  std::vector<zmq::message_t> frames(1);
  if (!authentication_->recv(frames[0])) return;
  while (frames.back().more()) {
    if (!authentication_->recv(frames.emplace_back())) return;
  }
  std::string key(41, '\0');
  const bool encoded = frames.size() == 7 && frames[6].size() == 32 &&
                       zmq_z85_encode(key.data(), static_cast<const uint8_t*>(frames[6].data()), 32) != nullptr;
  key.pop_back();
  const bool welcome = encoded && key == options_.keys->client_public_key;
  const std::string request_id = frames.size() > 1 ? frames[1].to_string() : "";
  for (const std::string& part : {std::string("1.0"), request_id, std::string(welcome ? "200" : "400"),
                                  std::string(welcome ? "OK" : "another client"), std::string("cmc")}) {
    authentication_->send(zmq::buffer(part), zmq::send_flags::sndmore);
  }
  authentication_->send(zmq::message_t(), zmq::send_flags::none);
}

void Server::receive() {
  while (true) {
    zmq::message_t identity;
    zmq::message_t message;
    if (!socket_.recv(identity, zmq::recv_flags::dontwait)) return;
    if (!identity.more() || !socket_.recv(message, zmq::recv_flags::dontwait)) continue;
    bool more = message.more();
    while (more) {
      zmq::message_t surplus;
      more = socket_.recv(surplus, zmq::recv_flags::dontwait).has_value() && surplus.more();
    }
    if (owner_.size() == 0) owner_.copy(identity);
    if (owner_ != identity) continue;  // a worker has one client
    const Decoded decoded = decode({static_cast<const std::byte*>(message.data()), message.size()});
    if (decoded.error == DecodeError::kNone && decoded.header.kind == Kind::kRequest) {
      handle(decoded.header, decoded.payload);
      continue;
    }
    const bool version = decoded.error == DecodeError::kVersion;
    Reply(outbox_, decoded.header)
        .send_text(version ? ReplyStatus::kBadVersion : ReplyStatus::kBadMessage,
                   fmt::format("the request is {}",
                               decoded.error == DecodeError::kNone ? "no request" : name_of(decoded.error)));
  }
}

void Server::handle(const Header& header, ByteView payload) {
  Reply reply(outbox_, header);
  if (!greeted_ && header.function != Function::kHello)
    return reply.send_text(ReplyStatus::kError, "HELLO comes first");
  switch (header.function) {
    case Function::kHello: return greet(payload, std::move(reply));
    case Function::kEcho: return reply.send(ReplyStatus::kOk, payload);
    case Function::kCancel: return cancel(payload, std::move(reply));
    case Function::kStats: return report_statistics(std::move(reply));
    case Function::kChaos: return set_chaos(payload, std::move(reply));
    case Function::kShutdown: {
      reply.send(ReplyStatus::kOk, {});
      exit_code_ = 0;
      return;
    }
    case Function::kEval:
      if (!options_.eval_allowed) return reply.send_text(ReplyStatus::kRefused, "started without --eval");
      return solver_.add({header, Bytes(payload.begin(), payload.end()), std::move(reply)});
    case Function::kReset: solver_.interrupt_all(); [[fallthrough]];
    case Function::kPrepare:
    case Function::kSolve:
    case Function::kSolveBatch: return solver_.add({header, Bytes(payload.begin(), payload.end()), std::move(reply)});
    case Function::kStarted: return reply.send_text(ReplyStatus::kBadMessage, "STARTED is no request");
  }
}

void Server::greet(ByteView payload, Reply reply) {
  PayloadReader reader(payload);
  const uint64_t nonce = reader.u64();
  if (!reader.finished()) return reply.send_text(ReplyStatus::kBadMessage, "HELLO has a nonce");
  greeted_ = true;
  PayloadWriter writer;
  writer.u64(nonce);
  writer.u32(static_cast<uint32_t>(::getpid()));
  writer.string(Z3Session::z3_version());
  const Fault fault = options_.chaos.fault == Fault::kHelloVersion ? Fault::kHelloVersion : Fault::kNone;
  reply.send(ReplyStatus::kOk, writer.bytes(), fault);
}

void Server::cancel(ByteView payload, Reply reply) {
  PayloadReader reader(payload);
  const uint64_t id = reader.u64();
  if (!reader.finished()) return reply.send_text(ReplyStatus::kBadMessage, "CANCEL has a request id");
  const bool found = solver_.cancel(id);
  PayloadWriter writer;
  writer.u8(found ? 1 : 0);
  reply.send(ReplyStatus::kOk, writer.bytes());
}

void Server::report_statistics(Reply reply) {
  const auto rows = solver_.figures();
  PayloadWriter writer;
  writer.u32(static_cast<uint32_t>(std::size(rows)));
  for (const auto& [name, value] : rows) {
    writer.string(name);
    writer.u64(value);
  }
  reply.send(ReplyStatus::kOk, writer.bytes());
}

void Server::set_chaos(ByteView payload, Reply reply) {
  if (!options_.chaos_allowed) return reply.send_text(ReplyStatus::kRefused, "started without --chaos");
  PayloadReader reader(payload);
  const std::string text = reader.string();
  const Result<ChaosPlan> plan = parse_chaos(text);
  if (!reader.finished() || !plan.ok())
    return reply.send_text(ReplyStatus::kBadMessage, plan.ok() ? "" : plan.error());
  solver_.set_chaos(plan.value());
  reply.send(ReplyStatus::kOk, {});
}

void Server::send_outbox() {
  for (const Bytes& message : outbox_.take_all()) {
    zmq::message_t identity;
    identity.copy(owner_);
    if (!socket_.send(identity, zmq::send_flags::sndmore | zmq::send_flags::dontwait)) continue;
    [[maybe_unused]] const auto sent =
        socket_.send(zmq::message_t(message.data(), message.size()), zmq::send_flags::dontwait);
  }
}

// The other thread may be in the middle of anything, so nothing is destroyed behind its back.
void Server::leave(int exit_code) {
  send_outbox();
  socket_.set(zmq::sockopt::linger, 500);
  socket_.close();
  if (authentication_) authentication_->close();
  context_.close();
  ::_exit(exit_code);
}

}  // namespace

Result<int> run_server(const ServerOptions& options) {
  if (!options.endpoint.starts_with("ipc://") && !options.keys) {
    return Error{fmt::format("'{}' can be reached by other users: that needs CURVE keys", options.endpoint)};
  }
  if (options.chaos.fault == Fault::kDieAtStart) ::_exit(9);
  try {
    auto server = std::make_unique<Server>(options);
    const Status listening = server->listen();
    if (!listening.ok()) return Error{listening.error()};
    server->serve();
  } catch (const std::exception& error) {
    return Error{error.what()};
  }
}

}  // namespace cmc::solver
