#include <atomic>

#include "checker/guards/oracle_decider.h"
#include "solver-bridge/protocol/chaos.h"
#include "tests/solver_guards/engines.h"
#include "tests/solver_guards/texts.h"
#include "tests/support/model_files.h"
#include "tests/support/part_of_day.h"

namespace cmc::test {
namespace {

using guards::DeciderOptions;
using guards::OracleDecider;
using Solver = DeciderOptions::Solver;

const SystemClock kClock;

// Nobody tries tuples: all is asked of the solver, and what it says is compared with trying.
DeciderOptions options_for(Solver solver) {
  DeciderOptions options;
  options.solver = solver;
  options.pool.worker_path = std::string(CMC_BINARY_DIR) + "/cmc-solverd";
  options.pool.soft_limit_seconds = 1;
  options.pool.hard_limit_seconds = 1.3;
  options.ladder.native_first_tuples = 0;
  options.ladder.native_last_tuples = 0;
  options.ladder.audit_probability = 1;
  return options;
}

std::unique_ptr<OracleDecider> make(const Model& model, DeciderOptions options) {
  Result<std::unique_ptr<OracleDecider>> decider = OracleDecider::make(model, std::move(options), kClock);
  REQUIRE(decider.ok());
  return std::move(decider).value();
}

// --- undecided

class Undecided final : public GuardDecider {
 public:
  explicit Undecided(const Model& model) : model_(model) {}
  GuardAnswer decide(const GuardQuestion& question) override {
    ++asked;
    return question.guard == 0 ? GuardAnswer{} : try_tuples(model_, question, kTriedTuples);
  }
  std::atomic<unsigned> asked = 0;

