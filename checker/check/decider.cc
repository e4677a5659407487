#include "checker/check/decider.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "checker/report/style/version.h"

namespace cmc {
namespace {

// The file of answers: beside the states on disk, if these are kept. Empty: none is wanted. Error: its folder cannot
// be made.
Result<std::string> choose_cache_file(const CheckRequest& request) {
  const std::string& directory = request.store.directory;
  if (!request.solver_cache.empty() || !request.store.keep || directory.empty()) return request.solver_cache;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return Error{fmt::format("cannot make '{}': {}", directory, error.message())};
  return directory + "/answers";
}

}  // namespace

Result<Decider> make_decider(const CheckRequest& request, const Model& model) {
  Decider decider;
  if (model.guards.empty()) return decider;
  guards::DeciderOptions settings;
  settings.solver = request.solver_kind;
  settings.pool = request.solver;
  settings.log_file = request.solver_log;
  settings.interrupt = request.interrupt;
  settings.program = fmt::format("cmc {}", kVersion);
  if (!request.solver_log.empty()) {
    const std::string folder = std::filesystem::path(request.solver_log).parent_path().string();
    settings.pool.run_directory = folder.empty() ? "." : folder;
  }
  CMC_TRY(settings.cache_file, choose_cache_file(request));
  decider.clock = std::make_unique<SystemClock>();
  CMC_TRY(decider.oracle, guards::OracleDecider::make(model, std::move(settings), *decider.clock));
  return decider;
}

}  // namespace cmc
