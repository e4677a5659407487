#pragma once

#include <atomic>

namespace cmc {

// Ctrl-C (SIGINT), SIGTERM, SIGHUP and the soft limit of CPU time (SIGXCPU): the first one sets the flag, so that a
// search stops, reports and removes its files; a second one ends the process at once (but SIGXCPU, which comes every
// second). Under `nohup`, SIGHUP stays ignored. Writing to a closed pipe (SIGPIPE) or beyond the limit of file sizes
// (SIGXFSZ) becomes an error of the write instead of a signal. SIGUSR1 asks for the report so far. That the parent
// ignored SIGCHLD or blocked one of these does not matter. Call once, at the start.
[[nodiscard]] const std::atomic<bool>& catch_signals();

// Whether SIGUSR1 has come since the last call.
[[nodiscard]] bool take_report_request();

// 128 + the number of the signal that set the flag: 130 after Ctrl-C, 143 after SIGTERM, as shells have it.
[[nodiscard]] int interrupted_exit_code();

// Whether a process with this exit code was ended by one of these signals.
[[nodiscard]] bool is_interrupted_exit_code(int exit_code);

}  // namespace cmc
