#include "solver-bridge/server.h"

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <fmt/format.h>
#include <list>
#include <poll.h>
#include <thread>
#include <unistd.h>
#include <zmq.hpp>

#include "checker/base/check.h"
#include "solver-bridge/endpoint.h"
#include "solver-bridge/outbox.h"
#include "solver-bridge/payload.h"
#include "solver-bridge/z3_session.h"

namespace cmc::solver {

namespace {

uint64_t address_space_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  unsigned long pages = 0;
  const bool read = std::fscanf(file, "%lu", &pages) == 1;
  std::fclose(file);
  return read ? pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

Answer falsified(Answer answer) {
  if (answer.outcome == Outcome::kUnsat) return answer;
  if (answer.witnesses.empty() || answer.witnesses[0].empty()) {
    return Answer{.outcome = Outcome::kUnsat, .witnesses = {}, .reason = {}};
  }
  answer.witnesses[0].back() ^= 1;
  return answer;
}

// Two threads: this one owns the socket and answers what needs no solver; the other one solves, one request after the
// other. CANCEL and RESET reach the solver through Z3_interrupt.
class Server {
 public:
  explicit Server(const ServerOptions& options) : options_(options), context_(1), socket_(context_, ZMQ_ROUTER) {}
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() { CHECK(!solving_thread_.joinable()); }

  [[nodiscard]] Status listen();
  [[noreturn]] void serve();

 private:
  struct Task {
    Header header;
    Bytes payload;
    Reply reply;
  };

  void wait();
  void authenticate();
  void receive();
  void handle(const Header& header, ByteView payload);
  void greet(ByteView payload, Reply reply);
  void cancel(ByteView payload, Reply reply);
  void cancel_waiting(Task task);
  void interrupt_all();
  void report_statistics(Reply reply);
  void set_chaos(ByteView payload, Reply reply);
  void enqueue(const Header& header, ByteView payload, Reply reply);
  void send_outbox();
  [[noreturn]] void leave(int exit_code);

  // On the solving thread.
  void solve_for_ever();
  void execute(Task task);
  void execute_checked(Task& task);
  void tell_started(const Header& request, uint32_t index);
  void prepare(Task& task);
  void solve(Task& task);
  void solve_batch(Task& task);
  Answer solve_one(const Header& header, uint32_t index, const SolveRequest& request, Fault& fault);
  void reply_with(Task& task, const std::vector<Answer>& answers, Fault fault);

  const ServerOptions& options_;
  zmq::context_t context_;
  zmq::socket_t socket_;
  std::optional<zmq::socket_t> authentication_;  // with CURVE keys: libzmq asks it about every client
  zmq::message_t owner_;  // the client; its first HELLO
  bool greeted_ = false;
  Outbox outbox_;
  Z3Session session_;
  std::thread solving_thread_;
  std::mutex mutex_;
  std::condition_variable task_added_;
  std::list<Task> tasks_;
  uint64_t running_id_ = 0;  // 0: none
  bool running_cancelled_ = false;
  ChaosPlan chaos_;
  std::atomic<int> exit_code_ = -1;  // not negative: to leave when the outbox is empty
  std::atomic<uint64_t> queries_ = 0;
  std::atomic<uint64_t> undecided_ = 0;
  std::atomic<uint64_t> prepared_ = 0;
  std::atomic<uint64_t> cancelled_ = 0;
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

void Server::serve() {
  chaos_ = options_.chaos;
  solving_thread_ = std::thread([this] { solve_for_ever(); });
  while (true) {
    wait();
    send_outbox();
    if (exit_code_.load() >= 0) leave(exit_code_.load());
  }
}

void Server::wait() {
  const int life_line = options_.life_line.value_or(-1);
  std::vector<zmq_pollitem_t> items = {{socket_.handle(), 0, ZMQ_POLLIN, 0},
                                       {nullptr, outbox_.event_descriptor(), ZMQ_POLLIN, 0}};
  if (options_.life_line) items.push_back({nullptr, life_line, ZMQ_POLLIN, 0});
  if (authentication_) items.push_back({authentication_->handle(), 0, ZMQ_POLLIN, 0});
  if (zmq_poll(items.data(), static_cast<int>(items.size()), -1) < 0) return;
  // Nothing is ever written to the life line: it is readable when the checker has gone.
  if (options_.life_line && items[2].revents != 0) ::_exit(0);
  if (authentication_ && items.back().revents != 0) authenticate();
  if (items[0].revents != 0) receive();
}

// The ZeroMQ authentication protocol (RFC 27): version, request id, domain, address, identity, mechanism, credentials.
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
                   fmt::format("the request is {}", decoded.error == DecodeError::kNone ? "no request"
                                                                                       : name_of(decoded.error)));
  }
}

