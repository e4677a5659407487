#pragma once

#include <atomic>

namespace cmc {

// Ctrl-C and SIGTERM: the first one sets the flag, so that a search stops and reports; a second one ends the process
// at once. Writing to a closed pipe becomes an error of the write instead of a signal. Call once, at the start.
[[nodiscard]] const std::atomic<bool>& catch_signals();

}  // namespace cmc
