#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <CLI/CLI.hpp>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "promela/compile.h"
#include "tests/random/compare.h"
#include "tests/random/cycle_oracle.h"
#include "tests/random/random_model.h"
#include "tests/random/shrink.h"

namespace cmc::random {
namespace {

// What is compared.
enum class Subject : uint8_t {
  kCounts,      // of the model
  kNeverClaim,  // the products with claims and what is said of cycles
  kFormula,
  kAccept,        // cycles through accept labels
  kNonProgress,   // cycles without progress labels
  kPartialOrder,  // searches of CMC with partial-order reduction and without; SPIN is not asked
};

const std::map<std::string, Subject> kSubjects = {
    {"counts", Subject::kCounts}, {"never", Subject::kNeverClaim},         {"ltl", Subject::kFormula},
    {"accept", Subject::kAccept}, {"non-progress", Subject::kNonProgress}, {"por", Subject::kPartialOrder}};

RandomProperty property_of(Subject subject) {
  switch (subject) {
    case Subject::kCounts:
    case Subject::kPartialOrder: return RandomProperty::kIrrelevant;
    case Subject::kNeverClaim: return RandomProperty::kNeverClaim;
    case Subject::kFormula: return RandomProperty::kFormula;
    default: return RandomProperty::kNone;
  }
}

CycleQuestion question_of(Subject subject) {
  switch (subject) {
    case Subject::kAccept: return CycleQuestion::kAccept;
    case Subject::kNonProgress: return CycleQuestion::kNonProgress;
    default: return CycleQuestion::kClaim;
  }
}

// What SPIN and CMC said about one model.
struct Answers {
  std::string kind;                // of disagreement; empty: none
  std::vector<std::string> notes;  // for the tally
  bool counted = false;            // by SPIN
  std::string spin;
  std::string cmc;
};

struct Options {
  Subject subject = Subject::kCounts;
  uint64_t from = 0;
  uint64_t to = 1000;
  std::string profile = "all";
  int jobs = 1;
  double shrink_seconds = 0;
  std::string out = "/tmp/disagreements";
  std::string model;
  std::string store;
  bool gcc = false;
};

class Worker {
 public:
  Worker(const Options& options, int number)
      : options_(options),
        folder_("/dev/shm/random_diff-" + std::to_string(getpid()) + "-" + std::to_string(number)),
        spin_(folder_) {
    mkdir(folder_.c_str(), 0755);
  }
  ~Worker() { std::system(("rm -rf " + folder_).c_str()); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  Answers compare(const std::string& text) const {
    Answers answers = ask(text, options_.gcc);
    if (answers.kind.empty() || options_.gcc || !answers.counted) return answers;
    return ask(text, true);  // is it tcc?
  }

  void examine(uint64_t seed, std::map<std::string, uint64_t>& tally) const {
    const std::vector<Profile>& all = profiles();
    const Profile& profile = options_.profile == "all" ? all[seed % all.size()] : *find_profile(options_.profile);
    const std::string text = random_model(seed, profile, property_of(options_.subject));
    const Answers answers = compare(text);
    for (const std::string& note : answers.notes) ++tally[note];
    if (answers.kind.empty()) {
      if (!options_.store.empty() && answers.counted) {
        std::ofstream(options_.store, std::ios::app)
            << seed << " " << profile.name << " " << fingerprint(text) << " " << answers.spin << "\n";
      }
      return;
    }
    ++tally["DISAGREE: " + answers.kind];
    report(std::to_string(seed) + "-" + profile.name, answers, text);
  }

  void report(const std::string& name, Answers answers, std::string text) const {
    const std::string kind = answers.kind;
    std::printf("%s: %s\n  SPIN %s\n  CMC  %s\n", name.c_str(), kind.c_str(), answers.spin.c_str(),
                answers.cmc.c_str());
    if (options_.shrink_seconds > 0) {
      text = shrink(
          text, [&](const std::string& candidate) { return same_kind(candidate, kind); }, options_.shrink_seconds);
      answers = compare(text);
    }
    const std::string path = options_.out + "/" + name + ".pml";
    std::ofstream(path) << "/* Found by random_diff: " << name << ", " << kind << ".\n * expect: " << answers.spin
                        << "\n * CMC said: " << answers.cmc << "\n */\n"
                        << text;
    std::printf("  %s\n", path.c_str());
    std::fflush(stdout);
  }

 private:
  Answers ask(const std::string& text, bool use_gcc) const {
    if (options_.subject == Subject::kPartialOrder) return ask_partial_order(text);
    const int seconds = use_gcc && !options_.gcc ? 10 : 2;
    return options_.subject == Subject::kCounts ? ask_counts(text, use_gcc, seconds)
                                                : ask_cycles(text, use_gcc, seconds);
  }

  Answers ask_counts(const std::string& text, bool use_gcc, int seconds) const {
    const SpinResult spin = spin_.ask(text, use_gcc, seconds);
    const CmcResult cmc = ask_cmc(text, seconds_for_cmc(spin));
    Answers answers = answered(spin, describe(spin), describe(cmc));
    answers.kind = disagreement(spin, cmc);
    if (answers.counted && cmc.declined > 0) {
      answers.notes.push_back("of them not compared with the fast engine in " + std::to_string(cmc.declined) +
                              " configurations");
    }
    return answers;
  }

  static Answers ask_partial_order(const std::string& text) {
    const CmcResult cmc = ask_cmc_partial_order(text);
    Answers answers;
    answers.cmc = describe(cmc);
    answers.notes.push_back(outcome_name(cmc.outcome));
    const bool differs =
        cmc.outcome == CmcResult::Outcome::kEnginesDiffer || cmc.outcome == CmcResult::Outcome::kCrashed;
    if (differs) answers.kind = "partial order";
    return answers;
  }

  Answers ask_cycles(const std::string& model, bool use_gcc, int seconds) const {
    const CycleQuestion question = question_of(options_.subject);
    const bool formula = options_.subject == Subject::kFormula;
    const std::string text = formula ? spin_.with_claim_of_formula(model) : model;
    const SpinCycles spin = spin_.ask_cycles(text, question, use_gcc, seconds);
    const CmcCycles cmc = ask_cmc_cycles(text, question, seconds_for_cmc(spin.product));
    Answers answers = answered(spin.product, describe(spin), describe(cmc));
    std::vector<std::string> known;
    answers.kind = disagreement(question, spin, cmc, known);
    if (answers.counted && cmc.cycle) answers.notes.emplace_back("with a cycle");
    if (answers.counted && cmc.cycle && !cmc.fair_cycle) answers.notes.emplace_back("with unfair cycles only");
    if (formula && answers.counted && answers.kind.empty()) {
      const CmcCycles own = ask_cmc_cycles(model, question);
      answers.kind = disagreement(own, cmc, known);
      answers.cmc += "\n  its own claim: " + describe(own);
    }
    for (const std::string& trait : known) answers.notes.push_back("known: " + trait);
    return answers;
  }

  static Answers answered(const SpinResult& result, std::string spin, std::string cmc) {
    Answers answers;
    answers.counted = result.outcome == SpinResult::Outcome::kCounted;
    answers.notes.push_back(std::string("SPIN: ") + outcome_name(result.outcome));
    answers.spin = std::move(spin);
    answers.cmc = std::move(cmc);
    return answers;
  }

  // Cheap questions first: most candidates are broken texts.
  bool same_kind(const std::string& candidate, const std::string& kind) const {
    if (compiles(candidate) == (kind == outcome_name(CmcResult::Outcome::kRefused))) return false;
    return ask(candidate, options_.gcc).kind == kind;
  }

  static bool compiles(const std::string& text) {
    promela::Sources sources;
    promela::Diagnostics diagnostics(sources);
    return promela::compile(sources, sources.add("model.pml", text), {.validate = true}, diagnostics).has_value();
  }

  const Options& options_;
  std::string folder_;
  SpinOracle spin_;
};

using Tally = std::map<std::string, uint64_t>;

// Seeds are dealt out in turn to `jobs` processes; each sends its tally through a pipe at the end.
Tally examine_all(const Options& options) {
  std::vector<int> pipes;
  for (int job = 0; job < options.jobs; ++job) {
    int ends[2];
    if (pipe(ends) != 0) std::exit(2);
    std::fflush(stdout);
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      Tally tally;
      {
        const Worker worker(options, job);
        for (uint64_t seed = options.from + static_cast<uint64_t>(job); seed < options.to;
             seed += static_cast<uint64_t>(options.jobs)) {
          worker.examine(seed, tally);
        }
      }
      std::string lines;
      for (const auto& [name, count] : tally) lines += std::to_string(count) + " " + name + "\n";
      const ssize_t written = write(ends[1], lines.data(), lines.size());
      _exit(written == static_cast<ssize_t>(lines.size()) ? 0 : 1);
    }
    close(ends[1]);
    pipes.push_back(ends[0]);
  }
  Tally sum;
  for (int end : pipes) {
    std::string text;
    char buffer[4096];
    for (ssize_t count = 0; (count = read(end, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<size_t>(count));
    std::istringstream lines(text);
    uint64_t count = 0;
    for (std::string name; lines >> count && std::getline(lines, name);) sum[name] += count;
  }
  while (wait(nullptr) > 0) {
  }
  return sum;
}

int run(const Options& options) {
  mkdir(options.out.c_str(), 0755);
  if (!options.model.empty()) {
    std::ostringstream text;
    text << std::ifstream(options.model).rdbuf();
    const Worker worker(options, 0);
    const Answers answers = worker.compare(text.str());
    std::printf("%s\n  SPIN %s\n  CMC  %s\n", answers.kind.empty() ? "agree" : answers.kind.c_str(),
                answers.spin.c_str(), answers.cmc.c_str());
    for (const std::string& note : answers.notes) std::printf("  %s\n", note.c_str());
    if (!answers.kind.empty() && options.shrink_seconds > 0) worker.report("shrunk", answers, text.str());
    return answers.kind.empty() ? 0 : 1;
  }
  const auto start = std::chrono::steady_clock::now();
  const Tally tally = examine_all(options);
  bool disagree = false;
  for (const auto& [name, count] : tally) {
    std::printf("%8llu%s\n", static_cast<unsigned long long>(count), name.c_str());
    disagree = disagree || name.starts_with(" DISAGREE");
  }
  std::printf("%.1f seconds\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return disagree ? 1 : 0;
}

}  // namespace
}  // namespace cmc::random

int main(int argc, char** argv) {
  cmc::random::Options options;
  CLI::App app("Compares CMC with SPIN on random models, or on one file. Exit code 1: they disagree somewhere.");
  app.option_defaults()->always_capture_default();
  app.add_option("--subject", options.subject, "what is compared: the model itself, or products and cycles")
      ->transform(CLI::CheckedTransformer(cmc::random::kSubjects));
  app.add_option("--from", options.from, "first seed");
  app.add_option("--to", options.to, "behind the last seed");
  app.add_option("--profile", options.profile, "kind of models, or all in turns")->check([](const std::string& name) {
    return name == "all" || cmc::random::find_profile(name) != nullptr ? "" : "there is no profile " + name;
  });
  app.add_option("-j", options.jobs, "processes")->check(CLI::Range(1, 256));
  app.add_option("--shrink", options.shrink_seconds, "seconds to look for a smaller model that shows a disagreement");
  app.add_option("--out", options.out, "folder for models that show one");
  app.add_option("--model", options.model, "this model only")->check(CLI::ExistingFile);
  app.add_option("--store", options.store, "append SPIN's answers to this file (tests/random/stored_answers.txt)");
  app.add_flag("--gcc", options.gcc, "compile SPIN's verifiers with gcc, not only to confirm a disagreement");
  CLI11_PARSE(app, argc, argv);
  return cmc::random::run(options);
}