void Server::handle(const Header& header, ByteView payload) {
  Reply reply(outbox_, header);
  if (!greeted_ && header.function != Function::kHello) return reply.send_text(ReplyStatus::kError, "HELLO comes first");
  switch (header.function) {
    case Function::kHello: return greet(payload, std::move(reply));
    case Function::kEcho: return reply.send(ReplyStatus::kOk, payload);
    case Function::kCancel: return cancel(payload, std::move(reply));
    case Function::kStats: return report_statistics(std::move(reply));
    case Function::kChaos: return set_chaos(payload, std::move(reply));
    case Function::kShutdown: {
      reply.send(ReplyStatus::kOk, {});
      exit_code_.store(0);
      return;
    }
    case Function::kReset: interrupt_all(); return enqueue(header, payload, std::move(reply));
    case Function::kPrepare:
    case Function::kSolve:
    case Function::kSolveBatch:
    case Function::kEval: return enqueue(header, payload, std::move(reply));
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
  reply.send(ReplyStatus::kOk, writer.bytes(), chaos_.fault == Fault::kHelloVersion ? Fault::kHelloVersion : Fault::kNone);
}

void Server::enqueue(const Header& header, ByteView payload, Reply reply) {
  {
    const std::scoped_lock lock(mutex_);
    tasks_.push_back(Task{header, Bytes(payload.begin(), payload.end()), std::move(reply)});
  }
  task_added_.notify_one();
}

void Server::cancel_waiting(Task task) {
  cancelled_.fetch_add(1);
  if (task.header.function != Function::kSolve) return task.reply.send_text(ReplyStatus::kError, "cancelled");
  reply_with(task, {Answer::unknown("cancelled")}, Fault::kNone);
}

void Server::cancel(ByteView payload, Reply reply) {
  PayloadReader reader(payload);
  const uint64_t id = reader.u64();
  if (!reader.finished()) return reply.send_text(ReplyStatus::kBadMessage, "CANCEL has a request id");
  bool found = false;
  {
    const std::scoped_lock lock(mutex_);
    if (id == running_id_ && id != 0) {
      found = true;
      running_cancelled_ = true;
      session_.interrupt();
    }
    for (auto place = tasks_.begin(); place != tasks_.end() && !found; ++place) {
      if (place->header.request_id != id) continue;
      found = true;
      cancel_waiting(std::move(*place));
      tasks_.erase(place);
      break;
    }
  }
  PayloadWriter writer;
  writer.u8(found ? 1 : 0);
  reply.send(ReplyStatus::kOk, writer.bytes());
}

void Server::interrupt_all() {
  const std::scoped_lock lock(mutex_);
  for (Task& task : tasks_) cancel_waiting(std::move(task));
  tasks_.clear();
  if (running_id_ == 0) return;
  running_cancelled_ = true;
  session_.interrupt();
}

void Server::report_statistics(Reply reply) {
  const std::pair<std::string_view, uint64_t> rows[] = {
      {"queries", queries_.load()},     {"undecided", undecided_.load()},
      {"prepared", prepared_.load()},   {"cancelled", cancelled_.load()},
      {"memory", address_space_bytes()}, {"memory_limit", options_.memory_limit_bytes}};
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
  if (!reader.finished() || !plan.ok()) return reply.send_text(ReplyStatus::kBadMessage, plan.ok() ? "" : plan.error());
  const std::scoped_lock lock(mutex_);
  chaos_ = plan.value();
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

// The solving thread may be in the middle of anything, so nothing is destroyed behind its back.
void Server::leave(int exit_code) {
  send_outbox();
  socket_.set(zmq::sockopt::linger, 500);
  socket_.close();
  if (authentication_) authentication_->close();
  context_.close();
  ::_exit(exit_code);
}

void Server::solve_for_ever() {
  while (true) {
    std::unique_lock lock(mutex_);
    task_added_.wait(lock, [this] { return !tasks_.empty(); });
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    running_id_ = task.header.request_id;
    running_cancelled_ = false;
    session_.resume();
    lock.unlock();
    execute(std::move(task));
    lock.lock();
    running_id_ = 0;
  }
}

void Server::execute(Task task) {
  try {
    execute_checked(task);
  } catch (const std::bad_alloc&) {
    if (task.reply.is_open()) task.reply.send_text(ReplyStatus::kOutOfMemory, "out of memory");
    exit_code_.store(3);
    outbox_.put(Bytes{});  // wakes the other thread
  } catch (const std::exception& error) {
    if (task.reply.is_open()) task.reply.send_text(ReplyStatus::kError, error.what());
  }
}

void Server::execute_checked(Task& task) {
  switch (task.header.function) {
    case Function::kPrepare: prepare(task); break;
    case Function::kSolve: solve(task); break;
    case Function::kSolveBatch: solve_batch(task); break;
    case Function::kReset:
      session_.reset();
      prepared_.store(0);
      task.reply.send(ReplyStatus::kOk, {});
      break;
    case Function::kEval: {
      PayloadReader reader(task.payload);
      const std::string commands = reader.string();
      if (!reader.finished()) return task.reply.send_text(ReplyStatus::kBadMessage, "EVAL has a text");
      task.reply.send_text(ReplyStatus::kOk, session_.evaluate(commands));
      break;
    }
    default: break;  // the guard answers
  }
  if (session_.out_of_memory()) throw std::bad_alloc();
}

void Server::tell_started(const Header& request, uint32_t index) {
  PayloadWriter writer;
  writer.u32(index);
  outbox_.put(encode({.kind = Kind::kEvent,
                      .function = Function::kStarted,
                      .epoch = request.epoch,
                      .request_id = request.request_id},
                     writer.bytes()));
}

void Server::prepare(Task& task) {
  PayloadReader reader(task.payload);
  const Constraint constraint = read_constraint(reader);
  if (!reader.finished()) return task.reply.send_text(ReplyStatus::kBadMessage, "PREPARE has a constraint");
  tell_started(task.header, 0);
  const Status status = session_.prepare(constraint);
  if (session_.out_of_memory()) throw std::bad_alloc();
  prepared_.store(session_.prepared_count());
  if (!status.ok()) return task.reply.send_text(ReplyStatus::kError, status.error());
  task.reply.send(ReplyStatus::kOk, {});
}

Answer Server::solve_one(const Header& header, uint32_t index, const SolveRequest& request, Fault& fault) {
  tell_started(header, index);
  Fault own = Fault::kNone;
  {
    const std::scoped_lock lock(mutex_);
    own = chaos_.at(queries_.fetch_add(1) + 1);
    if (running_cancelled_) return Answer::unknown("cancelled");
  }
  commit(own);
  if (own != Fault::kNone) fault = own;
  Answer answer = session_.solve(request);
  if (session_.out_of_memory()) throw std::bad_alloc();
  if (!answer.decided()) undecided_.fetch_add(1);
  return own == Fault::kWrongAnswer ? falsified(std::move(answer)) : answer;
}

void Server::solve(Task& task) {
  PayloadReader reader(task.payload);
  const SolveRequest request = read_solve_request(reader);
  if (!reader.finished()) return task.reply.send_text(ReplyStatus::kBadMessage, "SOLVE has a question");
  if (!session_.is_prepared(request.constraint_key)) return task.reply.send(ReplyStatus::kNeedPrepare, {});
  Fault fault = Fault::kNone;
  const Answer answer = solve_one(task.header, 0, request, fault);
  reply_with(task, {answer}, fault);
}

void Server::solve_batch(Task& task) {
  PayloadReader reader(task.payload);
  std::vector<SolveRequest> requests(reader.count(1));
  for (SolveRequest& request : requests) request = read_solve_request(reader);
  if (!reader.finished()) return task.reply.send_text(ReplyStatus::kBadMessage, "SOLVE_BATCH has questions");
  for (const SolveRequest& request : requests) {
    if (!session_.is_prepared(request.constraint_key)) return task.reply.send(ReplyStatus::kNeedPrepare, {});
  }
  Fault fault = Fault::kNone;
  std::vector<Answer> answers;
  for (uint32_t i = 0; i < requests.size(); ++i) answers.push_back(solve_one(task.header, i, requests[i], fault));
  reply_with(task, answers, fault);
}

// Thousandths of the memory limit that are in use, then the answers.
void Server::reply_with(Task& task, const std::vector<Answer>& answers, Fault fault) {
  PayloadWriter writer;
  const uint64_t limit = options_.memory_limit_bytes;
  writer.u32(limit == 0 ? 0 : static_cast<uint32_t>(address_space_bytes() * 1000 / limit));
  writer.u32(static_cast<uint32_t>(answers.size()));
  for (const Answer& answer : answers) write(writer, answer);
  task.reply.send(ReplyStatus::kOk, writer.bytes(), fault);
}

}  // namespace

Result<int> run_server(const ServerOptions& options) {
  if (!is_local(options.endpoint) && !options.keys) {
    return Error{fmt::format("'{}' can be reached by other machines: that needs CURVE keys", options.endpoint)};
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
