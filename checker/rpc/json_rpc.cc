#include "checker/rpc/json_rpc.h"

#include <utility>

namespace cmc::rpc {
namespace {

constexpr int kParseError = -32700;

}  // namespace

std::optional<Connection::Request> Connection::parse(const std::string& text) {
  Json message = Json::parse(text, nullptr, false);
  if (message.is_discarded()) {
    send_failure(nullptr, {kParseError, "this is not JSON"});
    return std::nullopt;
  }
  if (!message.is_object() || !message.contains("method") || !message["method"].is_string()) {
    // An answer to request().
    if (message.is_object() && (message.contains("result") || message.contains("error"))) return std::nullopt;
    send_failure(nullptr, {kInvalidRequest, "a message is an object with a method"});
    return std::nullopt;
  }
  Request request;
  request.method = message["method"].get<std::string>();
  request.has_id = message.contains("id");
  if (request.has_id) request.id = std::move(message["id"]);
  request.parameters = message.contains("params") ? std::move(message["params"]) : Json::object();
  return request;
}

void Connection::notify(const std::string& method, Json parameters) {
  send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(parameters)}});
}

void Connection::request(const std::string& method, Json parameters) {
  const std::string id = "cmc-" + std::to_string(++asked_);
  Json message = {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}};
  if (!parameters.is_null()) message["params"] = std::move(parameters);
  send(message);
}

void Connection::send(const Json& message) {
  if (!stream_.write(message.dump(-1, ' ', false, Json::error_handler_t::replace))) is_open_ = false;
}

void Connection::send_failure(const Json& id, const Failure& failure) {
  send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", failure.code}, {"message", failure.message}}}});
}

}  // namespace cmc::rpc
