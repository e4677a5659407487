#include <array>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "studies/latency/links.h"

namespace cmc::latency {

namespace {

Error system_error(std::string_view what) { return Error{fmt::format("{}: {}", what, std::strerror(errno))}; }

void be_patient(int socket) {
  const timeval patience{kPatienceSeconds, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

// A connected socket. A stream (TCP) tells by the frame where a message ends.
class SocketChannel final : public Channel {
 public:
  SocketChannel(int socket, bool is_stream) : socket_(socket), is_stream_(is_stream) { be_patient(socket_); }
  ~SocketChannel() override { ::close(socket_); }

  Status send(ByteView message) override {
    while (!message.empty()) {
      const ssize_t sent = ::send(socket_, message.data(), message.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return system_error("the message could not be sent");
      message = message.subspan(static_cast<size_t>(sent));
    }
    return Success{};
  }

  Result<size_t> receive(std::span<std::byte> into) override {
    size_t wanted = is_stream_ ? kLeastBytes : kMostBytes;
    size_t have = 0;
    while (have < wanted) {
      const ssize_t got = ::recv(socket_, into.data() + have, wanted - have, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return nothing_came();
      if (got < 0) return system_error("no message could be received");
      if (got == 0) return Error{"the other side has gone"};
      have += static_cast<size_t>(got);
      if (!is_stream_) break;
      if (have == kLeastBytes) wanted = frame_of(into).bytes;
      if (wanted < kLeastBytes || wanted > kMostBytes) return Error{"what came is no message of cmc-latency"};
    }
    if (have < kLeastBytes) return Error{"what came is no message of cmc-latency"};
    return have;
  }

 private:
  const int socket_;
  const bool is_stream_;
};

class UnixLink final : public Link {
 public:
  explicit UnixLink(std::array<int, 2> ends) : ends_(ends) {}
  ~UnixLink() override {
    for (const int end : ends_) {
      if (end >= 0) ::close(end);
    }
  }
  Result<std::unique_ptr<Channel>> open(Side side) override {
    int& end = ends_[side == Side::kAsker ? 0 : 1];
    return std::unique_ptr<Channel>(std::make_unique<SocketChannel>(std::exchange(end, -1), false));
  }

 private:
  std::array<int, 2> ends_;
};

class TcpLink final : public Link {
 public:
  TcpLink(int listener, const sockaddr_in& address) : listener_(listener), address_(address) {}
  ~TcpLink() override { ::close(listener_); }

  Result<std::unique_ptr<Channel>> open(Side side) override {
    int socket = -1;
    if (side == Side::kResponder) {
      socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) return system_error("no other side connects");
    } else {
      socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (socket < 0) return system_error("there is no socket");
      if (::connect(socket, reinterpret_cast<const sockaddr*>(&address_), sizeof address_) != 0) {
        const Error error = system_error("the responder cannot be reached");
        ::close(socket);
        return error;
      }
    }
    return make_tcp_channel(socket);
  }

 private:
  const int listener_;
  const sockaddr_in address_;
};

}  // namespace

Result<std::unique_ptr<Link>> make_unix_link() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return system_error("there is no pair of sockets");
  }
  return std::unique_ptr<Link>(std::make_unique<UnixLink>(ends));
}

Result<std::unique_ptr<Link>> make_tcp_link() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return system_error("there is no socket");
  be_patient(listener);
  sockaddr_in address{};
  socklen_t size = sizeof address;
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), size) != 0 || ::listen(listener, 1) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    const Error error = system_error("cannot listen on the loopback interface");
    ::close(listener);
    return error;
  }
  return std::unique_ptr<Link>(std::make_unique<TcpLink>(listener, address));
}

std::unique_ptr<Channel> make_tcp_channel(int connected_socket) {
  const int on = 1;
  ::setsockopt(connected_socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return std::make_unique<SocketChannel>(connected_socket, true);
}

}  // namespace cmc::latency
