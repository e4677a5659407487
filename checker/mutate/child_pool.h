#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace cmc::mutate {

// Work on numbered tasks, in children of this process: copies of it (fork), so that all know what it has read, and
// one that crashes, hangs or takes all memory ends nothing but its task.
struct ChildWork {
  size_t tasks = 0;
  size_t jobs = 1;
  double most_seconds = 60;                      // of a task; one that takes longer is killed
  std::function<std::string(size_t task)> work;  // in a child
  // In this process, in the order in which they end. None: the child has died.
  std::function<void(size_t task, std::optional<std::string> answer)> on_end;
  std::function<bool()> goes_on;  // false: no more tasks are begun, those that run are killed
};

// REQUIRES: this process has no other thread. False: not all tasks have ended.
[[nodiscard]] bool run_in_children(const ChildWork& work);

}  // namespace cmc::mutate
