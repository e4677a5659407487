#include "promela/expand.h"

#include "checker/cli/commands.h"

namespace cmc {

int run_expand(const Session& session) {
  const Options& options = session.options;
  std::optional<LoadedModel> loaded = load_model(session);
  if (!loaded) return kExitUsage;
  promela::Diagnostics diagnostics(loaded->sources);
  const uint32_t main_file = 0;  // Model::files
  const std::optional<std::string> text =
      promela::expand(loaded->sources, main_file, options.reading.preprocessor, diagnostics);
  if (text) {
    session.output.print(*text);
    return kExitHolds;
  }
  print_to_stderr(diagnostics.render(wants_color(options.output.color, stderr)));
  return kExitUsage;
}

}  // namespace cmc
