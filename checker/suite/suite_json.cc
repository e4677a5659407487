#include <nlohmann/json.hpp>

#include "checker/report/report.h"
#include "checker/report/style/version.h"
#include "checker/suite/suite.h"

namespace cmc::suite {
namespace {

using Json = nlohmann::ordered_json;

Json optional_number(const std::optional<uint64_t>& number) { return number ? Json(*number) : Json(nullptr); }

Json expectation_json(const Expectation& expectation) {
  const bool is_verdict = expectation.claim == Expectation::Claim::kVerdict;
  return {{"claim", name_in(kClaimNames, expectation.claim)},
          {"number", expectation.number == 0 ? Json(nullptr) : Json(expectation.number)},
          {"logs", expectation.logs},
          {"verdict", is_verdict ? Json(verdict_name(expectation.verdict)) : Json(nullptr)},
          {"kinds", expectation.kinds},
          {"states", optional_number(expectation.figures.states)},
          {"transitions", optional_number(expectation.figures.transitions)},
          {"errors", optional_number(expectation.figures.errors)},
          {"options", expectation.options},
          {"slow", expectation.slow},
          {"solver", expectation.solver},
          {"only_cmc", expectation.only_cmc}};
}

Json outcome_json(const Expectation& expectation, const Outcome& outcome) {
  if (expectation.claim == Expectation::Claim::kTeeth)
    return {{"teeth", outcome.teeth ? Json(*outcome.teeth) : Json(nullptr)}};
  if (expectation.has_logs()) return {{"explained", outcome.explained ? Json(*outcome.explained) : Json(nullptr)}};
  return {{"verdict", verdict_name(outcome.verdict)},
          {"kinds", outcome.kinds},
          {"states", outcome.states},
          {"transitions", outcome.transitions},
          {"errors", outcome.errors}};
}

Json case_json(const Case& each) {
  Json json;
  json["model"] = each.model;
  json["line"] = each.line > 0 ? Json(each.line) : Json(nullptr);
  json["text"] = each.text;
  json["expected"] = each.expectation ? expectation_json(*each.expectation) : Json(nullptr);
  json["arguments"] = each.arguments;
  json["status"] = status_name(each.status);
  json["messages"] = each.messages;
  json["found"] = each.outcome ? outcome_json(*each.expectation, *each.outcome) : Json(nullptr);
  json["remembered"] = each.remembered;
  json["seconds"] = each.seconds;
  return json;
}

}  // namespace

std::string suite_json(const Suite& suite) {
  Json json;
  json["schema"] = "cmc.test/1";
  json["version"] = kVersion;
  json["complete"] = !suite.running && !suite.interrupted;
  json["passed"] = suite.count(Case::Status::kPassed);
  json["failed"] = suite.count(Case::Status::kFailed);
  json["errors"] = suite.count(Case::Status::kError);
  json["left_out"] = suite.count(Case::Status::kLeftOut);
  json["not_run"] = suite.count(Case::Status::kOpen);
  json["seconds"] = suite.seconds;
  json["cases"] = Json::array();
  for (const Case& each : suite.cases) json["cases"].push_back(case_json(each));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cmc::suite
