#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "checker/report/style/uri.h"
#include "checker/report/style/version.h"
#include "checker/suite/suite.h"

namespace cmc::suite {
namespace {

using Json = nlohmann::ordered_json;

struct Rule {
  const char* id;
  const char* text;
};
constexpr Rule kBroken = {"broken-expectation", "A model does not behave as the `expect:` line in its text says."};
constexpr Rule kNoVerdict = {"no-verdict",
                             "A case of `cmc test` has no verdict, so its expectation is not confirmed."};

Json location(const std::string& file, uint32_t line) {
  Json physical = {{"artifactLocation", {{"uri", uri(file)}}}};
  if (line > 0) physical["region"] = {{"startLine", line}};
  return {{"physicalLocation", std::move(physical)}};
}

Json result_json(const Case& each, const Rule& rule) {
  Json json;
  json["ruleId"] = rule.id;
  json["level"] = "error";
  json["message"]["text"] =
      fmt::format("{} (expect: {})", fmt::join(each.messages, "; "), each.text.empty() ? "?" : each.text);
  json["locations"].push_back(each.mistake ? location(each.mistake->file, each.mistake->line)
                                           : location(each.model, each.line));
  if (each.outcome && each.outcome->finding && !each.outcome->finding->file.empty()) {
    const Outcome::Finding& finding = *each.outcome->finding;
    Json related = location(finding.file, finding.line);
    related["message"]["text"] = finding.message;
    json["relatedLocations"].push_back(std::move(related));
  }
  return json;
}

Json rule_json(const Rule& rule) {
  return {
      {"id", rule.id}, {"shortDescription", {{"text", rule.text}}}, {"defaultConfiguration", {{"level", "error"}}}};
}

Json invocation_json(const Suite& suite) {
  Json json = {{"executionSuccessful", !suite.running && !suite.interrupted}};
  if (suite.running || suite.interrupted) {
    const char* const text = suite.running ? "cmc test is running, or it was killed" : "cmc test was interrupted";
    json["toolExecutionNotifications"] = Json::array({{{"level", "error"}, {"message", {{"text", text}}}}});
  }
  return json;
}

}  // namespace

std::string sarif_json(const Suite& suite) {
  Json driver = {{"name", "cmc"}, {"version", kVersion}, {"rules", {rule_json(kBroken), rule_json(kNoVerdict)}}};
  Json run;
  run["tool"]["driver"] = std::move(driver);
  run["invocations"].push_back(invocation_json(suite));
  run["results"] = Json::array();
  for (const Case& each : suite.cases) {
    if (each.status == Case::Status::kFailed) run["results"].push_back(result_json(each, kBroken));
    if (each.status == Case::Status::kError) run["results"].push_back(result_json(each, kNoVerdict));
  }
  Json json;
  json["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  json["version"] = "2.1.0";
  json["runs"].push_back(std::move(run));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cmc::suite
