#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "checker/report/explanation_json.h"
#include "checker/report/logs/log_json.h"
#include "checker/report/logs/log_lines.h"
#include "checker/report/report.h"
#include "checker/report/style/version.h"
#include "checker/report/trail_order.h"

namespace cmc {
namespace {

using Json = nlohmann::ordered_json;

Json place_fields(const std::string& file, uint32_t line) {
  Json json;
  json["file"] = file.empty() ? Json(nullptr) : Json(file);
  json["line"] = file.empty() ? Json(nullptr) : Json(line);
  return json;
}

Json error_json(const Report::ErrorEntry& error, const std::vector<std::string>& trails) {
  Json json;
  json["kind"] = error.kind;
  json["message"] = error.message;
  // A deadlock has no place of its own.
  const bool of_process = error.file.empty() && !error.explanation.processes.empty();
  const ExplainedProcess first = of_process ? error.explanation.processes.front() : ExplainedProcess{};
  json.update(of_process ? place_fields(first.file, first.line) : place_fields(error.file, error.line));
  json["depth"] = error.depth;
  json["property"] = error.property;
  json["counterexample"] = error.counterexample == 0 ? Json(nullptr) : Json(error.counterexample);
  json["trail"] = error.counterexample == 0 || error.counterexample > trails.size()
                      ? Json(nullptr)
                      : Json(trails[error.counterexample - 1]);
  json.update(explanation_json(error.explanation));
  return json;
}

// Fills in "errors" of the whole text. There can be ten thousand, which as one document take 2 KB each.
void put_errors(const Report& report, std::string& text) {
  std::string errors = "[";
  for (const Report::ErrorEntry& error : report.errors) {
    errors += errors.size() == 1 ? "\n    " : ",\n    ";
    for (const char c :
         error_json(error, report.run.trail_files).dump(2, ' ', false, Json::error_handler_t::replace)) {
      errors += c;
      if (c == '\n') errors += "    ";
    }
  }
  errors += report.errors.empty() ? "]" : "\n  ]";
  constexpr std::string_view kPlace = "\n  \"errors\": null";
  text.replace(text.find(kPlace) + kPlace.size() - 4, 4, errors);
}

Json reasons_json(const std::vector<Reason>& reasons) {
  Json json = Json::array();
  for (const Reason& reason : reasons) json.push_back({{"kind", info(reason.kind).name}, {"text", reason.text}});
  return json;
}

Json counterexample_json(const std::optional<Report::Counterexample>& counterexample) {
  if (!counterexample) return nullptr;
  Json json = {{"steps", counterexample->steps}};
  json["loop_steps"] = counterexample->has_loop ? Json(counterexample->loop_steps) : Json(nullptr);
  return json;
}

Json shortening_json(const std::optional<Shortening>& shortening) {
  if (!shortening) return nullptr;
  Json json = {{"steps_before", shortening->steps_before}, {"steps_after", shortening->steps_after}};
  json["shortest"] = shortening->cut.empty();
  json["cut"] = shortening->cut.empty() ? Json(nullptr) : Json(shortening->cut);
  json["states"] = shortening->states;
  json["wall_seconds"] = shortening->wall_seconds;
  return json;
}

Json property_json(const Report::PropertyRow& row) {
  Json json;
  json["name"] = row.name;
  json["kind"] = row.kind;
  json["verdict"] = verdict_name(row.verdict);
  json["fairness"] = name_in(kFairnessNames, row.fairness);
  json["states_stored"] = row.states_stored;
  json["transitions"] = row.transitions;
  json["wall_seconds"] = row.wall_seconds;
  json["reasons"] = reasons_json(row.reasons);
  json["warnings"] = row.warnings;
  json["counterexample"] = counterexample_json(row.counterexample);
  json["shortening"] = shortening_json(row.shortening);
  json.update(place_fields(row.file, row.line));
  return json;
}

Json coverage_json(const Report::Coverage& coverage) {
  Json json;
  json["proctype"] = coverage.proctype;
  json["states"] = coverage.states;
  json["unreached_states"] = coverage.unreached_states;
  json["unreached"] = Json::array();
  for (const Report::UnreachedLocation& location : coverage.unreached) {
    Json entry = place_fields(location.file, location.line);
    entry["state"] = location.state;
    entry["text"] = location.text;
    json["unreached"].push_back(std::move(entry));
  }
  return json;
}

Json rank_json(const RankFigures& rank) {
  return {{"host", rank.host},
          {"states", rank.states},
          {"transitions", rank.transitions},
          {"candidates_sent", rank.candidates_sent},
          {"candidates_twice", rank.candidates_twice},
          {"batches_sent", rank.batches_sent},
          {"bytes_sent", rank.bytes_sent},
          {"content_bytes_sent", rank.content_bytes_sent},
          {"memory_peak_bytes", rank.memory_peak_bytes}};
}

Json keys_json(const KeyFigures& keys) {
  Json json;
  json["bits"] = keys.key_bits;
  json["words"] = keys.key_words;
  json["relayouts"] = keys.relayouts;
  json["threads"] = keys.threads;
  json["set_bytes"] = keys.set_bytes;
  json["set_bits"] = keys.set_bits;
  json["component_bytes"] = keys.component_bytes;
  json["open_bytes"] = keys.open_bytes;
  json["carried_steps"] = keys.carried_steps;
  json["asleep_steps"] = keys.asleep_steps;
  json["carrying_given_up"] = keys.carrying_given_up;
  if (keys.reduces) {
    json["partial_order"] = {{"reduced_states", keys.reduced_states}, {"left_out_steps", keys.left_out_steps}};
  }
  if (keys.alike) {
    json["symmetry"] = Json::array();
    for (const KeyFigures::Alike& each : *keys.alike) {
      Json entry = {{"proctype", each.proctype}, {"processes", each.processes}};
      if (!each.told_apart.empty()) entry["told_apart"] = each.told_apart;
      json["symmetry"].push_back(std::move(entry));
    }
  }
  json["memo"] = {{"bytes", keys.memo_bytes},
                  {"lookups", keys.memo_lookups},
                  {"misses", keys.memo_misses},
                  {"clears", keys.memo_clears}};
  json["components"] = Json::array();
  for (const KeyFigures::Component& component : keys.components) {
    json["components"].push_back(
        {{"name", component.name}, {"contents", component.contents}, {"bits", component.bits}});
  }
  return json;
}

Json guard_json(const Report::Guard& guard) {
  Json json = place_fields(guard.file, guard.line);
  json["text"] = guard.text;
  json["questions"] = guard.questions;
  json["from_cache"] = guard.from_cache;
  json["undecided"] = guard.undecided;
  json["seconds"] = guard.seconds;
  json["seconds_mean"] = guard.mean_seconds();
  json["seconds_max"] = guard.slowest_seconds;
  return json;
}

Json model_json(const std::string& file, const std::string& sha1) { return {{"file", file}, {"hash", sha1}}; }

Json model_json(const RunDescription& run) {
  Json json = model_json(run.model_file, run.model_sha1);
  json["includes"] = Json::array();
  for (const RunDescription::File& each : run.includes) json["includes"].push_back(model_json(each.name, each.sha1));
  return json;
}

// Models are written in any encoding; what is not UTF-8 becomes U+FFFD.
std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string running_json(const std::string& model_file, const std::string& model_sha1, const std::string& begun) {
  Json json;
  json["schema"] = "cmc.result/1";
  json["version"] = kVersion;
  json["verdict"] = verdict_name(Verdict::kIncomplete);
  json["complete"] = false;
  json["reasons"] = Json::array();
  json["reasons"].push_back({{"kind", log_lines::kRunningReason},
                             {"text", fmt::format("the search, begun {}, has not ended, or it was killed", begun)}});
  json["model"] = model_json(model_file, model_sha1);
  return text_of(json);
}

std::string report_json(const Report& report) {
  Json json;
  json["schema"] = "cmc.result/1";
  json["version"] = kVersion;
  json["verdict"] = verdict_name(report.verdict);
  json["complete"] = report.complete;
  json["exhaustive"] = report.exhaustive;
  json["all_states"] = report.all_states();
  json["reasons"] = reasons_json(report.reasons);
  json["properties"] = Json::array();
  for (const Report::PropertyRow& row : report.properties) {
    json["properties"].push_back(property_json(row));
    if (row.counterexample && is_ordered_by_switches(report.run))
      json["properties"].back()["counterexample"]["switches"] = row.counterexample->switches;
  }
  json["error_count"] = report.error_count;
  json["errors"] = nullptr;  // put_errors()
  json["steps"] = report.run.steps;
  json["order"] = name_in(kUsedOrderNames, report.order);
  json["states_stored"] = report.states_stored;
  json["states_matched"] = report.states_matched;
  json["transitions"] = report.transitions;
  json["states_before_store"] = report.states_before_store;
  json["depth_reached"] = report.depth_reached;
  json["state_bytes_max"] = report.state_bytes_max;
  json["memory_peak_bytes"] = report.memory_peak_bytes;
  json["cpu_seconds"] = report.cpu_seconds;
  json["wall_seconds"] = report.wall_seconds;
  if (report.statistics.collected) json["log"] = statistics_json(report.statistics, report.order);
  if (report.keys) json["keys"] = keys_json(*report.keys);
  for (const RankFigures& rank : report.ranks) json["ranks"].push_back(rank_json(rank));
  if (!report.hindrances.empty()) {
    for (const Report::Hindrance& each : report.hindrances)
      json["keys"]["partial_order"]["hindrances"].push_back({{"file", each.file},
                                                             {"line", each.line},
                                                             {"proctype", each.proctype},
                                                             {"text", each.text},
                                                             {"count", each.count}});
  }
  if (!report.run.guards.empty()) {
    json["guards"] = Json::array();
    for (const Report::Guard& guard : report.guards) json["guards"].push_back(guard_json(guard));
    const guards::SolverFigures& solver = report.run.solver;
    json["solver"] = {{"excluding", solver.excluding},    {"unsat", solver.unsat},
                      {"audited", solver.audited},        {"from_cache", solver.from_cache},
                      {"refuted", solver.refuted},        {"workers_died", solver.workers_died},
                      {"asked_again", solver.asked_again}};
  }
  json["endless_atomic"] = place_fields(report.endless_atomic.file, report.endless_atomic.line);
  json["endless_atomic"]["states"] = report.endless_atomic.states;
  json["coverage"] = Json::array();
  for (const Report::Coverage& coverage : report.coverage) json["coverage"].push_back(coverage_json(coverage));
  json["trail"] = report.run.trail_files.empty() ? Json(nullptr) : Json(report.run.trail_files.front());
  json["model"] = model_json(report.run);
  json["arguments"] = report.run.arguments;
  json["begun"] = report.run.begun;
  json["host"] = report.run.host;
  json["options"] = Json::object();
  for (const RunDescription::Option& option : report.run.options) {
    std::visit([&](const auto& value) { json["options"][option.name] = value; }, option.value);
  }
  std::string text = text_of(json);
  put_errors(report, text);
  return text;
}

}  // namespace cmc