 private:
  const Model& model_;
};

TEST_CASE("decider: a guard that is not decided counts as neither true nor false") {
  const char* const texts[] = {
      // none of them may reach an error
      "active proctype P() { if :: exists (k: 0 .. 1) (k > 1) :: else -> assert(false) fi }",
      "active proctype P() { if :: exists (k: 0 .. 1) (k == 1) -> assert(false) :: else -> assert(false) fi }",
      "byte x; active proctype P() { choose (x: 0 .. 1) where (x > 1) }",
      "byte x; active proctype P() { choose (x: 0 .. 1) where (x > 1) } active proctype Q() { timeout -> "
      "assert(false) }",
      "byte x; active proctype P() { d_step { least (x: 0 .. 1) where (x == 1); assert(false) } }",
      "byte x; active proctype P() { d_step { x = 2; least (x: 0 .. 1) where (x == 1); assert(false) } }",
      "byte x; active proctype P() { x = !exists (k: 0 .. 1) (k > 1); assert(false) }",
      "byte x; active proctype P() { atomic { x = 1; least (x: 0 .. 1) where (x == 1); assert(false) } }",
      "byte x; active proctype P() { do :: exists (k: 0 .. 1) (k > 1) -> assert(false) unless { x == 1 } :: x = 2 od "
      "}",
      "byte x; active proctype P() { x == 1 } active proctype Q() provided (!exists (k: 0 .. 1) (k > 1)) { "
      "assert(false) }",
  };
  for (const char* text : texts) {
    INFO(text);
    const Model model = compile_s(text);
    Undecided decider(model);
    const Found found = run_all(model, &decider);
    CHECK(found.errors.empty());
    CHECK(found.reasons == std::set<std::string>{"guard"});
  }
}

TEST_CASE("decider: others go on beside a guard that is not decided") {
  const Model model = compile_s(
      "byte x, y; active proctype P() { choose (x: 0 .. 1) where (x > 1) } active proctype Q() { do :: y < 9 -> y++ "
      ":: else -> "
      "break od; assert(false) }");
  Undecided decider(model);
  const Found found = run_all(model, &decider);
  CHECK(found.errors == std::multiset<std::string>{"assertion at line 1"});
  CHECK(found.reasons == std::set<std::string>{"guard"});
  CHECK(found.states > 20);
}

TEST_CASE("decider: the fast engine remembers a step that is decided, and no other one") {
  const std::string text =
      "byte x, y; active proctype P() { choose (x: 0 .. 1) where (x OP 1) } active proctype Q() { do :: y < 50 -> "
      "y++ od }";
  for (const bool decided : {true, false}) {
    std::string with_operator = text;
    with_operator.replace(with_operator.find("OP"), 2, "==");
    if (decided) with_operator = "bool z = exists (k: 0 .. 0) (k == 0); " + with_operator;  // guard 0 is another one
    const Model model = compile_s(with_operator);
    Undecided decider(model);
    SearchOptions options = all_errors(SearchOptions::Order::kDepthFirst, 1);
    options.check_end_states = false;
    (void)run_key_search(
        model, [&] { return vm_in_spin_steps(model, &decider); }, options);
    if (decided) CHECK(decider.asked < 20);
    if (!decided) CHECK(decider.asked > 50);
  }
}

// --- the ladder

TEST_CASE("decider: a solver finds the states that trying all tuples finds") {
  for (const Solver solver : {Solver::kInProcess, Solver::kWorker}) {
    for (const GuardText& each : kTexts) {
      INFO(each.name);
      const Model model = compile_s(each.text);
      const auto decider = make(model, options_for(solver));
      const Found found = run_simple(model, decider.get());
      CHECK(found == run_simple(model, nullptr));
      CHECK(run_fast(model, decider.get(), SearchOptions::Order::kBreadthFirst, 2) == found);
      CHECK(decider->undecided() == 0);
      CHECK(!decider->trouble());
      CHECK(decider->figures().refuted == 0);
    }
  }
}

TEST_CASE("decider: a shipped model is the same with a solver") {
  for (const char* name : {"banker", "forgery", "key_agreement", "lock", "schedule", "sequence_window"}) {
    INFO(name);
    const Model model = compile_file(std::string(CMC_SOURCE_DIR) + "/models/solver/" + name + ".pml");
    const auto decider = make(model, options_for(Solver::kInProcess));
    CHECK(run_simple(model, decider.get()) == run_simple(model, nullptr));
    CHECK(decider->figures().refuted == 0);
  }
}

Found large(const char* name, OracleDecider& decider, const Model& model) {
  INFO(name);
  return run_parking(model, decider.parking(), decider, SearchOptions::Order::kDepthFirst, 2);
}

Model large_model(const char* name) {
  return compile_file(std::string(CMC_SOURCE_DIR) + "/models/solver/" + name + ".pml", {"LARGE"});
}

// Two deaths at one question are too many: as many workers misbehave as keep each question below that. `part`: only
// these faults.
void check_faults(const char* name, const std::string& when, unsigned chaos_workers,
                  const test::PartOfDay* part = nullptr) {
  const Model model = large_model(name);
  const Found expected = large(name, *make(model, options_for(Solver::kInProcess)), model);
  for (size_t i = 0; i < solver::fault_count(); ++i) {
    const solver::FaultName& fault = solver::fault_table()[i];
    // That a part of the witnesses is missing in so large a domain is what nobody can notice.
    if (!fault.at_query || fault.fault == solver::Fault::kWrongAnswer) continue;
    if (part != nullptr && !part->has(i)) continue;
    DeciderOptions options = options_for(Solver::kWorker);
    options.pool.workers = 2;
    options.pool.chaos = std::string(fault.name) + when;
    options.pool.chaos_workers = chaos_workers;
    const auto decider = make(model, options);
    INFO(options.pool.chaos);
    CHECK(large(name, *decider, model) == expected);
    CHECK(decider->undecided() == 0);
  }
}

TEST_CASE("decider: a fault of a worker changes nothing that is found", "[long]") {
  const test::PartOfDay part;
  check_faults("sequence_window", ":1", 1, &part);
}

TEST_CASE("decider: faults at any question change nothing that is found", "[.][slow]") {
  const test::PartOfDay part;
  for (const char* name : {"sequence_window", "schedule", "forgery", "lock"}) check_faults(name, ":1", 1, &part);
  check_faults("sequence_window", ":3:every", 1000, &part);
}

TEST_CASE("decider: without a worker there is no answer, but a reason") {
  const Model model = large_model("lock");
  const Found expected = large("lock", *make(model, options_for(Solver::kInProcess)), model);
  struct Case {
    std::string path, chaos, message;
  };
  const std::string worker = std::string(CMC_BINARY_DIR) + "/cmc-solverd";
  const Case cases[] = {{"/nowhere/cmc-solverd", "", "No such file or directory"},
                        {CMC_SOURCE_DIR "/README.md", "", "Permission denied"},
                        {worker, "hello-version", "version 2"},
                        {worker, "die-at-start", "exit code 9"}};
  for (const Case& bad : cases) {
    INFO(bad.message);
    DeciderOptions options = options_for(Solver::kWorker);
    options.pool.worker_path = bad.path;
    options.pool.chaos = bad.chaos;
    options.pool.chaos_workers = 1000;
    const auto decider = make(model, options);
    const Found found = run_simple(model, decider.get());
    CHECK(found.errors.empty());
    CHECK(found.reasons == std::set<std::string>{"guard"});
    CHECK(found.states < expected.states);
    CHECK(decider->undecided() > 0);
    REQUIRE(decider->trouble());
    CHECK_THAT(*decider->trouble(), Catch::Contains(bad.message));
    CHECK(run_simple(model, decider.get()) == found);
  }
}

TEST_CASE("decider: what was not decided is decided when the solver is well again") {
  const Model model = large_model("lock");
  const Found expected = large("lock", *make(model, options_for(Solver::kInProcess)), model);
  for (const uint32_t retry_effort : {1u, 10u}) {
    DeciderOptions options = options_for(Solver::kWorker);
    options.pool.chaos = "exit:1:every";
    options.pool.chaos_workers = 2;  // the first question kills both; the next worker is well
    options.retry_effort = retry_effort;
    const auto decider = make(model, options);
    const Found found = large("lock", *decider, model);
    if (retry_effort == 1) {
      CHECK(found.reasons == std::set<std::string>{"guard"});
      CHECK(decider->undecided() > 0);
      CHECK(large("lock", *decider, model) == found);  // undecided is undecided
    } else {
      CHECK(found == expected);
      CHECK(decider->undecided() == 0);
    }
  }
}

TEST_CASE("decider: ten times the effort decides what the limits left") {
  const Model model = large_model("key_agreement");
  bool decided_later = false;
  for (uint32_t rlimit = 100; !decided_later && rlimit < 100'000'000; rlimit *= 4) {
    DeciderOptions options = options_for(Solver::kInProcess);
    options.pool.rlimit = rlimit;
    options.retry_effort = 1;
    const Found once = large("key_agreement", *make(model, options), model);
    if (once.reasons.empty()) break;
    options.retry_effort = 10;
    const Found twice = large("key_agreement", *make(model, options), model);
    decided_later = twice.reasons.empty();
  }
  CHECK(decided_later);
}

TEST_CASE("decider: an interrupt need not wait for the solver") {
  const Model model = compile_s(
      "int x, y, z; active proctype P() { least (x: 2 .. 2000000000, y: 2 .. 2000000000) where "
      "(x * y == 1000036000099 % 2147483647 && x * x * y % 65537 == 3 && y * y * y % 7919 == x % 7919) }");
  DeciderOptions options = options_for(Solver::kWorker);
  options.pool.soft_limit_seconds = 100;
  options.pool.hard_limit_seconds = 100;
  options.pool.rlimit = 0;
  std::atomic<bool> interrupt = true;
  options.interrupt = &interrupt;
  const double start = kClock.wall_seconds();
  {
    const auto decider = make(model, options);
    CHECK(run_simple(model, decider.get()).reasons == std::set<std::string>{"guard"});
  }
  CHECK(kClock.wall_seconds() - start < 20);
}

}  // namespace
}  // namespace cmc::test
