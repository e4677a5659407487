#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "checker/mutate/mutation_report.h"
#include "checker/report/style/uri.h"
#include "checker/report/style/version.h"

namespace cmc::mutate {
namespace {

using Json = nlohmann::ordered_json;

Json rule_json(const char* id, const char* text) {
  return {{"id", id}, {"shortDescription", {{"text", text}}}, {"defaultConfiguration", {{"level", "warning"}}}};
}

}  // namespace

std::string report_sarif(const MutationReport& report) {
  Json driver = {{"name", "cmc"}, {"version", kVersion}};
  driver["rules"] = {rule_json("surviving-mutant", "A change of the model that no property notices."),
                     rule_json("vacuous-property", "A part of a property that says nothing.")};
  Json run;
  run["tool"]["driver"] = std::move(driver);
  run["invocations"].push_back({{"executionSuccessful", report.cut.empty()}});
  run["results"] = Json::array();
  for (const auto& [mutant, judgement] : report.cases) {
    if (judgement.verdict != Verdict::kSurvived) continue;
    const bool is_property = info(mutant.op).group == Group::kProperty;
    Json result = {{"ruleId", is_property ? "vacuous-property" : "surviving-mutant"}, {"level", "warning"}};
    result["message"]["text"] = fmt::format("mutant {} survives: {}: {}", mutant.number, info(mutant.op).name,
                                            short_text(report.text_of(mutant), mutant));
    Json physical = {{"artifactLocation", {{"uri", uri(report.file_of(mutant))}}}};
    physical["region"] = {{"startLine", mutant.place.line}, {"startColumn", mutant.place.column}};
    result["locations"].push_back({{"physicalLocation", std::move(physical)}});
    run["results"].push_back(std::move(result));
  }
  Json json = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}};
  json["runs"].push_back(std::move(run));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cmc::mutate
