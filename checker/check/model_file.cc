#include "checker/check/model_file.h"

#include "base/sha1.h"

namespace cmc {

promela::CompileOptions compile_options(const ModelRequest& request) {
  promela::CompileOptions options;
  options.preprocessor = request.preprocessor;
  options.escapes_like_java = request.escapes_like_java;
  for (const std::string& formula : request.formulas) options.formulas.push_back({"", formula});
  options.validate = options.validate || request.validate;
  return options;
}

std::optional<LoadedModel> compile_model(const ModelRequest& request, promela::Sources sources, uint32_t file,
                                         std::string& messages, bool colored, const ErrorListener& on_error) {
  promela::Diagnostics diagnostics(sources);
  std::optional<Model> model = promela::compile(sources, file, compile_options(request), diagnostics);
  messages += diagnostics.render(colored);
  for (const promela::Diagnostic& each : diagnostics.all()) {
    if (!on_error || each.severity != promela::Severity::kError) continue;
    const SourcePlace& place = each.location.place;
    on_error(sources.name(place.file), place.line, each.message);
  }
  if (!model) return std::nullopt;
  model->overflow = request.overflow;
  const std::string name = sources.name(file);
  const std::string sha1 = sha1_hex(sources.text(file));
  return LoadedModel{std::move(sources), std::move(*model), name, sha1, request};
}

}  // namespace cmc
