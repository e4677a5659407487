#include "checker/explore/access.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <sys/random.h>

#include "base/hex.h"

namespace cmc::explore {
namespace {

// Takes as long for any text of that length.
bool is_equal(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < one.size(); ++i) difference |= static_cast<unsigned>(one[i] ^ other[i]);
  return difference == 0;
}

}  // namespace

Result<Access> Access::make(uint16_t port) {
  std::array<unsigned char, 16> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
    return Error{fmt::format("there is no random number for the address: {}", std::strerror(errno))};
  return Access(port, hex_text(random));
}

std::string Access::address() const { return fmt::format("http://127.0.0.1:{}/{}/", port_, token_); }

int Access::check(const Request& request, std::string& path) const {
  const std::string_view host = request.header("host");
  if (host != fmt::format("127.0.0.1:{}", port_) && host != fmt::format("localhost:{}", port_)) return 421;
  const std::string_view origin = request.header("origin");
  if (!origin.empty() && origin != fmt::format("http://{}", host)) return 403;
  const std::string_view target = request.target;
  const size_t end = target.find('/', 1);
  if (end == std::string_view::npos || !is_equal(target.substr(1, end - 1), token_)) return 403;
  path = target.substr(end + 1);
  return 0;
}

}  // namespace cmc::explore
