#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cmc::rpc {

// How messages are told from each other.
enum class Framing : uint8_t {
  kHeaders,  // headers, of which Content-Length counts, an empty line, then the text: editors
  kLines,    // a line each: agents
};

// Messages on two file descriptors, which stay open.
class MessageStream {
 public:
  MessageStream(int in, int out, Framing framing) : in_(in), out_(out), framing_(framing) {}

  enum class Read : uint8_t {
    kMessage,
    kNothing,  // there was none within the time
    kEnd,      // the client has gone, or what it sends is no message, which standard error tells
  };
  // Waits at most that long for a message; negative: as long as it takes.
  [[nodiscard]] Read read(std::string& message, int milliseconds);
  // False: the client has gone.
  [[nodiscard]] bool write(std::string_view message);

 private:
  // Whether there is a whole message; none: what is there is no message.
  [[nodiscard]] std::optional<bool> take(std::string& message);
  [[nodiscard]] std::optional<bool> take_line(std::string& message);

  int in_;
  int out_;
  Framing framing_;
  std::string buffer_;
};

}  // namespace cmc::rpc
