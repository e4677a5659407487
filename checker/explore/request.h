#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cmc::explore {

struct Request {
  std::string method;                                        // GET or POST
  std::string target;                                        // "/a/b"
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;

  // Empty: there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const;
};

// One request of HTTP/1.0 or 1.1, as it comes in pieces. Strict: what is not exactly as RFC 9112 has it is refused,
// and so is what a page of `cmc explore` never sends. Memory: both limits, whatever comes.
class RequestReader {
 public:
  static constexpr size_t kMostHead = 8 << 10;  // bytes, of everything in front of the body
  static constexpr size_t kMostBody = 64 << 10;
  static constexpr size_t kMostHeaders = 64;

  enum class State : uint8_t { kMore, kWhole, kRefused };
  // What follows a whole request is ignored: the answer closes the connection.
  State add(std::string_view bytes);
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] const Request& request() const { return request_; }
  // The status that says why: 400, 405, 413, 431, 501, 505. REQUIRES: kRefused.
  [[nodiscard]] int refusal() const { return refusal_; }

 private:
  State refuse(int status);
  State read_head(std::string_view head);
  State read_request_line(std::string_view line);
  State read_header(std::string_view line);
  State begin_body();

  State state_ = State::kMore;
  int refusal_ = 0;
  Request request_;
  std::string buffer_;
  size_t body_bytes_ = 0;
  bool in_body_ = false;
};

}  // namespace cmc::explore
