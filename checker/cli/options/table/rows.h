#pragma once

#include <span>

#include "checker/cli/options/options.h"

// The table of options in parts. They stand in the order of the helps: option_table() puts them one behind the other.

namespace cmc::rows {

// Sets of commands.
constexpr unsigned bit(Command command) { return static_cast<unsigned>(command); }
inline constexpr unsigned kProfile = bit(Command::kProfile);
inline constexpr unsigned kCheck = bit(Command::kCheck) | kProfile;
inline constexpr unsigned kSimulate = bit(Command::kSimulate);
inline constexpr unsigned kReplay = bit(Command::kReplay);
inline constexpr unsigned kInfo = bit(Command::kInfo);
inline constexpr unsigned kLog = bit(Command::kLog);
inline constexpr unsigned kTune = bit(Command::kTune);
inline constexpr unsigned kLint = bit(Command::kLint);
inline constexpr unsigned kSolver = bit(Command::kSolver);
inline constexpr unsigned kExpand = bit(Command::kExpand);
inline constexpr unsigned kAutomaton = bit(Command::kAutomaton);
inline constexpr unsigned kTest = bit(Command::kTest);
inline constexpr unsigned kGraph = bit(Command::kGraph);
inline constexpr unsigned kCompile = bit(Command::kCompile);
inline constexpr unsigned kLsp = bit(Command::kLsp);
inline constexpr unsigned kResume = bit(Command::kResume);
inline constexpr unsigned kMutate = bit(Command::kMutate);
inline constexpr unsigned kFmt = bit(Command::kFmt);
inline constexpr unsigned kExplore = bit(Command::kExplore);
inline constexpr unsigned kConform = bit(Command::kConform);
inline constexpr unsigned kAll = kCheck | kSimulate | kExplore | kReplay | kInfo | kLint | kExpand | kAutomaton |
                                 kGraph | kCompile | kMutate | kConform;
inline constexpr unsigned kReading = kAll | kLsp | kFmt;
inline constexpr unsigned kTracing = kCheck | kSimulate | kReplay;
inline constexpr unsigned kDeciding = kCheck | kSimulate | kReplay | kGraph;

inline constexpr const char* kFormulaSection = "Which formulas";
inline constexpr const char* kSearchSection = "The search";
inline constexpr const char* kLimitSection =
    "Limits (a search that reaches one is incomplete and reports what it has)";
inline constexpr const char* kRunSection = "The run";
inline constexpr const char* kTuneSection = "The grid";
inline constexpr const char* kCasesSection = "The cases";
inline constexpr const char* kMutantSection = "The mutants";
inline constexpr const char* kConformSection = "What is asked of the log";
inline constexpr const char* kFindingsSection = "More findings";
inline constexpr const char* kSolverSection = "The solver";
inline constexpr const char* kDebugSection = "For the developers of CMC";

[[nodiscard]] std::span<const OptionRow> model_rows();
[[nodiscard]] std::span<const OptionRow> property_rows();
[[nodiscard]] std::span<const OptionRow> search_rows();
[[nodiscard]] std::span<const OptionRow> limit_rows();
[[nodiscard]] std::span<const OptionRow> store_rows();
[[nodiscard]] std::span<const OptionRow> action_rows();  // of simulate, explore and lint
[[nodiscard]] std::span<const OptionRow> batch_rows();   // of tune, test, mutate and conform
[[nodiscard]] std::span<const OptionRow> solver_rows();
[[nodiscard]] std::span<const OptionRow> file_rows();
[[nodiscard]] std::span<const OptionRow> trace_rows();
[[nodiscard]] std::span<const OptionRow> result_rows();  // of commands that are no searches
[[nodiscard]] std::span<const OptionRow> batch_result_rows();
[[nodiscard]] std::span<const OptionRow> printing_rows();
[[nodiscard]] std::span<const OptionRow> debug_rows();

}  // namespace cmc::rows
