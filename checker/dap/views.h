#pragma once

#include <cstdint>

#include "checker/dap/target.h"

// What a client shows of a state: threads are processes, with one frame each. All numbers are stable, so that a
// client fetches what it shows and nothing else.

namespace cmc::dap {

// Lines and columns as the client counts them.
struct Counting {
  uint32_t first_line = 1;
  uint32_t first_column = 1;
};

inline constexpr int64_t kNoThread = 1000;  // there is no process, but a client wants a thread

// A thread and its frame have the process's number, plus 1. Throws Failure: there is no such process.
[[nodiscard]] uint8_t process_of(Target& target, const Json& thread);
// The thread that a client is to look at: of the process that moves next, or moved last.
[[nodiscard]] int64_t thread_in_focus(Target& target);

// Each function makes the body of a response.
[[nodiscard]] Json threads(Target& target);
[[nodiscard]] Json stack_trace(Target& target, const Json& arguments, const Counting& counting);
[[nodiscard]] Json scopes(Target& target, const Json& arguments);
[[nodiscard]] Json variables(Target& target, const Json& arguments);
[[nodiscard]] Json step_in_targets(Target& target, const Json& arguments);
[[nodiscard]] Json data_breakpoint_info(Target& target, const Json& arguments);

// What dataId of a data breakpoint says: whose variables are in the expression.
struct WatchedData {
  uint8_t pid = kNoProcess;
  std::string expression;
};
// Throws Failure or Json::exception: it is none of ours.
[[nodiscard]] WatchedData watched_data(const std::string& data_id);

}  // namespace cmc::dap
