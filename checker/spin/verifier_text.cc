#include "checker/spin/verifier_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"
#include "checker/report/style/version.h"
#include "checker/spin/run_text.h"
#include "checker/spin/verifier_expression.h"

namespace cmc::spin {
namespace {

constexpr double kMegabyte = 1'000'000.0;  // as SPIN counts

bool is_claim(const Property& property) {
  return property.kind == Property::Kind::kNeverClaim || property.kind == Property::Kind::kLtl;
}

// The search of the property that the run was about: the claim's, or the one with the most states.
const Report::PropertyRow& row_of(const Report& report, const VerifierRun& run) {
  CHECK(!report.properties.empty());
  const auto named = std::ranges::find(report.properties, run.claim, &Report::PropertyRow::name);
  if (!run.claim.empty() && named != report.properties.end()) return *named;
  return *std::ranges::max_element(report.properties, {}, &Report::PropertyRow::states_stored);
}

std::string cycles_line(const VerifierArguments& arguments, const VerifierRun& run) {
  const char* const fairness = arguments.fair ? "+ (fairness enabled)" : "+ (fairness disabled)";
  if (arguments.non_progress) return fmt::format("\tnon-progress cycles \t{}\n", fairness);
  if (arguments.safety_only) return "\tcycle checks       \t- (disabled by -DSAFETY)\n";
  return fmt::format("\tacceptance   cycles \t{}\n", run.looks_for_cycles ? fairness : "- (not selected)");
}

std::string scope(const Report& report, const VerifierArguments& arguments, const VerifierRun& run) {
  const bool claimed = !run.claim.empty() || arguments.non_progress;
  std::string text = "\n(Spin Version 6.5.2 -- 6 December 2019)\n";
  if (!report.complete) text += "Warning: Search not completed\n";
  if (arguments.breadth_first) text += "\t+ Breadth-First Search\n";
  if (report.run.reductions.starts_with("por")) text += "\t+ Partial Order Reduction\n";
  text += "\nFull statespace search for:\n";
  const std::string claim = arguments.non_progress ? ":np_:" : run.claim;
  const char* const none = run.claims == 0 ? "none specified" : "not selected";
  text += claim.empty() ? fmt::format("\tnever claim         \t- ({})\n", none)
                        : fmt::format("\tnever claim         \t+ ({})\n", claim);
  text += fmt::format("\tassertion violations\t{}\n", !arguments.assertions ? "- (disabled by -A flag)"
                                                      : claimed             ? "+ (if within scope of claim)"
                                                                            : "+");
  text += cycles_line(arguments, run);
  text += fmt::format("\tinvalid end states\t{}\n", claimed                ? "- (disabled by never claim)"
                                                    : arguments.end_states ? "+"
                                                                           : "- (disabled by -E flag)");
  return text;
}

std::string figures(const Report& report, const VerifierRun& run) {
  const Report::PropertyRow& row = row_of(report, run);
  const uint64_t matched = row.transitions > row.states_stored ? row.transitions - row.states_stored : 0;
  std::string text = fmt::format("\nState-vector {} byte, depth reached {}, errors: {}\n", report.state_bytes_max,
                                 report.depth_reached, run.error_count);
  text += fmt::format("{:9} states, stored\n{:9} states, matched\n{:9} transitions (= stored+matched)\n",
                      row.states_stored, matched, row.states_stored + matched);
  const double states = static_cast<double>(row.states_stored) * static_cast<double>(report.state_bytes_max);
  text += fmt::format(
      "\nStats on memory usage (in Megabytes):\n"
      "{:9.3f}\tequivalent memory usage for states (stored*(State-vector + overhead))\n"
      "{:9.3f}\ttotal actual memory usage\n\n",
      states / kMegabyte, static_cast<double>(report.memory_peak_bytes) / kMegabyte);
  return text;
}

std::string unreached(const Report& report) {
  std::string text = "\n";
  for (const Report::Coverage& coverage : report.coverage) {
    text += coverage.is_init ? "unreached in init\n" : fmt::format("unreached in proctype {}\n", coverage.proctype);
    for (const Report::UnreachedLocation& each : coverage.unreached) {
      text += fmt::format("\t{}:{}, state {}, \"{}\"\n", each.file, each.line, each.state, listed_text(each.text));
    }
    text += fmt::format("\t({} of {} states)\n", coverage.unreached_states, coverage.states);
  }
  return text;
}

// Programs know that a verifier without memory has not finished.
std::string reason_text(const Reason& reason) {
  return reason.kind == ReasonKind::kMemory ? "out of memory: " + reason.text : reason.text;
}

// Of the claim's last move; none: it has made none.
ExpressionId last_condition(const Model& product, const FoundError& error) {
  const auto step = std::ranges::find(error.path.rbegin(), error.path.rend(), kNoProcess, &Step::pid);
  if (step == error.path.rend() || !product.claim.exists()) return kNoExpression;
  const std::vector<Location>& locations = product.claims.at(product.claim.claim).locations;
  if (step->location >= locations.size()) return kNoExpression;
  const std::vector<Edge>& edges = locations[step->location].edges;
  return step->edge < edges.size() ? product.statements[edges[step->edge].statement].expression : kNoExpression;
}

// A condition as SPIN's verifier has it: a blank before each unary operator, and C's conditional expression.
std::string in_c(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const char before = i == 0 ? '(' : text[i - 1];
    const std::string_view rest = std::string_view(text).substr(i);
    const bool is_operand = is_word_character(before) || before == ')' || before == ']';
    if (rest.starts_with("!(") || rest.starts_with("~(") || (rest.starts_with("-(") && !is_operand)) result += ' ';
    if (!is_word_character(before) && (rest.starts_with("len(") || rest.starts_with("full("))) result += "q_";
    if (rest.starts_with("-> (")) {
      result += '?';
      ++i;
      continue;
    }
    result += text[i];
  }
  return result;
}

std::string violated_formula(const PropertyResult& property, const FoundError& error) {
  const Model& product = *property.product;
  const ExpressionId condition = last_condition(product, error);
  return "assertion violated " + formula_violation(product, product.properties.back(), condition);
}

}  // namespace

