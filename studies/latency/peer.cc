#include "studies/latency/peer.h"

#include <cstring>
#include <random>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "studies/latency/links.h"

namespace cmc::latency {

namespace {

constexpr int kLookMilliseconds = 200;  // at `interrupted`

struct FreeAddresses {
  void operator()(addrinfo* addresses) const { ::freeaddrinfo(addresses); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Result<Addresses> resolve(const PeerAddress& address, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (code != 0) return Error{fmt::format("'{}' cannot be resolved: {}", address.host, ::gai_strerror(code))};
  return Addresses(found);
}

std::string zmq_endpoint(const PeerAddress& address) {
  return fmt::format("tcp://{}:{}", address.host, address.port + 1);
}

// Of another machine or container: process ids could be equal there.
uint32_t random_name() { return std::random_device{}(); }

Result<std::unique_ptr<Channel>> connect_tcp(const PeerAddress& address) {
  CMC_TRY(const Addresses found, resolve(address, 0));
  const addrinfo& first = *found;
  const int socket = ::socket(first.ai_family, first.ai_socktype | SOCK_CLOEXEC, first.ai_protocol);
  if (socket < 0 || ::connect(socket, first.ai_addr, first.ai_addrlen) != 0) {
    const std::string why = std::strerror(errno);
    if (socket >= 0) ::close(socket);
    return Error{fmt::format("{}:{} cannot be reached: {}", address.host, address.port, why)};
  }
  return make_tcp_channel(socket);
}

Result<int> listen_at(const PeerAddress& address) {
  CMC_TRY(const Addresses found, resolve(address, AI_PASSIVE));
  const addrinfo& first = *found;
  const int listener = ::socket(first.ai_family, first.ai_socktype | SOCK_CLOEXEC, first.ai_protocol);
  const int on = 1;
  if (listener >= 0) ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (listener < 0 || ::bind(listener, first.ai_addr, first.ai_addrlen) != 0 || ::listen(listener, 8) != 0) {
    const std::string why = std::strerror(errno);
    if (listener >= 0) ::close(listener);
    return Error{fmt::format("cannot listen at {}:{}: {}", address.host, address.port, why)};
  }
  return listener;
}

void serve_tcp(int listener, uint32_t name, const std::atomic<bool>& interrupted) {
  while (!interrupted) {
    pollfd item{listener, POLLIN, 0};
    if (::poll(&item, 1, kLookMilliseconds) <= 0) continue;
    const int socket = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket >= 0) respond(*make_tcp_channel(socket), name);
  }
}

}  // namespace

Result<PeerAddress> parse_peer(const std::string& text) {
  const size_t colon = text.rfind(':');
  const std::string_view digits = std::string_view(text).substr(colon == std::string::npos ? text.size() : colon + 1);
  PeerAddress address{.host = text.substr(0, colon)};
  address.port = parse_number<uint16_t>(digits).value_or(0);
  if (address.host.empty() || address.port < 1 || address.port > 65534) {
    return Error{fmt::format("'{}' is not HOST:PORT with a port from 1 to 65534", text)};
  }
  return address;
}

bool reaches_peers(const ChannelKind& kind) {
  const std::string_view name = kind.name;
  return name == "tcp" || name == "zmq-tcp";
}

Result<Launched> measure_peer(const PeerAddress& address, const ChannelKind& kind, const MeasureOptions& options) {
  const bool is_tcp = std::string_view(kind.name) == "tcp";
  CMC_TRY(const std::unique_ptr<Channel> channel, is_tcp ? connect_tcp(address) : connect_zmq(zmq_endpoint(address)));
  rusage before{};
  rusage after{};
  ::getrusage(RUSAGE_SELF, &before);
  Result<RoundTrips> trips = measure(*channel, random_name(), std::nullopt, options);
  ::getrusage(RUSAGE_SELF, &after);
  if (!trips.ok()) return Error{trips.error()};
  return Launched{std::move(trips).value(), static_cast<uint64_t>(after.ru_nivcsw - before.ru_nivcsw)};
}

Status serve(const PeerAddress& address, const std::atomic<bool>& interrupted, const std::function<void()>& ready) {
  CMC_TRY(const int listener, listen_at(address));
  const Result<std::unique_ptr<Channel>> channel = bind_zmq(zmq_endpoint(address));
  if (!channel.ok()) {
    ::close(listener);
    return Error{fmt::format("port {}: {}", address.port + 1, channel.error())};
  }
  const uint32_t name = random_name();
  std::thread over_zmq([&] {
    while (!interrupted) respond(*channel.value(), name);
  });
  ready();
  serve_tcp(listener, name, interrupted);
  over_zmq.join();
  ::close(listener);
  return Success{};
}

}  // namespace cmc::latency
