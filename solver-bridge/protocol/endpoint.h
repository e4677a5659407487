#pragma once

#include <string>
#include <string_view>

namespace cmc::solver {

// The line by which a worker that listens says so on its standard output: this, a blank, its endpoint.
constexpr std::string_view kReadyPrefix = "cmc-solverd ready";

// Is the endpoint one that only this machine can reach (ipc, or tcp on a loopback address)?
[[nodiscard]] bool is_local(const std::string& endpoint);

}  // namespace cmc::solver
