#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "checker/automata/automaton_text.h"
#include "checker/check/request.h"
#include "checker/guards/lint.h"
#include "checker/report/report.h"
#include "checker/report/tune/tune_table.h"
#include "checker/trace/trace_printer.h"
#include "promela/format/format.h"

// The command line: one table of options (option_table()) from which parsing, help and did-you-mean are made.

namespace cmc {

// After an interrupt: interrupted_exit_code() (signals.h).
enum ExitCode : int {
  kExitHolds = 0,
  kExitViolated = 1,
  kExitUsage = 2,  // wrong usage, an error in the model, a file that cannot be read or written
  kExitIncomplete = 3,
  kExitInternal = 4,
};

enum class Command : uint32_t {
  kCheck = 1,
  kSimulate = 2,
  kReplay = 4,
  kInfo = 8,
  kLog = 16,
  kTune = 32,
  kLint = 64,
  kSolver = 128,
  kExpand = 256,
  kAutomaton = 512,
  kTest = 1024,
  kGraph = 2048,
  kProfile = 4096,
  kCompile = 8192,
  kResume = 16384,
  kLsp = 32768,
  kMcp = 65536,
  kMutate = 131072,
  kDap = 262144,
  kExplore = 524288,
  kFmt = 2097152,
  kConform = 1048576,
};
enum class SolverAction : uint8_t { kPing, kStats, kEval };
enum class SlowCases : uint8_t { kSkip, kToo, kOnly };
enum class GraphFormat : uint8_t { kDot, kSvg };
enum class When : uint8_t { kAuto, kAlways, kNever };

inline constexpr const char* kStandardOutput = "-";  // as the name of a file

// What all commands print, and whatever they find out.
struct OutputOptions {
  std::string json;  // empty: none; kStandardOutput
  When color = When::kAuto;
  When progress = When::kAuto;
  bool progress_json = false;  // its lines are JSON
  Verbosity verbosity = Verbosity::kNormal;
};

// Files of a check and of traces; empty: none.
struct FileOptions {
  std::string trail;       // check: to write; replay, explore: to read
  std::string log;         // the histogram log; its time series is beside it
  std::string trace_json;  // replay, simulate: may be kStandardOutput
  std::string html;        // this and the following show counterexamples or runs
  std::string svg;
  std::string mermaid;
  std::string itf;
  std::string dump;          // of states
  uint64_t dump_states = 0;  // how many
};

// How steps are shown.
struct StepOptions {
  TraceStyle style = TraceStyle::kDiff;
  bool fold = true;               // runs of local steps
  std::vector<std::string> only;  // processes, variables, channels; empty: all steps
  std::optional<size_t> width;    // characters of a line; 0: no limit; none: as the terminal has
  std::optional<uint64_t> limit;  // of steps, the last ones; 0: all; none: as the command has it
};

// Files of the profile; empty: none.
struct ProfileFiles {
  std::string json;
  std::string csv;
  std::string trace;
  std::string plot;     // a folder
  uint64_t lines = 20;  // of the table; 0: all

  [[nodiscard]] bool any() const { return !json.empty() || !csv.empty() || !trace.empty() || !plot.empty(); }
};

struct SimulateOptions {
  std::optional<uint64_t> seed;  // none: by the clock
  uint64_t max_steps = 1000;
  bool interactive = false;
};

struct InfoOptions {
  bool dump = false;
  bool disassemble = false;
  bool plugin_header = false;
};

struct CompileOptions {
  std::string out;  // folder
  bool as_program = false;
};

struct GraphOptions {
  GraphFormat format = GraphFormat::kDot;
  uint64_t max_states = 2000;
};

struct LintOptions {
  guards::LintOptions findings;
  std::vector<guards::FindingKind> fail_on;  // findings that make `lint` fail
};

struct SolverOptions {
  SolverAction action = SolverAction::kPing;
  std::string smt2;  // a file of SMT-LIB2 commands, or "-"
};

struct LogOptions {
  std::vector<std::string> files;
  bool csv = false;
  std::string plot;  // folder; empty: no plots
  double from_seconds = 0;
  double to_seconds = 0;  // 0: to the end
};

struct TuneOptions {
  std::vector<TuneSetting> settings;  // options of check, in the order of the command line
  std::string out;                    // folder
  TuneMeasure best = TuneMeasure::kTime;
  uint64_t runs = 0;  // of each combination; 0: chosen by how long the first one takes
  bool dry_run = false;
  bool retry_failed = false;
};

struct TestOptions {
  std::vector<std::string> paths;            // files and folders
  std::vector<std::string> check_arguments;  // options of check that all cases are given
  SlowCases slow = SlowCases::kSkip;
  bool list = false;
  uint64_t jobs = 0;    // 0: one per processor
  std::string cache;    // folder; empty: none
  std::string junit;    // empty: none
  std::string sarif;    // empty: none
  bool github = false;  // annotations
};

struct MutateOptions {
  uint64_t mutants = 0;  // a sample of so many; 0: all
  uint64_t seed = 1;     // of the sample
  bool faults = false;
  bool list = false;
  std::vector<uint64_t> shown;  // numbers
  uint64_t jobs = 0;            // 0: one per processor
  double at_least_percent = 0;
  std::string out;      // folder; empty: none
  std::string sarif;    // empty: none
  std::string html;     // empty: none
  std::string results;  // that are taken over, and added to; empty: none
};

struct FmtOptions {
  std::vector<std::string> files;
  promela::Layout layout;
  bool check = false;
  bool diff = false;
};

struct ExploreOptions {
  uint16_t port = 0;  // 0: any one that is free
  bool opens = false;
};

struct ConformOptions {
  std::vector<std::string> logs;  // files, or "-"
  std::string map;                // a file; empty: the model's comments
  bool to_end = false;
  bool each = false;    // a run for each log
  bool follow = false;  // the log grows
  bool suggest = false;
  uint64_t most_pairs = 0;  // 0: no limit
  std::string uncovered;    // folder; empty: none
};

struct ResumeOptions {
  std::string directory;
  std::vector<std::string> given;  // options, one word each
  std::vector<std::string> fixed;  // of check, that a run cannot change
};

struct Options {
  Command command = Command::kCheck;
  std::vector<std::string> arguments;  // the command line as it was given, without the program
  std::string model;                   // a path, or "-" for standard input

