#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "checker/cli/options/table/option_values.h"
#include "checker/cli/options/table/rows.h"

namespace cmc::rows {
namespace {

Status define(Options& options, const std::string& text, bool undefine) {
  return add_macro(options.reading.preprocessor, text, undefine);
}

Status property_name(Options& options, const std::string& text) {
  const auto in_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; };
  if (text.empty() || text.front() == '-' || !std::ranges::all_of(text, in_name)) {
    return Error{fmt::format("'{}' is not the name of a property", text)};
  }
  if (std::ranges::find(options.check.properties, text) == options.check.properties.end())
    options.check.properties.push_back(text);
  return Success{};
}

Status formula(Options& options, const std::string& text) {
  if (text.find_first_not_of(" \t\n") == std::string::npos) return Error{"the formula is empty"};
  if (text.starts_with("--")) return Error{fmt::format("'{}' looks like an option; is the formula missing?", text)};
  options.reading.formulas.push_back(text);
  return Success{};
}

constexpr OptionRow kModelRows[] = {
    {kReading, kModelSection, "-D", "NAME[=VALUE]", "define a macro, as #define does",
     [](Options& o, const std::string& v) { return define(o, v, false); }},
    {kReading, kModelSection, "-U", "NAME", "undefine a macro that an earlier -D defined",
     [](Options& o, const std::string& v) { return define(o, v, true); }},
    {kReading, kModelSection, "-I", "FOLDER", "also look for #include files in FOLDER",
     [](Options& o, const std::string& v) -> Status {
       o.reading.preprocessor.include_directories.push_back(v);
       return Success{};
     }},
    {kAll | kLsp, kModelSection, "-J", nullptr, "reverse the order of nested `unless` escapes (as `spin -J`)",
     [](Options& o, const std::string&) { return turn_on(o.reading.escapes_like_java); }},
    {kReading, kModelSection, "--promela-s", nullptr,
     "the model is written in Promela/S: exists, choose and least are keywords (as -DPROMELA_S=1)",
     [](Options& o, const std::string&) { return define(o, "PROMELA_S=1", false); }},
};

constexpr OptionRow kPropertyRows[] = {
    {kExplore, kPropertySection, "--property", "NAME",
     "begin with the counterexample of this property, which a check of at most a minute looks for",
     [](Options& o, const std::string& v) { return property_name(o, v); }},
    {kCheck | kMutate, kPropertySection, "--property", "NAME",
     "decide only this property; repeatable (default: all that the model states). Names: safety (assertions, end "
     "states, run-time errors), those of never claims, formulas and traces, accept (acceptance cycles), non-progress "
     "(non-progress cycles, which are decided only if asked for)",
     [](Options& o, const std::string& v) { return property_name(o, v); }},
    {kCheck | kExplore | kInfo | kMutate, kPropertySection, "--ltl", "FORMULA",
     "one more formula of linear temporal logic, as in an ltl block; repeatable",
     [](Options& o, const std::string& v) { return formula(o, v); }},
    {kAutomaton, kFormulaSection, "--property", "NAME",
     "the formula with this name; repeatable (default: those of --ltl, or else all of the model)",
     [](Options& o, const std::string& v) { return property_name(o, v); }},
    {kAutomaton, kFormulaSection, "--ltl", "FORMULA", "a formula that the model does not state; repeatable",
     [](Options& o, const std::string& v) { return formula(o, v); }},
    {kCheck | kMutate, kPropertySection, "--fairness", "KIND",
     "which endless runs count. none (default): all; weak: those in which each process moves that from some point on "
     "can always move (as `pan -f`)",
     [](Options& o, const std::string& v) { return choose(v, kFairnessNames, o.check.fairness); }},
    {kCheck | kMutate, kPropertySection, "-E,--no-end-states", nullptr,
     "do not report a process that is stuck before its end (as `pan -E`)",
     [](Options& o, const std::string&) { return turn_off(o.check.check_end_states); }},
    {kTracing, kPropertySection, "--overflow", "HOW",
     "a value that does not fit in its variable or a channel's field, such as 256 in a byte, loses its upper bits. "
     "error: that is an error of the model; warn: it is reported (default of simulate and replay); off: it is not. "
     "By default check shows it in counterexamples only",
     [](Options& o, const std::string& v) {
       return choose(v, std::span(kOverflowNames).first(3), o.overflow.emplace());
     }},
};

}  // namespace

std::span<const OptionRow> model_rows() { return kModelRows; }
std::span<const OptionRow> property_rows() { return kPropertyRows; }

}  // namespace cmc::rows
