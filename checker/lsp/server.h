#pragma once

#include <atomic>

#include "promela/compile.h"

namespace cmc::lsp {

// Answers a client of the Language Server Protocol (3.17) until it says `exit` or goes away. Returns the exit code
// of the protocol: 0 after a `shutdown`, otherwise 1. `in`, `out`: file descriptors. `options`: how models are read.
// `program`: cmc, which runs checks.
[[nodiscard]] int serve(int in, int out, const promela::CompileOptions& options, const std::string& program,
                        const std::atomic<bool>& interrupted);

}  // namespace cmc::lsp
