#pragma once

// CHECK: always-on assertion for bugs of CMC itself. No input (model, flag, file) may reach a failing CHECK.
// DCHECK: the same for hot paths, compiled out of release builds.

#include <string>

namespace cmc {

// Prints the message and the request to report it to stderr and ends the process with exit code 4 (internal error).
[[noreturn]] void internal_error(const std::string& message);

// Prints `file:line: CHECK failed: text` to stderr and ends the process with exit code 4 (internal error).
[[noreturn]] void check_failed(const char* file, int line, const char* text);

}  // namespace cmc

#define CHECK(condition)                                   \
  do {                                                     \
    if (!(condition)) [[unlikely]]                         \
      ::cmc::check_failed(__FILE__, __LINE__, #condition); \
  } while (false)

#ifdef NDEBUG
#define DCHECK(condition) \
  do {                    \
  } while (false)
#else
#define DCHECK(condition) CHECK(condition)
#endif
