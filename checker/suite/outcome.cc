#include "checker/suite/outcome.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "checker/report/report.h"
#include "checker/report/style/style.h"

namespace cmc::suite {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRunning = "running";

std::optional<Verdict> parse_verdict(const std::string& name) {
  for (const Verdict verdict : {Verdict::kHolds, Verdict::kViolated, Verdict::kIncomplete}) {
    if (name == verdict_name(verdict)) return verdict;
  }
  return std::nullopt;
}

std::optional<Outcome::Finding> first_finding(const Json& json) {
  if (!json.at("errors").empty()) {
    const Json& error = json.at("errors").front();
    Outcome::Finding finding{error.at("message").get<std::string>(), "", 0};
    if (error.at("file").is_string()) {
      finding.file = error.at("file").get<std::string>();
      finding.line = error.at("line").get<uint32_t>();
    }
    return finding;
  }
  if (json.at("reasons").empty()) return std::nullopt;
  return Outcome::Finding{json.at("reasons").front().at("text").get<std::string>(), "", 0};
}

std::string list_of(const std::vector<std::string>& kinds) {
  return kinds.empty() ? "none" : printable(fmt::format("{}", fmt::join(kinds, ", ")));
}

const char* conformance_name(const Outcome& outcome) {
  if (!outcome.explained) return "incomplete";
  return name_in(kClaimNames,
                 *outcome.explained ? Expectation::Claim::kExplained : Expectation::Claim::kNotExplained);
}

// Of a claim that is no verdict. A state that was found is there, also if the search did not come to its end.
std::string claim_difference(const Expectation& expectation, const Outcome& outcome) {
  using Claim = Expectation::Claim;
  switch (expectation.claim) {
    case Claim::kVerdict: break;
    case Claim::kStates:
      if (outcome.states >= expectation.number) return "";
      return fmt::format("states: expected at least {}, found {}", format_count(expectation.number),
                         format_count(outcome.states));
    case Claim::kReached:
      if (!outcome.unreached) return "it is not known what is reached";
      if (!outcome.unreached->contains(static_cast<uint32_t>(expectation.number))) return "";
      return fmt::format("line {}: a statement is not reached", expectation.number);
    case Claim::kTeeth:
      if (!outcome.teeth) return "teeth: there is no score";
      if (*outcome.teeth >= static_cast<double>(expectation.number)) return "";
      return fmt::format("teeth: expected at least {}%, found {}%: cmc mutate shows who survives", expectation.number,
                         std::floor(*outcome.teeth));
    case Claim::kExplained:
    case Claim::kNotExplained:
      if (outcome.explained == (expectation.claim == Claim::kExplained)) return "";
      return fmt::format("log: expected {}, found {}", name_in(kClaimNames, expectation.claim),
                         conformance_name(outcome));
  }
  return "";
}

std::optional<Outcome> parse_mutation(const Json& json) {
  Outcome outcome;
  if (json.at("incomplete").is_string()) {
    outcome.cut = json.at("incomplete").get<std::string>();
  } else if (json.at("score").is_number()) {
    outcome.teeth = json.at("score").get<double>();
  }
  return outcome;
}

std::optional<Outcome> parse_conformance(const Json& json) {
  Outcome outcome;
  const Json& log = json.at("logs").at(0);
  if (log.contains("reason")) {
    outcome.cut = log.at("reason").get<std::string>();
  } else {
    outcome.explained = log.at("verdict") == "explained";
  }
  if (log.contains("next") && !log.at("next").empty()) {
    const Json& next = log.at("next").front();
    outcome.finding = Outcome::Finding{fmt::format("no run goes on with {}", next.at("event").get<std::string>()),
                                       next.at("file").get<std::string>(), next.at("line").get<uint32_t>()};
  }
  return outcome;
}

void compare(const char* name, const std::optional<uint64_t>& expected, uint64_t found,
             std::vector<std::string>& out) {
  if (!expected || *expected == found) return;
  out.push_back(fmt::format("{}: expected {}, found {}", name, format_count(*expected), format_count(found)));
}

}  // namespace

