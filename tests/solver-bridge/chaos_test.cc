#include "solver-bridge/protocol/chaos.h"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/solver-bridge/pool_cases.h"
#include "tests/support/part_of_day.h"

#include "tests/catch.h"

namespace cmc::solver {
namespace {

using test::all_gone;
using test::fast_options;
using test::kClock;
using test::Load;

TEST_CASE("chaos: plans of faults are read as they are written") {
  CHECK(parse_chaos("abort").value().query == 1);
  CHECK(parse_chaos("abort:10").value().query == 10);
  const ChaosPlan plan = parse_chaos("late:10:every").value();
  CHECK(plan.at(10) == Fault::kLate);
  CHECK(plan.at(20) == Fault::kLate);
  CHECK(plan.at(11) == Fault::kNone);
  CHECK(parse_chaos("none").ok());
  for (const std::string bad : {"", "abor", "abort:", "abort:0", "abort:x", "abort:1:ever", "none:1"}) {
    INFO(bad);
    CHECK_FALSE(parse_chaos(bad).ok());
  }
}

// Nothing may be lost or wrong, and nothing unknown, whatever the first workers do at the given query.
void run_fault(Fault fault, const std::string& when, unsigned workers, Transport transport, unsigned chaos_workers,
               WaitPolicy wait = {}) {
  PoolOptions options = fast_options();
  options.wait = wait;
  options.soft_limit_seconds = 1;
  options.hard_limit_seconds = 1.3;
  options.workers = workers;
  options.transport = transport;
  options.chaos = std::string(name_of(fault)) + when;
  options.chaos_workers = chaos_workers;
  std::vector<pid_t> pids;
  {
    WorkerPool pool(options, kClock);
    Load load;
    load.submit(pool, 45);
    load.collect_all(pool);
    INFO(options.chaos << ", " << workers << " workers: " << load.reason);
    CHECK(load.answers == 45);
    CHECK(load.asked.empty());
    CHECK(load.wrong == 0);
    CHECK(load.strange == 0);
    CHECK(load.undecided == 0);
    const bool harmless = fault == Fault::kDouble || fault == Fault::kLate || fault == Fault::kForget;
    if (!harmless) CHECK(pool.figures().losses >= 1);
    pids = pool.worker_pids();
  }
  CHECK(all_gone(pids, 0.1));
}

// Each of the table, but a wrong answer: that is found by whoever knows the constraint (guard_oracle_test.cc).
std::vector<Fault> faults_at_queries() {
  std::vector<Fault> faults;
  for (size_t i = 0; i < fault_count(); ++i) {
    const FaultName& row = fault_table()[i];
    if (row.at_query && row.fault != Fault::kWrongAnswer) faults.push_back(row.fault);
  }
  return faults;
}

TEST_CASE("chaos: no answer is lost, wrong or unknown by a fault at the first and at the tenth query", "[long]") {
  const cmc::test::PartOfDay part;
  uint64_t number = 0;
  for (const Fault fault : faults_at_queries()) {
    if (!part.has(number++)) continue;
    run_fault(fault, ":1", 1, Transport::kIpc, 1);
    run_fault(fault, ":10", 2, Transport::kTcp, 2);
  }
}

// Both sides poll through every question and every fault that is shorter, and sleep in none of them.
constexpr WaitPolicy kActive{.microseconds = 100'000, .is_polite = false};

TEST_CASE("chaos: no answer is lost to a fault while both sides wait actively, or sleep at once", "[long]") {
  const cmc::test::PartOfDay part;
  uint64_t number = 0;
  for (const Fault fault : faults_at_queries()) {
    if (!part.has(number++)) continue;
    run_fault(fault, ":4", 1, Transport::kIpc, 1, kActive);
    run_fault(fault, ":4", 1, Transport::kIpc, 1, WaitPolicy::block());
  }
}

TEST_CASE("chaos: no answer is lost to a fault at every tenth query, by 1, 2 and 4 workers, over ipc and tcp",
          "[.][slow]") {
  const cmc::test::PartOfDay part;
  uint64_t number = 0;
  for (const Fault fault : faults_at_queries()) {
    if (!part.has(number++)) continue;
    for (const unsigned workers : {1u, 2u, 4u}) {
      for (const Transport transport : {Transport::kIpc, Transport::kTcp}) {
        for (const WaitPolicy wait : {WaitPolicy{}, kActive}) {
          if (workers == 4)
            run_fault(fault, ":1", workers, transport, 1, wait);
          else
            run_fault(fault, ":10:every", workers, transport, 1000, wait);
        }
      }
    }
  }
}

void kill_in_a_loop(unsigned queries, unsigned kills) {
  for (const unsigned workers : {1u, 2u}) {
    PoolOptions options = fast_options();
    options.workers = workers;
    options.max_batch = 2;
    WorkerPool pool(options, kClock);
    Load load;
    std::mt19937 random(9);
    unsigned killed = 0;
    load.submit(pool, queries);
    while (!load.asked.empty() && killed < kills) {
      const unsigned before = load.answers;
      while (!load.asked.empty() && load.answers < before + 1 + random() % 4) load.collect(pool, 1);
      for (const pid_t pid : pool.worker_pids()) {
        if (random() % 2 == 0 && ::kill(pid, SIGKILL) == 0) ++killed;
      }
    }
    load.collect_all(pool);
    INFO(load.reason << " " << killed << " kills");
    CHECK(load.answers == queries);
    CHECK(load.wrong == 0);
    CHECK(load.strange == 0);
    CHECK(load.undecided == 0);
    CHECK(pool.figures().losses > 0);
  }
}

TEST_CASE("chaos: a worker that was killed is noticed while waiting actively, and a stuck one ends it") {
  PoolOptions options = fast_options();
  options.wait = kActive;
  options.rlimit = 0;
  options.soft_limit_seconds = options.hard_limit_seconds = 60;
  options.kills_until_poison = 1;
  WorkerPool pool(options, kClock);
  const auto ask = [&] {
    return pool.submit({.constraint = test::hard_constraint(), .question = test::hard_question(Goal::kLeast, 1)});
  };
  // The first question is sent when the worker is there: active waiting begins then.
  const Ticket killed = ask();
  while (pool.worker_pids().empty() || pool.figures().messages == 0) REQUIRE(pool.poll(0.05).empty());
  REQUIRE(::kill(pool.worker_pids()[0], SIGKILL) == 0);
  const double before = kClock.wall_seconds();
  const std::vector<Completed> answers = pool.poll(20);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].ticket == killed);
  CHECK(!answers[0].answer.decided());
  CHECK(kClock.wall_seconds() - before < 10);

