#include "checker/report/run_info.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"

namespace cmc {
namespace {

using Checkpoint = RunOverview::Checkpoint;

// The one that `cmc resume` takes; null: there is none.
const Checkpoint* usable(const RunOverview& overview) {
  const auto found =
      std::ranges::find_if(overview.checkpoints, [](const Checkpoint& each) { return each.whole.ok(); });
  return found == overview.checkpoints.end() ? nullptr : &*found;
}

std::string checkpoint_text(const Checkpoint& checkpoint) {
  const Manifest& manifest = checkpoint.manifest;
  if (!checkpoint.whole.ok()) return fmt::format("damaged: {}", checkpoint.whole.error());
  return fmt::format("{}, {}, {}{}{}", plural(manifest.states, "state"), plural(manifest.transitions, "transition"),
                     format_size(checkpoint.bytes),
                     manifest.complete ? ", the end: " + manifest.verdict : ", " + manifest.engine,
                     manifest.ranks() > 1 ? fmt::format(" by {} ranks", manifest.ranks()) : "");
}

std::string what_next(const std::string& directory, const RunOverview& overview) {
  const Checkpoint* const newest = usable(overview);
  if (!overview.user.empty()) return fmt::format("in use by process {}", overview.user);
  if (newest == nullptr) return "there is no checkpoint to go on from: begin the check again";
  if (newest->manifest.complete) return fmt::format("the search is over: verdict: {}", newest->manifest.verdict);
  return fmt::format("`cmc resume {}` goes on from checkpoint {}", directory, newest->epoch);
}

}  // namespace

std::string run_text(const std::string& directory, const RunOverview& overview) {
  const RunFile& run = overview.run;
  std::string text = fmt::format("{}: a run of {}, begun with cmc {}\n", directory, run.model, run.version);
  std::string options;
  for (const std::string& each : run.arguments) options += " " + each;
  text += fmt::format("  options{}\n", options.empty() ? "  none" : " " + options);
  for (const Checkpoint& each : overview.checkpoints)
    text += fmt::format("  checkpoint {}: {}\n", each.epoch, checkpoint_text(each));
  return text + what_next(directory, overview) + "\n";
}

std::string run_json(const std::string& directory, const RunOverview& overview) {
  using Json = nlohmann::ordered_json;
  Json json = {{"schema", "cmc.run/1"},
               {"directory", directory},
               {"model", overview.run.model},
               {"version", overview.run.version},
               {"arguments", overview.run.arguments},
               {"user", overview.user.empty() ? Json() : Json(overview.user)},
               {"checkpoints", Json::array()}};
  for (const Checkpoint& each : overview.checkpoints) {
    const Manifest& manifest = each.manifest;
    Json entry = {{"epoch", each.epoch}, {"whole", each.whole.ok()}};
    if (each.whole.ok()) {
      entry.update({{"complete", manifest.complete},
                    {"verdict", manifest.complete ? Json(manifest.verdict) : Json()},
                    {"engine", manifest.engine},
                    {"states", manifest.states},
                    {"transitions", manifest.transitions},
                    {"ranks", manifest.ranks()},
                    {"bytes", each.bytes}});
    } else {
      entry["error"] = each.whole.error();
    }
    json["checkpoints"].push_back(std::move(entry));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cmc