std::string error_text(const PropertyResult& property, const FoundError& error) {
  if (error.kind.is_invalid_end_state()) return "invalid end state";
  if (error.kind.error_class != ErrorKind::Class::kRuntimeError) return error.message;
  switch (error.kind.runtime) {
    case RuntimeErrorKind::kClaimEnd:
      return property.entry.kind == PropertyKind::kLtl ? violated_formula(property, error)
                                                       : "end state in claim reached";
    case RuntimeErrorKind::kTraceMismatch: return "event_trace error (no matching event)";
    case RuntimeErrorKind::kNotraceMatched: return "event_trace error (all events matched)";
    default: break;
  }
  constexpr std::string_view kAssertion = "assertion violated: assert(";
  if (!error.message.starts_with(kAssertion) || !error.message.ends_with(")")) return error.message;
  return "assertion violated " +
         in_c(error.message.substr(kAssertion.size(), error.message.size() - kAssertion.size() - 1));
}

std::string verifier_text(const Report& report, const VerifierArguments& arguments, const VerifierRun& run) {
  std::string text;
  if (!run.claim.empty() && run.claims > 1) text += fmt::format("pan: ltl formula {}\n", run.claim);
  for (const Reason& reason : report.reasons) text += fmt::format("pan: {}\n", reason_text(reason));
  uint64_t number = 0;
  std::string last;
  for (const WrittenError& error : run.errors) {
    ++number;
    if (error.text != last) text += fmt::format("pan:{}: {} (at depth {})\n", number, error.text, error.depth);
    last = error.text;
    if (!error.trail_file.empty()) text += fmt::format("pan: wrote {}\n", error.trail_file);
  }
  text += scope(report, arguments, run) + figures(report, run);
  if (arguments.list_unreached && report.exhaustive && report.complete) text += unreached(report);
  text += fmt::format("\npan: elapsed time {:.3g} seconds\n", report.wall_seconds);
  if (report.wall_seconds >= 0.01) {
    const double states = static_cast<double>(row_of(report, run).states_stored);
    text += fmt::format("pan: rate {:9.0f} states/second\n", states / report.wall_seconds);
  }
  return text + fmt::format("(answered by CMC {})\n", kVersion);
}

std::string formulas_text(const Model& model) {
  std::string text;
  for (const Property& property : model.properties) {
    if (property.kind != Property::Kind::kLtl) continue;
    text += fmt::format("ltl {}: {}\n", property.name, parsed_formula(model, property.formula));
  }
  return text;
}

std::string claims_text(const Model& model, const std::string& file) {
  std::vector<std::string> names;  // as SPIN numbers them: those of the text stand in front of formulas
  for (const Property::Kind kind : {Property::Kind::kNeverClaim, Property::Kind::kLtl}) {
    for (const Property& property : model.properties) {
      if (is_claim(property) && property.kind == kind) names.push_back(property.name);
    }
  }
  if (names.size() < 2) return "";
  const std::string first = names.front();
  std::ranges::reverse(names);
  return fmt::format(
      "  the model contains {} never claims: {}\n"
      "  only one claim is used in a verification run\n"
      "  choose which one with ./pan -a -N name (defaults to -N {})\n"
      "  or use e.g.: spin -search -ltl {} {}\n",
      names.size(), fmt::join(names, ", "), first, first, file);
}

}  // namespace cmc::spin
