#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "checker/automata/automaton_text.h"
#include "checker/check/request.h"
#include "checker/guards/lint.h"
#include "checker/report/report.h"
#include "checker/report/tune/tune_table.h"
#include "checker/trace/trace_printer.h"

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

enum class Command : uint16_t {
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
};
enum class SolverAction : uint8_t { kPing, kStats, kEval };
enum class SlowCases : uint8_t { kSkip, kToo, kOnly };
enum class GraphFormat : uint8_t { kDot, kSvg };
enum class When : uint8_t { kAuto, kAlways, kNever };

inline constexpr const char* kStandardOutput = "-";  // as the name of a file

struct Options {
  Command command = Command::kCheck;
  std::vector<std::string> arguments;  // the command line as it was given, without the program
  std::string model;                   // a path, or "-" for standard input

  ModelRequest reading;  // but for overflow
  CheckRequest check;
  bool as_program = false;           // of compile
  std::optional<Overflow> overflow;  // none: traces of check show it, and simulate and replay note it

  std::string json;        // empty: none; kStandardOutput
  std::string trail;       // check: to write; replay: to read
  std::string log;         // the histogram log; its time series is beside it
  std::string trace_json;  // replay, simulate: may be kStandardOutput
  std::string html;        // files that show counterexamples or runs; empty: none
  std::string svg;
  std::string mermaid;
  std::string itf;
  // Files of the profile; empty: none.
  std::string profile;  // JSON
  std::string profile_csv;
  std::string profile_trace;
  std::string profile_plot;     // a folder
  uint64_t profile_lines = 20;  // of the table; 0: all
  uint64_t dump_states = 0;     // of a model, to dump_file
  std::string dump_file;        // empty: none
  TraceStyle trace = TraceStyle::kDiff;
  bool fold = true;               // runs of local steps
  std::vector<std::string> only;  // processes, variables, channels; empty: all steps
  size_t width = 0;               // characters of a line; 0: no limit
  bool width_given = false;
  uint64_t trace_limit = 200;
  bool trace_limit_given = false;
  When color = When::kAuto;
  When progress = When::kAuto;
  bool progress_json = false;  // its lines are JSON
  Verbosity verbosity = Verbosity::kNormal;

  uint64_t seed = 0;
  bool seed_given = false;
  uint64_t max_steps = 1000;
  bool interactive = false;

  bool dump = false;
  bool disassemble = false;
  bool plugin_header = false;

  automata::Format format = automata::Format::kNever;

  GraphFormat graph_format = GraphFormat::kDot;
  uint64_t max_states = 2000;

  guards::LintOptions lint;
  std::vector<guards::FindingKind> fail_on;  // findings that make `lint` fail

  SolverAction solver_action = SolverAction::kPing;
  std::string smt2;  // a file of SMT-LIB2 commands, or "-"

  std::vector<std::string> files;  // of cmc log; files and folders of cmc test
  bool log_csv = false;
  std::string plot;  // folder; empty: no plots
  double from_seconds = 0;
  double to_seconds = 0;  // 0: to the end

  std::vector<TuneSetting> settings;  // of cmc tune: options of check, in the order of the command line
  std::string out;                    // folder
  TuneMeasure best = TuneMeasure::kTime;
  uint64_t runs = 0;  // of each combination; 0: chosen by how long the first one takes
  bool dry_run = false;
  bool retry_failed = false;
  double kill_after_seconds = 0;  // 0: never; of cmc test, too

  std::vector<std::string> check_arguments;  // of cmc test: options of check that all cases are given
  SlowCases slow = SlowCases::kSkip;
  bool list_cases = false;
  uint64_t jobs = 0;    // 0: one per processor
  std::string cache;    // folder; empty: none
  std::string junit;    // empty: none
  std::string sarif;    // empty: none
  bool github = false;  // annotations
};

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

[[nodiscard]] const std::vector<OptionRow>& option_table();
[[nodiscard]] const std::vector<CommandRow>& command_table();

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
[[nodiscard]] std::string exit_codes_text();  // lines "    0  the model holds"
[[nodiscard]] std::string command_help(const CommandRow& command);

}  // namespace cmc
