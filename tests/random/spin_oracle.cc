#include "tests/random/spin_oracle.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "promela/compile.h"
#include "promela/expand.h"

namespace cmc::random {
namespace {

constexpr const char* kDefines = "-w -DNOREDUCE -DVECTORSZ=65536 -o pan pan.c";
constexpr const char* kRun = "./pan -m100000 -n -c0 -w18 ";
constexpr uint64_t kDeepest = 99'999;  // the last depth within that limit, where a search may end without a word
constexpr const char* kSafety = "-DSAFETY -DNOFAIR ";

// What a verifier says about properties, as opposed to run-time errors.
constexpr const char* kPropertyErrors[] = {"assertion violated", "invalid end state", "end state in claim reached",
                                           "acceptance cycle",   "accept stutter",    "non-progress cycle"};

// The number in front of `what`, or behind it if `behind`.
bool figure(const std::string& text, const std::string& what, bool behind, uint64_t& value) {
  const size_t at = text.find(what);
  if (at == std::string::npos) return false;
  size_t from = at + what.size();
  if (!behind) {
    const size_t line = text.rfind('\n', at);
    from = line == std::string::npos ? 0 : line + 1;
  }
  value = std::strtoull(text.c_str() + from, nullptr, 10);
  return true;
}

std::string first_line_with(const std::string& text, const std::string& what) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(what) != std::string::npos) return line;
  }
  return text.substr(0, 200);
}

// The first message of the verifier that is not about a property.
std::string other_error(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(": ");
    if (!line.starts_with("pan:") || line.size() < 5 || line[4] < '0' || line[4] > '9' || colon == std::string::npos)
      continue;
    const std::string message = line.substr(colon + 2);
    const bool known =
        std::ranges::any_of(kPropertyErrors, [&](const char* error) { return message.starts_with(error); });
    if (!known) return message;
  }
  return "";
}

}  // namespace

const char* outcome_name(SpinResult::Outcome outcome) {
  static const char* kNames[] = {"counted", "refused", "not compiled", "too large", "run-time error", "broken"};
  return kNames[static_cast<size_t>(outcome)];
}

bool SpinOracle::available() {
  return std::system("command -v spin >/dev/null 2>&1 && (command -v tcc || command -v gcc) >/dev/null 2>&1") == 0;
}

int SpinOracle::run(const std::string& command, int cpu_seconds, std::string& output) const {
  const std::string log = folder_ + "/output";
  std::vector<std::string> words;
  std::istringstream split(command);
  for (std::string word; split >> word;) words.push_back(word);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || chdir(folder_.c_str()) != 0) _exit(126);
    dup2(file, 1);
    dup2(file, 2);
    const rlimit limit{static_cast<rlim_t>(cpu_seconds), static_cast<rlim_t>(cpu_seconds + 1)};
    setrlimit(RLIMIT_CPU, &limit);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::ostringstream text;
  text << std::ifstream(log).rdbuf();
  output = text.str();
  return status;
}

bool SpinOracle::search(const std::string& options, int cpu_seconds, SpinResult& result, uint64_t& errors,
                        std::string& output) const {
  const int status = run(kRun + options, cpu_seconds, output);
  result.text = other_error(output);
  if (WIFSIGNALED(status)) {
    const bool time = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL;
    result.outcome = time ? SpinResult::Outcome::kTooLarge : SpinResult::Outcome::kBroken;
    result.text = "signal " + std::to_string(WTERMSIG(status));
    return false;
  }
  uint64_t depth = 0;
  if (output.find("search depth too small") != std::string::npos ||
      (figure(output, "depth reached ", true, depth) && depth >= kDeepest)) {
    result.outcome = SpinResult::Outcome::kTooLarge;
    result.text = "depth";
    return false;
  }
  if (result.text.find("sv_restor") != std::string::npos) {  // the verifier's own stack is not what it should be
    result.outcome = SpinResult::Outcome::kBroken;
    return false;
  }
  if (!result.text.empty()) {
    result.outcome = SpinResult::Outcome::kRuntimeError;
    return false;
  }
  if (!figure(output, " states, stored", false, result.states) ||
      !figure(output, " transitions", false, result.transitions) || !figure(output, "errors: ", true, errors) ||
      output.find("not completed") != std::string::npos) {
    result.outcome = SpinResult::Outcome::kBroken;
    result.text = output.substr(0, 200);
    return false;
  }
  --result.transitions;
  return true;
}

// A model in Promela/S as plain Promela; empty: it cannot be written so.
std::string SpinOracle::expanded(const std::string& model) {
  promela::Sources sources;
  promela::Diagnostics diagnostics(sources);
  const uint32_t file = sources.add("model.pml", model);
  if (!promela::compile(sources, file, {.validate = true}, diagnostics)) return "";
  return promela::expand(sources, file, {}, diagnostics).value_or("");
}

