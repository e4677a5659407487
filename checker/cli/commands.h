#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "checker/cli/load_model.h"
#include "checker/cli/options.h"
#include "checker/cli/output.h"
#include "checker/generator/generator.h"
#include "checker/guards/oracle_decider.h"
#include "checker/plugin/library.h"

// One function per command. Each returns an ExitCode.

namespace cmc {

struct PropertyResult;
struct Report;

// What a check found out.
struct CheckResults {
  const std::vector<PropertyResult>& properties;
  const Report& report;
  GuardDecider* decider = nullptr;
};

// The surroundings of a command.
struct Session {
  const Options& options;
  Output& output;
  const std::atomic<bool>& interrupted;
  std::shared_ptr<const plugin::Library> plugin = nullptr;  // of --generator plugin
  // Who wants the results of a check instead of what it prints and writes. Null: nobody.
  std::function<void(const CheckResults&)> on_results = nullptr;
};

[[nodiscard]] int run_check(const Session& session);
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

// A generator of single basic steps, as --generator and --check-generator say.
[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_statement_generator(const Options& options, const Model& model,
                                                                           GuardDecider* decider);

// The decider of the model's solver guards, as chosen by --solver and the like; `oracle` is null if the model has
// none.
struct Decider {
  std::unique_ptr<SystemClock> clock;
  std::unique_ptr<guards::OracleDecider> oracle;
  bool ok = true;  // false: there was an error, which was told

  [[nodiscard]] GuardDecider* get() const { return oracle.get(); }
};
[[nodiscard]] Decider make_decider(const Session& session, const Model& model);

}  // namespace cmc
