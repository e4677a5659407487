#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sanitizers.h"
#include "checker/guards/oracle_decider.h"
#include "checker/plain/simple_search.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "solver-bridge/protocol/chaos.h"
#include "tests/solver-bridge/pool_cases.h"
#include "tests/support/compile.h"
#include "tests/support/part_of_day.h"

#include "tests/catch.h"

// Whole models with solver guards, while everything goes wrong with the solver: same states, transitions and errors,
// and no process and no socket left.

namespace cmc::guards {
namespace {

using solver::Fault;
using solver::Transport;

const SystemClock kClock;

struct Outcome {
  uint64_t states = 0;
  uint64_t transitions = 0;
  uint64_t errors = 0;
  Verdict verdict = Verdict::kIncomplete;
  bool operator==(const Outcome&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << outcome.states << " states, " << outcome.transitions << " transitions, " << outcome.errors
             << " errors, verdict " << static_cast<int>(outcome.verdict);
}

struct Subject {
  std::string name;
  Model model;
  Outcome expected;
};

// By the simple engine, which waits for each answer, or, with several threads, by the fast one, which does not.
Outcome search(const Model& model, OracleDecider& decider, uint32_t threads) {
  SearchOptions options;
  options.max_errors = 0;
  options.threads = threads;
  options.pending_guards = &decider;
  const auto run = [&] {
    if (threads == 1) return run_search(*make_vm_generator(model, &decider), model, options);
    return *run_key_search(
        model, [&] { return make_vm_generator(model, &decider.parking()); }, options);
  };
  const SearchResult result = run();
  return {result.states_stored, result.transitions, result.error_count, result.verdict()};
}

// Nothing is tried instead of asked, and every answer is compared with trying.
DeciderOptions options_of(unsigned workers, Transport transport) {
  DeciderOptions options;
  options.pool = solver::test::fast_options();
  // A machine that is busy with other things loses no worker.
  options.pool.soft_limit_seconds = 30;
  options.pool.hard_limit_seconds = 40;
  options.pool.workers = workers;
  options.pool.transport = transport;
  options.ladder.native_first_tuples = 0;
  options.ladder.native_last_tuples = 0;
  options.ladder.audit_probability = 1;
  options.cache_bytes = 0;
  return options;
}

Subject subject(const std::string& name, const std::vector<std::string>& defines = {}) {
  Subject made{
      name, cmc::test::compile_file(std::string(CMC_SOURCE_DIR) + "/models/solver/" + name + ".pml", defines), {}};
  DeciderOptions options;
  options.solver = DeciderOptions::Solver::kNative;
  const auto decider = OracleDecider::make(made.model, options, kClock);
  REQUIRE(decider.ok());
  made.expected = search(made.model, *decider.value(), 1);
  CHECK(made.expected.verdict != Verdict::kIncomplete);
  return made;
}

// Counts and verdict do not depend on any of the faults.
std::vector<Subject> subjects() {
  std::vector<Subject> all;
  all.push_back(subject("banker"));
  all.push_back(subject("sequence_window"));
  return all;
}

struct Run {
  solver::PoolFigures pool;
  solver::LadderFigures ladder;
};

// The search with such a solver has the expected outcome, and leaves nothing behind.
Run check_outcome(const Subject& subject, const DeciderOptions& options, uint32_t threads) {
  Run run;
  {
    Result<std::unique_ptr<OracleDecider>> made = OracleDecider::make(subject.model, options, kClock);
    REQUIRE(made.ok());
    OracleDecider& decider = *made.value();
    const Outcome outcome = search(subject.model, decider, threads);
    INFO(subject.name << " " << options.pool.chaos << ", " << options.pool.workers
                      << " workers, trouble: " << decider.trouble().value_or("none"));
    CHECK(outcome == subject.expected);
    CHECK(decider.undecided() == 0);
    run = {decider.pool_figures(), decider.figures()};
  }
  CHECK(solver::test::sockets_of(::getpid()) == 0);
  return run;
}

// The workers of this process.
std::vector<pid_t> worker_pids() {
  std::vector<pid_t> pids;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string line;
    if (!std::getline(file, line)) continue;
    const size_t end = line.rfind(')');
    if (end == std::string::npos || line.find("(cmc-solverd)") == std::string::npos) continue;
    std::istringstream rest(line.substr(end + 1));
    std::string state;
    pid_t parent = 0;
    rest >> state >> parent;
    if (parent == ::getpid()) pids.push_back(std::stoi(line));
  }
  return pids;
}

std::vector<Fault> faults_at_queries() {
  std::vector<Fault> faults;
  for (size_t i = 0; i < solver::fault_count(); ++i) {
    if (solver::fault_table()[i].at_query) faults.push_back(solver::fault_table()[i].fault);
  }
  return faults;
}

bool is_harmless(Fault fault) { return fault == Fault::kDouble || fault == Fault::kLate || fault == Fault::kForget; }
// Ended by a time limit.
bool is_slow(Fault fault) {
  return fault == Fault::kBusyLoop || fault == Fault::kSleep || fault == Fault::kStop || fault == Fault::kMissing ||
         fault == Fault::kOutOfMemory;
}

constexpr unsigned kAll = 1'000'000;

// How many faults there were, at least. Only the first `chaos_workers` behave so.
uint64_t run_fault(const Subject& subject, Fault fault, const std::string& when, unsigned workers,
                   Transport transport, unsigned chaos_workers, solver::WaitPolicy wait = {}) {
  DeciderOptions options = options_of(workers, transport);
  options.pool.wait = wait;
  options.pool.soft_limit_seconds = 1;
  options.pool.hard_limit_seconds = 1.3;
  options.pool.chaos = std::string(name_of(fault)) + when;
  options.pool.chaos_workers = chaos_workers;
  // Both the warm and the cold solver may lie about the same question.
  if (fault == Fault::kWrongAnswer) options.ladder.native_last_tuples = solver::LadderOptions{}.native_last_tuples;
  const Run run = check_outcome(subject, options, workers);
  if (fault == Fault::kWrongAnswer) return run.ladder.refuted;
  CHECK(run.ladder.refuted == 0);
  if (is_harmless(fault)) return when == ":1" ? 1 : run.pool.answered / 10;
  return run.pool.losses;
}

TEST_CASE("solver matrix: models have the same outcome by trying, here, and by 1, 2 and 4 workers over ipc and tcp",
          "[long]") {
  for (const Subject& each : subjects()) {
    INFO(each.name << ": " << each.expected);
    DeciderOptions in_process = options_of(1, Transport::kIpc);
    in_process.solver = DeciderOptions::Solver::kInProcess;
    Run run = check_outcome(each, in_process, 1);
    CHECK(run.ladder.audits >= 10);
    for (const unsigned workers : {1u, 2u, 4u}) {
      for (const Transport transport : {Transport::kIpc, Transport::kTcp}) {
        run = check_outcome(each, options_of(workers, transport), workers);
        CHECK(run.pool.answered >= 10);
        CHECK(run.pool.losses == 0);
        // Z3 and trying do not disagree anywhere.
        CHECK(run.ladder.audits >= run.pool.answered);
        CHECK(run.ladder.refuted == 0);
      }
    }
  }
  CHECK(worker_pids().empty());
}

// Both sides poll through every question, whoever else wants the processor.
constexpr solver::WaitPolicy kActive{.microseconds = 20'000, .is_polite = false};

TEST_CASE("solver matrix: models have the same outcome under every fault", "[long]") {
  const std::vector<Subject> all = subjects();
  const test::PartOfDay part;
  uint64_t number = 0;
  for (const Fault fault : faults_at_queries()) {
    if (!part.has(number++)) continue;
    INFO(name_of(fault));
    // Of two workers, the faulty one may not come to its tenth question.
    static_cast<void>(run_fault(all[0], fault, ":10", 2, Transport::kTcp, 2));
    CHECK(run_fault(all[1], fault, ":1", 1, Transport::kIpc, 1) > 0);
    CHECK(run_fault(all[1], fault, ":1", 1, Transport::kIpc, 1, kActive) > 0);
  }
  CHECK(worker_pids().empty());
}

TEST_CASE("solver matrix: models have the same outcome under every fault, many times", "[.][slow]") {
  const test::PartOfDay part;
  uint64_t faults = 0;
  while (faults < (part.is_whole() ? 1000 : 143)) {
    uint64_t number = 0;
    for (const Subject& each : subjects()) {
      for (const Fault fault : faults_at_queries()) {
        if (!part.has(number++)) continue;
        for (const unsigned workers : {1u, 2u, 4u}) {
          for (const Transport transport : {Transport::kIpc, Transport::kTcp}) {
            faults += run_fault(each, fault, ":1", workers, transport, 1);
            faults += run_fault(each, fault, ":1", workers, transport, 1, kActive);
            faults += run_fault(each, fault, is_slow(fault) ? ":10:every" : ":4:every", workers, transport, kAll);
          }
        }
      }
    }
  }
  WARN(faults << " faults");
  CHECK(worker_pids().empty());
}

void kill_workers(unsigned kills) {
  const std::vector<Subject> all = subjects();
  std::atomic<bool> ends = false;
  std::atomic<unsigned> killed = 0;
  std::thread killer([&] {
    std::mt19937 random(5);
    // No more than that: on a loaded machine workers that are killed for ever never come to an answer.
    while (!ends && killed < kills) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30 + random() % 170));
      const std::vector<pid_t> pids = worker_pids();
      if (!pids.empty() && ::kill(pids[random() % pids.size()], SIGKILL) == 0) ++killed;
    }
  });
  for (unsigned i = 0; killed < kills; ++i) {
    DeciderOptions options = options_of(1 + i % 2, Transport::kIpc);
    // On a loaded machine they may be killed before they can answer anything, again and again.
    options.pool.deaths_until_open = options.pool.failed_starts_until_open = options.pool.kills_until_poison = 1000;
    check_outcome(all[i % all.size()], options, options.pool.workers);
  }
  ends = true;
  killer.join();
  CHECK(worker_pids().empty());
}

TEST_CASE("solver matrix: models have the same outcome while workers are killed", "[long]") { kill_workers(10); }
TEST_CASE("solver matrix: models have the same outcome while many workers are killed", "[.][slow]") {
  kill_workers(test::PartOfDay().is_whole() ? 500 : 72);
}

#if !CMC_ADDRESS_SANITIZER  // UndefinedBehaviorSanitizer needs descriptors to look at exceptions
TEST_CASE("solver matrix: models have the same outcome with 32 descriptors") {
  const std::vector<Subject> all = subjects();
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit low = before;
  low.rlim_cur = 32;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
  for (const Subject& each : all) check_outcome(each, options_of(4, Transport::kIpc), 2);
  CHECK(::setrlimit(RLIMIT_NOFILE, &before) == 0);
}
#endif

}  // namespace
}  // namespace cmc::guards
