#pragma once

#include <functional>
#include <string>

#include "checker/rpc/json_rpc.h"

namespace cmc::dap {

using rpc::Json;

// What a client gets instead of an answer; thrown by requests.
struct Failure {
  std::string message;
};

// The Debug Adapter Protocol's messages: requests, responses, events.
class Connection {
 public:
  Connection(int in, int out) : stream_(in, out, rpc::Framing::kHeaders) {}

  // As rpc::MessageStream.
  [[nodiscard]] rpc::MessageStream::Read read(std::string& message, int milliseconds) {
    return stream_.read(message, milliseconds);
  }
  // Answers a request by the body that call(command, arguments) makes. What is no request is told in an event.
  void answer(const std::string& text, const std::function<Json(const std::string&, const Json&)>& call);
  void event(const std::string& name, Json body = Json::object());
  // "stdout" is what the model prints, "console" and "important" are CMC's own words.
  void output(const std::string& category, const std::string& text);
  [[nodiscard]] bool is_open() const { return is_open_; }

 private:
  void send(Json message);

  rpc::MessageStream stream_;
  uint64_t sent_ = 0;
  bool is_open_ = true;
};

}  // namespace cmc::dap
