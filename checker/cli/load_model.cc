#include "checker/cli/load_model.h"

#include <cstdio>

#include "checker/cli/output.h"
#include "checker/cli/output_files.h"

namespace cmc {
namespace {

constexpr size_t kMaxInputBytes = size_t{64} << 20;  // as Sources::load

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

ModelRequest model_request(const Options& options) {
  ModelRequest request = options.reading;
  const bool follows_run = options.command == Command::kSimulate || options.command == Command::kReplay ||
                           options.command == Command::kExplore;
  request.overflow = options.overflow.value_or(follows_run ? Overflow::kWarning : Overflow::kShown);
  request.validate = options.check.check_generator;
  return request;
}

Result<uint32_t> load_text(const std::string& file, promela::Sources& sources) {
  if (file != "-") return sources.load(file);
  Result<std::string> text = read_standard_input();
  if (!text.ok()) return Error{text.error()};
  return sources.add("<stdin>", std::move(text).value());
}

std::optional<LoadedModel> load_model(const Options& options, const MistakeListener& on_error) {
  promela::Sources sources;
  const Result<uint32_t> file = load_text(options.model, sources);
  if (file.ok()) return load_source(options, std::move(sources), file.value(), on_error);
  if (on_error) on_error(options.model, 0, file.error());
  complain(file.error());
  return std::nullopt;
}

std::optional<LoadedModel> load_source(const Options& options, promela::Sources sources, uint32_t file,
                                       const MistakeListener& on_error) {
  std::string messages;
  const ErrorListener tell_all = [&](const promela::Sources& files, const promela::Diagnostics& diagnostics) {
    for (const promela::Diagnostic& each : diagnostics.all()) {
      const SourcePlace& place = each.location.place;
      if (on_error && each.severity == promela::Severity::kError)
        on_error(files.name(place.file), place.line, each.message);
    }
  };
  std::optional<LoadedModel> loaded = compile_model(model_request(options), std::move(sources), file, messages,
                                                    wants_color(options.output.color, stderr), tell_all);
  print_to_stderr(messages);
  if (!loaded) return std::nullopt;
  if (const Status other = check_outputs_against(options, loaded->model.files); !other.ok()) {
    complain(other.error());
    return std::nullopt;
  }
  return loaded;
}

}  // namespace cmc
