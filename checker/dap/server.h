#pragma once

#include <atomic>
#include <string>

namespace cmc::dap {

// Answers a client of the Debug Adapter Protocol until it disconnects or goes away. `in`, `out`: file descriptors.
// `program`: this program's path.
void serve(int in, int out, const std::string& program, const std::atomic<bool>& interrupted);

}  // namespace cmc::dap
