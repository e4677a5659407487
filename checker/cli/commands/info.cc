#include <filesystem>
#include <sstream>

#include "checker/check/search.h"
#include "checker/checkpoint/checkpoints.h"
#include "checker/cli/check.h"
#include "checker/cli/commands.h"
#include "checker/plugin/layout.h"
#include "checker/report/model_info.h"
#include "checker/report/run_info.h"
#include "checker/vm/program.h"
#include "ir/dump.h"

namespace cmc {

namespace {

// What states cost is seen in the first ones. None: the model has solver guards, whose answers take long, or so few
// states were found that what the set of states takes at first is most of it.
std::optional<StateCost> cost_of_states(const Session& session, const Model& model) {
  constexpr uint64_t kStates = 200'000;
  constexpr uint64_t kFewest = 10'000;
  constexpr double kSeconds = 2;
  if (!model.guards.empty()) return std::nullopt;
  const CheckRequest request = check_request(session);
  SearchOptions search = search_options(request);
  search.threads = 1;
  search.state_limit = kStates;
  search.time_limit_seconds = kSeconds;
  search.max_errors = 0;
  search.max_trails = 0;
  search.store.enabled = false;
  CheckObserver nobody;
  const Decider no_guards;
  const SearchResult result = search_model({request, no_guards, nobody}, model, search, nullptr);
  if (!result.keys || result.states_stored < (result.all_expanded ? 1 : kFewest)) return std::nullopt;
  StateCost cost;
  cost.states = result.states_stored;
  cost.all = result.all_expanded;
  cost.key_bits = result.keys->key_bits;
  cost.bytes = static_cast<double>(result.keys->set_bytes) / static_cast<double>(result.states_stored);
  cost.memory_bytes = search.memory_limit_bytes;
  return cost;
}

}  // namespace

int run_info(const Session& session) {
  const InfoOptions& options = session.options.info;
  std::error_code ignored;
  if (const std::string& name = session.options.model; std::filesystem::is_directory(name, ignored)) {
    const Result<RunOverview> run = look_at_run(name);
    if (!run.ok()) return refuse(run.error());
    return print_result(session, run_text(name, run.value()), run_json(name, run.value())) ? kExitHolds : kExitUsage;
  }
  const std::optional<LoadedModel> loaded = load_model(session);
  if (!loaded) return kExitUsage;
  ModelInfo info{loaded->model, loaded->file, loaded->sha1, std::nullopt};
  const bool overview = !options.dump && !options.disassemble && !options.plugin_header;
  if (overview) info.cost = cost_of_states(session, loaded->model);
  std::ostringstream text;
  if (options.dump) dump(loaded->model, text);
  if (options.disassemble) vm::disassemble(vm::compile(loaded->model), text);
  if (options.plugin_header) text << plugin::header(loaded->model);
  if (overview) {
    text << info_text(info, Palette(wants_color(session.options.output.color, stdout)));
  }
  return print_result(session, text.str(), info_json(info)) ? kExitHolds : kExitUsage;
}

}  // namespace cmc
