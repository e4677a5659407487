#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "checker/rpc/message_stream.h"

namespace cmc::rpc {

using Json = nlohmann::json;

// What a client gets instead of a result; thrown by methods.
struct Failure {
  int code;
  std::string message;
};
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParameters = -32602;

// JSON-RPC 2.0 with one client.
class Connection {
 public:
  Connection(int in, int out, Framing framing) : stream_(in, out, framing) {}

  [[nodiscard]] MessageStream::Read read(std::string& message, int milliseconds) {
    return stream_.read(message, milliseconds);
  }
  // Answers a message by call(method, parameters, is_request); the result of a notification is dropped.
  template <class Call>
  void answer(const std::string& text, Call&& call);
  void notify(const std::string& method, Json parameters);
  // Asks the client for something. What it answers is not looked at.
  void request(const std::string& method, Json parameters);
  [[nodiscard]] bool is_open() const { return is_open_; }

 private:
  struct Request {
    std::string method;
    Json parameters;
    bool has_id = false;
    Json id;
  };
  // None: there is nothing to be done, or the client has been told what is wrong.
  [[nodiscard]] std::optional<Request> parse(const std::string& text);
  void send(const Json& message);
  void send_failure(const Json& id, const Failure& failure);

  MessageStream stream_;
  bool is_open_ = true;
  uint64_t asked_ = 0;
};

template <class Call>
void Connection::answer(const std::string& text, Call&& call) {
  const std::optional<Request> request = parse(text);
  if (!request) return;
  try {
    Json result = call(request->method, request->parameters, request->has_id);
    if (request->has_id) send({{"jsonrpc", "2.0"}, {"id", request->id}, {"result", std::move(result)}});
  } catch (const Failure& failure) {
    if (request->has_id) send_failure(request->id, failure);
  } catch (const Json::exception&) {
    if (request->has_id)
      send_failure(request->id, {kInvalidParameters, "the parameters are not those of this method"});
  }
}

}  // namespace cmc::rpc
