#include <array>
#include <cstring>
#include <random>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>
#include <zmq.hpp>

#include "studies/latency/links.h"

namespace cmc::latency {

namespace {

using Context = std::shared_ptr<zmq::context_t>;

class ZmqChannel final : public Channel {
 public:
  explicit ZmqChannel(Context context) : context_(std::move(context)), socket_(*context_, ZMQ_DEALER) {
    socket_.set(zmq::sockopt::linger, 1000);  // the last message is not answered
    socket_.set(zmq::sockopt::maxmsgsize, int64_t{kMostBytes});
    socket_.set(zmq::sockopt::rcvtimeo, kPatienceSeconds * 1000);
    socket_.set(zmq::sockopt::sndtimeo, kPatienceSeconds * 1000);
  }

  void bind(const std::string& endpoint) { socket_.bind(endpoint); }
  void connect(const std::string& endpoint) { socket_.connect(endpoint); }
  [[nodiscard]] std::string endpoint() const { return socket_.get(zmq::sockopt::last_endpoint); }

  Status send(ByteView message) override {
    try {
      if (socket_.send(zmq::buffer(message.data(), message.size()), zmq::send_flags::none)) return Success{};
    } catch (const zmq::error_t& error) {
      return Error{fmt::format("the message could not be sent: {}", error.what())};
    }
    return Error{"the other side takes no messages"};
  }

  Result<size_t> receive(std::span<std::byte> into) override {
    try {
      if (!socket_.recv(message_)) return nothing_came();
    } catch (const zmq::error_t& error) {
      return Error{fmt::format("no message could be received: {}", error.what())};
    }
    if (message_.more() || message_.size() < kLeastBytes || message_.size() > kMostBytes) {
      return Error{"what came is no message of cmc-latency"};
    }
    std::memcpy(into.data(), message_.data(), message_.size());
    return message_.size();
  }

 private:
  const Context context_;
  zmq::socket_t socket_;
  zmq::message_t message_;
};

// The responder binds, and tells the asker through a pipe where.
class ZmqLink final : public Link {
 public:
  ZmqLink(ZmqTransport transport, std::array<int, 2> pipe) : transport_(transport), pipe_(pipe) {}
  ~ZmqLink() override {
    for (const int end : pipe_) ::close(end);
  }

  // Threads share a context, which is made by make_zmq_link(); processes have one each.
  void share(Context context) { shared_ = std::move(context); }

  Result<std::unique_ptr<Channel>> open(Side side) override {
    try {
      auto channel = std::make_unique<ZmqChannel>(shared_ ? shared_ : std::make_shared<zmq::context_t>(1));
      if (side == Side::kResponder) {
        channel->bind(wanted_endpoint());
        const std::string endpoint = channel->endpoint() + "\n";
        if (::write(pipe_[1], endpoint.data(), endpoint.size()) < 0) return Error{"the pipe is broken"};
      } else {
        CMC_TRY(const std::string endpoint, read_endpoint());
        channel->connect(endpoint);
      }
      return std::unique_ptr<Channel>(std::move(channel));
    } catch (const zmq::error_t& error) {
      return Error{fmt::format("ZeroMQ: {}", error.what())};
    }
  }

 private:
  [[nodiscard]] std::string wanted_endpoint() const {
    std::random_device random;
    const std::string name = fmt::format("cmc-latency-{}-{:08x}{:08x}", ::getpid(), random(), random());
    switch (transport_) {
      case ZmqTransport::kInproc: return "inproc://" + name;
      case ZmqTransport::kIpc: return "ipc://@" + name;
      case ZmqTransport::kTcp: break;
    }
    return "tcp://127.0.0.1:*";
  }

  [[nodiscard]] Result<std::string> read_endpoint() const {
    std::array<char, 300> text{};
    pollfd item{pipe_[0], POLLIN, 0};
    if (::poll(&item, 1, kPatienceSeconds * 1000) != 1) return Error{"the responder does not start"};
    const ssize_t got = ::read(pipe_[0], text.data(), text.size());
    if (got < 2) return Error{"the responder does not start"};
    return std::string(text.data(), static_cast<size_t>(got) - 1);
  }

  const ZmqTransport transport_;
  const std::array<int, 2> pipe_;
  Context shared_;
};

template <class Attach>
Result<std::unique_ptr<Channel>> open_zmq(Attach&& attach) {
  try {
    auto channel = std::make_unique<ZmqChannel>(std::make_shared<zmq::context_t>(1));
    attach(*channel);
    return std::unique_ptr<Channel>(std::move(channel));
  } catch (const zmq::error_t& error) {
    return Error{fmt::format("ZeroMQ: {}", error.what())};
  }
}

}  // namespace

Result<std::unique_ptr<Link>> make_zmq_link(ZmqTransport transport) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return Error{"there is no pipe"};
  auto link = std::make_unique<ZmqLink>(transport, pipe);
  try {
    if (transport == ZmqTransport::kInproc) link->share(std::make_shared<zmq::context_t>(1));
  } catch (const zmq::error_t& error) {
    return Error{fmt::format("ZeroMQ: {}", error.what())};
  }
  return std::unique_ptr<Link>(std::move(link));
}

Result<std::unique_ptr<Channel>> connect_zmq(const std::string& endpoint) {
  return open_zmq([&](ZmqChannel& channel) { channel.connect(endpoint); });
}

Result<std::unique_ptr<Channel>> bind_zmq(const std::string& endpoint) {
  return open_zmq([&](ZmqChannel& channel) { channel.bind(endpoint); });
}

}  // namespace cmc::latency