std::optional<Outcome> parse_result(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") == "cmc.mutation/1") return parse_mutation(json);
    if (json.at("schema") == "cmc.conformance/1") return parse_conformance(json);
    if (json.at("schema") != "cmc.result/1") return std::nullopt;
    for (const Json& reason : json.at("reasons")) {
      if (reason.at("kind") == kRunning) return std::nullopt;
    }
    Outcome outcome;
    for (const Json& reason : json.at("reasons")) {
      const std::string kind = reason.at("kind").get<std::string>();
      const bool is_limit = kind == info(ReasonKind::kTime).name || kind == info(ReasonKind::kMemory).name;
      if (is_limit && outcome.cut.empty()) outcome.cut = reason.at("text").get<std::string>();
    }
    const std::optional<Verdict> verdict = parse_verdict(json.at("verdict").get<std::string>());
    if (!verdict) return std::nullopt;
    outcome.verdict = *verdict;
    std::set<std::string> kinds;
    for (const Json& error : json.at("errors")) kinds.insert(short_kind(error.at("kind").get<std::string>()));
    outcome.kinds.assign(kinds.begin(), kinds.end());
    outcome.states = json.at("states_stored").get<uint64_t>();
    outcome.transitions = json.at("transitions").get<uint64_t>();
    outcome.errors = json.at("error_count").get<uint64_t>();
    if (json.contains("coverage")) outcome.unreached.emplace();
    for (const Json& proctype : json.value("coverage", Json::array())) {
      for (const Json& each : proctype.at("unreached")) {
        if (each.at("file") == json.at("model").at("file"))
          outcome.unreached->insert(each.at("line").get<uint32_t>());
      }
    }
    outcome.finding = first_finding(json);
    return outcome;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::optional<Outcome::Finding> parse_mistake(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != "cmc.diagnostics/1") return std::nullopt;
    for (const Json& each : json.at("diagnostics")) {
      if (each.at("severity") != "error") continue;
      const bool has_place = !each.at("file").is_null();
      return Outcome::Finding{each.at("message").get<std::string>(),
                              (has_place ? each.at("file") : json.at("model").at("file")).get<std::string>(),
                              has_place ? each.at("line").get<uint32_t>() : 0};
    }
    return std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::vector<std::string> differences(const Expectation& expectation, const Outcome& outcome) {
  std::vector<std::string> found;
  if (expectation.claim != Expectation::Claim::kVerdict) {
    if (std::string difference = claim_difference(expectation, outcome); !difference.empty())
      found.push_back(std::move(difference));
    return found;
  }
  if (expectation.verdict != outcome.verdict) {
    found.push_back(fmt::format("verdict: expected {}, found {}", verdict_name(expectation.verdict),
                                verdict_name(outcome.verdict)));
    return found;
  }
  if (!expectation.kinds.empty() && expectation.kinds != outcome.kinds) {
    found.push_back(
        fmt::format("kinds of errors: expected {}, found {}", list_of(expectation.kinds), list_of(outcome.kinds)));
  }
  compare("states", expectation.figures.states, outcome.states, found);
  compare("transitions", expectation.figures.transitions, outcome.transitions, found);
  compare("errors", expectation.figures.errors, outcome.errors, found);
  return found;
}

std::string remembered_json(const std::string& key, const Outcome& outcome) {
  const Json json = {{"schema", "cmc.verdict/1"},
                     {"key", key},
                     {"verdict", verdict_name(outcome.verdict)},
                     {"kinds", outcome.kinds},
                     {"states", outcome.states},
                     {"transitions", outcome.transitions},
                     {"errors", outcome.errors}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<Outcome> parse_remembered(std::string_view text, const std::string& key) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != "cmc.verdict/1" || json.at("key") != key) return std::nullopt;
    const std::optional<Verdict> verdict = parse_verdict(json.at("verdict").get<std::string>());
    if (!verdict || *verdict == Verdict::kIncomplete) return std::nullopt;
    return Outcome{*verdict,
                   json.at("kinds").get<std::vector<std::string>>(),
                   json.at("states").get<uint64_t>(),
                   json.at("transitions").get<uint64_t>(),
                   json.at("errors").get<uint64_t>(),
                   std::nullopt,
                   std::nullopt,
                   std::nullopt,
                   std::nullopt,
                   ""};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace cmc::suite
