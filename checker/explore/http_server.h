#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/files/descriptor.h"
#include "base/result.h"
#include "checker/explore/request.h"

namespace cmc::explore {

struct Response {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};  // more of them
};

// HTTP on the loopback address for one page: one thread, one request a connection, strict limits.
//
// Why not a library: of Debian's, cpp-httplib keeps a header of any length and adds 2.4 ms to each start of cmc,
// libmicrohttpd 1.1 ms, as it brings GnuTLS (bench/RESULTS.md).
class HttpServer {
 public:
  using Id = uint64_t;  // of a connection
  // A request that was let in. It is answered by respond() or stream(), now or later.
  using Handler = std::function<void(Id, const Request&)>;

  static constexpr size_t kMostConnections = 32;
  static constexpr double kRequestSeconds =
      10;  // for a request to arrive, and without progress for an answer to leave

  // `port` 0: any one that is free. Error: it is in use.
  [[nodiscard]] static Result<HttpServer> listen(uint16_t port);
  [[nodiscard]] uint16_t port() const { return port_; }

  // Reads and writes what can be, and hands over requests that are whole; waits at most that long for something to
  // do.
  void serve(int milliseconds, const Handler& handler);
  // Nothing happens if the client has gone.
  void respond(Id id, const Response& response);
  // Begins an answer without an end (text/event-stream). It has one when the client goes, or with the server.
  void stream(Id id);
  [[nodiscard]] size_t streams() const;
  // Whether the client still waits.
  [[nodiscard]] bool waits(Id id) const { return connections_.contains(id); }
  // Whether answers are still on their way.
  [[nodiscard]] bool is_writing() const;

 private:
  struct Connection {
    enum class Phase : uint8_t { kReading, kWaiting, kWriting, kStreaming, kDraining } phase = Phase::kReading;
    Descriptor socket;
    RequestReader reader;
    std::string output;
    size_t written = 0;
    double deadline = 0;  // of kReading, kWriting, kDraining
  };
  using Phase = Connection::Phase;

  HttpServer(Descriptor socket, uint16_t port) : socket_(std::move(socket)), port_(port) {}
  void accept_all();
  // False: the connection is over.
  bool read(Id id, Connection& connection, const Handler& handler);
  bool write(Connection& connection);

  Descriptor socket_;
  uint16_t port_;
  std::map<Id, Connection> connections_;
  Id last_ = 0;
};

}  // namespace cmc::explore