  pool.retry();
  [[maybe_unused]] const Ticket stuck = ask();
  while (pool.figures().messages == 1) REQUIRE(pool.poll(0.05).empty());
  REQUIRE(::kill(pool.worker_pids()[0], SIGSTOP) == 0);
  const double cpu_before = kClock.cpu_seconds();
  for (int i = 0; i < 20; ++i) CHECK(pool.poll(0.05).empty());
  CHECK(kClock.cpu_seconds() - cpu_before < 0.3);  // of a second
}

TEST_CASE("chaos: how long to wait actively is read from a text") {
  CHECK(parse_wait("auto").value() == WaitPolicy{});
  CHECK(parse_wait("block").value() == WaitPolicy::block());
  CHECK(parse_wait("0").value() == WaitPolicy::block());
  CHECK(parse_wait("250").value() == WaitPolicy{.microseconds = 250, .is_polite = false});
  for (const char* wrong : {"", "-1", "1000001", "99999999999", "1us", "Auto", " 1"}) CHECK(!parse_wait(wrong).ok());
  for (const char* text : {"auto", "0", "250"}) CHECK(text_of(parse_wait(text).value()) == text);
}

TEST_CASE("chaos: no answer is lost to kill -9 in a loop") { kill_in_a_loop(60, 15); }
TEST_CASE("chaos: no answer is lost to kill -9 in a long loop", "[.][slow]") {
  const bool whole = cmc::test::PartOfDay().is_whole();
  kill_in_a_loop(whole ? 2000 : 286, whole ? 500 : 72);
}

// Not a test: a client with busy workers, to be killed. It writes their pids to descriptor 3.
TEST_CASE("chaos: a client for the next test", "[.client]") {
  PoolOptions options = fast_options();
  options.workers = 3;
  options.rlimit = 0;
  options.soft_limit_seconds = 100;
  options.hard_limit_seconds = 100;
  WorkerPool pool(options, kClock);
  for (int32_t i = 0; i < 3; ++i) {
    [[maybe_unused]] const Ticket ticket =
        pool.submit({.constraint = test::hard_constraint(), .question = test::hard_question(Goal::kLeast, i)});
  }
  [[maybe_unused]] const auto answers = pool.poll(2);
  for (const pid_t pid : pool.worker_pids()) ::kill(pid, pid % 2 == 0 ? SIGSTOP : SIGCONT);
  const std::vector<pid_t> pids = pool.worker_pids();
  REQUIRE(::write(3, pids.data(), pids.size() * sizeof(pid_t)) > 0);
  [[maybe_unused]] const auto never = pool.poll(60);
}

TEST_CASE("chaos: the client is killed: no worker and no socket is left after a second") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t client = ::fork();
  REQUIRE(client >= 0);
  if (client == 0) {
    ::dup2(ends[1], 3);
    ::execl("/proc/self/exe", "tests", "chaos: a client for the next test", static_cast<char*>(nullptr));
    ::_exit(1);
  }
  ::close(ends[1]);
  std::vector<pid_t> pids(3);
  REQUIRE(::read(ends[0], pids.data(), pids.size() * sizeof(pid_t)) == 3 * sizeof(pid_t));
  ::close(ends[0]);
  for (const pid_t pid : pids) CHECK(test::is_alive(pid));
  CHECK(test::sockets_of(client) > 0);
  REQUIRE(::kill(client, SIGKILL) == 0);
  REQUIRE(::waitpid(client, nullptr, 0) == client);
  CHECK(all_gone(pids, 1));
  for (int i = 0; i < 100 && test::sockets_of(client) > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(test::sockets_of(client) == 0);
}

}  // namespace
}  // namespace cmc::solver
