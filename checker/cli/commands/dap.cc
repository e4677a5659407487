#include <unistd.h>

#include "checker/cli/commands.h"
#include "checker/cli/commands/child_check.h"
#include "checker/dap/server.h"

namespace cmc {

int run_dap(const Session& session) {
  dap::serve(STDIN_FILENO, STDOUT_FILENO, own_program(), session.interrupted);
  return kExitHolds;
}

}  // namespace cmc
