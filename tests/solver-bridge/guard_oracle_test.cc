#include "solver-bridge/oracle/guard_oracle.h"

#include <filesystem>
#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

#include "base/files/file.h"
#include "solver-bridge/oracle/in_process_oracle.h"
#include "solver-bridge/oracle/native_oracle.h"
#include "solver-bridge/oracle/oracle_ladder.h"
#include "tests/solver-bridge/pool_cases.h"

#include "tests/catch.h"

namespace cmc::solver {
namespace {

using test::Example;
using test::fast_options;
using test::kClock;
using test::Load;

bool evaluate(const Query& query, const Tuple& tuple) {
  for (const Example& example : test::examples()) {
    if (example.constraint->key() == query.constraint->key()) return example.holds(query.question.parameters, tuple);
  }
  return false;
}

// Never tries the tuples, so that the solver is asked, and audits everything.
LadderOptions solver_only() { return {.native_first_tuples = 0, .native_last_tuples = 0, .audit_probability = 1}; }

// A solver that answers what it is told to.
class FakeOracle final : public GuardOracle {
 public:
  explicit FakeOracle(std::function<Answer(const Query&)> answer) : answer_(std::move(answer)) {}
  Ticket submit(Query query) override {
    asked.push_back(query);
    done_.push_back({++last_ticket_, answer_(query), 0});
    return last_ticket_;
  }
  [[nodiscard]] size_t pending() const override { return done_.size(); }
  std::vector<Query> asked;

