#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "checker/explore/request.h"

namespace cmc::explore {

// Who may ask: whoever knows the address, which has 128 random bits in it, and asks for it by a name of this machine
// and from no other page. So neither other users of this machine, nor pages of the web, nor names of theirs that lead
// here (DNS rebinding) get an answer.
class Access {
 public:
  // Error: the system has no randomness.
  [[nodiscard]] static Result<Access> make(uint16_t port);
  Access(uint16_t port, std::string token) : port_(port), token_(std::move(token)) {}

  // "http://127.0.0.1:PORT/TOKEN/"
  [[nodiscard]] std::string address() const;
  // The status that refuses the request: 403, 421 (another host); 0: it is let in, and `path` is what follows the
  // token.
  [[nodiscard]] int check(const Request& request, std::string& path) const;

 private:
  uint16_t port_;
  std::string token_;
};

}  // namespace cmc::explore
