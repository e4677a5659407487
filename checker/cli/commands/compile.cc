#include <filesystem>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/files/file.h"
#include "checker/cli/commands.h"
#include "checker/native/build.h"
#include "checker/native/source.h"
#include "checker/program/external.h"
#include "checker/program/folder.h"
#include "promela/expand.h"

namespace cmc {
namespace {

namespace fs = std::filesystem;

Result<std::vector<std::string>> external_channels(const LoadedModel& loaded) {
  const auto text_of = [&](uint32_t file) { return loaded.sources.text(file); };
  CMC_TRY(const auto found, program::find_external_channels(loaded.model, text_of));
  std::vector<std::string> names;
  for (const program::ExternalChannel& channel : found) names.push_back(channel.name);
  if (names.empty()) {
    return Error{
        "the model has no external channel: nothing would connect the program with the world; write "
        "/* cmc: external */ after the declaration of a global channel"};
  }
  return names;
}

// The text has no #include. Empty: there was an error, which was told.
std::optional<std::vector<program::SourceFile>> make_program(const Options& options, LoadedModel& loaded) {
  const Result<std::vector<std::string>> external = external_channels(loaded);
  if (!external.ok()) {
    complain(external.error());
    return std::nullopt;
  }
  promela::Diagnostics diagnostics(loaded.sources);
  const uint32_t main_file = 0;  // Model::files
  const std::optional<std::string> text = promela::expand(loaded.sources, main_file, options.reading.preprocessor,
                                                          diagnostics, promela::PlainText::kPreprocess);
  if (!text) {
    print_to_stderr(diagnostics.render(wants_color(options.output.color, stderr)));
    return std::nullopt;
  }
  // As the program will read it.
  promela::Sources sources;
  const uint32_t file = sources.add("model.pml", *text);
  const std::optional<LoadedModel> alone = load_source(Options(), std::move(sources), file);
  if (!alone) return std::nullopt;
  return program::program_files(*text, native::write_source(alone->model).text, external.value());
}

Status write_files(const std::string& folder, const std::vector<program::SourceFile>& files) {
  if (Status made = make_folder(folder); !made.ok()) return made;
  for (const program::SourceFile& file : files) {
    const std::string path = (fs::path(folder) / file.name).string();
    std::error_code ignored;
    if (file.is_users && fs::exists(path, ignored)) continue;
    if (Status written = write_file_atomically(path, file.text); !written.ok()) return written;
  }
  return Success{};
}

int compile_program(const Session& session, LoadedModel& loaded) {
  const std::string& folder = session.options.compile.out;
  const std::optional<std::vector<program::SourceFile>> files = make_program(session.options, loaded);
  if (!files) return kExitUsage;
  if (const Status written = write_files(folder, *files); !written.ok()) return refuse(written.error());
  session.output.print(
      fmt::format("{0}/world.cc is yours: it says where messages go and come from\n"
                  "to build {0}/build/program: cmake -S {0} -B {0}/build && cmake --build {0}/build\n",
                  folder));
  return kExitHolds;
}

int compile_steps(const Session& session, const Model& model) {
  const std::string& folder = session.options.compile.out;
  const native::Source source = native::write_source(model);
  native::Compiler compiler = native::system_compiler();
  if (session.options.check.compiler_seconds > 0) compiler.most_seconds = session.options.check.compiler_seconds;
  const SystemClock clock;
  const std::string text = folder + "/model.c";
  const std::string object = folder + "/model.so";
  Status done = write_files(folder, {{"model.c", source.text}});
  const double begin = clock.wall_seconds();
  if (done.ok()) done = native::compile(compiler, folder, text, object, [&] { return session.interrupted.load(); });
  if (!done.ok()) return refuse(done.error());
  std::string left_out;
  if (source.left_out > 0) left_out = fmt::format("; {} stay with the virtual machine", source.left_out);
  session.output.print(fmt::format("{}: {} functions, {:L} bytes{}\n{}: {:L} bytes, compiled in {:.2f} s\n", text,
                                   source.functions, source.text.size(), left_out, object, fs::file_size(object),
                                   clock.wall_seconds() - begin));
  return kExitHolds;
}

}  // namespace

int run_compile(const Session& session) {
  if (session.options.compile.out.empty()) return refuse("-o FOLDER is needed: where shall the code be?");
  std::optional<LoadedModel> loaded = load_model(session);
  if (!loaded) return kExitUsage;
  return session.options.compile.as_program ? compile_program(session, *loaded)
                                            : compile_steps(session, loaded->model);
}

}  // namespace cmc
