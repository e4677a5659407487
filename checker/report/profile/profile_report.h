#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/properties/decide.h"
#include "checker/report/report.h"
#include "checker/report/style/plot.h"
#include "checker/report/style/style.h"
#include "checker/result/profile.h"

// The profile of a search (docs/profile.md): one object, of which the table, the JSON (schema cmc.profile/1), the
// CSV, the trace for chrome://tracing and the picture are views.

namespace cmc {

struct ProfileReport {
  // A statement of the text, in one proctype: all edges that are copies of it.
  struct Statement : Profile::Counts {
    std::string proctype;
    std::string file;  // empty: no place
    uint32_t line = 0;
    std::string text;
    std::vector<LocationId> states;
    Profile::Cost cost;
    uint64_t samples = 0;
    double selection_nanoseconds = 0;  // of one try that was computed
    double execution_nanoseconds = 0;
    double copied_bytes = 0;  // by one execution
    double changed_bytes = 0;
  };
  struct Process : Profile::Counts {
    std::string proctype;
    Profile::Cost cost;
  };
  std::string model_file;
  std::string model_sha1;
  std::string command;  // "cmc 0.2.0 profile MODEL"
  std::string property;
  std::string steps;
  std::string reductions;
  uint64_t states_stored = 0;
  uint64_t transitions = 0;
  double cpu_seconds = 0;
  uint32_t threads = 1;
  Profile profile;                     // `edges` moved to `statements`
  std::vector<uint32_t> statement_of;  // by edge of the profile
  std::vector<Statement> statements;   // the costliest first
  std::vector<Process> processes;      // likewise
  std::vector<KeyFigures::Component> components;
};

// REQUIRES: the result has a profile.
[[nodiscard]] ProfileReport make_profile_report(const PropertyResult& property, const RunDescription& run);

// `lines`: statements and components that are shown; 0: all.
[[nodiscard]] std::string profile_text(const ProfileReport& report, uint64_t lines, const Palette& palette);
[[nodiscard]] std::string profile_json(const ProfileReport& report);
// A line for each statement.
[[nodiscard]] std::string profile_csv(const ProfileReport& report);
// When steps were computed, in the trace event format, for chrome://tracing or ui.perfetto.dev.
[[nodiscard]] std::string profile_trace(const ProfileReport& report);
[[nodiscard]] Plot profile_plot(const ProfileReport& report);

// The columns of counts, for all views.
struct ProfileCount {
  const char* name;     // in JSON and CSV
  const char* heading;  // of the table
  uint64_t Profile::Counts::*value;
};
inline constexpr ProfileCount kProfileCounts[] = {
    {"tried", "tried", &Profile::Counts::tried},
    {"executable", "executable", &Profile::Counts::executable},
    {"executed", "executed", &Profile::Counts::executed},
    {"computed", "computed", &Profile::Counts::computed},
    {"transitions", "transitions", &Profile::Counts::transitions},
    {"first_reached", "first reached", &Profile::Counts::first_reached},
};

// The parts of the cost, likewise.
struct ProfileCost {
  const char* name;
  const char* meaning;
  double Profile::Cost::*seconds;
};
inline constexpr ProfileCost kProfileCosts[] = {
    {"selection", "is the statement executable?", &Profile::Cost::selection},
    {"execution", "the statement, and the copy of the state", &Profile::Cost::execution},
    {"keys", "numbers for what was computed, and remembering it", &Profile::Cost::keys},
    {"look_ups", "of remembered steps", &Profile::Cost::look_ups},
    {"storing", "the set of states, open states, the rest", &Profile::Cost::storing},
};

}  // namespace cmc
