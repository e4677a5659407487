#include "checker/explore/http_server.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/clock.h"

namespace cmc::explore {
namespace {

constexpr double kDrainSeconds = 1;

double now() { return SystemClock().wall_seconds(); }

const char* reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 413: return "Content Too Large";
    case 421: return "Misdirected Request";
    case 431: return "Request Header Fields Too Large";
    case 501: return "Not Implemented";
    case 505: return "HTTP Version Not Supported";
    default: return "Bad Request";
  }
}

// No other page may show this one or read from it, and nothing of it is kept.
std::string head_of(const Response& response) {
  std::string head = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nConnection: close\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n",
      response.status, reason_of(response.status), response.type);
  for (const auto& [name, value] : response.headers) head += fmt::format("{}: {}\r\n", name, value);
  return head;
}

bool may_come_later() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

Result<HttpServer> HttpServer::listen(uint16_t port) {
  const auto failed = [&] {
    return Error{fmt::format("port {} of 127.0.0.1 cannot be used: {}", port, std::strerror(errno))};
  };
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return failed();
  const int yes = 1;
  if (::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0) return failed();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.number(), generic, size) != 0 || ::listen(socket.number(), kMostConnections) != 0 ||
      ::getsockname(socket.number(), generic, &size) != 0)
    return failed();
  return HttpServer(std::move(socket), ntohs(address.sin_port));
}

void HttpServer::serve(int milliseconds, const Handler& handler) {
  std::vector<pollfd> polled = {{socket_.number(), POLLIN, 0}};
  std::vector<Id> ids = {0};
  for (const auto& [id, connection] : connections_) {
    const short events = connection.phase == Phase::kWriting ? POLLOUT : POLLIN;
    polled.push_back({connection.socket.number(), events, 0});
    ids.push_back(id);
  }
  // Of more than that, the newest wait in the kernel's queue.
  if (connections_.size() >= kMostConnections) polled.front().events = 0;
  if (::poll(polled.data(), polled.size(), milliseconds) < 0) return;  // a signal
  for (size_t i = 1; i < polled.size(); ++i) {
    const auto found = connections_.find(ids[i]);
    if (found == connections_.end()) continue;
    Connection& connection = found->second;
    bool is_open = true;
    if (polled[i].revents != 0)
      is_open = connection.phase == Phase::kWriting ? write(connection) : read(ids[i], connection, handler);
    const bool is_timed = connection.phase != Phase::kWaiting && connection.phase != Phase::kStreaming;
    if (is_open && is_timed && now() > connection.deadline) {
      is_open = connection.phase == Phase::kReading;
      if (is_open) respond(ids[i], {408, "text/plain", "the request did not arrive in time\n"});
    }
    if (!is_open) connections_.erase(ids[i]);
  }
  if ((polled.front().revents & POLLIN) != 0) accept_all();
}

void HttpServer::accept_all() {
  while (connections_.size() < kMostConnections) {
    Descriptor socket(::accept4(socket_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.valid()) return;
    Connection& connection = connections_[++last_];
    connection.socket = std::move(socket);
    connection.deadline = now() + kRequestSeconds;
  }
}

bool HttpServer::read(Id id, Connection& connection, const Handler& handler) {
  char bytes[16 << 10];
  const ssize_t count = ::recv(connection.socket.number(), bytes, sizeof(bytes), 0);
  if (count < 0) return may_come_later();
  if (count == 0) return false;
  if (connection.phase != Phase::kReading) return true;  // nobody asked for that
  switch (connection.reader.add({bytes, static_cast<size_t>(count)})) {
    case RequestReader::State::kMore: break;
    case RequestReader::State::kRefused: respond(id, {connection.reader.refusal(), "text/plain", "refused\n"}); break;
    case RequestReader::State::kWhole:
      connection.phase = Phase::kWaiting;
      handler(id, connection.reader.request());
      break;
  }
  return true;
}

bool HttpServer::write(Connection& connection) {
  const std::string_view rest = std::string_view(connection.output).substr(connection.written);
  const ssize_t count = ::send(connection.socket.number(), rest.data(), rest.size(), MSG_NOSIGNAL);
  if (count < 0) return may_come_later();
  connection.written += static_cast<size_t>(count);
  connection.deadline = now() + kRequestSeconds;
  if (connection.written < connection.output.size()) return true;
  // What the client still sends is read for a while: a socket that is closed with unread bytes takes the answer
  // along.
  ::shutdown(connection.socket.number(), SHUT_WR);
  connection.phase = Phase::kDraining;
  connection.deadline = now() + kDrainSeconds;
  return true;
}

void HttpServer::respond(Id id, const Response& response) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  connection.output = head_of(response) + fmt::format("Content-Length: {}\r\n\r\n", response.body.size());
  connection.output += response.body;
  connection.phase = Phase::kWriting;
  connection.deadline = now() + kRequestSeconds;
}

void HttpServer::stream(Id id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  const std::string head = head_of({200, "text/event-stream", ""}) + "\r\n: here\n\n";
  const ssize_t sent = ::send(found->second.socket.number(), head.data(), head.size(), MSG_NOSIGNAL);
  if (sent == static_cast<ssize_t>(head.size())) {
    found->second.phase = Phase::kStreaming;
  } else {
    found->second.phase = Phase::kDraining;
    found->second.deadline = 0;
  }
}

size_t HttpServer::streams() const {
  return static_cast<size_t>(
      std::ranges::count_if(connections_, [](const auto& each) { return each.second.phase == Phase::kStreaming; }));
}

bool HttpServer::is_writing() const {
  return std::ranges::any_of(connections_, [](const auto& each) { return each.second.phase == Phase::kWriting; });
}

}  // namespace cmc::explore
