#include <sstream>

#include "checker/cli/commands.h"
#include "checker/plugin/layout.h"
#include "checker/report/model_info.h"
#include "checker/vm/program.h"
#include "ir/dump.h"

namespace cmc {

int run_info(const Session& session) {
  const Options& options = session.options;
  const std::optional<LoadedModel> loaded = load_model(options);
  if (!loaded) return kExitUsage;
  const ModelInfo info = describe_model(loaded->model, loaded->file, loaded->sha1);
  std::ostringstream text;
  if (options.dump) dump(loaded->model, text);
  if (options.disassemble) vm::disassemble(vm::compile(loaded->model), text);
  if (options.plugin_header) text << plugin::header(loaded->model);
  if (!options.dump && !options.disassemble && !options.plugin_header) {
    text << info_text(info, Palette(wants_color(options.color, stdout)));
  }
  return print_result(session, text.str(), info_json(info)) ? kExitHolds : kExitUsage;
}

}  // namespace cmc
