#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>

// Work in a process of its own, so that a crash or a hang is an answer, too.

namespace cmc::random {

enum class ChildEnd : uint8_t { kAnswered, kTooLate, kCrashed };

// `work` fills the `bytes` bytes at `message` there; they are copied here. Otherwise `how` says how it ended.
ChildEnd run_in_child(unsigned cpu_seconds, void* message, size_t bytes, const std::function<void()>& work,
                      std::string& how);

template <class Message>
ChildEnd run_in_child(unsigned cpu_seconds, Message& message, const std::function<void()>& work, std::string& how) {
  static_assert(std::is_trivially_copyable_v<Message> && sizeof(Message) < PIPE_BUF);  // it comes in one piece
  return run_in_child(cpu_seconds, &message, sizeof message, work, how);
}

}  // namespace cmc::random
