#include <fmt/format.h>

#include "checker/cli/options/options.h"

// What the exit codes of each command mean: a table, from which help and manual pages are made.

namespace cmc {
namespace {

constexpr unsigned bits(std::initializer_list<Command> commands) {
  unsigned all = 0;
  for (const Command command : commands) all |= static_cast<unsigned>(command);
  return all;
}

constexpr unsigned kGeneral = 1U << 31;  // `cmc help`
constexpr unsigned kAny = ~0U;
constexpr unsigned kSearches = bits({Command::kCheck, Command::kProfile, Command::kResume});
constexpr unsigned kServers = bits({Command::kLsp, Command::kDap, Command::kMcp});
constexpr unsigned kWriters = bits({Command::kInfo, Command::kExpand, Command::kCompile, Command::kAutomaton});

constexpr struct Meaning {
  unsigned commands;
  int code;
  const char* text;
} kMeanings[] = {
    {kGeneral, kExitHolds, "the model holds, or the command did what was asked"},
    {kSearches, kExitHolds, "the model holds"},
    {bits({Command::kSimulate}), kExitHolds, "the run came to its end, or was stopped"},
    {bits({Command::kExplore}), kExitHolds, "the page was left"},
    {bits({Command::kReplay}), kExitHolds, "the trail was followed; it leads to no error"},
    {bits({Command::kLog}), kExitHolds, "the logs were read, and their identities hold"},
    {bits({Command::kTune}), kExitHolds, "the runs were made and compared, whatever they found"},
    {bits({Command::kTest}), kExitHolds, "all cases are as expected"},
    {bits({Command::kMutate}), kExitHolds, "the mutants were judged"},
    {bits({Command::kConform}), kExitHolds, "the model explains the logs"},
    {bits({Command::kLint}), kExitHolds, "the guards were examined"},
    {bits({Command::kFmt}), kExitHolds, "the files are laid out; with --check: they were before"},
    {bits({Command::kGraph}), kExitHolds, "the graph has all states"},
    {bits({Command::kSolver}), kExitHolds, "the solver answered"},
    {kWriters, kExitHolds, "what was asked for was written"},
    {kServers, kExitHolds, "the other side has ended it"},
    {kGeneral, kExitViolated, "the model is violated; what else it can be, the help of a command says"},
    {kSearches, kExitViolated, "the model is violated"},
    {bits({Command::kSimulate}), kExitViolated, "the run ended in an error, or with a process that is stuck"},
    {bits({Command::kReplay}), kExitViolated, "the error was reproduced"},
    {bits({Command::kLog}), kExitViolated, "an identity is broken"},
    {bits({Command::kTest}), kExitViolated, "an expectation is broken"},
    {bits({Command::kMutate}), kExitViolated, "--at-least: the score is below, or there is none"},
    {bits({Command::kConform}), kExitViolated, "a log is not explained"},
    {bits({Command::kLint}), kExitViolated, "--fail-on: there is such a finding"},
    {bits({Command::kFmt}), kExitViolated, "--check: a file would change"},
    {kAny & ~(kServers | bits({Command::kTest, Command::kSolver, Command::kLog})), kExitUsage,
     "wrong usage, an error in the model's text, or a file that cannot be used"},
    {kServers | bits({Command::kSolver, Command::kLog}), kExitUsage, "wrong usage, or a file that cannot be used"},
    {bits({Command::kTest}), kExitUsage, "wrong usage, or a case that has no verdict"},
    {kGeneral, kExitIncomplete, "the search is incomplete"},
    {kSearches, kExitIncomplete, "the search is incomplete"},
    {bits({Command::kSimulate}), kExitIncomplete, "the run came to what CMC does not run, such as embedded C"},
    {bits({Command::kMutate}), kExitIncomplete, "a limit ended it, or left the model itself undecided"},
    {bits({Command::kConform}), kExitIncomplete, "a limit ended the search"},
    {bits({Command::kGraph}), kExitIncomplete, "there are more states: --max-states or a limit was reached"},
    {bits({Command::kLint, Command::kSolver}), kExitIncomplete, "no solver answers"},
    {kAny, kExitInternal, "internal error (a bug of CMC)"},
    {kAny, 130, "interrupted (Ctrl-C); 143 after SIGTERM, in general 128 + the signal"},
};

std::string text_of(unsigned commands) {
  std::string text;
  for (const Meaning& meaning : kMeanings) {
    if ((meaning.commands & commands) != 0) text += fmt::format("  {:>3}  {}\n", meaning.code, meaning.text);
  }
  return text;
}

}  // namespace

std::string exit_codes_text() { return text_of(kGeneral); }
std::string exit_codes_text(Command command) { return text_of(static_cast<unsigned>(command)); }

}  // namespace cmc
