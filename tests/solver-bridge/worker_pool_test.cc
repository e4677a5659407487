#include "solver-bridge/pool/worker_pool.h"

#include <filesystem>

#include <sys/resource.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/sanitizers.h"
#include "tests/solver-bridge/pool_cases.h"

#include "tests/catch.h"

namespace cmc::solver {
namespace {

using test::all_gone;
using test::fast_options;
using test::kClock;
using test::Load;

void check_all_right(const Load& load, unsigned number) {
  CHECK(load.answers == number);
  CHECK(load.asked.empty());
  CHECK(load.wrong == 0);
  CHECK(load.strange == 0);
  INFO(load.reason);
  CHECK(load.undecided == 0);
}

TEST_CASE("worker pool: every query is answered, by 1, 2 and 4 workers, over ipc and tcp") {
  for (const unsigned workers : {1u, 2u, 4u}) {
    for (const Transport transport : {Transport::kIpc, Transport::kTcp}) {
      PoolOptions options = fast_options();
      options.workers = workers;
      options.transport = transport;
      std::vector<pid_t> pids;
      {
        WorkerPool pool(options, kClock);
        Load load;
        load.submit(pool, 40);
        load.collect_all(pool);
        INFO(workers << " workers, tcp " << (transport == Transport::kTcp));
        check_all_right(load, 40);
        CHECK(pool.pending() == 0);
        CHECK(pool.figures().losses == 0);
        pids = pool.worker_pids();
        CHECK(pids.size() == workers);
      }
      CHECK(all_gone(pids, 0.1));
    }
  }
  CHECK(test::sockets_of(::getpid()) == 0);
}

TEST_CASE("worker pool: waiting queries share messages, and solve() leaves the answers of others alone") {
  WorkerPool pool(fast_options(), kClock);
  Load load;
  load.submit(pool, 60);
  const auto& example = load.all[0];
  const Question question{.goal = Goal::kLeast, .parameters = {5}, .ranges = {{0, 9}, {0, 9}}};
  CHECK(agrees(example, question, pool.solve({.constraint = example.constraint, .question = question})));
  load.collect_all(pool);
  check_all_right(load, 60);
  CHECK(pool.figures().messages < 61);
  CHECK(pool.figures().starts == 1);
  CHECK(pool.poll(0).empty());
}

TEST_CASE("worker pool: nothing is started before it is needed") {
  WorkerPool pool(fast_options(), kClock);
  CHECK(pool.poll(0.01).empty());
  CHECK(pool.worker_pids().empty());
  CHECK(pool.figures().starts == 0);
}

TEST_CASE("worker pool: a constraint that Z3 refuses is unknown, with its message") {
  WorkerPool pool(fast_options(), kClock);
  const auto bad = std::make_shared<const Constraint>(std::vector<std::string>{}, std::vector<std::string>{"x"},
                                                      "(assert (= x foo))");
  for (int i = 0; i < 3; ++i) {
    const Answer answer = pool.solve({.constraint = bad, .question = {.parameters = {}, .ranges = {{0, 1}}}});
    CHECK_FALSE(answer.decided());
    CHECK(answer.reason.find("unknown constant foo") != std::string::npos);
  }
  Load load;
  load.submit(pool, 5);
  load.collect_all(pool);
  check_all_right(load, 5);
  CHECK(pool.figures().losses == 0);
}

TEST_CASE("worker pool: workers are recycled") {
  PoolOptions options = fast_options();
  options.recycle_after_queries = 5;
  options.max_batch = 1;
  WorkerPool pool(options, kClock);
  Load load;
  load.submit(pool, 22);
  load.collect_all(pool);
  check_all_right(load, 22);
  CHECK(pool.figures().recycled == 4);
  CHECK(pool.figures().losses == 0);
}

TEST_CASE("worker pool: a query that takes too long is cancelled, and the worker goes on") {
  PoolOptions options = fast_options();
  options.soft_limit_seconds = 0.2;
  options.hard_limit_seconds = 20;
  options.rlimit = 0;
  WorkerPool pool(options, kClock);
  const Answer answer = pool.solve({.constraint = test::hard_constraint(), .question = test::hard_question()});
  CHECK_FALSE(answer.decided());
  CHECK(answer.reason == "the time limit of 0.2 s was reached");
  CHECK(pool.figures().soft_timeouts == 1);
  // Also one among others in a message.
  Load load;
  const Ticket hard[] = {pool.submit({.constraint = test::hard_constraint(), .question = test::hard_question()}),
                         pool.submit({.constraint = test::hard_constraint(), .question = test::hard_question()})};
  load.submit(pool, 10);
  load.collect_all(pool, 3);
  CHECK(load.strange == std::size(hard));
  CHECK(load.answers == 10 + std::size(hard));
  CHECK(load.wrong == 0);
  CHECK(load.undecided == 0);
  CHECK(pool.figures().losses == 0);
  CHECK(pool.figures().starts == 1);
}

TEST_CASE("worker pool: two deaths make a query poison, kept as a text for z3, and the others are answered") {
  const std::string folder = std::filesystem::temp_directory_path() / ("cmc-poison-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (const std::string fault : {"segfault", "oom"}) {
    PoolOptions options = fast_options();
    options.chaos = fault;
    options.chaos_workers = 2;
    options.run_directory = folder;
    WorkerPool pool(options, kClock);
    const auto constraint = test::examples()[0].constraint;
    const Query query{.constraint = constraint, .question = {.parameters = {5}, .ranges = {{0, 9}, {0, 9}}}};
    const Answer answer = pool.solve(query);
    CHECK_FALSE(answer.decided());
    CHECK(answer.reason.starts_with("2 solver workers died of this query"));
    const size_t place = answer.reason.find(folder);
    REQUIRE(place != std::string::npos);
    CHECK(read_file(answer.reason.substr(place)).value() == to_smt2(query));
    CHECK(pool.solve(query).reason == answer.reason);  // without a third death
    CHECK(pool.figures().losses == 2);
    CHECK(pool.figures().poisoned == 1);
    Load load;
    load.submit(pool, 10);
    load.collect_all(pool);
    check_all_right(load, 10);
    pool.retry();
    CHECK(pool.solve(query).outcome == Outcome::kSat);
  }
  std::filesystem::remove_all(folder);
}

#if !CMC_ADDRESS_SANITIZER && !CMC_THREAD_SANITIZER  // they need the address space
TEST_CASE("worker pool: a query that really uses up the memory harms the worker only") {
  PoolOptions options = fast_options();
  options.memory_limit_bytes = uint64_t{300} << 20;
  options.soft_limit_seconds = 50;
  options.hard_limit_seconds = 60;
  WorkerPool pool(options, kClock);
  const auto large = std::make_shared<const Constraint>(
      std::vector<std::string>{}, std::vector<std::string>{"x", "y"},
      "(assert (= (bvmul ((_ repeat 64) x) ((_ repeat 64) y)) ((_ repeat 64) (bvmul x y))))");
  const Question question{.goal = Goal::kExists, .parameters = {}, .ranges = {{2, 100000}, {2, 100000}}};
  const Answer answer = pool.solve({.constraint = large, .question = question});
  CHECK_FALSE(answer.decided());
  INFO(answer.reason);
  CHECK(pool.figures().losses == options.deaths_until_poison);
  Load load;
  load.submit(pool, 5);
  load.collect_all(pool);
  check_all_right(load, 5);
}
#endif

TEST_CASE("worker pool: workers that only die open the circuit breaker: retry closes it") {
  PoolOptions options = fast_options();
  options.chaos = "exit:1:every";
  options.chaos_workers = options.deaths_until_open;
  WorkerPool pool(options, kClock);
  Load load;
  load.submit(pool, 30);
  load.collect_all(pool);
  CHECK(load.answers == 30);
  CHECK(load.undecided == 30);
  CHECK(pool.figures().losses == options.deaths_until_open);
  REQUIRE(pool.trouble());
  CHECK(pool.trouble()->find("ended with exit code 7") != std::string::npos);
  load.submit(pool, 5);
  load.collect_all(pool);
  CHECK(load.undecided == 35);
  pool.retry();
  Load later;
  later.submit(pool, 5);
  later.collect_all(pool);
  check_all_right(later, 5);
}

TEST_CASE("worker pool: a worker that cannot be had gives one message, and everything is unknown") {
  struct Case {
    std::string path, chaos, message;
  };
  const std::string worker = fast_options().worker_path;
  const Case cases[] = {
      {"/nowhere/cmc-solverd", "",
       "cannot start the solver worker '/nowhere/cmc-solverd': No such file or directory"},
      {CMC_SOURCE_DIR "/README.md", "", "Permission denied"},
      {"/bin/true", "", "ended with exit code 0"},
      {"/bin/echo", "", "is this a solver worker? It said: --endpoint"},
      {worker, "hello-version", "speaks version 2 of the protocol, this program version 1"},
      {worker, "die-at-start", "ended with exit code 9"},
      {worker, "no-such-fault", "cmc-solverd: there is no fault 'no-such-fault'"},
  };
  for (const Case& bad : cases) {
    PoolOptions options = fast_options();
    options.worker_path = bad.path;
    options.chaos = bad.chaos;
    options.chaos_workers = 1000;
    WorkerPool pool(options, kClock);
    Load load;
    load.submit(pool, 10);
    load.collect_all(pool, 20);
    INFO(bad.message);
    CHECK(load.answers == 10);
    CHECK(load.undecided == 10);
    REQUIRE(pool.trouble());
    INFO(*pool.trouble());
    CHECK(pool.trouble()->find(bad.message) != std::string::npos);
    CHECK(load.reason == *pool.trouble());
    CHECK(pool.worker_pids().empty());
  }
}

TEST_CASE("worker pool: other machines can reach a worker with keys only") {
  PoolOptions options = fast_options();
  options.transport = Transport::kTcp;
  options.tcp_address = "0.0.0.0";
  WorkerPool open(options, kClock);
  Load load;
  load.submit(open, 1);
  load.collect_all(open, 5);
  CHECK(load.reason.find("needs CURVE keys") != std::string::npos);

  options.tcp_address = "127.0.0.1";
  options.keys.emplace();
  const auto make_pair = [](std::string& public_key, std::string& secret_key) {
    char texts[2][41];
    REQUIRE(zmq_curve_keypair(texts[0], texts[1]) == 0);
    public_key = texts[0];
    secret_key = texts[1];
  };
  make_pair(options.keys->server_public, options.keys->server_secret);
  make_pair(options.keys->client_public, options.keys->client_secret);
  WorkerPool locked(options, kClock);
  Load right;
  right.submit(locked, 10);
  right.collect_all(locked);
  check_all_right(right, 10);

  std::string secret;
  PoolOptions wrong = options;
  std::string other_public;
  make_pair(other_public, wrong.keys->client_secret);  // the key of another client
  wrong.start_limit_seconds = 0.5;
  WorkerPool refused(wrong, kClock);
  Load none;
  none.submit(refused, 1);
  none.collect_all(refused, 20);
  CHECK(none.undecided == 1);
}

#if !CMC_ADDRESS_SANITIZER  // UndefinedBehaviorSanitizer needs descriptors to look at exceptions
TEST_CASE("worker pool: with 32 descriptors nothing breaks: fewer workers, or none, but answers") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  for (const rlim_t limit : {rlim_t{32}, rlim_t{20}, rlim_t{12}, rlim_t{6}}) {
    rlimit low = before;
    low.rlim_cur = limit;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
    {
      PoolOptions options = fast_options();
      options.workers = 4;
      WorkerPool pool(options, kClock);
      Load load;
      load.submit(pool, 40);
      load.collect_all(pool);
      CHECK(::setrlimit(RLIMIT_NOFILE, &before) == 0);
      INFO("limit " << limit << ": " << load.reason);
      CHECK(load.answers == 40);
      CHECK(load.wrong == 0);
      if (limit == 32) CHECK(load.undecided == 0);
      if (limit == 6) CHECK(load.undecided == 40);
    }
  }
}
#endif

}  // namespace
}  // namespace cmc::solver
