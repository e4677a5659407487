#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/result.h"

namespace cmc {

struct ChildOutput {
  int exit_code = 0;
  int signal = 0;     // that ended it
  bool late = false;  // it was ended because it took longer than it was given
  std::string output;
  std::string error;
};

// Runs a command and collects what it prints, at most 32 MB of each; `folder` is for its files, and it is ended after
// `seconds`, or if this program is interrupted. Error: it cannot be started.
[[nodiscard]] Result<ChildOutput> run_child(const std::vector<std::string>& command, const std::string& folder,
                                            double seconds, const std::atomic<bool>& interrupted);

}  // namespace cmc
