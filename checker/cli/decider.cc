#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/report/version.h"

namespace cmc {

namespace {

// The file of answers: beside the run's other files. Empty: none is wanted. False: its folder cannot be made.
bool choose_cache_file(const Options& options, std::string& file) {
  file = options.solver_cache;
  if (!file.empty()) return true;
  if (!options.log.empty()) file = options.log + ".answers";
  if (!file.empty() || !options.store.keep || options.store.directory.empty()) return true;
  std::error_code error;
  std::filesystem::create_directories(options.store.directory, error);
  if (error) complain(fmt::format("cannot make '{}': {}", options.store.directory, error.message()));
  file = options.store.directory + "/answers";
  return !error;
}

}  // namespace

Decider make_decider(const Session& session, const Model& model) {
  Decider decider;
  if (model.guards.empty()) return decider;
  const Options& options = session.options;
  guards::DeciderOptions settings;
  settings.solver = options.solver_kind;
  settings.pool = options.solver;
  settings.log_file = options.solver_log;
  settings.interrupt = &session.interrupted;
  settings.program = fmt::format("cmc {}", kVersion);
  if (!options.solver_log.empty()) {
    const std::string folder = std::filesystem::path(options.solver_log).parent_path().string();
    settings.pool.run_directory = folder.empty() ? "." : folder;
  }
  if (!choose_cache_file(options, settings.cache_file)) {
    decider.ok = false;
    return decider;
  }
  decider.clock = std::make_unique<SystemClock>();
  Result<std::unique_ptr<guards::OracleDecider>> oracle =
      guards::OracleDecider::make(model, std::move(settings), *decider.clock);
  if (oracle.ok()) {
    decider.oracle = std::move(oracle).value();
    if (!decider.oracle->warning().empty()) complain(fmt::format("warning: {}", decider.oracle->warning()));
  } else {
    complain(oracle.error());
    decider.ok = false;
  }
  return decider;
}

}  // namespace cmc
