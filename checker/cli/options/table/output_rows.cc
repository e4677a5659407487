#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "checker/cli/options/table/option_values.h"
#include "checker/cli/options/table/rows.h"

namespace cmc::rows {
namespace {

constexpr EnumName<When> kWhen[] = {{"auto", When::kAuto}, {"always", When::kAlways}, {"never", When::kNever}};
constexpr EnumName<When> kOnOff[] = {{"auto", When::kAuto}, {"on", When::kAlways}, {"off", When::kNever}};

// "100:FILE"
Status states_to_dump(Options& options, const std::string& text) {
  constexpr uint64_t kMost = 1000000;
  const size_t colon = std::min(text.find(':'), text.size());
  if (colon == text.size()) return Error{fmt::format("'{}' is not N:FILE, say 100:states.txt", text)};
  uint64_t number = 0;
  if (const Status set = whole_number(text.substr(0, colon), number); !set.ok()) return set;
  if (number < 1 || number > kMost) return Error{fmt::format("{} is not between 1 and {}", number, kMost)};
  options.files.dump_states = number;
  return file_name(text.substr(colon + 1), options.files.dump);
}

// "user", "user[0]", "user[0].n", "n@12/7"
Status name_to_show(Options& options, const std::string& text) {
  const auto in_name = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_[].@/").find(static_cast<char>(c)) != std::string_view::npos;
  };
  const bool begins =
      !text.empty() && (std::isalpha(static_cast<unsigned char>(text.front())) != 0 || text[0] == '_');
  if (!begins || !std::ranges::all_of(text, in_name)) {
    return Error{fmt::format("'{}' is not the name of a process, variable or channel", text)};
  }
  options.shown.only.push_back(text);
  return Success{};
}

Status run_folder(Options& options, const std::string& folder, bool certificate) {
  if (!options.check.saving.directory.empty())
    return Error{"a run has one folder, which either --checkpoint or --certificate names"};
  options.check.saving.certificate = certificate;
  return file_name(folder, options.check.saving.directory);
}

constexpr OptionRow kFileRows[] = {
    {kCheck, kOutputSection, "--checkpoint", "FOLDER",
     "save the search there now and then, when it is interrupted, and at a limit; `cmc resume FOLDER` goes on. Of "
     "one property, by the fast engine",
     [](Options& o, const std::string& v) { return run_folder(o, v, false); }},
    {kCheck, kOutputSection, "--certificate", "FOLDER",
     "as --checkpoint, and if the model holds, FOLDER is a certificate of it, which cmc-audit checks: all states, "
     "without reductions. Of the property safety, with --steps spin or statement",
     [](Options& o, const std::string& v) { return run_folder(o, v, true); }},
    {kCheck | kResume, kOutputSection, "--checkpoint-every", "TIME",
     "how often (default: 30m), but for at most a twentieth of the time; 0: only at the end",
     [](Options& o, const std::string& v) {
       return v == "0" ? assign(o.check.saving.every_seconds, 0.0) : duration(v, o.check.saving.every_seconds);
     }},
    {kCheck | kResume, kOutputSection, "--mirror", "FOLDER",
     "of cmc-mpi: each rank also keeps the files of the rank before it there; with cmc resume, too, what is lost or "
     "damaged comes from there",
     [](Options& o, const std::string& v) { return file_name(v, o.check.saving.mirror); }},
    {kCheck | kResume, kOutputSection, "--json", "[FILE]",
     "write the result as JSON (cmc.result/1) to FILE; without =FILE: to standard output, and nothing else there",
     [](Options& o, const std::string& v) { return json_file(v, o.output.json); }},
    {kCheck | kResume, kOutputSection, "--trail", "FILE",
     "write the shortest counterexample of the first violated property, for `cmc replay`; further ones to files with "
     "numbers: bug.trail, bug-2.trail, ...",
     [](Options& o, const std::string& v) { return file_name(v, o.files.trail); }},
    {kCheck | kResume, kOutputSection, "--trace-json", "FILE",
     "write the steps of every counterexample that was kept as JSON (cmc.trace/1)",
     [](Options& o, const std::string& v) { return file_name(v, o.files.trace_json); }},
    {kTracing | kResume, kOutputSection, "--html", "FILE",
     "write a page for a browser: the steps and messages of each process, the source next to them, the state at each "
     "step",
     [](Options& o, const std::string& v) { return file_name(v, o.files.html); }},
    {kTracing | kResume, kOutputSection, "--svg", "FILE", "write a message sequence chart as a picture",
     [](Options& o, const std::string& v) { return file_name(v, o.files.svg); }},
    {kTracing | kResume, kOutputSection, "--mermaid", "FILE", "write a message sequence chart as text for Mermaid",
     [](Options& o, const std::string& v) { return file_name(v, o.files.mermaid); }},
    {kTracing | kResume, kOutputSection, "--itf", "FILE",
     "write the states in the Informal Trace Format, which tools for TLA+ read",
     [](Options& o, const std::string& v) { return file_name(v, o.files.itf); }},
    {kReplay | kSimulate, kOutputSection, "--json", "[FILE]",
     "write the steps as JSON (cmc.trace/1) to FILE; without =FILE: to standard output, and nothing else there",
     [](Options& o, const std::string& v) { return json_file(v, o.files.trace_json); }},
    {kCheck | kResume, kOutputSection, "--log", "FILE",
     "write the histogram log, and the course of the search to FILE.csv, for `cmc log`",
     [](Options& o, const std::string& v) { return file_name(v, o.files.log); }},

    {kCheck, kOutputSection, "--profile", "FILE",
     "write where the time of the search went, statement by statement, as JSON (cmc.profile/1); of several searches "
     "the first. All is counted, and what is computed is measured, so the search is slower",
     [](Options& o, const std::string& v) { return file_name(v, o.profile.json); }},
    {kCheck, kOutputSection, "--profile-csv", "FILE", "write the profile as comma-separated values",
     [](Options& o, const std::string& v) { return file_name(v, o.profile.csv); }},
    {kCheck, kOutputSection, "--profile-trace", "FILE",
     "write when steps were computed, for chrome://tracing or ui.perfetto.dev",
     [](Options& o, const std::string& v) { return file_name(v, o.profile.trace); }},
    {kCheck, kOutputSection, "--profile-plot", "FOLDER",
     "draw the costliest statements as SVG and PNG into the folder; needs gnuplot",
     [](Options& o, const std::string& v) { return file_name(v, o.profile.plot); }},
    {kProfile, kOutputSection, "--lines", "N", "statements that the table shows (default: 20); 0: all",
     [](Options& o, const std::string& v) { return whole_number(v, o.profile.lines); }},
    {kCheck, kOutputSection, "--dump-states", "N:FILE",
     "write the first N states, breadth first, to FILE: the bytes of their state vectors, and their values. "
     "Partial-order and symmetry reduction leave out none of them",
     [](Options& o, const std::string& v) { return states_to_dump(o, v); }},
};

constexpr OptionRow kTraceRows[] = {
    {kTracing | kResume | kConform, kOutputSection, "--trace", "STYLE",
     "how steps are shown. diff (default): with the variables that changed; full: with the whole state after each "
     "step; columns: one column per process",
     [](Options& o, const std::string& v) {
       static constexpr EnumName<TraceStyle> kStyles[] = {
           {"diff", TraceStyle::kDiff}, {"full", TraceStyle::kFull}, {"columns", TraceStyle::kColumns}};
       return choose(v, kStyles, o.shown.style);
     }},
    {kTracing | kResume | kConform, kOutputSection, "--only", "NAME",
     "show only the steps that concern a process (user, user[0]), a variable (flag, flag[0], user[0].n) or a "
     "channel; repeatable",
     [](Options& o, const std::string& v) { return name_to_show(o, v); }},
    {kTracing | kResume | kConform, kOutputSection, "--no-fold", nullptr,
     "show each step; otherwise three or more steps of a process that touch nothing but its own variables are one "
     "line",
     [](Options& o, const std::string&) { return turn_off(o.shown.fold); }},
    {kTracing | kResume | kConform, kOutputSection, "--width", "N",
     "characters of a line of a trace (default: those of the terminal; no limit if there is none); 0: no limit",
     [](Options& o, const std::string& v) -> Status {
       uint64_t width = 0;
       if (const Status set = whole_number(v, width); !set.ok()) return set;
       if (width != 0 && (width < 40 || width > 10'000)) return Error{"a line has 40 to 10,000 characters, or 0"};
       return assign(o.shown.width, width);
     }},
    {kCheck | kReplay | kResume | kConform, kOutputSection, "--trace-limit", "N",
     "show only the last N steps of a counterexample or run (default: check 200, replay all, conform 100, files "
     "100000); "
     "0: all",
     [](Options& o, const std::string& v) { return whole_number(v, o.shown.limit.emplace()); }},
};

constexpr OptionRow kPrintingRows[] = {
    {kAll | kTest | kResume, kOutputSection, "--color", "WHEN",
     "auto (default: on a terminal, unless NO_COLOR is set), always, never",
     [](Options& o, const std::string& v) { return choose(v, kWhen, o.output.color); }},
    {kTune, kOutputSection, "--progress", "WHEN",
     "a line that says how far it is: auto (default: on a terminal), on, off",
     [](Options& o, const std::string& v) { return choose(v, kOnOff, o.output.progress); }},
    {kCheck | kResume, kOutputSection, "--progress", "WHEN",
     "a line that says how far the search is: auto (default: on a terminal), on, off; json: a line of JSON each "
     "second on standard error (cmc.progress/1). The signal USR1 asks for the report so far",
     [](Options& o, const std::string& v) -> Status {
       o.output.progress_json = v == "json";
       if (o.output.progress_json) return Success{};
       static constexpr EnumName<When> kChoices[] = {
           {"auto", When::kAuto}, {"on", When::kAlways}, {"off", When::kNever}, {"json", When::kAuto}};
       return choose(v, kChoices, o.output.progress);
     }},
    {kTest, kOutputSection, "-q,--quiet", nullptr, "print only the cases that fail, and the last line",
     [](Options& o, const std::string&) { return assign(o.output.verbosity, Verbosity::kQuiet); }},
    {kTracing | kResume | kConform, kOutputSection, "-q,--quiet", nullptr,
     "print only errors, reasons and the verdict",
     [](Options& o, const std::string&) { return assign(o.output.verbosity, Verbosity::kQuiet); }},
    {kTracing | kResume, kOutputSection, "-v,--verbose", nullptr,
     "also print the options, figures of the engine, and unreached statements of an incomplete search",
     [](Options& o, const std::string&) { return assign(o.output.verbosity, Verbosity::kVerbose); }},
};

constexpr OptionRow kDebugRows[] = {
    {kTracing | kTest, kDebugSection, "--generator", "NAME",
     "what computes successors. auto (default): bytecode, and machine code when that pays, made by a C compiler "
     "($CC, else cc) in the background; vm: bytecode; native: machine code from the start; reference: a slow and "
     "plain interpreter; plugin:FILE (check): hand-written ones in a shared object (see cmc info --plugin-header). "
     "Commands that do not search use vm instead of native and auto",
     [](Options& o, const std::string& v) {
       static constexpr std::string_view kPlugin = "plugin:";
       if (v.starts_with(kPlugin) && v.size() > kPlugin.size()) {
         o.check.generator = GeneratorKind::kPlugin;
         o.check.plugin = v.substr(kPlugin.size());
         return Status(Success{});
       }
       return choose(v, kGeneratorNames, o.check.generator);
     }},
    {kCheck | kResume, kDebugSection, "--checkpoint-checks", "N",
     "write a checkpoint whenever limits were looked at N times",
     [](Options& o, const std::string& v) { return whole_number(v, o.check.saving.every_checks); }},
    {kCheck | kCompile, kDebugSection, "--compiler-time", "TIME", "how long the C compiler may take (default 2m)",
     [](Options& o, const std::string& v) { return duration(v, o.check.compiler_seconds); }},
    {kCheck | kTest, kDebugSection, "--check-generator", nullptr,
     "compare the virtual machine with the reference at every state; any difference ends the run with exit code 4. A "
     "plug-in is compared with both; if it is wrong, the exit code is 2",
     [](Options& o, const std::string&) { return turn_on(o.check.check_generator); }},
};

}  // namespace

std::span<const OptionRow> file_rows() { return kFileRows; }
std::span<const OptionRow> trace_rows() { return kTraceRows; }
std::span<const OptionRow> printing_rows() { return kPrintingRows; }
std::span<const OptionRow> debug_rows() { return kDebugRows; }

}  // namespace cmc::rows
