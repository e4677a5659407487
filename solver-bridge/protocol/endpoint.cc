#include "solver-bridge/protocol/endpoint.h"

namespace cmc::solver {

bool is_local(const std::string& endpoint) {
  return endpoint.starts_with("ipc://") || endpoint.starts_with("tcp://127.") || endpoint.starts_with("tcp://[::1]:");
}

}  // namespace cmc::solver
