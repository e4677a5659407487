#include "checker/guards/lint.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/units.h"
#include "checker/cli/commands.h"
#include "checker/cli/signals.h"
#include "checker/report/lint_report.h"
#include "promela/text/diagnostic.h"
#include "solver-bridge/pool/worker_pool.h"

namespace cmc {
namespace {

// A guard that takes longer is no finding.
constexpr uint32_t kRlimit = 2'000'000;

std::string lint_text(const guards::LintResult& result, const LoadedModel& loaded, bool color) {
  promela::Diagnostics diagnostics(loaded.sources);
  for (const guards::Finding& finding : result.findings) {
    diagnostics.warning({finding.place}, fmt::format("{} [{}]", finding.message, guards::name_of(finding.kind)));
    for (const guards::Finding::Note& note : finding.notes) diagnostics.note({note.place}, note.message);
  }
  std::string text = diagnostics.render(color);
  if (result.findings.empty()) text += "no findings.\n";
  if (result.undecided > 0) {
    text += fmt::format("{} of {} were not decided.\n", result.undecided, plural(result.questions, "question"));
  }
  return text;
}

}  // namespace

int run_lint(const Session& session) {
  const Options& options = session.options;
  const std::optional<LoadedModel> loaded = load_model(session);
  if (!loaded) return kExitUsage;
  solver::PoolOptions pool_options = options.check.solver;
  pool_options.rlimit = kRlimit;
  const SystemClock clock;
  solver::WorkerPool pool(std::move(pool_options), clock);
  const guards::LintResult result = guards::lint(loaded->model, pool, options.lint.findings, session.interrupted);
  if (pool.trouble()) {
    complain(fmt::format("the guards cannot be judged: {}", *pool.trouble()));
    return kExitIncomplete;
  }
  const std::string text = lint_text(result, *loaded, wants_color(options.output.color, stdout));
  if (!print_result(session, text, lint_json(result, loaded->model, loaded->file, loaded->sha1))) return kExitUsage;
  if (session.interrupted) return interrupted_exit_code();
  const auto fails = [&](const guards::Finding& finding) {
    return std::ranges::find(options.lint.fail_on, finding.kind) != options.lint.fail_on.end();
  };
  return std::ranges::any_of(result.findings, fails) ? kExitViolated : kExitHolds;
}

}  // namespace cmc
