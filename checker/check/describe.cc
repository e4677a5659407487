#include "checker/check/describe.h"

#include <algorithm>

#include <sys/utsname.h>

#include "base/sha1.h"
#include "checker/check/plan.h"

namespace cmc {
namespace {

std::string host_name() {
  struct utsname names {};
  return ::uname(&names) == 0 ? names.nodename : "";
}

}  // namespace

std::vector<std::string> preprocessor_arguments(const promela::PreprocessorOptions& options) {
  std::vector<std::string> arguments;
  for (const auto& command : options.commands) arguments.push_back((command.undefine ? "-U" : "-D") + command.text);
  for (const std::string& folder : options.include_directories) arguments.push_back("-I" + folder);
  return arguments;
}

std::string generator_name(const CheckRequest& request) {
  if (request.generator == GeneratorKind::kPlugin) return "plugin:" + request.plugin;
  return name_in(kGeneratorNames, request.generator);
}

RunDescription describe_run(const LoadedModel& loaded, const CheckRequest& request, const SearchOptions& search) {
  RunDescription run;
  run.model_file = loaded.file;
  run.model_sha1 = loaded.sha1;
  for (uint32_t file = 0; file < loaded.sources.file_count(); ++file) {
    const std::string& name = loaded.sources.name(file);
    const bool is_text = name.starts_with('<') || name.starts_with("--");  // standard input, -D, --ltl
    const bool is_known = std::ranges::find(run.includes, name, &RunDescription::File::name) != run.includes.end();
    if (name != loaded.file && !is_text && !is_known)
      run.includes.push_back({name, sha1_hex(loaded.sources.text(file))});
  }
  run.host = host_name();
  run.steps = name_in(kStepModeNames, request.steps);
  const Plan planned = plan(request, loaded.model);
  const std::string reductions = planned.reductions(planned.partial_order);
  run.options = {
      {"preprocessor", preprocessor_arguments(loaded.request.preprocessor)},
      {"escapes_like_java", loaded.request.escapes_like_java},
      {"search", std::string(name_in(kOrderNames, search.order))},
      {"generator", generator_name(request)},
      {"engine", std::string(name_in(kEngineNames, request.engine))},
      {"threads", uint64_t{search.threads}},
      {"check_generator", request.check_generator},
      {"steps", run.steps},
      {"reductions", reductions.empty() ? std::string("none") : reductions},
      {"max_errors", search.max_errors},
      {"shorten", request.shorten_seconds ? RunDescription::Value(*request.shorten_seconds) : std::string("auto")},
      {"trail_order", std::string(name_in(kTrailOrderNames, request.trail_order))},
      {"end_states", search.check_end_states},
      {"overflow", std::string(name_in(kOverflowNames, loaded.model.overflow))},
      {"properties", request.properties},
      {"formulas", loaded.request.formulas},
      {"fairness", std::string(name_in(kFairnessNames, search.fairness))},
      {"cycles", std::string(name_in(kCycleAlgorithmNames, search.cycles))},
      {"memory_limit_bytes", search.memory_limit_bytes},
      {"disk_limit_bytes", search.disk_limit_bytes},
      {"time_limit_seconds", search.time_limit_seconds},
  };
  return run;
}

}  // namespace cmc
