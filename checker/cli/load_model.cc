#include "checker/cli/load_model.h"

#include <cstdio>
#include <filesystem>

#include "base/files/file.h"
#include "checker/check/diagnostics_json.h"
#include "checker/cli/commands.h"
#include "checker/cli/options/spin_words.h"
#include "checker/cli/output.h"
#include "checker/cli/output_files.h"
#include "checker/cli/result_files.h"

namespace cmc {
namespace {

// Where --json wants a result or a trace. A file that CMC has not written, such as the model itself, stays.
void put_diagnostics(const Session& session, const std::string& text) {
  const Options& options = session.options;
  const bool shows_run = options.command == Command::kSimulate || options.command == Command::kReplay;
  const std::string& file = shows_run ? options.files.trace_json : options.output.json;
  if (file.empty()) return;
  if (file == kStandardOutput) return session.output.print(text);
  if (std::filesystem::exists(file) && !is_special_file(file) && !is_written_by_cmc(file)) return;
  if (const Status written = write_file_atomically(file, text); !written.ok()) complain(written.error());
}

// About -DNOREDUCE and the like, which SPIN's users may give to a check.
void note_macros_of_spin(const Options& options, const LoadedModel& loaded) {
  if (options.command != Command::kCheck && options.command != Command::kProfile) return;
  std::vector<std::string> macros;
  for (const auto& command : options.reading.preprocessor.commands) {
    if (!command.undefine) macros.push_back(command.text);
  }
  std::vector<std::string_view> texts;
  for (uint32_t file = 0; file < loaded.sources.file_count(); ++file) {
    if (!loaded.sources.name(file).starts_with('<') || loaded.sources.name(file) == "<stdin>")
      texts.push_back(loaded.sources.text(file));
  }
  for (const std::string& note : spin_macro_notes(macros, texts)) complain(note);
}

}  // namespace

Result<std::string> read_standard_input() {
  std::string text;
  char buffer[1 << 16];
  while (const size_t count = std::fread(buffer, 1, sizeof buffer, stdin)) {
    text.append(buffer, count);
    if (text.size() > promela::kMaxFileBytes) return Error{"standard input is larger than 64 MiB"};
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
  CMC_TRY(std::string text, read_standard_input());
  return sources.add("<stdin>", std::move(text));
}

std::optional<LoadedModel> load_model(const Session& session) {
  const Options& options = session.options;
  const auto put = [&](const promela::Sources& sources, const promela::Diagnostics& diagnostics) {
    put_diagnostics(session, diagnostics_json(options.model, sources, diagnostics));
  };
  promela::Sources sources;
  const Result<uint32_t> file = load_text(options.model, sources);
  if (file.ok()) return load_source(options, std::move(sources), file.value(), put);
  promela::Diagnostics unread(sources);
  unread.error({}, file.error());
  put(sources, unread);
  complain(file.error());
  return std::nullopt;
}

std::optional<LoadedModel> load_source(const Options& options, promela::Sources sources, uint32_t file,
                                       const ErrorListener& on_error) {
  std::string messages;
  std::optional<LoadedModel> loaded = compile_model(model_request(options), std::move(sources), file, messages,
                                                    wants_color(options.output.color, stderr), on_error);
  print_to_stderr(messages);
  if (!loaded) return std::nullopt;
  if (const Status other = check_outputs_against(options, loaded->model.files); !other.ok()) {
    complain(other.error());
    promela::Diagnostics refused(loaded->sources);
    refused.error({}, other.error());
    if (on_error) on_error(loaded->sources, refused);
    return std::nullopt;
  }
  note_macros_of_spin(options, *loaded);
  return loaded;
}

}  // namespace cmc
