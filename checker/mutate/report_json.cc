#include <nlohmann/json.hpp>

#include "checker/mutate/mutation_report.h"
#include "checker/report/style/version.h"

namespace cmc::mutate {
namespace {

using Json = nlohmann::ordered_json;
using Case = MutationReport::Case;

constexpr const char* kGroupNames[] = {"model", "fault", "property"};

Json case_json(const MutationReport& report, const Case& each) {
  const auto& [mutant, judgement] = each;
  Json json = {{"number", mutant.number},
               {"operator", info(mutant.op).name},
               {"group", kGroupNames[static_cast<size_t>(info(mutant.op).group)]},
               {"file", report.file_of(mutant)},
               {"line", mutant.place.line},
               {"column", mutant.place.column},
               {"before", report.text_of(mutant).substr(mutant.range.begin, mutant.range.end - mutant.range.begin)},
               {"after", mutant.replacement},
               {"verdict", kVerdictNames[static_cast<size_t>(judgement.verdict)].name}};
  if (!mutant.property.empty()) json["strengthens"] = mutant.property;
  if (!judgement.property.empty()) json["property"] = judgement.property;
  if (!judgement.message.empty()) json["message"] = judgement.message;
  if (judgement.line > 0) json["error_line"] = judgement.line;
  if (const SourcePlace& place = judgement.assertion; place.line > 0)
    json["assertion"] = {{"file", report.files[place.file].first}, {"line", place.line}, {"alone", judgement.alone}};
  json["states"] = judgement.states;
  json["seconds"] = judgement.seconds;
  if (!judgement.run.empty()) {
    json["run_of"] = judgement.run_of_model ? "model" : "mutant";
    json["run"] = judgement.run;
  }
  return json;
}

std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string report_json(const MutationReport& report) {
  Json json = {{"schema", "cmc.mutation/1"}, {"version", kVersion}};
  json["model"] = {{"file", report.file}, {"sha1", report.sha1}};
  json["arguments"] = report.arguments;
  json["properties"] = Json::array();
  for (const Baseline::Property& each : report.baseline.properties)
    json["properties"].push_back({{"name", each.name}, {"states", each.states}});
  json["left_out"] = report.baseline.left_out;
  json["mutants"] = report.all;
  json["seed"] = report.seed;
  json["seconds"] = report.seconds;
  for (const Group group : {Group::kModel, Group::kFault, Group::kProperty}) {
    Json counts;
    for (const auto& [name, verdict] : kVerdictNames) counts[name] = report.count(group, verdict);
    json["counts"][kGroupNames[static_cast<size_t>(group)]] = std::move(counts);
  }
  json["score"] = report.score() ? Json(*report.score()) : Json(nullptr);
  json["incomplete"] = report.cut.empty() ? Json(nullptr) : Json(report.cut);
  json["cases"] = Json::array();
  for (const Case& each : report.cases) json["cases"].push_back(case_json(report, each));
  return dumped(json);
}

}  // namespace cmc::mutate
