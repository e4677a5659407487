#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "checker/cli/load_model.h"
#include "checker/cli/options/options.h"
#include "checker/cli/output.h"

// One function per command. Each returns an ExitCode.

namespace cmc {

// The surroundings of a command.
struct Session {
  const Options& options;
  Output& output;
  const std::atomic<bool>& interrupted;
};

[[nodiscard]] int run_check(const Session& session);
[[nodiscard]] int run_resume(const Session& session);
[[nodiscard]] int run_simulate(const Session& session);
[[nodiscard]] int run_replay(const Session& session);
[[nodiscard]] int run_info(const Session& session);
[[nodiscard]] int run_log(const Session& session);
[[nodiscard]] int run_tune(const Session& session);
[[nodiscard]] int run_test(const Session& session);
[[nodiscard]] int run_expand(const Session& session);
[[nodiscard]] int run_compile(const Session& session);
[[nodiscard]] int run_lint(const Session& session);
[[nodiscard]] int run_solver(const Session& session);
[[nodiscard]] int run_automaton(const Session& session);
// SPIN's command line (checker/spin): `arguments` behind the name spin.
[[nodiscard]] int run_spin(const std::vector<std::string>& arguments, Output& output,
                           const std::atomic<bool>& interrupted);

// What a command found out: `text` to standard output, and `json` where --json says, instead of the text if that is
// standard output. False: a file could not be written, which was said.
[[nodiscard]] bool print_result(const Session& session, std::string_view text, const std::string& json);
[[nodiscard]] int run_graph(const Session& session);
[[nodiscard]] int run_lsp(const Session& session);
[[nodiscard]] int run_mcp(const Session& session);
[[nodiscard]] int run_mutate(const Session& session);
[[nodiscard]] int run_explore(const Session& session);
[[nodiscard]] int run_fmt(const Session& session);
[[nodiscard]] int run_conform(const Session& session);
[[nodiscard]] int run_dap(const Session& session);

}  // namespace cmc
