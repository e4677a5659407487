#include <filesystem>

#include "checker/cli/commands.h"

namespace cmc {

Decider make_decider(const Session& session, const Model& model) {
  Decider decider;
  if (model.guards.empty()) return decider;
  const Options& options = session.options;
  guards::DeciderOptions settings;
  settings.solver = options.solver_kind;
  settings.pool = options.solver;
  settings.cache_file = options.solver_cache;
  settings.log_file = options.solver_log;
  settings.interrupt = &session.interrupted;
  if (!options.solver_log.empty()) {
    const std::string folder = std::filesystem::path(options.solver_log).parent_path().string();
    settings.pool.run_directory = folder.empty() ? "." : folder;
  }
  decider.clock = std::make_unique<SystemClock>();
  Result<std::unique_ptr<guards::OracleDecider>> oracle =
      guards::OracleDecider::make(model, std::move(settings), *decider.clock);
  if (oracle.ok()) {
    decider.oracle = std::move(oracle).value();
  } else {
    complain(oracle.error());
    decider.ok = false;
  }
  return decider;
}

}  // namespace cmc