 private:
  [[nodiscard]] std::vector<Completed> collect(double) override { return std::exchange(done_, {}); }
  std::function<Answer(const Query&)> answer_;
  std::vector<Completed> done_;
  Ticket last_ticket_ = 0;
};

Query example_query(Goal goal) {
  return {.constraint = test::examples()[0].constraint,
          .question = {.goal = goal, .parameters = {5}, .ranges = {{0, 9}, {0, 9}}}};
}

void check_all_right(GuardOracle& oracle, unsigned number) {
  Load load;
  load.submit(oracle, number);
  load.collect_all(oracle);
  INFO(load.reason);
  CHECK(load.answers == number);
  CHECK(load.wrong == 0);
  CHECK(load.strange == 0);
  CHECK(load.undecided == 0);
  CHECK(oracle.pending() == 0);
}

TEST_CASE("guard oracle: native, in process, in workers, and the ladder give the same answers") {
  NativeOracle native(evaluate, 1 << 16, kClock);
  check_all_right(native, 300);
  InProcessOracle in_process(20'000'000, kClock);
  check_all_right(in_process, 60);
  WorkerPool pool(fast_options(), kClock);
  check_all_right(pool, 60);
  AnswerCache cache(1 << 20);
  RequestLog log(kClock);
  OracleLadder ladder(&pool, cache, &log, evaluate, solver_only(), kClock);
  check_all_right(ladder, 100);
  CHECK(ladder.figures().refuted == 0);
  CHECK(ladder.figures().audits > 50);
  OracleLadder quick(&pool, cache, &log, evaluate, {}, kClock);
  check_all_right(quick, 300);
  CHECK(quick.figures().by_source[static_cast<size_t>(Source::kNative)] > 0);
}

TEST_CASE("guard oracle: the enumerator stops at its limit, and at the first witness") {
  Query query = example_query(Goal::kAll);
  query.question.ranges = {{0, 99}, {0, 99}};
  CHECK_FALSE(enumerate(query, evaluate, 9'999).decided());
  CHECK(enumerate(query, evaluate, 10'000).outcome == Outcome::kSat);
  unsigned tried = 0;
  const auto counting = [&](const Query&, const Tuple&) { return ++tried > 0; };
  query.question.goal = Goal::kLeast;
  CHECK(enumerate(query, counting, 10'000).witnesses == std::vector<Tuple>{{0, 0}});
  CHECK(tried == 1);
  query.question.goal = Goal::kAll;
  query.question.max_witnesses = 3;
  const Answer three = enumerate(query, counting, 10'000);
  CHECK(three.witnesses == std::vector<Tuple>{{0, 0}, {0, 1}, {0, 2}});
  CHECK(three.more);
  query.question.ranges = {{INT32_MAX - 1, INT32_MAX}, {INT32_MIN, INT32_MIN}};
  query.question.max_witnesses = 2;
  CHECK_FALSE(enumerate(query, counting, 10'000).more);
}

TEST_CASE("guard oracle: a worker that lies is found out: nothing wrong is handed on") {
  PoolOptions options = fast_options();
  options.chaos = "wrong-answer:3:every";
  options.chaos_workers = 1000;
  WorkerPool pool(options, kClock);
  AnswerCache cache(1 << 20);
  LadderOptions ladder_options = solver_only();
  ladder_options.native_last_tuples = 1 << 16;
  OracleLadder ladder(&pool, cache, nullptr, evaluate, ladder_options, kClock);
  check_all_right(ladder, 60);
  CHECK(ladder.figures().refuted > 5);
}

TEST_CASE("guard oracle: the rungs are warm, cold, trying the tuples, undecided") {
  FakeOracle helpless([](const Query& query) { return Answer::unknown(query.cold ? "cold" : "warm"); });
  AnswerCache cache(1 << 20);
  {
    OracleLadder ladder(&helpless, cache, nullptr, evaluate, solver_only(), kClock);
    const Answer answer = ladder.solve(example_query(Goal::kLeast));
    CHECK_FALSE(answer.decided());
    CHECK(answer.reason == "warm");
    REQUIRE(helpless.asked.size() == 2);
    CHECK_FALSE(helpless.asked[0].cold);
    CHECK(helpless.asked[1].cold);
    CHECK(ladder.figures().undecided == 1);
  }
  LadderOptions options = solver_only();
  options.native_last_tuples = 100;
  OracleLadder ladder(&helpless, cache, nullptr, evaluate, options, kClock);
  CHECK(ladder.solve(example_query(Goal::kLeast)).from == Source::kNative);
  CHECK(ladder.solve(example_query(Goal::kLeast)).from == Source::kCache);
  CHECK(ladder.solve(example_query(Goal::kAll)).from == Source::kNative);
  CHECK(ladder.solve(example_query(Goal::kExists)).witnesses.empty());
  OracleLadder nobody(nullptr, cache, nullptr, evaluate, solver_only(), kClock);
  Query other = example_query(Goal::kAll);
  other.question.parameters = {6};
  CHECK(nobody.solve(other).reason == "there is no solver");
}

TEST_CASE("guard oracle: equal questions at the same time are one") {
  FakeOracle fake([](const Query& query) { return enumerate(query, evaluate, 1000); });
  AnswerCache cache(1 << 20);
  OracleLadder ladder(&fake, cache, nullptr, evaluate, solver_only(), kClock);
  for (int i = 0; i < 5; ++i) CHECK(ladder.submit(example_query(Goal::kAll)) > 0);
  CHECK(ladder.pending() == 5);
  const auto answers = ladder.poll(1);
  REQUIRE(answers.size() == 5);
  CHECK(fake.asked.size() == 1);
  CHECK(ladder.figures().shared == 4);
  CHECK(ladder.pending() == 0);
  for (const Completed& completed : answers) CHECK(completed.answer == answers[0].answer);
}

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("cmc-oracle-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

Answer answer_of(int number) {
  return {.outcome = Outcome::kSat, .witnesses = {{number, -number}}, .reason = {}, .from = Source::kWarmSolver};
}

TEST_CASE("guard oracle: the cache keeps within its memory, and the younger half") {
  AnswerCache cache(100'000);
  for (int i = 0; i < 10'000; ++i) {
    cache.insert("key" + std::to_string(i), answer_of(i));
    REQUIRE(cache.memory_bytes() <= 100'000);
    if (i > 0) REQUIRE(cache.find("key0"));  // what is in use stays
  }
  CHECK(cache.find("key9999") == answer_of(9999));
  CHECK_FALSE(cache.find("key1"));
  cache.forget("key9999");
  CHECK_FALSE(cache.find("key9999"));
  cache.insert("large", {.outcome = Outcome::kSat, .witnesses = std::vector<Tuple>(10'000, Tuple{1}), .reason = {}});
  CHECK_FALSE(cache.find("large"));
}

TEST_CASE("guard oracle: a file of answers is safe truncated at every length, and with every byte damaged") {
  const Folder folder;
  const std::string path = folder.file("answers");
  std::vector<size_t> ends;
  {
    AnswerCache cache(1 << 20);
    REQUIRE(cache.open(path, "cmc 1").ok());
    for (int i = 0; i < 5; ++i) {
      ends.push_back(std::filesystem::file_size(path));
      cache.insert("key" + std::to_string(i), answer_of(i));
    }
  }
  const std::string whole = read_file(path).value();
  ends.push_back(whole.size());
  const std::string damaged = folder.file("damaged");
  const auto count_readable = [&](const std::string& content) {
    CHECK(write_file_atomically(damaged, content).ok());
    AnswerCache cache(1 << 20);
    if (!cache.open(damaged, "cmc 1").ok()) return -1;
    int found = 0;
    while (found < 5 && cache.find("key" + std::to_string(found)) == answer_of(found)) ++found;
    CHECK(cache.records_read() == static_cast<uint64_t>(found));
    cache.insert("new", answer_of(7));  // goes on behind what is good
    AnswerCache again(1 << 20);
    CHECK(again.open(damaged, "cmc 1").ok());
    CHECK(again.records_read() == static_cast<uint64_t>(found) + 1);
    CHECK(again.find("new") == answer_of(7));
    return found;
  };
  for (size_t size = 0; size <= whole.size(); ++size) {
    const auto complete = std::upper_bound(ends.begin(), ends.end(), size) - ends.begin();
    REQUIRE(count_readable(whole.substr(0, size)) == std::max<long>(complete - 1, 0));
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string content = whole;
    content[at] = static_cast<char>(content[at] ^ 0x20);
    const auto record = std::upper_bound(ends.begin(), ends.end(), at) - ends.begin();
    const long expected = at < 6 ? -1 : std::max<long>(record - 1, 0);  // -1: another kind of file, left alone
    REQUIRE(count_readable(content) == expected);
  }
}

TEST_CASE("guard oracle: several processes share a file of answers, and nothing is lost or double") {
  const Folder folder;
  const std::string path = folder.file("answers");
  constexpr int kProcesses = 8;
  constexpr int kKeys = 400;
  std::vector<pid_t> children;
  for (int child = 0; child < kProcesses; ++child) {
    const pid_t process = ::fork();
    if (process == 0) {
      AnswerCache cache(1 << 20);
      const bool opened = cache.open(path, "cmc 1").ok();
      // Half of the keys are asked for by all, the others by one.
      for (int i = 0; opened && i < kKeys; ++i) {
        const std::string key = (i % 2 == 0 ? "all" : std::to_string(child)) + "-" + std::to_string(i);
        if (!cache.find(key)) cache.insert(key, answer_of(i));
      }
      ::_exit(opened ? 0 : 1);
    }
    children.push_back(process);
  }
  for (const pid_t process : children) {
    int status = 0;
    ::waitpid(process, &status, 0);
    CHECK(status == 0);
  }
  AnswerCache all(1 << 24);
  REQUIRE(all.open(path, "cmc 1").ok());
  CHECK(all.records_read() == kKeys / 2 + kProcesses * kKeys / 2);
  for (int i = 0; i < kKeys; i += 2) CHECK(all.find("all-" + std::to_string(i)) == answer_of(i));
  for (int child = 0; child < kProcesses; ++child) {
    for (int i = 1; i < kKeys; i += 2) {
      CHECK(all.find(std::to_string(child) + "-" + std::to_string(i)) == answer_of(i));
    }
  }
}

TEST_CASE("guard oracle: a file of answers that was cut off is mended by whoever appends next") {
  const Folder folder;
  const std::string path = folder.file("answers");
  AnswerCache cache(1 << 20);
  REQUIRE(cache.open(path, "cmc 1").ok());
  cache.insert("first", answer_of(1));
  const std::string good = read_file(path).value();
  std::ofstream(path, std::ios::app) << good.substr(good.size() - 20, 10);
  cache.insert("second", answer_of(2));
  AnswerCache again(1 << 20);
  REQUIRE(again.open(path, "cmc 1").ok());
  CHECK(again.records_read() == 2);
  CHECK(again.find("second") == answer_of(2));
}

TEST_CASE("guard oracle: another version begins another file of answers, and an old reader does no harm") {
  const Folder folder;
  const std::string path = folder.file("answers");
  AnswerCache old_version(1 << 20);
  REQUIRE(old_version.open(path, "cmc 1").ok());
  old_version.insert("key", answer_of(1));
  AnswerCache new_version(1 << 20);
  REQUIRE(new_version.open(path, "cmc 2").ok());
  old_version.insert("more", answer_of(2));
  new_version.insert("new", answer_of(3));
  AnswerCache again(1 << 20);
  CHECK(again.open(path, "cmc 2").value().empty());
  CHECK(again.records_read() == 1);
  CHECK(again.find("new") == answer_of(3));
}

TEST_CASE("guard oracle: an answer from a file is checked before it is believed") {
  const Folder folder;
  const std::string path = folder.file("answers");
  const Query query = example_query(Goal::kLeast);
  {
    AnswerCache forged(1 << 20);
    REQUIRE(forged.open(path, "cmc 1").ok());
    forged.insert(cache_key(query), {.outcome = Outcome::kSat, .witnesses = {{9, 9}}, .reason = {}});
  }
  AnswerCache cache(1 << 20);
  REQUIRE(cache.open(path, "cmc 1").ok());
  OracleLadder ladder(nullptr, cache, nullptr, evaluate, {}, kClock);
  const Answer answer = ladder.solve(query);
  CHECK(answer.from == Source::kNative);
  CHECK(answer.witnesses == std::vector<Tuple>{{0, 5}});
  CHECK(ladder.figures().refuted == 1);
}

TEST_CASE("guard oracle: answers of another version, or without one, are not used") {
  const Folder folder;
  const std::string path = folder.file("answers");
  const auto open = [&](const std::string& identity, uint64_t records) {
    AnswerCache cache(1 << 20);
    const Result<std::string> warning = cache.open(path, identity);
    REQUIRE(warning.ok());
    CHECK(cache.records_read() == records);
    cache.insert("key", answer_of(1));
    return warning.value();
  };
  CHECK(open("cmc 1 with Z3 4", 0).empty());
  CHECK(open("cmc 1 with Z3 4", 1).empty());
  const std::string warning = open("cmc 1 with Z3 5", 0);
  CHECK(warning.find("are of cmc 1 with Z3 4, not of cmc 1 with Z3 5") != std::string::npos);
  CHECK(open("cmc 1 with Z3 5", 1).empty());
  REQUIRE(write_file_atomically(path, "CMCANS1\nold answers").ok());
  CHECK(open("cmc 1 with Z3 5", 0).find("older version") != std::string::npos);
  CHECK(open("cmc 1 with Z3 5", 1).empty());
}

TEST_CASE("guard oracle: a forged unsat in a file is audited, and counted among those that the verdict rests on") {
  const Folder folder;
  const std::string path = folder.file("answers");
  const Query query = example_query(Goal::kLeast);
  {
    AnswerCache forged(1 << 20);
    REQUIRE(forged.open(path, "cmc 1").ok());
    forged.insert(cache_key(query), {.outcome = Outcome::kUnsat, .witnesses = {}, .reason = {}});
  }
  for (const double probability : {0.0, 1.0}) {
    AnswerCache cache(1 << 20);
    REQUIRE(cache.open(path, "cmc 1").ok());
    LadderOptions options;
    options.audit_probability = probability;
    OracleLadder ladder(nullptr, cache, nullptr, evaluate, options, kClock);
    const Answer answer = ladder.solve(query);
    const bool audited = probability > 0;
    CHECK(answer.outcome == (audited ? Outcome::kSat : Outcome::kUnsat));
    CHECK(ladder.figures().refuted == (audited ? 1 : 0));
    CHECK(ladder.figures().unsat == (audited ? 0 : 1));
    CHECK(ladder.figures().excluding == (audited ? 0 : 1));
    CHECK(ladder.figures().excluding_from_cache == (audited ? 0 : 1));
  }
}

TEST_CASE("guard oracle: the log has a line for each request") {
  const Folder folder;
  {
    RequestLog log(kClock);
    CHECK_FALSE(log.open("/nowhere/log").ok());
    REQUIRE(log.open(folder.file("log")).ok());
    log.note({1, answer_of(1), 0.25, 0.125}, example_query(Goal::kLeast));
    log.note({2, Answer::unknown("two\nlines"), 0.5, 0}, example_query(Goal::kAll));
  }
  const std::string text = read_file(folder.file("log")).value();
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
  CHECK(text.find("\t250.000\t125.000\t") != std::string::npos);
  CHECK(text.find("\tall\tnobody\tunknown\t500.000\t0.000\t0\ttwo lines\n") != std::string::npos);
}

TEST_CASE("guard oracle: the time that a question waits for others counts as that of its answer") {
  class StandingClock final : public Clock {
   public:
    [[nodiscard]] double wall_seconds() const override { return seconds; }
    [[nodiscard]] double cpu_seconds() const override { return 0; }
    double seconds = 0;
  } clock;
  NativeOracle oracle(
      [&](const Query&, const Tuple&) {  // each question takes a second
        ++clock.seconds;
        return true;
      },
      1 << 20, clock);
  for (int i = 0; i < 2; ++i) static_cast<void>(oracle.submit(example_query(Goal::kExists)));
  for (const double seconds : {1.0, 2.0}) {
    const std::vector<Completed> completed = oracle.poll(0);
    REQUIRE(completed.size() == 1);
    CHECK(completed[0].seconds == seconds);
    CHECK(completed[0].solving_seconds == 1);
  }
}

}  // namespace
}  // namespace cmc::solver
