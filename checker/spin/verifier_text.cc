#include "checker/spin/verifier_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/report/version.h"

namespace cmc::spin {
namespace {

using Json = nlohmann::json;

constexpr double kMegabyte = 1048576.0;

std::string string_of(const Json& value) { return value.is_string() ? value.get<std::string>() : ""; }

// The search of the property that the run was about: the claim's, or the one with the most states.
const Json* row_of(const Json& result, const VerifierRun& run) {
  const Json* best = nullptr;
  for (const Json& row : result.at("properties")) {
    if (!run.claim.empty() && row.at("name") == run.claim) return &row;
    if (best == nullptr || row.at("states_stored") > best->at("states_stored")) best = &row;
  }
  return best;
}

std::string scope(const Json& result, const VerifierArguments& arguments, const VerifierRun& run) {
  const bool claimed = !run.claim.empty() || arguments.non_progress;
  std::string text = fmt::format("\n(Spin Version 6.5.2 -- 6 December 2019, answered by CMC {})\n", kVersion);
  if (!result.at("complete").get<bool>()) text += "Warning: Search not completed\n";
  const Json& options = result.at("options");
  if (options.at("search") == "bfs") text += "\t+ Breadth-First Search\n";
  if (options.at("reductions").get<std::string>().starts_with("por")) text += "\t+ Partial Order Reduction\n";
  text += "\nFull statespace search for:\n";
  const std::string claim = arguments.non_progress ? ":np_:" : run.claim;
  text += claim.empty() ? "\tnever claim         \t- (none specified)\n"
                        : fmt::format("\tnever claim         \t+ ({})\n", claim);
  text += fmt::format("\tassertion violations\t{}\n", !arguments.assertions ? "- (disabled by -A flag)"
                                                      : claimed             ? "+ (if within scope of claim)"
                                                                            : "+");
  const char* const fairness = arguments.fair ? "+ (fairness enabled)" : "+ (fairness disabled)";
  if (arguments.non_progress) {
    text += fmt::format("\tnon-progress cycles \t{}\n", fairness);
  } else {
    text += fmt::format("\tacceptance   cycles \t{}\n", arguments.acceptance ? fairness : "- (not selected)");
  }
  text += fmt::format("\tinvalid end states\t{}\n", claimed                ? "- (disabled by never claim)"
                                                    : arguments.end_states ? "+"
                                                                           : "- (disabled by -E flag)");
  return text;
}

std::string figures(const Json& result, const VerifierRun& run) {
  const Json& row = *row_of(result, run);
  const auto stored = row.at("states_stored").get<uint64_t>();
  const auto transitions = row.at("transitions").get<uint64_t>();
  const uint64_t matched = transitions > stored ? transitions - stored : 0;
  const double peak = result.at("memory_peak_bytes").get<double>() / kMegabyte;
  std::string text = fmt::format("\nState-vector {} byte, depth reached {}, errors: {}\n",
                                 result.at("state_bytes_max").get<uint64_t>(),
                                 result.at("depth_reached").get<uint64_t>(), run.errors.size());
  text += fmt::format("{:9} states, stored\n{:9} states, matched\n{:9} transitions (= stored+matched)\n", stored,
                      matched, stored + matched);
  text += fmt::format("\nStats on memory usage (in Megabytes):\n{:9.3f}\ttotal actual memory usage\n\n", peak);
  return text;
}

std::string unreached(const Json& result) {
  std::string text;
  for (const Json& coverage : result.at("coverage")) {
    text += fmt::format("\nunreached in {} {}\n", coverage.at("proctype") == "init" ? "init" : "proctype",
                        coverage.at("proctype") == "init" ? "" : string_of(coverage.at("proctype")));
    for (const Json& each : coverage.at("unreached")) {
      text += fmt::format("\t{}:{}, state {}, \"{}\"\n", string_of(each.at("file")), each.at("line").get<uint64_t>(),
                          each.at("state").get<uint64_t>(), string_of(each.at("text")));
    }
    text += fmt::format("\t({} of {} states)\n", coverage.at("unreached_states").get<uint64_t>(),
                        coverage.at("states").get<uint64_t>());
  }
  return text;
}

}  // namespace

std::string error_text(const Json& error) {
  std::string text = string_of(error.at("message"));
  constexpr std::string_view kAssertion = "assertion violated: assert(";
  if (text.starts_with(kAssertion) && text.ends_with(")")) {
    return "assertion violated " + text.substr(kAssertion.size(), text.size() - kAssertion.size() - 1);
  }
  if (error.at("kind") == "invalid end state") return "invalid end state";
  if (error.at("kind") == "claim") return "end state in claim reached";
  return text;
}

std::string verifier_text(const Json& result, const VerifierArguments& arguments, const VerifierRun& run) {
  std::string text;
  if (!run.claim.empty()) text += fmt::format("pan: {} {}\n", run.is_formula ? "ltl formula" : "claim", run.claim);
  uint64_t number = 0;
  for (const WrittenError& error : run.errors) {
    text += fmt::format("pan:{}: {} (at depth {})\n", ++number, error.text, error.depth);
    if (!error.trail_file.empty()) text += fmt::format("pan: wrote {}\n", error.trail_file);
  }
  for (const Json& reason : result.at("reasons")) {
    text += fmt::format("pan: {}\n", string_of(reason.is_object() ? reason.at("text") : reason));
  }
  text += scope(result, arguments, run) + figures(result, run);
  if (arguments.list_unreached && result.at("all_states").get<bool>()) text += unreached(result);
  const double seconds = result.at("wall_seconds").get<double>();
  text += fmt::format("\npan: elapsed time {:.3g} seconds\n", seconds);
  if (seconds >= 0.01) {
    text += fmt::format("pan: rate {:9.0f} states/second\n",
                        row_of(result, run)->at("states_stored").get<double>() / seconds);
  }
  return text;
}

}  // namespace cmc::spin
