#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace cmc {

void check_failed(const char* file, int line, const char* text) {
  std::fflush(stdout);
  std::fprintf(stderr, "cmc: internal error: %s:%d: CHECK failed: %s\n", file, line, text);
  std::fprintf(stderr, "cmc: this is a bug of CMC; please report it together with the model and the options\n");
  std::_Exit(4);
}

}  // namespace cmc
