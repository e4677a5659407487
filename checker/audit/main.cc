#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/memory_limit.h"
#include "base/sha256.h"
#include "base/units.h"
#include "checker/audit/audit.h"
#include "checker/audit/certificate.h"
#include "checker/audit/model_text.h"
#include "checker/audit/pan_generator.h"

namespace cmc::audit {
namespace {

constexpr int kCertified = 0;
constexpr int kInternal = 4;
constexpr double kDoubt = 0.001;  // of what a sample says

struct CommandLine {
  std::string folder;
  std::string model;  // a file that the text has to be that of; empty: none
  std::string memory;
  bool asks_spin = false;
  Options options;
};

int refuse(const Refusal& refusal) {
  const char* const what = refusal.kind == Refusal::Kind::kNotCertified ? "not certified"
                           : refusal.kind == Refusal::Kind::kBadInput   ? "cmc-audit"
                                                                        : "incomplete";
  fmt::print(refusal.kind == Refusal::Kind::kBadInput ? stderr : stdout, "{}: {}{}{}\n", what, refusal.letter,
             refusal.letter.empty() ? "" : ": ", refusal.text);
  return static_cast<int>(refusal.kind);
}

// What somebody has written, with nothing in it that a terminal obeys.
std::string shown(std::string_view text) {
  std::string all;
  for (const char c : text) all += c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", c & 0xff);
  return all;
}

// That it is of this model, and of which one.
Verdict check_model(const CommandLine& line, const Certificate& certificate, const Task& task) {
  if (!line.model.empty()) {
    if (Verdict refusal = compare_with_file(certificate, task, line.model)) return refusal;
  }
  for (const auto& [name, text] : task.texts)
    fmt::print("{}: {}, SHA-256 {}\n", name == certificate.model ? "model" : "with", shown(name), sha256_hex(text));
  std::string arguments;
  for (const std::string& each : certificate.arguments) arguments += ' ' + shown(each);
  fmt::print("checked with:{}\n", arguments);
  return std::nullopt;
}

int run(const CommandLine& line) {
  Certificate certificate;
  if (Verdict refusal = read_certificate(line.folder, certificate)) return refuse(*refusal);
  Task task;
  if (Verdict refusal = compile(certificate, task)) return refuse(*refusal);
  if (Verdict refusal = check_model(line, certificate, task)) return refuse(*refusal);
  std::unique_ptr<PanOracle> oracle;
  Options options = line.options;
  if (line.asks_spin) {
    if (Verdict refusal = PanOracle::make(certificate, task, oracle)) return refuse(*refusal);
    options.oracle = oracle.get();
    fmt::print("successors: those of the verifier that {} writes\n", oracle->version());
  }
  Findings findings;
  if (Verdict refusal = audit(task, certificate, options, findings)) return refuse(*refusal);
  if (findings.passes > 0) fmt::print("passes through the states: {}\n", format_count(findings.passes));
  if (line.options.sample > 0) {
    const double fraction = std::log(1 / kDoubt) / static_cast<double>(line.options.sample);
    fmt::print(
        "sampled: {} states of {}, drawn with the seed {}, have no error, and all of their successors are there.\n"
        "With a confidence of {} % at most a fraction of {:.2g} of the states is different. One missing successor\n"
        "among many would not have been noticed: this is no proof that the model holds.\n",
        format_count(line.options.sample), format_count(findings.states), line.options.seed, 100 * (1 - kDoubt),
        fraction);
    return static_cast<int>(Refusal::Kind::kIncomplete);
  }
  // What a formula, a never claim, a trace or a label asks for, nobody has looked at.
  fmt::print(
      "certified: {}; {}{}, {}\n",
      task.model.properties.empty() ? "the model holds" : "safety holds, and of other properties nothing is said",
      findings.all_reachable ? "" : "at most ", plural(findings.states, "reachable state"),
      plural(findings.transitions, "transition"));
  return kCertified;
}

int run(int argc, char** argv) {
  CommandLine line;
  line.options.threads = std::max(1u, std::thread::hardware_concurrency());
  CLI::App app(
      "Checks a certificate that `cmc check --certificate DIR` wrote: that its states are all there are, and none "
      "has an error. Exit code: 0 certified, 1 not certified, 2 no certificate, 3 sampled or incomplete.");
  app.add_option("DIR", line.folder, "the certificate")->required();
  app.add_option("MODEL", line.model, "the file that the certificate has to be of");
  app.add_option("-j,--threads", line.options.threads, "threads (default: one per processor)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--memory", line.memory,
                 "limit, e.g. 4G; what does not fit is read several times (default: 80% of the machine's)");
  app.add_option("--sample", line.options.sample, "look only at so many states, drawn at random")
      ->check(CLI::Range(1, 1 << 30));
  app.add_option("--seed", line.options.seed, "of the drawing (default: 1)");
  std::string oracle = "interpreter";
  app.add_option(
         "--oracle", oracle,
         "who says which successors a state has. interpreter (default): CMC's reference interpreter; pan: the "
         "verifier that spin writes, of models without channels, hidden variables, priorities and _last; needs "
         "spin and gcc")
      ->check(CLI::IsMember({"interpreter", "pan"}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    std::fprintf(stderr, "cmc-audit: %s\n(`cmc-audit --help` says more)\n", error.what());
    return static_cast<int>(Refusal::Kind::kBadInput);
  }
  line.asks_spin = oracle == "pan";
  line.options.memory_bytes = default_memory_budget_bytes();
  if (!line.memory.empty()) {
    const Result<uint64_t> memory = parse_size(line.memory);
    if (!memory.ok()) return refuse(bad_input("--memory: " + memory.error()));
    line.options.memory_bytes = memory.value();
  }
  return run(line);
}

}  // namespace
}  // namespace cmc::audit

int main(int argc, char** argv) {
  using namespace cmc::audit;
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    return refuse({Refusal::Kind::kIncomplete, "", "there is no more memory"});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cmc-audit: internal error: %s\n", error.what());
    return kInternal;
  }
}
