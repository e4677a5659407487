#include <unistd.h>

#include "checker/check/model_file.h"
#include "checker/cli/commands.h"
#include "checker/cli/commands/child_check.h"
#include "checker/lsp/server.h"

namespace cmc {

int run_lsp(const Session& session) {
  const promela::CompileOptions options = compile_options(session.options.reading);
  return lsp::serve(STDIN_FILENO, STDOUT_FILENO, options, own_program(), session.interrupted);
}

}  // namespace cmc