bool SpinOracle::generate(const std::string& model, SpinResult& result) const {
  std::ofstream(folder_ + "/model.pml") << model;
  unlink((folder_ + "/pan.c").c_str());
  std::string output;
  const bool macros = model.find('#') != std::string::npos;  // else spare the C preprocessor's 11 ms
  const int spin = run(std::string("spin ") + (macros ? "" : "-Pcat ") + "-a -o1 -o2 -o3 model.pml", 5, output);
  if (spin == 0 && access((folder_ + "/pan.c").c_str(), R_OK) == 0) return true;
  result.outcome = SpinResult::Outcome::kRefused;
  result.text = first_line_with(output, "Error");
  return false;
}

bool SpinOracle::compile(const std::string& model, const std::string& defines, bool use_gcc,
                         SpinResult& result) const {
  std::string compiler = use_gcc ? "gcc -O0 -fwrapv " : "tcc ";
  // The verifier's mask of padding bytes can cover bits of `_priority`, or of a bit field that begins a new word
  // because it does not fit in the one before; then states that differ are matched. There is no way out in searches
  // for cycles.
  const bool masked = model.find("priority") != std::string::npos || model.find("unsigned") != std::string::npos;
  if (masked && defines.starts_with(kSafety)) compiler += "-DNOCOMP ";
  std::string output;
  if (run(compiler + defines + kDefines, 20, output) == 0) return true;
  result.outcome = SpinResult::Outcome::kNotCompiled;
  result.text = first_line_with(output, "error");
  return false;
}

SpinResult SpinOracle::ask(const std::string& text, bool use_gcc, int cpu_seconds) const {
  SpinResult result;
  std::string output;
  const std::string model = text.find("PROMELA_S") == std::string::npos ? text : expanded(text);
  if (generate(model, result) && compile(model, kSafety + std::string("-DNOCLAIM "), use_gcc, result) &&
      search("-E", cpu_seconds, result, result.assertion_errors, output) &&
      search("", cpu_seconds, result, result.all_errors, output)) {
    result.outcome = SpinResult::Outcome::kCounted;
  }
  return result;
}

std::string SpinOracle::with_claim_of_formula(const std::string& text) const {
  const std::string model = text.find("PROMELA_S") == std::string::npos ? text : expanded(text);
  const std::string claim_file = folder_ + "/_spin_nvr.tmp";
  unlink(claim_file.c_str());
  SpinResult unused;
  const size_t formula = model.rfind("\nltl ");
  if (formula == std::string::npos || !generate(model, unused)) return "";
  std::ostringstream claim;
  claim << std::ifstream(claim_file).rdbuf();
  return claim.str().empty() ? "" : model.substr(0, formula + 1) + claim.str();
}

// Assertions are not checked here, and transitions of the second search are counted, too.
std::optional<bool> SpinOracle::has_cycle(const std::string& options, int cpu_seconds, SpinResult& result,
                                          bool& stutter) const {
  uint64_t errors = 0;
  std::string output;
  if (!search("-E -A " + options, cpu_seconds, result, errors, output)) return std::nullopt;
  const bool cycle = output.find(" cycle (at depth") != std::string::npos;
  stutter = !cycle && output.find("accept stutter") != std::string::npos;
  return cycle || stutter;
}

SpinCycles SpinOracle::ask_cycles(const std::string& text, CycleQuestion question, bool use_gcc,
                                  int cpu_seconds) const {
  SpinCycles answer;
  SpinResult& product = answer.product;
  const std::string model = text.find("PROMELA_S") == std::string::npos ? text : expanded(text);
  const std::string kind = question == CycleQuestion::kNonProgress ? "-DNP " : "";
  uint64_t errors = 0;
  std::string output;
  if (!generate(model, product)) return answer;
  if (question == CycleQuestion::kClaim) {
    if (!compile(model, kSafety, use_gcc, product)) return answer;
    if (!search("-E", cpu_seconds, product, errors, output)) return answer;
    answer.assertion = output.find("assertion violated") != std::string::npos;
    answer.claim_end = output.find("end state in claim reached") != std::string::npos;
  }
  if (!compile(model, kind, use_gcc, product)) return answer;
  if (question != CycleQuestion::kClaim) {
    if (!search("-E", cpu_seconds, product, errors, output)) return answer;
    answer.assertion = output.find("assertion violated") != std::string::npos;
  }
  const std::string option = question == CycleQuestion::kNonProgress ? "-l" : "-a";
  SpinResult unused;
  SpinResult nested;
  bool stutter = false;
  answer.cycle = has_cycle(option, cpu_seconds, nested, stutter);
  answer.fair_cycle = has_cycle(option + " -f", cpu_seconds, unused, answer.fair_stutter);
  if (question == CycleQuestion::kNonProgress) {
    if (!answer.cycle) return answer;
    product.states = nested.states;
  }
  product.outcome = SpinResult::Outcome::kCounted;
  return answer;
}

}  // namespace cmc::random
