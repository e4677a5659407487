#pragma once

#include <atomic>
#include <memory>

#include "checker/cli/load_model.h"
#include "checker/cli/options.h"
#include "checker/cli/output.h"
#include "checker/generator/generator.h"

// One function per command. Each returns an ExitCode.

namespace cmc {

// What a command gets from outside.
struct Session {
  const Options& options;
  Output& output;
  const std::atomic<bool>& interrupted;
};

[[nodiscard]] int run_check(const Session& session);
[[nodiscard]] int run_simulate(const Session& session);
[[nodiscard]] int run_replay(const Session& session);
[[nodiscard]] int run_info(const Session& session);
[[nodiscard]] int run_log(const Session& session);
[[nodiscard]] int run_tune(const Session& session);
[[nodiscard]] int run_lint(const Session& session);
[[nodiscard]] int run_solver(const Session& session);

// A generator of single basic steps, as --generator and --check-generator say.
[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_statement_generator(const Options& options,
                                                                           const Model& model);

}  // namespace cmc
