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
  std::ostringstream text;
  if (options.dump) dump(loaded->model, text);
  if (options.disassemble) vm::disassemble(vm::compile(loaded->model), text);
  if (options.plugin_header) text << plugin::header(loaded->model);
  if (!options.dump && !options.disassemble && !options.plugin_header) {
    const ModelInfo info = describe_model(loaded->model, loaded->file, loaded->sha1);
    const Palette palette(wants_color(options.color, stdout));
    text << (options.info_json ? info_json(info) : info_text(info, palette));
  }
  session.output.print(text.str());
  return kExitHolds;
}

}  // namespace cmc
