#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cmc::lsp {

// Messages of the base protocol (LSP 3.17): headers, of which Content-Length counts, an empty line, JSON.
class MessageStream {
 public:
  // File descriptors that stay open.
  MessageStream(int in, int out) : in_(in), out_(out) {}

  enum class Read : uint8_t {
    kMessage,
    kNothing,  // there was none within the time
    kEnd,      // the client has gone, or what it sends is no message
  };
  // Waits at most that long for a message; negative: as long as it takes.
  [[nodiscard]] Read read(std::string& message, int milliseconds);
  // False: the client has gone.
  [[nodiscard]] bool write(std::string_view message);

 private:
  [[nodiscard]] std::optional<bool> take(std::string& message);  // none: what is there is no message
  int in_;
  int out_;
  std::string buffer_;
};

}  // namespace cmc::lsp
