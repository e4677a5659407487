#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "solver-bridge/protocol/chaos.h"
#include "solver-bridge/protocol/wait_policy.h"

namespace cmc::solver {

// CURVE keys as 40 characters each (Z85).
struct ServerKeys {
  std::string public_key;
  std::string secret_key;
  std::string client_public_key;  // the only client that is let in
};

struct ServerOptions {
  std::string endpoint;  // ipc://@name or tcp://address:port
  std::optional<ServerKeys> keys;
  std::optional<int> life_line;     // a descriptor; its end of file ends the server
  uint64_t memory_limit_bytes = 0;  // of the address space, as it was set; 0: none
  WaitPolicy wait;
  bool eval_allowed = false;
  bool chaos_allowed = false;
  ChaosPlan chaos;
};

// Serves one client until SHUTDOWN, the end of the life line, or an out-of-memory reply. Prints the ready line on
// stdout when it listens. The result is the exit code, or why it could not listen.
[[nodiscard]] Result<int> run_server(const ServerOptions& options);

}  // namespace cmc::solver
