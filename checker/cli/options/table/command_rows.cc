#include <algorithm>

#include <fmt/format.h>

#include "checker/cli/options/table/option_values.h"
#include "checker/cli/options/table/rows.h"

// What single commands have for themselves.

namespace cmc::rows {
namespace {

Status set_fail_on(Options& options, const std::string& text) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view name = std::string_view(text).substr(begin, end - begin);
    const auto* const kind = std::ranges::find(guards::kFindingKinds, name, guards::name_of);
    if (name == "any") {
      options.lint.fail_on.assign(std::begin(guards::kFindingKinds), std::end(guards::kFindingKinds));
    } else if (kind != std::end(guards::kFindingKinds)) {
      options.lint.fail_on.push_back(*kind);
    } else {
      return Error{fmt::format("'{}' is no kind of finding", name)};
    }
    begin = end + 1;
  }
  return Success{};
}

Status set_indent(Options& options, const std::string& text) {
  promela::Layout& layout = options.fmt.layout;
  layout.tabs = text == "tab";
  uint64_t columns = 8;
  if (!layout.tabs) {
    const Status set = whole_number(text, columns, 1, 16, "a level has 1 to 16 columns, or is a tab");
    if (!set.ok()) return set;
  }
  layout.indent = static_cast<uint32_t>(columns);
  return Success{};
}

constexpr OptionRow kActionRows[] = {
    {kExplore, kRunSection, "--port", "N", "serve the page on this port (default: any one that is free)",
     [](Options& o, const std::string& v) {
       return whole_number(v, o.explore.port, 0, UINT16_MAX, "a port is 0 to 65535");
     }},
    {kExplore, kRunSection, "--open", nullptr, "open the page in your browser, which `xdg-open` knows",
     [](Options& o, const std::string&) { return turn_on(o.explore.opens); }},
    {kSimulate | kExplore, kRunSection, "--seed", "N",
     "seed of the random choices; the same seed gives the same run (default: from the clock)",
     [](Options& o, const std::string& v) { return whole_number(v, o.simulate.seed.emplace()); }},
    {kSimulate, kRunSection, "--max-steps", "N", "stop after N steps (default: 1000); 0: never",
     [](Options& o, const std::string& v) { return whole_number(v, o.simulate.max_steps); }},
    {kSimulate, kRunSection, "-i,--interactive", nullptr, "choose each step yourself from a menu",
     [](Options& o, const std::string&) { return turn_on(o.simulate.interactive); }},

    {kLint, kFindingsSection, "--overlaps", nullptr,
     "also report guards of one selection that can be true at the same time, with an example (normal in Promela)",
     [](Options& o, const std::string&) { return turn_on(o.lint.findings.overlaps); }},
    {kLint, kFindingsSection, "--incomplete", nullptr,
     "also report selections without `else` in which all guards can be false, with an example (a process waits "
     "there)",
     [](Options& o, const std::string&) { return turn_on(o.lint.findings.incomplete); }},
    {kLint, kFindingsSection, "--fail-on", "LIST",
     "exit with code 1 if there is a finding of these kinds: any, or never-true, always-true, else-never-taken, "
     "overlap, incomplete, with commas between them (default: findings do not change the exit code)",
     set_fail_on},
};

