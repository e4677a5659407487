#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace cmc {

void internal_error(const std::string& message) {
  std::fflush(stdout);
  std::fprintf(stderr, "cmc: internal error: %s\n", message.c_str());
  std::fprintf(stderr, "cmc: this is a bug of CMC; please report it together with the model and the options\n");
  std::_Exit(4);
}

void check_failed(const char* file, int line, const char* text) {
  internal_error(std::string(file) + ":" + std::to_string(line) + ": CHECK failed: " + text);
}

}  // namespace cmc
