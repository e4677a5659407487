#include "checker/cli/load_model.h"

#include <cstdio>

#include <fmt/format.h>

#include "base/sha1.h"
#include "checker/cli/check.h"
#include "checker/cli/output.h"
#include "checker/cli/output_files.h"
#include "promela/compile.h"

namespace cmc {
namespace {

constexpr size_t kMaxInputBytes = size_t{64} << 20;  // as Sources::load

Overflow overflow_of(const Options& options) {
  const bool follows_run = options.command == Command::kSimulate || options.command == Command::kReplay;
  return options.overflow.value_or(follows_run ? Overflow::kWarning : Overflow::kShown);
}

}  // namespace

Result<std::string> read_standard_input() {
  std::string text;
  char buffer[1 << 16];
  while (const size_t count = std::fread(buffer, 1, sizeof buffer, stdin)) {
    text.append(buffer, count);
    if (text.size() > kMaxInputBytes) return Error{"standard input is larger than 64 MB"};
  }
  if (std::ferror(stdin) != 0) return Error{"cannot read standard input"};
  return text;
}

Result<uint32_t> load_text(const Options& options, promela::Sources& sources) {
  if (options.model != "-") return sources.load(options.model);
  Result<std::string> text = read_standard_input();
  if (!text.ok()) return Error{text.error()};
  return sources.add("<stdin>", std::move(text).value());
}

std::optional<LoadedModel> load_model(const Options& options, const ErrorListener& on_error) {
  promela::Sources sources;
  const Result<uint32_t> file = load_text(options, sources);
  if (file.ok()) return compile_model(options, std::move(sources), file.value(), on_error);
  if (on_error) on_error(options.model, 0, file.error());
  complain(file.error());
  return std::nullopt;
}

std::optional<LoadedModel> compile_model(const Options& options, promela::Sources sources, uint32_t file,
                                         const ErrorListener& on_error) {
  std::string messages;
  std::optional<LoadedModel> loaded = compile_quietly(options, std::move(sources), file, messages, on_error);
  print_to_stderr(messages);
  return loaded;
}

std::optional<LoadedModel> compile_quietly(const Options& options, promela::Sources sources, uint32_t file,
                                           std::string& messages, const ErrorListener& on_error) {
  promela::Diagnostics diagnostics(sources);
  promela::CompileOptions compile_options;
  compile_options.preprocessor = options.preprocessor;
  compile_options.escapes_like_java = options.escapes_like_java;
  for (const std::string& formula : options.formulas) compile_options.formulas.push_back({"", formula});
  compile_options.validate = compile_options.validate || options.check_generator;
  std::optional<Model> model = promela::compile(sources, file, compile_options, diagnostics);
  messages += diagnostics.render(wants_color(options.color, stderr));
  for (const promela::Diagnostic& each : diagnostics.all()) {
    if (!on_error || each.severity != promela::Severity::kError) continue;
    const SourcePlace& place = each.location.place;
    on_error(sources.name(place.file), place.line, each.message);
  }
  if (!model) return std::nullopt;
  model->overflow = overflow_of(options);
  if (const Status other = check_outputs_against(options, model->files); !other.ok()) {
    messages += fmt::format("cmc: {}\n", other.error());
    return std::nullopt;
  }
  const std::string name = sources.name(file);
  const std::string sha1 = sha1_hex(sources.text(file));
  return LoadedModel{std::move(sources), std::move(*model), name, sha1};
}

}  // namespace cmc
