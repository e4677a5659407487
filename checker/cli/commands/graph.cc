#include <fmt/format.h>

#include "base/memory_limit.h"
#include "checker/check/search.h"
#include "checker/cli/check.h"
#include "checker/cli/commands.h"
#include "checker/cli/signals.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/trace/state_graph.h"

namespace cmc {

int run_graph(const Session& session) {
  const Options& options = session.options;
  const std::optional<LoadedModel> loaded = load_model(session);
  if (!loaded) return kExitUsage;
  const Model& model = loaded->model;
  const std::optional<Decider> decider = decider_for(session, model);
  if (!decider) return kExitUsage;
  std::unique_ptr<SuccessorGenerator> generator = make_statement_generator(options.check, model, decider->get());
  if (options.check.steps != StepMode::kStatement) generator = close_atomic_chains(std::move(generator), model);
  Limits limits({options.check.memory_bytes > 0 ? options.check.memory_bytes : default_memory_budget_bytes(),
                 options.check.time_seconds, &session.interrupted});
  const StateGraph graph = explore_graph(model, *generator, options.graph.max_states, loaded->file, limits);
  session.output.print(options.graph.format == GraphFormat::kSvg ? graph_svg(graph) : graph_dot(graph));
  if (graph.complete) return kExitHolds;
  complain(graph.reason.empty() ? fmt::format("incomplete: the graph has the first {} states only (--max-states)",
                                              options.graph.max_states)
                                : fmt::format("incomplete: {}", graph.reason));
  return limits.interrupted() ? interrupted_exit_code() : kExitIncomplete;
}

}  // namespace cmc
