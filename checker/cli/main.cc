#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/subprocess.h"
#include "checker/cli/commands.h"
#include "checker/cli/options/options.h"
#include "checker/cli/output.h"
#include "checker/cli/output_files.h"
#include "checker/cli/signals.h"

namespace {

int run_command(const cmc::Session& session) {
  switch (session.options.command) {
    case cmc::Command::kCheck:
    case cmc::Command::kProfile: return cmc::run_check(session);
    case cmc::Command::kResume: return cmc::run_resume(session);
    case cmc::Command::kSimulate: return cmc::run_simulate(session);
    case cmc::Command::kReplay: return cmc::run_replay(session);
    case cmc::Command::kInfo: return cmc::run_info(session);
    case cmc::Command::kLog: return cmc::run_log(session);
    case cmc::Command::kTune: return cmc::run_tune(session);
    case cmc::Command::kTest: return cmc::run_test(session);
    case cmc::Command::kExpand: return cmc::run_expand(session);
    case cmc::Command::kCompile: return cmc::run_compile(session);
    case cmc::Command::kLint: return cmc::run_lint(session);
    case cmc::Command::kSolver: return cmc::run_solver(session);
    case cmc::Command::kAutomaton: return cmc::run_automaton(session);
    case cmc::Command::kGraph: return cmc::run_graph(session);
    case cmc::Command::kLsp: return cmc::run_lsp(session);
    case cmc::Command::kMcp: return cmc::run_mcp(session);
    case cmc::Command::kMutate: return cmc::run_mutate(session);
    case cmc::Command::kExplore: return cmc::run_explore(session);
    case cmc::Command::kFmt: return cmc::run_fmt(session);
    case cmc::Command::kConform: return cmc::run_conform(session);
    case cmc::Command::kDap: return cmc::run_dap(session);
  }
  return cmc::kExitInternal;
}

// A problem with the output outweighs the verdict: whoever asked has not got it.
int finish(cmc::Output& output, int exit_code) {
  const cmc::Status finished = output.finish();
  return finished.ok() ? exit_code : cmc::refuse(finished.error());
}

// `cmc spin ...`, or the program is a link or copy named spin, spin652, spin123.tmp.
bool is_spin(std::string_view program, const std::vector<std::string>& arguments) {
  const std::string_view name = program.substr(program.rfind('/') + 1);
  return name.find("spin") != std::string_view::npos || (!arguments.empty() && arguments.front() == "spin");
}

int run(std::string_view program, std::vector<std::string> arguments) {
  cmc::reserve_standard_files();
  cmc::end_with_parent();

  // Signals: from here on Ctrl-C is a flag that searches look at.
  const std::atomic<bool>& interrupted = cmc::catch_signals();
  cmc::Output output;

  if (is_spin(program, arguments)) {
    if (!arguments.empty() && arguments.front() == "spin") arguments.erase(arguments.begin());
    return finish(output, cmc::run_spin(arguments, output, interrupted));
  }

  // Command line: either a text to print (help, a usage error) or options that are complete and valid.
  const std::variant<cmc::Options, cmc::Answer> parsed = cmc::parse_command_line(arguments);
  if (const auto* answer = std::get_if<cmc::Answer>(&parsed)) {
    if (answer->exit_code != cmc::kExitHolds) {
      std::fputs(answer->text.c_str(), stderr);
      return answer->exit_code;
    }
    output.print(answer->text);
    return finish(output, answer->exit_code);
  }

  // Files to be written: refused before anything is read.
  const cmc::Options& options = std::get<cmc::Options>(parsed);
  if (const cmc::Status outputs = cmc::check_outputs(options); !outputs.ok())
    return finish(output, cmc::refuse(outputs.error()));

  // The command: loads the model, does its work, prints.
  const int exit_code = run_command({options, output, interrupted});
  return finish(output, exit_code);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 0 ? argv[0] : "cmc", {argv + std::min(argc, 1), argv + argc});
  } catch (const std::bad_alloc&) {
    cmc::complain("incomplete: there is no more memory");
    return cmc::kExitIncomplete;
  } catch (const std::exception& error) {
    cmc::complain(std::string("internal error: ") + error.what());
    return cmc::kExitInternal;
  }
}
