#include "solver-bridge/pool/supervisor.h"

#include <algorithm>
#include <csignal>
#include <random>

#include <fmt/format.h>
#include <unistd.h>

#include "base/check.h"
#include "solver-bridge/protocol/endpoint.h"
#include "solver-bridge/protocol/payload.h"

namespace cmc::solver {

namespace {

// The socket pair (one end remains), a pidfd, the socket's mailbox, its connection, and one in reserve.
constexpr unsigned kDescriptorsOfWorker = 6;

uint64_t nonce_of(uint32_t epoch) { return (static_cast<uint64_t>(::getpid()) << 32) | epoch; }

std::string endpoint_for(const PoolOptions& options, uint32_t epoch) {
  if (options.transport == Transport::kTcp) return fmt::format("tcp://{}:*", options.tcp_address);
  std::random_device random;
  return fmt::format("ipc://@cmc-solverd-{}-{}-{:08x}{:08x}", ::getpid(), epoch, random(), random());
}

bool make_key_pair(std::string& public_key, std::string& secret_key) {
  char texts[2][41];
  if (zmq_curve_keypair(texts[0], texts[1]) != 0) return false;
  public_key = texts[0];
  secret_key = texts[1];
  return true;
}

double pause_seconds(unsigned losses) {
  if (losses <= 1) return 0;
  return std::min(1.0, 0.01 * static_cast<double>(uint64_t{1} << std::min(losses - 2, 10u)));
}

}  // namespace

void Supervisor::start(uint32_t epoch, bool with_chaos) {
  CHECK(is_due());
  epoch_ = epoch;
  if (!descriptors_are_free(kDescriptorsOfWorker)) {
    return give_up("cannot start a solver worker: this process has too many open files", false);
  }
  if (!choose_keys()) {
    return refuse_for_good("libzmq was built without CURVE, which tcp needs; use --solver-transport ipc");
  }
  std::vector<std::string> arguments = {"--endpoint",  endpoint_for(options_, epoch),
                                        "--parent",    std::to_string(::getpid()),
                                        "--life-line", "0",
                                        "--memory",    std::to_string(options_.memory_limit_bytes),
                                        "--wait",      text_of(options_.wait)};
  if (with_chaos) arguments.insert(arguments.end(), {"--chaos", options_.chaos});
  std::vector<std::string> environment;
  if (options_.eval) arguments.emplace_back("--eval");
  if (keys_) {
    environment.push_back(
        fmt::format("CMC_SOLVERD_KEYS={} {} {}", keys_->server_public, keys_->server_secret, keys_->client_public));
  }
  const std::string path = options_.worker_path.empty() ? default_worker_path() : options_.worker_path;
  WorkerProcess::StartError error;
  process_ = WorkerProcess::start(path, arguments, environment, &error);
  if (!process_) return error.for_good ? refuse_for_good(error.message) : give_up(error.message, false);
  state_ = State::kStarting;
  start_deadline_ = clock_.wall_seconds() + options_.start_limit_seconds;
}

// A port is open to every user of the machine, so only who has the keys is let in.
bool Supervisor::choose_keys() {
  keys_ = options_.keys;
  if (keys_ || options_.transport != Transport::kTcp) return true;
  keys_.emplace();
  return make_key_pair(keys_->server_public, keys_->server_secret) &&
         make_key_pair(keys_->client_public, keys_->client_secret);
}

void Supervisor::connect(const std::string& endpoint) {
  try {
    socket_.emplace(context_, ZMQ_DEALER);
    socket_->set(zmq::sockopt::linger, 0);
    socket_->set(zmq::sockopt::sndhwm, 0);
    socket_->set(zmq::sockopt::rcvhwm, 0);
    socket_->set(zmq::sockopt::maxmsgsize, int64_t{kMaxPayloadBytes + kHeaderBytes});
    if (keys_) {
      socket_->set(zmq::sockopt::curve_serverkey, keys_->server_public);
      socket_->set(zmq::sockopt::curve_publickey, keys_->client_public);
      socket_->set(zmq::sockopt::curve_secretkey, keys_->client_secret);
    }
    socket_->connect(endpoint);
  } catch (const zmq::error_t& error) {
    return give_up(fmt::format("cannot connect to the solver worker at '{}': {}", endpoint, error.what()), false);
  }
  state_ = State::kGreeting;
  PayloadWriter payload;
  payload.u64(nonce_of(epoch_));
  send(Function::kHello, 0, payload.bytes());
}

void Supervisor::send(Function function, uint64_t request_id, ByteView payload) {
  CHECK(state_ == State::kGreeting || state_ == State::kReady);
  const Bytes message =
      encode({.kind = Kind::kRequest, .function = function, .epoch = epoch_, .request_id = request_id}, payload);
  try {
    if (socket_->send(zmq::buffer(message.data(), message.size()), zmq::send_flags::dontwait)) return;
  } catch (const zmq::error_t&) {
  }
  give_up("the solver worker takes no messages", false);
}

void Supervisor::append_poll_items(std::vector<zmq_pollitem_t>& items) {
  if (!process_) return;
  const auto add = [&items](void* socket, int descriptor) {
    items.push_back(zmq_pollitem_t{socket, descriptor, ZMQ_POLLIN, 0});
  };
  add(nullptr, process_->end_descriptor());
  if (process_->output_descriptor() >= 0) add(nullptr, process_->output_descriptor());
  if (socket_) add(socket_->handle(), 0);
}

std::optional<double> Supervisor::next_deadline(bool wanted) const {
  if (!events_.empty()) return 0;
  if (state_ == State::kDown) return wanted ? std::optional(next_start_) : std::nullopt;
  return state_ == State::kReady ? std::nullopt : std::optional(start_deadline_);
}

std::vector<WorkerEvent> Supervisor::process() {
  if (process_) {
    process_->read_output();
    std::string line;
    if (state_ == State::kStarting && process_->take_first_line(&line)) {
      const bool ready = line.starts_with(kReadyPrefix) && line.size() > kReadyPrefix.size() + 1;
      if (ready) connect(line.substr(kReadyPrefix.size() + 1));
      if (!ready) give_up(fmt::format("is this a solver worker? It said: {}", line), false);
    }
  }
  if (socket_) receive();
  if (process_) notice_end();
  const bool late = state_ == State::kStarting || state_ == State::kGreeting;
  if (late && clock_.wall_seconds() >= start_deadline_) {
    give_up(fmt::format("the solver worker was not ready after {} s", options_.start_limit_seconds), false);
  }
  return std::exchange(events_, {});
}

void Supervisor::receive() {
  zmq::message_t message;
  while (socket_) {
    try {
      if (!socket_->recv(message, zmq::recv_flags::dontwait)) return;
    } catch (const zmq::error_t& error) {
      if (error.num() == EINTR) continue;
      return give_up(fmt::format("no connection to the solver worker: {}", error.what()), false);
    }
    receive_message(message);
  }
}

void Supervisor::receive_message(const zmq::message_t& message) {
  const Decoded decoded = decode({static_cast<const std::byte*>(message.data()), message.size()});
  if (state_ == State::kGreeting) return receive_greeting(decoded);
  if (message.more() || decoded.error != DecodeError::kNone) {
    return give_up(fmt::format("the solver worker sent a message that is {}",
                               message.more() ? "too long" : name_of(decoded.error)),
                   false);
  }
  const Header& header = decoded.header;
  if (header.epoch != epoch_) return give_up("the solver worker sent a message of another epoch", false);
  if (header.kind == Kind::kRequest) return give_up("the solver worker sent a request", false);
  const auto kind = header.kind == Kind::kReply ? WorkerEvent::Kind::kReply : WorkerEvent::Kind::kStarted;
  events_.push_back(
      {.kind = kind, .header = header, .payload = Bytes(decoded.payload.begin(), decoded.payload.end()), .text = {}});
}

void Supervisor::receive_greeting(const Decoded& decoded) {
  const bool other_version =
      decoded.error == DecodeError::kVersion ||
      (decoded.error == DecodeError::kNone && decoded.header.status == ReplyStatus::kBadVersion);
  if (other_version) {
    return refuse_for_good(fmt::format(
        "the solver worker speaks version {} of the protocol, this program version {}; install them together",
        decoded.header.version, kProtocolVersion));
  }
  PayloadReader reader(decoded.payload);
  const bool right_nonce = decoded.error == DecodeError::kNone && reader.u64() == nonce_of(epoch_);
  if (!right_nonce || decoded.header.status != ReplyStatus::kOk || decoded.header.epoch != epoch_) {
    return give_up("the solver worker did not return the greeting", false);
  }
  reader.u32();  // its process id
  solver_version_ = reader.string();
  state_ = State::kReady;
}

void Supervisor::notice_end() {
  zmq_pollitem_t item{nullptr, process_->end_descriptor(), ZMQ_POLLIN, 0};
  if (zmq_poll(&item, 1, 0) <= 0) return;
  process_->read_output();
  const Subprocess::End end = process_->reap();
  give_up(with_last_words("the solver worker " + text_of(end)), end.signal == SIGKILL);
}

std::string Supervisor::with_last_words(std::string text) const {
  std::string words = process_->output();
  while (!words.empty() && words.back() == '\n') words.pop_back();
  if (words.empty()) return text;
  return text + "; it said: " + words;
}

void Supervisor::stop() {
  socket_.reset();
  process_.reset();
  state_ = State::kDown;
  next_start_ = clock_.wall_seconds();
}

void Supervisor::give_up(std::string why, bool from_outside) {
  const bool at_start = state_ != State::kReady;
  stop();
  ++losses_;
  next_start_ += pause_seconds(losses_);
  events_.push_back({.kind = WorkerEvent::Kind::kLost,
                     .header = {},
                     .payload = {},
                     .text = std::move(why),
                     .from_outside = from_outside,
                     .at_start = at_start});
}

void Supervisor::refuse_for_good(std::string why) {
  stop();
  events_.push_back({.kind = WorkerEvent::Kind::kUnusable, .header = {}, .payload = {}, .text = std::move(why)});
}

}  // namespace cmc::solver
