#pragma once

#include <cstdint>

// Clocks for measuring short pieces of work within a thread. All in nanoseconds.

namespace cmc {

// Since some fixed moment; never goes back. A reading costs some 20 ns.
[[nodiscard]] int64_t fine_nanoseconds();

// How often this thread has waited, or was made to wait by the system. A reading is a system call.
[[nodiscard]] uint64_t thread_context_switches();

}  // namespace cmc
