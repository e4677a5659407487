#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "checker/spin/run_text.h"

// The command lines of `spin` and of the verifier `pan`, as people and programs type them.

namespace cmc::spin {

// Behind -run: a pan was compiled, which calls cmc with it.
inline constexpr std::string_view kCompiledFlag = "-compiled-pan";

// What a verifier is asked for: -D switches that it was compiled with, and its run-time options.
struct VerifierArguments {
  std::string claim;              // -N, -ltl; empty: the first one
  bool without_claim = false;     // -DNOCLAIM, -noclaim
  bool acceptance = false;        // -a
  bool non_progress = false;      // -l
  bool fair = false;              // -f
  bool assertions = true;         // not -A
  bool end_states = true;         // not -E
  bool breadth_first = false;     // -DBFS
  bool safety_only = false;       // -DSAFETY: no cycles
  bool compiled = false;          // a pan of its own, not `spin -run`
  bool reduces = true;            // not -DNOREDUCE
  bool list_unreached = true;     // not -n
  bool all_trails = false;        // -e
  uint64_t stop_at = 1;           // -cN: at the Nth error; 0: never
  uint64_t threads = 0;           // -DNCORE; 0: not given
  uint64_t memory_megabytes = 0;  // -DMEMLIM
  uint64_t minutes = 0;           // -QN
  std::string trail_suffix = "trail";
  bool follows_trail = false;   // -r, -C, -g, -S
  bool prints_tables = false;   // -d: the state machines
  bool prints_graphs = false;   // -D: the same for Graphviz
  std::string trail_file;       // after -r
  bool prints_version = false;  // -V
  bool prints_help = false;     // -h, -?
  // What is answered otherwise than asked, for standard error.
  std::vector<std::string> notes;

  // One argument, of the compiler if it is -D..., else of the verifier. Error: there is no such option.
  [[nodiscard]] Status add(const std::string& argument);
};

enum class Action : uint8_t {
  kSimulate,
  kFollowTrail,       // -t, -k, -replay
  kWriteVerifier,     // -a
  kVerify,            // -run, -search
  kTranslateFormula,  // -f, -F without a model
  kShowSymbols,       // -d
  kShowPreprocessed,  // -I
  kVersion,
  kHelp,
};

struct SpinArguments {
  Action action = Action::kSimulate;
  std::string model;
  std::vector<std::string> preprocessor;  // "-DN=3", "-UX"
  bool escapes_like_java = false;         // -J
  RunTextOptions text;
  bool verbose = false;
  uint64_t seed = 0;
  bool seed_given = false;
  bool prints_seed = false;  // -h
  uint64_t most_steps = 0;   // -uN; 0: no limit
  bool interactive = false;  // -i
  uint64_t trail_number = 0;
  std::string trail_file;    // -k
  std::string formula;       // -f
  std::string formula_file;  // -F
  std::string claim_file;    // -N
  VerifierArguments verifier;
  std::vector<std::string> notes;
};

// `arguments` without the program's name. Errors say what is wrong, in one line.
[[nodiscard]] Result<SpinArguments> parse_spin_arguments(std::span<const std::string> arguments);

// SPIN's options and what CMC does with them.
[[nodiscard]] std::string spin_help();

}  // namespace cmc::spin
