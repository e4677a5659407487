#include "checker/rpc/message_stream.h"

#include <cerrno>
#include <cstdio>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "base/files/descriptor.h"
#include "base/text.h"

namespace cmc::rpc {
namespace {

constexpr size_t kMostHeaderBytes = 4096;
constexpr size_t kMostBytes = size_t{128} << 20;
constexpr std::string_view kLength = "content-length:";

bool begins_with_length(std::string_view header) {
  if (header.size() < kLength.size()) return false;
  for (size_t i = 0; i < kLength.size(); ++i) {
    const char c = header[i] >= 'A' && header[i] <= 'Z' ? static_cast<char>(header[i] - 'A' + 'a') : header[i];
    if (c != kLength[i]) return false;
  }
  return true;
}

}  // namespace

std::optional<bool> MessageStream::take_line(std::string& message) {
  const size_t end = buffer_.find('\n');
  if (end == std::string::npos) return buffer_.size() > kMostBytes ? std::nullopt : std::optional(false);
  message = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return true;
}

std::optional<bool> MessageStream::take(std::string& message) {
  if (framing_ == Framing::kLines) return take_line(message);
  const size_t end = buffer_.find("\r\n\r\n");
  if (end == std::string::npos) return buffer_.size() > kMostHeaderBytes ? std::nullopt : std::optional(false);
  std::optional<size_t> length;
  for (size_t at = 0; at < end;) {
    const size_t line_end = buffer_.find("\r\n", at);
    std::string_view header = std::string_view(buffer_).substr(at, line_end - at);
    at = line_end + 2;
    if (!begins_with_length(header)) continue;
    header.remove_prefix(kLength.size());
    while (header.starts_with(' ')) header.remove_prefix(1);
    length = parse_number<size_t>(header);
    if (!length || *length > kMostBytes) return std::nullopt;
  }
  if (!length) return std::nullopt;
  if (buffer_.size() < end + 4 + *length) return false;
  message = buffer_.substr(end + 4, *length);
  buffer_.erase(0, end + 4 + *length);
  return true;
}

MessageStream::Read MessageStream::read(std::string& message, int milliseconds) {
  for (;;) {
    const std::optional<bool> taken = take(message);
    if (!taken) {
      std::fputs(framing_ == Framing::kLines
                     ? "cmc: standard input has a line of more than 128 MiB, which is no message\n"
                     : "cmc: standard input has no message: a header 'Content-Length: N', an empty line (both end in "
                       "\\r\\n) and N bytes are expected, of 128 MiB at most\n",
                 stderr);
      return Read::kEnd;
    }
    if (*taken) return Read::kMessage;
    pollfd waits{in_, POLLIN, 0};
    const int ready = ::poll(&waits, 1, milliseconds);
    if (ready == 0) return Read::kNothing;
    if (ready < 0 && errno == EINTR) return Read::kNothing;
    char block[1 << 16];
    const ssize_t count = ::read(in_, block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Read::kEnd;
    buffer_.append(block, static_cast<size_t>(count));
  }
}

bool MessageStream::write(std::string_view message) {
  return write_all(out_, framing_ == Framing::kLines
                             ? fmt::format("{}\n", message)
                             : fmt::format("Content-Length: {}\r\n\r\n{}", message.size(), message)) == 0;
}

}  // namespace cmc::rpc
