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

#include "tests/random/compare.h"
#include "tests/random/random_model.h"
#include "tests/random/shrink.h"

namespace cmc::random {
namespace {

struct Options {
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

  std::string compare(const std::string& text, SpinResult& spin, CmcResult& cmc) const {
    spin = spin_.ask(text, options_.gcc);
    cmc = ask_cmc(text, seconds_for_cmc(spin));
    std::string kind = disagreement(spin, cmc);
    if (kind.empty() || options_.gcc || spin.outcome != SpinResult::Outcome::kCounted) return kind;
    spin = spin_.ask(text, true, 10);  // is it tcc?
    return disagreement(spin, cmc);
  }

  void examine(uint64_t seed, std::map<std::string, uint64_t>& tally) const {
    const std::vector<Profile>& all = profiles();
    const Profile& profile = options_.profile == "all" ? all[seed % all.size()] : *find_profile(options_.profile);
    const std::string text = random_model(seed, profile);
    SpinResult spin;
    CmcResult cmc;
    const std::string kind = compare(text, spin, cmc);
    ++tally[std::string("SPIN: ") + outcome_name(spin.outcome)];
    if (spin.outcome == SpinResult::Outcome::kCounted && cmc.declined > 0) {
      ++tally["of them not compared with the fast engine in " + std::to_string(cmc.declined) + " configurations"];
    }
    if (kind.empty()) {
      if (!options_.store.empty() && spin.outcome == SpinResult::Outcome::kCounted) {
        std::ofstream(options_.store, std::ios::app)
            << seed << " " << profile.name << " " << fingerprint(text) << " " << describe(spin) << "\n";
      }
      return;
    }
    ++tally["DISAGREE: " + kind];
    report(std::to_string(seed) + "-" + profile.name, kind, text, spin, cmc);
  }

  void report(const std::string& name, const std::string& kind, std::string text, SpinResult spin,
              CmcResult cmc) const {
    std::printf("%s: %s\n  SPIN %s\n  CMC  %s\n", name.c_str(), kind.c_str(), describe(spin).c_str(),
                describe(cmc).c_str());
    if (options_.shrink_seconds > 0) {
      text = shrink(
          text, [&](const std::string& candidate) { return same_kind(candidate, kind); }, options_.shrink_seconds);
      static_cast<void>(compare(text, spin, cmc));
    }
    const std::string path = options_.out + "/" + name + ".pml";
    std::ofstream(path) << "/* Found by random_diff: " << name << ", " << kind << ".\n * expect: " << describe(spin)
                        << "\n * CMC said: " << describe(cmc) << "\n */\n"
                        << text;
    std::printf("  %s\n", path.c_str());
    std::fflush(stdout);
  }

 private:
  // Cheap questions first.
  bool same_kind(const std::string& candidate, const std::string& kind) const {
    const CmcResult cmc = ask_cmc(candidate, 5);
    const bool refused = cmc.outcome == CmcResult::Outcome::kRefused;
    if (refused != (kind == outcome_name(CmcResult::Outcome::kRefused))) return false;
    return disagreement(spin_.ask(candidate, options_.gcc), cmc) == kind;
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
    SpinResult spin;
    CmcResult cmc;
    const std::string kind = worker.compare(text.str(), spin, cmc);
    std::printf("%s\n  SPIN %s\n  CMC  %s\n", kind.empty() ? "agree" : kind.c_str(), describe(spin).c_str(),
                describe(cmc).c_str());
    if (!kind.empty() && options.shrink_seconds > 0) worker.report("shrunk", kind, text.str(), spin, cmc);
    return kind.empty() ? 0 : 1;
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
