#include <filesystem>

#include <unistd.h>

#include "checker/cli/commands.h"
#include "checker/cli/commands/child_check.h"
#include "checker/mcp/server.h"

namespace cmc {

int run_mcp(const Session& session) {
  std::error_code error;
  const std::string root = std::filesystem::current_path(error).string();
  if (error) return refuse("the current folder cannot be found: " + error.message());
  mcp::serve(STDIN_FILENO, STDOUT_FILENO, own_program(), root, session.interrupted);
  return kExitHolds;
}

}  // namespace cmc
