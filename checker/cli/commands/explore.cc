#include <fmt/format.h>

#include "base/files/file.h"
#include "base/files/run_directory.h"
#include "base/subprocess.h"
#include "checker/cli/commands.h"
#include "checker/cli/commands/child_check.h"
#include "checker/cli/signals.h"
#include "checker/explore/server.h"
#include "checker/session/counterexample.h"
#include "checker/trace/trail.h"

namespace cmc {
namespace {

constexpr double kTrailPollSeconds = 0.1;
constexpr uint64_t kSeed = 1;  // of random steps, unless another one is given

// The trail to begin with; empty: none. Error: it cannot be read, or there is no counterexample.
Result<std::string> first_trail(const Session& session) {
  const Options& options = session.options;
  if (!options.files.trail.empty()) return read_file(options.files.trail, kMostTrailBytes);
  if (options.check.properties.empty() && options.reading.formulas.empty()) return std::string();
  session::CounterexampleRequest request;
  request.program = own_program();
  request.model = options.model;
  request.reading = session::reading_arguments(options.reading);
  if (!options.check.properties.empty()) request.property = options.check.properties.front();
  CMC_TRY(session::CounterexampleSearch search, session::CounterexampleSearch::start(request));
  while (!search.wait(kTrailPollSeconds)) {
    if (session.interrupted) return Error{"interrupted while a counterexample was looked for"};
  }
  return search.trail();
}

// The address is in a file that only this user reads: arguments of programs can be seen by everybody.
class Browser {
 public:
  Status open(const std::string& address) {
    if (!program_exists("xdg-open")) return Error{"there is no xdg-open; open the address yourself"};
    CMC_TRY(RunDirectory folder, RunDirectory::create("", false));
    folder_.emplace(std::move(folder));
    const std::string file = folder_->path() + "/explore.html";
    const std::string page = fmt::format(
        "<!DOCTYPE html><meta http-equiv=\"refresh\" content=\"0; url={0}\"><a href=\"{0}\">cmc</a>\n", address);
    if (Status written = write_file_atomically(file, page); !written.ok()) return written;
    Subprocess::Command command;
    command.arguments = {"setsid", "--fork", "xdg-open", file};  // Ctrl-C is not for the browser
    CMC_TRY(Subprocess started, Subprocess::start(command));
    process_.emplace(std::move(started));
    return Success{};
  }

 private:
  std::optional<RunDirectory> folder_;
  std::optional<Subprocess> process_;
};

}  // namespace

int run_explore(const Session& session) {
  Options options = session.options;
  if (options.model == kStandardOutput)
    return refuse("the page reads the model again for checks, so it must be a file");
  explore::ServerOptions server;
  server.port = options.explore.port;
  server.program = own_program();
  Result<std::string> trail = first_trail(session);
  if (!trail.ok()) return refuse(trail.error());
  server.trail = std::move(trail).value();
  server.origin = options.files.trail.empty() ? "the counterexample" : printable(options.files.trail);
  if (const Result<Trail> of_cmc = parse_trail(server.trail); of_cmc.ok())
    add_options(of_cmc.value(), options.reading);
  std::optional<LoadedModel> loaded = load_model({options, session.output, session.interrupted});
  if (!loaded) return kExitUsage;
  Result<std::unique_ptr<session::Walk>> walk =
      session::Walk::make(std::move(*loaded), options.simulate.seed.value_or(kSeed), nullptr, session.interrupted);
  if (!walk.ok()) return refuse(walk.error());
  Browser browser;
  const auto ready = [&](const std::string& address) {
    session.output.print(fmt::format("{} is at\n\n    {}\n\nCtrl-C ends it, and so does closing the page.\n",
                                     printable(options.model), address));
    session.output.flush();
    if (!options.explore.opens) return;
    if (const Status opened = browser.open(address); !opened.ok()) complain(opened.error());
  };
  const Status served = explore::serve(*walk.value(), server, ready, session.interrupted);
  if (!served.ok()) return refuse(served.error());
  return session.interrupted ? interrupted_exit_code() : kExitHolds;
}

}  // namespace cmc
