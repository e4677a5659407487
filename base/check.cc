#include "base/check.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/failed_check.h"

namespace cmc {
namespace {

struct FailedCheck {
  std::string text;
};

thread_local int catching = 0;  // calls of failed_check_in() that this thread is in

class Catching {
 public:
  Catching() { ++catching; }
  ~Catching() { --catching; }
  Catching(const Catching&) = delete;
  Catching& operator=(const Catching&) = delete;
};

}  // namespace

void internal_error(const std::string& message) {
  std::fflush(stdout);
  std::fprintf(stderr, "cmc: internal error: %s\n", message.c_str());
  std::fprintf(stderr, "cmc: this is a bug of CMC; please report it together with the model and the options\n");
  std::_Exit(4);
}

void check_failed(const char* file, int line, const char* text) {
  std::string message = std::string(file) + ":" + std::to_string(line) + ": CHECK failed: " + text;
  if (catching > 0) throw FailedCheck{std::move(message)};
  internal_error(message);
}

std::string failed_check_in(const std::function<void()>& work) {
  const Catching scope;
  try {
    work();
  } catch (FailedCheck& failed) {
    return std::move(failed.text);
  }
  return {};
}

}  // namespace cmc