constexpr OptionRow kResultRows[] = {
    {kCompile, kOutputSection, "-o,--out", "FOLDER", "write the code to FOLDER, which is made if it does not exist",
     [](Options& o, const std::string& v) { return file_name(v, o.compile.out); }},
    {kCompile, kOutputSection, "--program", nullptr,
     "write the sources of a program that runs the model; channels whose declarations say /* cmc: external */ "
     "connect it with the world",
     [](Options& o, const std::string&) { return turn_on(o.compile.as_program); }},

    {kAutomaton, kOutputSection, "--format", "NAME",
     "never (default): a never claim, which SPIN understands; hoa: Hanoi omega-automata, version 1; dot: a graph for "
     "Graphviz",
     [](Options& o, const std::string& v) {
       using automata::Format;
       static constexpr EnumName<Format> kFormats[] = {
           {"never", Format::kNever}, {"hoa", Format::kHoa}, {"dot", Format::kDot}};
       return choose(v, kFormats, o.automaton_format);
     }},

    {kGraph, kOutputSection, "--format", "NAME", "dot (default): a graph for Graphviz; svg: a picture",
     [](Options& o, const std::string& v) {
       static constexpr EnumName<GraphFormat> kFormats[] = {{"dot", GraphFormat::kDot}, {"svg", GraphFormat::kSvg}};
       return choose(v, kFormats, o.graph.format);
     }},
    {kGraph, kLimitSection, "--max-states", "N", "show the first N states, 1 to 2000 (default: 2000)",
     [](Options& o, const std::string& v) {
       return whole_number(v, o.graph.max_states, 1, 2000,
                           "the number of states is 1 to 2,000: a larger graph cannot be read");
     }},
    {kGraph, kSearchSection, "--steps", "MODE",
     "what counts as one step. spin (default): states inside `atomic` are not shown; statement: every statement is a "
     "step",
     [](Options& o, const std::string& v) { return choose(v, std::span(kStepModeNames).first(2), o.check.steps); }},

    {kFmt, kOutputSection, "--check", nullptr,
     "write nothing: name the files that would change, and exit with code 1 if there are any",
     [](Options& o, const std::string&) { return turn_on(o.fmt.check); }},
    {kFmt, kOutputSection, "--diff", nullptr, "write no files: print what would change",
     [](Options& o, const std::string&) { return turn_on(o.fmt.diff); }},
    {kFmt, kOutputSection, "--indent", "N", "columns of a level (default: 2), or `tab`",
     [](Options& o, const std::string& v) { return set_indent(o, v); }},

    {kInfo, kOutputSection, "--dump", nullptr, "print the whole model as CMC has understood it",
     [](Options& o, const std::string&) { return turn_on(o.info.dump); }},
    {kInfo, kOutputSection, "--disassemble", nullptr, "print the bytecode of the virtual machine",
     [](Options& o, const std::string&) { return turn_on(o.info.disassemble); }},
    {kInfo, kOutputSection, "--plugin-header", nullptr,
     "print the layout of states as a C header, for hand-written successors (checker/plugin/interface.h)",
     [](Options& o, const std::string&) { return turn_on(o.info.plugin_header); }},
    {kInfo, kOutputSection, "--json", "[FILE]",
     "write the overview as JSON (cmc.info/1) to FILE; without =FILE: to standard output, instead of the text",
     [](Options& o, const std::string& v) { return json_file(v, o.output.json); }},

    {kLint, kOutputSection, "--json", "[FILE]",
     "write the findings as JSON (cmc.lint/1) to FILE; without =FILE: to standard output, instead of the text",
     [](Options& o, const std::string& v) { return json_file(v, o.output.json); }},

    {kLog, kOutputSection, "--json", "[FILE]",
     "write the figures as JSON (cmc.log/1) to FILE; without =FILE: to standard output, instead of the text",
     [](Options& o, const std::string& v) { return json_file(v, o.output.json); }},
    {kLog, kOutputSection, "--csv", nullptr, "print the figures as comma-separated values, one line per log",
     [](Options& o, const std::string&) { return turn_on(o.log.csv); }},
    {kLog, kOutputSection, "--from", "TIME",
     "look at the time from then on: what FILE.csv beside a log says about it, also in plots: 90, 15m, 2h",
     [](Options& o, const std::string& v) { return duration(v, o.log.from_seconds); }},
    {kLog, kOutputSection, "--to", "TIME", "look at the time up to then",
     [](Options& o, const std::string& v) { return duration(v, o.log.to_seconds); }},
    {kLog, kOutputSection, "--plot", "FOLDER",
     "draw plots as SVG, PNG and PDF into the folder: states over time, state sizes, disk accesses; needs gnuplot",
     [](Options& o, const std::string& v) { return file_name(v, o.log.plot); }},
};

}  // namespace

std::span<const OptionRow> action_rows() { return kActionRows; }
std::span<const OptionRow> result_rows() { return kResultRows; }

}  // namespace cmc::rows