  ModelRequest reading;  // but for overflow
  CheckRequest check;
  std::optional<Overflow> overflow;  // none: traces of check show it, and simulate and replay note it

  // What several commands have.
  OutputOptions output;
  FileOptions files;
  StepOptions shown;
  ProfileFiles profile;
  double kill_after_seconds = 0;  // of tune and test; 0: never

  // What one command has.
  SimulateOptions simulate;
  InfoOptions info;
  CompileOptions compile;
  automata::Format automaton_format = automata::Format::kNever;
  GraphOptions graph;
  LintOptions lint;
  SolverOptions solver;
  LogOptions log;
  TuneOptions tune;
  TestOptions test;
  MutateOptions mutate;
  ExploreOptions explore;
  FmtOptions fmt;
  ConformOptions conform;
  ResumeOptions resume;
};

// Headings that say something about their options, too.
inline constexpr const char* kModelSection = "Reading the model";
inline constexpr const char* kPropertySection = "What is decided";
inline constexpr const char* kStoreSection =
    "Disk store (an option about one of its parts enables it from the start)";
inline constexpr const char* kOutputSection = "Output";

struct OptionRow {
  unsigned commands;    // bits of Command
  const char* section;  // heading in the help
  const char* names;    // "-q,--quiet"
  const char* value;    // name of the value in the help; nullptr: a flag; "[FILE]": it may be given behind `=`
  const char* help;
  Status (*set)(Options& options, const std::string& value);
};

struct CommandRow {
  Command command;
  const char* name;
  const char* arguments;    // "MODEL [OPTIONS]"
  const char* summary;      // one line
  const char* description;  // a paragraph
  const char* examples;     // lines
};

[[nodiscard]] constexpr bool applies(const OptionRow& row, Command command) {
  return (row.commands & static_cast<unsigned>(command)) != 0;
}
// "[FILE]": behind `=`, or none.
[[nodiscard]] constexpr bool has_optional_value(const OptionRow& row) {
  return row.value != nullptr && row.value[0] == '[';
}
// "-j", "--threads".
[[nodiscard]] std::vector<std::string> names_of(const OptionRow& row);

[[nodiscard]] const std::vector<OptionRow>& option_table();
[[nodiscard]] std::span<const CommandRow> command_table();

// Whether the command takes options of check, too, and hands them on to the checks that it runs.
[[nodiscard]] constexpr bool hands_options_on(const CommandRow& command) {
  return command.command == Command::kTune || command.command == Command::kTest;
}

// A text to print instead of running a command.
struct Answer {
  int exit_code = kExitHolds;
  std::string text;
};

// `arguments` without the program's name.
[[nodiscard]] std::variant<Options, Answer> parse_command_line(const std::vector<std::string>& arguments);

// `cmc spin` has SPIN's options, which are in no table.
inline constexpr const char* kSpinSummary = "answer SPIN's command line, with its texts, trails and status";

[[nodiscard]] std::string general_help();
[[nodiscard]] std::string exit_codes_text();  // of all commands: lines "    0  the model holds"
[[nodiscard]] std::string exit_codes_text(Command command);
[[nodiscard]] std::string command_help(const CommandRow& command);

}  // namespace cmc
