#include "checker/check/model_file.h"

#include <algorithm>

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

std::vector<SourceText> source_texts(const LoadedModel& loaded) {
  std::vector<SourceText> texts;
  for (uint32_t file = 0; file < loaded.sources.file_count(); ++file)
    texts.push_back({loaded.sources.name(file), std::string(loaded.sources.text(file))});
  return texts;
}

void add_options(const Trail& trail, ModelRequest& request) {
  const bool own = !request.preprocessor.commands.empty() || !request.preprocessor.include_directories.empty();
  for (const std::string& argument : own ? std::vector<std::string>() : trail.preprocessor) {
    const std::string text = argument.substr(std::min<size_t>(2, argument.size()));
    if (argument.starts_with("-I")) {
      request.preprocessor.include_directories.push_back(text);
    } else if (argument.starts_with("-D") || argument.starts_with("-U")) {
      request.preprocessor.commands.push_back({argument[1] == 'U', text});
    }
  }
  request.escapes_like_java |= trail.escapes_like_java;
  request.formulas = trail.formulas;
}

std::optional<LoadedModel> compile_model(const ModelRequest& request, promela::Sources sources, uint32_t file,
                                         std::string& messages, bool colored, const ErrorListener& on_error) {
  promela::Diagnostics diagnostics(sources);
  std::optional<Model> model = promela::compile(sources, file, compile_options(request), diagnostics);
  messages += diagnostics.render(colored);
  if (!model) {
    if (on_error) on_error(sources, diagnostics);
    return std::nullopt;
  }
  model->overflow = request.overflow;
  const std::string name = sources.name(file);
  const std::string sha1 = sha1_hex(sources.text(file));
  return LoadedModel{std::move(sources), std::move(*model), name, sha1, request};
}

}  // namespace cmc
