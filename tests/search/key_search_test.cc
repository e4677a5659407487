#include "checker/search/key_search.h"

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/process_memory.h"
#include "base/sanitizers.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/plain/simple_search.h"
#include "checker/reference/reference.h"
#include "checker/result/replay.h"
#include "checker/result/turn.h"
#include "checker/vm/generator.h"
#include "ir/effects.h"
#include "tests/search/searches.h"
#include "tests/support/compile.h"
#include "tests/support/fake_clock.h"
#include "tests/support/model_files.h"
#include "tests/support/part_of_day.h"
#include "tests/support/same_results.h"

#include "tests/catch.h"

// The fast engine against the simple one.

namespace cmc::test {
namespace {

using Order = SearchOptions::Order;
enum class Steps { kSpin, kStatement };

constexpr Order kOrders[] = {Order::kDepthFirst, Order::kBreadthFirst};

std::unique_ptr<SuccessorGenerator> generator_of(const Model& model, Steps steps) {
  std::unique_ptr<SuccessorGenerator> generator = make_vm_generator(model);
  return steps == Steps::kSpin ? close_atomic_chains(std::move(generator), model) : std::move(generator);
}

SearchOptions options_for(Order order, uint64_t max_errors, uint32_t threads = 1) {
  SearchOptions options;
  options.order = order;
  options.max_errors = max_errors;
  options.threads = threads;
  options.store.enabled = false;  // at the memory limit the search stops
  return options;
}

SearchResult run_simple(const Model& model, Steps steps, const SearchOptions& options) {
  const std::unique_ptr<SuccessorGenerator> generator = generator_of(model, steps);
  return run_search(*generator, model, options);
}

std::optional<SearchResult> try_fast(const Model& model, Steps steps, const SearchOptions& options,
                                     std::string* reason = nullptr, SearchObserver* observer = nullptr) {
  return run_key_search(
      model, [&] { return generator_of(model, steps); }, options, observer, reason);
}

SearchResult run_steps_fast(const Model& model, Steps steps, const SearchOptions& options) {
  std::string reason;
  std::optional<SearchResult> result = try_fast(model, steps, options, &reason);
  INFO("reason: " << reason);
  REQUIRE(result.has_value());
  REQUIRE(result->keys.has_value());
  CHECK(result->keys->threads == options.threads);
  return std::move(*result);
}

std::set<std::string> reason_list(const SearchResult& result) {
  std::set<std::string> list;
  for (const Reason& reason : result.reasons) list.insert(std::string(info(reason.kind).name) + ": " + reason.text);
  return list;
}

// Both have seen everything.
void check_equal(const Model& model, const SearchResult& fast, const SearchResult& simple, Order order) {
  CHECK(fast.all_expanded);
  CHECK(fast.states_stored == simple.states_stored);
  CHECK(fast.transitions == simple.transitions);
  CHECK(fast.states_matched == simple.states_matched);
  CHECK(fast.error_count == simple.error_count);
  CHECK(fast.endless_atomic == simple.endless_atomic);
  CHECK(fast.verdict() == simple.verdict());
  CHECK(fast.state_bytes_max == simple.state_bytes_max);
  CHECK(errors_of(fast) == errors_of(simple));
  CHECK(reason_list(fast) == reason_list(simple));
  CHECK(fast.locations.reached == simple.locations.reached);
  CHECK(fast.locations.endless_atomic.line == simple.locations.endless_atomic.line);
  if (order == Order::kBreadthFirst) CHECK(fast.depth_reached == simple.depth_reached);
  CHECK(std::any_of(fast.errors.begin(), fast.errors.end(), [](const auto& e) { return e.has_path; }) ==
        !fast.errors.empty());
  check_paths(model, fast);
}

// The whole state space by the simple engine; none if it is too large for this test.
std::optional<SearchResult> small_state_space(const Model& model, Steps steps, Order order) {
  FakeClock clock(0.001);
  SearchOptions options = options_for(order, 0);
  options.clock = &clock;
  options.time_limit_seconds = 0.02;
  SearchResult result = run_simple(model, steps, options);
  if (!result.all_expanded) return std::nullopt;
  return result;
}

struct Configuration {
  uint32_t threads = 1;
  uint64_t memo_bytes = 0;
  bool compact_set = false;
};
constexpr Configuration kOneThread = {1, 0, false};
constexpr Configuration kFewThreads = {2, kTinyMemo, true};
constexpr Configuration kManyThreads = {5, 0, false};

void compare_engines(const Model& model, Steps steps, Order order, const SearchResult& simple,
                     std::initializer_list<Configuration> configurations) {
  for (const Configuration& each : configurations) {
    SearchOptions options = options_for(order, 0, each.threads);
    options.memo_bytes = each.memo_bytes;
    options.compact_set = each.compact_set;
    INFO(each.threads << " threads, memo " << each.memo_bytes);
    check_equal(model, run_steps_fast(model, steps, options), simple, order);
  }
}

bool is_end_state(const FoundError& error) { return error.kind.is_invalid_end_state(); }

// The first error of a breadth-first search lies in the first level that has one.
void compare_shortest(const Model& model, Steps steps, std::initializer_list<uint32_t> thread_counts) {
  const SearchResult simple = run_simple(model, steps, options_for(Order::kBreadthFirst, 1));
  REQUIRE(simple.errors.size() == 1);
  for (const uint32_t threads : thread_counts) {
    INFO(threads << " threads");
    const SearchResult fast = run_steps_fast(model, steps, options_for(Order::kBreadthFirst, 1, threads));
    REQUIRE(fast.errors.size() == 1);
    CHECK(!fast.all_expanded);
    CHECK(fast.verdict() == Verdict::kViolated);
    const FoundError& error = fast.errors.front();
    const FoundError& expected = simple.errors.front();
    if (is_end_state(error) == is_end_state(expected)) {
      CHECK(error.depth == expected.depth);
    } else {
      // An end state is an error itself, others are found one step further.
      CHECK(error.depth + (is_end_state(error) ? 1 : 0) == expected.depth + (is_end_state(expected) ? 1 : 0));
    }
    if (threads == 1) CHECK(error.path.size() == expected.path.size());
    check_paths(model, fast);
  }
}

void check_max_errors(const Model& model, Steps steps, uint64_t all_errors, std::initializer_list<uint64_t> limits) {
  for (const Order order : kOrders) {
    for (const uint32_t threads : {1u, 2u}) {
      for (const uint64_t most : limits) {
        INFO("at most " << most << " errors, " << threads << " threads");
        const SearchResult fast = run_steps_fast(model, steps, options_for(order, most, threads));
        CHECK(fast.error_count == std::min(most, all_errors));
        CHECK(fast.errors.size() == fast.error_count);
        CHECK(fast.all_expanded == (all_errors < most));
        CHECK(fast.transitions == fast.states_stored + fast.states_matched - 1);
        check_paths(model, fast);
      }
    }
  }
}

// `part`: only these models.
void compare_on_files(Steps steps, const PartOfDay* part = nullptr) {
  size_t compared = 0;
  size_t with_errors = 0;
  std::set<std::string> seen;
  for (const ModelRun& run : model_runs()) {
    if (run.slow || run.states > 20000 || !seen.insert(run.name()).second) continue;
    if (part != nullptr && !part->has(seen.size())) continue;
    INFO(run.name());
    const Model model = compile_file(run.file, run.defines);
    if (reads_hidden_variable(model)) continue;
    std::optional<SearchResult> simple;
    for (const Order order : kOrders) {
      simple = small_state_space(model, steps, order);
      if (!simple) break;
      if (steps == Steps::kSpin && run.states > 0 && run.steps == "spin") CHECK(simple->states_stored == run.states);
      // Levels of small models are not wide enough for threads.
      if (order == Order::kDepthFirst) {
        compare_engines(model, steps, order, *simple, {kOneThread, kFewThreads, kManyThreads});
      } else {
        compare_engines(model, steps, order, *simple, {kFewThreads});
      }
    }
    if (!simple) continue;
    ++compared;
    if (simple->error_count == 0) continue;
    ++with_errors;
    compare_shortest(model, steps, {1});
    check_max_errors(model, steps, simple->error_count, {2});
  }
  if (part != nullptr && !part->is_whole()) return;
  CHECK(compared > 150);
  CHECK(with_errors > 20);
}

TEST_CASE("fast engine: both engines find the same in all small models: spin steps", "[long]") {
  compare_on_files(Steps::kSpin);
}
TEST_CASE("fast engine: both engines find the same in all small models: statement steps", "[long]") {
  const PartOfDay part;
  compare_on_files(Steps::kStatement, &part);
}

// Its levels are wide: most states are in a few of them. Every value of x is a content of its own, so there is a
// re-layout for each bit of it.
constexpr const char* kWide =
    "int x; bit y; active proctype P() {\n"
    "do :: x = (x * 5 + 1) % SIZE :: x = (x * 7 + 3) % SIZE :: x = (x + 11) % SIZE\n"
    "   :: d_step { x % 1000 == 999 -> assert(x != 16999); y = 1 - y } od }\n"
    "active proctype Q() { y == 1 -> assert(x < 19000) }";

TEST_CASE("fast engine: both engines find the same where levels are wide enough for threads") {
  const Model model = compile_text(kWide, {"SIZE=20000"});
  for (const Order order : kOrders) {
    const SearchResult simple = run_simple(model, Steps::kSpin, options_for(order, 0));
    CHECK(simple.states_stored > 50000);
    CHECK(simple.error_count > 100);
    compare_engines(model, Steps::kSpin, order, simple,
                    {kOneThread, {1, kTinyMemo, true}, kFewThreads, kManyThreads});
  }
  compare_shortest(model, Steps::kSpin, {1, 2, 5});
  check_max_errors(model, Steps::kSpin, 1000, {1, 2, 3});
}

TEST_CASE("fast engine: threads that find the same states at the same time do not count twice") {
  const Model model = compile_text(kWide, {"SIZE=6000"});
  const SearchResult simple = run_simple(model, Steps::kSpin, options_for(Order::kDepthFirst, 0));
  for (int round = 0; round < 15; ++round) {
    for (const Order order : kOrders) {
      const SearchResult fast = run_steps_fast(model, Steps::kSpin, options_for(order, 0, 4));
      REQUIRE(fast.states_stored == simple.states_stored);
      REQUIRE(fast.transitions == simple.transitions);
      REQUIRE(fast.error_count == simple.error_count);
    }
  }
}

// `count` processes, one after the other: each writes three values into `parts` parts of an array, so that it has
// parts * 2 + 4 bits or so in a key. At the same time a counter runs.
std::string relay(unsigned count, unsigned parts, unsigned counter) {
  std::string text = "byte turn; byte c;\nactive [" + std::to_string(count) + "] proctype P() { byte k; byte a[" +
                     std::to_string(64 * std::max(2u, parts)) + "]; turn == _pid;\n";
  for (unsigned i = 0; i < parts; ++i) {
    const std::string element = "a[" + std::to_string(64 * i) + "]";
    text += element + " = 1; " + element + " = 2; ";
  }
  text += "turn++; end: false }\nactive proctype C() { end: do :: c < " + std::to_string(counter) + " -> c++ od }";
  return text;
}

TEST_CASE("fast engine: keys grow from one word to sixteen during the search") {
  struct Case {
    unsigned processes, parts, counter, words, least_bits;
    std::initializer_list<uint32_t> threads;
  };
  for (const Case& c : {Case{6, 4, 30, 2, 65, {1, 3}}, Case{14, 4, 10, 4, 129, {1, 3}}, Case{28, 4, 3, 16, 257, {2}},
                        Case{50, 4, 1, 16, 513, {2}}}) {
    const Model model = compile_text(relay(c.processes, c.parts, c.counter));
    for (const Order order : kOrders) {
      if (order == Order::kBreadthFirst && c.words > 4) continue;  // many levels
      const SearchResult simple = run_simple(model, Steps::kSpin, options_for(order, 0));
      CHECK(simple.verdict() == Verdict::kHolds);
      for (const uint32_t threads : c.threads) {
        INFO(c.words << " words, " << threads << " threads");
        const SearchResult fast = run_steps_fast(model, Steps::kSpin, options_for(order, 0, threads));
        check_equal(model, fast, simple, order);
        CHECK(fast.keys->key_words == c.words);
        CHECK(fast.keys->relayouts > 10);
        CHECK(fast.keys->key_bits >= c.least_bits);
      }
    }
  }
}

TEST_CASE("fast engine: a path of wide keys leads to its error") {
  for (const Order order : kOrders) {
    const unsigned processes = order == Order::kDepthFirst ? 50 : 14;
    std::string text = relay(processes, 4, 0);
    text.insert(text.find("turn++"), "assert(_pid != " + std::to_string(processes - 3) + "); ");
    const Model model = compile_text(text);
    const SearchResult simple = run_simple(model, Steps::kSpin, options_for(order, 1));
    const SearchResult fast = run_steps_fast(model, Steps::kSpin, options_for(order, 1, 2));
    REQUIRE(fast.errors.size() == 1);
    CHECK(fast.keys->key_words == (order == Order::kDepthFirst ? 16 : 4));
    CHECK(error_kind_name(fast.errors[0].kind) == std::string("assertion"));
    CHECK(fast.errors[0].path.size() == simple.errors[0].path.size());  // there is but one
    check_paths(model, fast);
  }
}

TEST_CASE("fast engine: keys that get too wide are left to the simple engine", "[long]") {
  const Model model = compile_text(relay(90, 4, 0));
  CHECK(run_simple(model, Steps::kSpin, options_for(Order::kDepthFirst, 0)).verdict() == Verdict::kHolds);
  for (const uint32_t threads : {1u, 3u}) {
    std::string reason;
    CHECK(!try_fast(model, Steps::kSpin, options_for(Order::kDepthFirst, 0, threads), &reason));
    CHECK(reason == "keys would need more than 16 words");
  }
}

TEST_CASE("fast engine: hidden variables that are read are left to the simple engine") {
  std::string reason;
  const Model reads = compile_text("hidden byte h; byte x; active proctype P() { h = 3; x = h }");
  CHECK(!try_fast(reads, Steps::kSpin, options_for(Order::kDepthFirst, 0), &reason));
  CHECK(reason == "the model reads hidden variables that another step may have written");
  CHECK(!try_fast(reads, Steps::kSpin, options_for(Order::kDepthFirst, 0)));

  const Model writes =
      compile_text("hidden byte h; byte x; active [2] proctype P() { do :: x < 5 -> h = x; x++ :: h = 7; x = 0 od }");
  for (const Order order : kOrders) {
    const SearchResult simple = run_simple(writes, Steps::kSpin, options_for(order, 0));
    CHECK(simple.states_stored > 20);
    for (const uint32_t threads : {1u, 2u}) {
      check_equal(writes, run_steps_fast(writes, Steps::kSpin, options_for(order, 0, threads)), simple, order);
    }
  }
  // An atomic sequence that never ends, whatever h is when it begins.
  const Model endless = compile_text(
      "hidden byte h; byte g; active [2] proctype P() {\n"
      "do :: atomic { g = 1; do :: h = 3 :: break od } :: break :: g = _pid od }");
  const SearchResult depth_first = run_simple(endless, Steps::kSpin, options_for(Order::kDepthFirst, 0));
  const SearchResult breadth_first = run_simple(endless, Steps::kSpin, options_for(Order::kBreadthFirst, 0));
  CHECK(depth_first.endless_atomic > 0);
  CHECK(depth_first.transitions == breadth_first.transitions);
  check_equal(endless, run_steps_fast(endless, Steps::kSpin, options_for(Order::kDepthFirst, 0)), depth_first,
              Order::kDepthFirst);

  const Model fails =
      compile_text("hidden byte h; byte x; active proctype P() { h = 9; x = 3; h = 2; assert(x == 2) }");
  const SearchResult result = run_steps_fast(fails, Steps::kSpin, options_for(Order::kBreadthFirst, 1));
  REQUIRE(result.errors.size() == 1);
  CHECK(result.errors[0].path.size() == 4);
  check_paths(fails, result);
}

TEST_CASE("fast engine: an initializer that fails is a violation without states") {
  const Model model = compile_text("byte a[3]; byte x = 3; byte y = a[x]; active proctype P() { skip }");
  for (const Order order : kOrders) {
    const SearchResult simple = run_simple(model, Steps::kSpin, options_for(order, 1));
    REQUIRE(simple.error_count == 1);
    const SearchResult fast = run_steps_fast(model, Steps::kSpin, options_for(order, 1));
    CHECK(errors_of(fast) == errors_of(simple));
    CHECK(fast.states_stored == 0);
    CHECK(fast.transitions == 0);
    check_paths(model, fast);
  }
}

TEST_CASE("fast engine: a search that does not ask for end states finds none") {
  const Model model = compile_text("active [2] proctype P() { byte i; do :: i < 9 -> i++ :: i == 9 -> false od }");
  for (const Order order : kOrders) {
    SearchOptions options = options_for(order, 0, 2);
    const SearchResult with = run_steps_fast(model, Steps::kSpin, options);
    CHECK(with.error_count == 1);
    options.check_end_states = false;
    const SearchResult without = run_steps_fast(model, Steps::kSpin, options);
    CHECK(without.error_count == 0);
    CHECK(without.verdict() == Verdict::kHolds);
    CHECK(without.states_stored == with.states_stored);
  }
}

TEST_CASE("fast engine: the limits of paths and of entries are kept with threads") {
  const Model model = compile_text(kWide, {"SIZE=20000"});
  for (const Order order : kOrders) {
    SearchOptions options = options_for(order, 0, 4);
    options.max_trails = 3;
    options.max_reported_errors = 10;
    const SearchResult result = run_steps_fast(model, Steps::kSpin, options);
    CHECK(result.error_count > 100);
    REQUIRE(result.errors.size() == 10);
    check_paths(model, result);

    // A path for each kind and place: there are two, of which the first ten errors may show one only.
    options.max_reported_errors = UINT64_MAX;
    const SearchResult all = run_steps_fast(model, Steps::kSpin, options);
    CHECK(std::ranges::count_if(all.errors, &FoundError::has_path) == 2);
    check_paths(model, all);
  }
}

TEST_CASE("fast engine: undecided properties are reasons") {
  const Model model = compile_text("byte x; ltl p { [] (x < 3) } active proctype P() { x = 1 }");
  const SearchResult result = run_steps_fast(model, Steps::kSpin, options_for(Order::kDepthFirst, 1, 2));
  CHECK(result.all_expanded);
  CHECK(result.verdict() == Verdict::kIncomplete);
  REQUIRE(result.reasons.size() == 1);
  CHECK(info(result.reasons[0].kind).name == std::string("undecided"));
}

TEST_CASE("fast engine: every step is what the reference interpreter computes") {
  const Model model = compile_text(kWide, {"SIZE=1000"});
  const SearchResult simple = run_simple(model, Steps::kSpin, options_for(Order::kBreadthFirst, 0));
  const std::unique_ptr<SuccessorGenerator> checker = make_reference_generator(model, nullptr, ReferenceSteps::kSpin);
  const std::optional<SearchResult> result = run_key_search(
      model, [&] { return generator_of(model, Steps::kSpin); }, options_for(Order::kBreadthFirst, 0, 4), nullptr,
      nullptr, checker.get());
  REQUIRE(result.has_value());
  CHECK(result->keys->threads == 1);
  check_equal(model, *result, simple, Order::kBreadthFirst);
}

// More states than any test has time for.
constexpr const char* kEndless =
    "byte a, b, c, d; active proctype A() { do :: a++ od } active proctype B() { do :: b++ od }\n"
    "active proctype C() { do :: c++ od } active proctype D() { do :: d++ od }";

void check_stopped(const SearchResult& result, const std::string& kind) {
  CHECK(!result.all_expanded);
  CHECK(result.verdict() == Verdict::kIncomplete);
  REQUIRE(result.reasons.size() == 1);
  CHECK(info(result.reasons[0].kind).name == std::string(kind));
  CHECK(result.states_stored > 0);
  CHECK(result.transitions == result.states_stored + result.states_matched - 1);
}

TEST_CASE("fast engine: the time limit makes the verdict incomplete and keeps the counts") {
  const Model model = compile_text(kEndless);
  for (const Order order : kOrders) {
    for (const uint32_t threads : {1u, 3u}) {
      FakeClock clock(0.001);
      SearchOptions options = options_for(order, 1, threads);
      options.clock = &clock;
      options.time_limit_seconds = 0.05;
      const SearchResult result = run_steps_fast(model, Steps::kSpin, options);
      check_stopped(result, "time");
      CHECK(result.reasons[0].text.find("0.05 seconds") != std::string::npos);
      CHECK(result.states_stored > 200);
      CHECK(result.states_stored < 4'000'000);
      CHECK(result.wall_seconds >= 0.05);
      CHECK(result.wall_seconds < 0.06);
    }
  }
}

// A process that comes when there are many states already would cost a re-layout or two each.
TEST_CASE("fast engine: processes that appear late have room", "[long]") {
  const Model model = compile_text(
      "byte n; proctype W(byte depth) { do :: n < 200 -> n++ :: else -> break od; n = 0; if :: depth < 200 -> run "
      "W(depth + 1) "
      ":: else fi; end: (false) } init { run W(1); end: (false) }");
  const SearchResult simple = run_simple(model, Steps::kSpin, options_for(Order::kDepthFirst, 1));
  for (const uint32_t threads : {1u, 2u}) {
    const SearchResult fast = run_steps_fast(model, Steps::kSpin, options_for(Order::kDepthFirst, 1, threads));
    check_equal(model, fast, simple, Order::kDepthFirst);
    CHECK(fast.states_stored > 60'000);
    REQUIRE(fast.keys);
    CHECK(fast.keys->relayouts < 200);  // 417 without
  }
}

// 2,000,000 states beside an error after three steps, which depth first is met late.
TEST_CASE("fast engine: an error near the initial state is found first, unless another search is asked for") {
  const Model model = compile_text(
      "active [3] proctype W() { byte n; do :: n < 125 -> n++ :: n > 0 -> n-- od } byte x; active proctype F() { x = "
      "1; "
      "x = 2; assert(x < 2) }");
  SearchOptions options;
  options.partial_order = true;
  options.only_if_it_pays = true;
  options.state_limit = 100'000;
  const SearchResult first = run_steps_fast(model, Steps::kSpin, options);
  CHECK(first.verdict() == Verdict::kViolated);
  CHECK(first.order == UsedOrder::kBreadthFirst);
  CHECK(first.states_stored < 4200);
  check_paths(model, first);
  for (const Order order : {Order::kDepthFirst, Order::kBreadthFirst}) {
    options.order = order;
    const SearchResult asked = run_steps_fast(model, Steps::kSpin, options);
    CHECK(asked.order == (order == Order::kDepthFirst ? UsedOrder::kDepthFirst : UsedOrder::kBreadthFirst));
  }
  options.order = Order::kAuto;
  options.max_errors = 0;
  CHECK(run_steps_fast(model, Steps::kSpin, options).order == UsedOrder::kDepthFirst);
}

// A dive follows the clock, whose states are all new.
TEST_CASE("fast engine: behind a long dive what is near the initial state is searched") {
  const Model model = compile_text(
      "int t; byte p; active proctype R() { do :: p < 20 -> p++ :: p > 0 -> p-- :: p == 7 && t == 200 -> "
      "assert(false) od } active proctype C() { do :: t++ od }");
  SearchOptions options;
  options.partial_order = true;
  options.only_if_it_pays = true;
  for (const uint32_t threads : {1u, 2u}) {
    INFO(threads);
    options.threads = threads;
    const SearchResult found = run_fast(model, options);
    CHECK(found.verdict() == Verdict::kViolated);
    CHECK(found.order == UsedOrder::kBreadthFirst);
    CHECK(found.states_stored < 100'000);
    check_paths(model, found);
  }
}

TEST_CASE("fast engine: behind a long dive and a look at what is near the search goes on") {
  const Model model = compile_text(
      "int t; byte p; active proctype R() { p = 1 } active proctype C() { do :: t < 300000 -> t++ :: else -> break "
      "od }");
  SearchOptions options;
  options.order = Order::kDepthFirst;
  const SearchResult asked = run_fast(model, options);
  options.order = Order::kAuto;
  options.partial_order = true;
  options.only_if_it_pays = true;
  for (const uint32_t threads : {1u, 2u}) {
    INFO(threads);
    options.threads = threads;
    const SearchResult looked = run_fast(model, options);
    CHECK(looked.verdict() == Verdict::kHolds);
    CHECK(looked.order == UsedOrder::kDepthFirst);
    CHECK(looked.states_stored == asked.states_stored);
    CHECK(looked.transitions == asked.transitions);
    CHECK(looked.depth_reached > 262'144);
  }
}

// Whose wait takes long.
class SlowTurn final : public Turn {
 public:
  explicit SlowTurn(FakeClock& clock) : clock_(clock) {}
  bool is_over() override { return true; }
  void wait() override { clock_.now += 100; }
  bool must_set_aside() override { return false; }
  void wait_for_disk() override {}
  void found(uint64_t) override {}
  bool has_enough(uint64_t, uint64_t) override { return false; }
  double seconds_left() override { return 1000; }

 private:
  FakeClock& clock_;
};

TEST_CASE("fast engine: what others take during a look at what is near is not the search's time") {
  const Model model = compile_text("int t; active proctype C() { do :: t < 300000 -> t++ :: else -> break od }");
  FakeClock clock;
  SlowTurn turn(clock);
  SearchOptions options;
  options.partial_order = true;
  options.only_if_it_pays = true;
  options.turn = &turn;
  options.clock = &clock;
  const SearchResult result = run_fast(model, options);
  CHECK(result.verdict() == Verdict::kHolds);
  CHECK(result.depth_reached > 262'144);
  CHECK(clock.now > 2000);
  CHECK(result.wall_seconds == 0);
}

TEST_CASE("fast engine: partial-order reduction that pays in later states only comes to be on") {
  const Model model = compile_text(kLateJobs);
  for (const Order order : kOrders) {
    SearchOptions options = options_for(order, 0);
    const SearchResult all = run_steps_fast(model, Steps::kSpin, options);
    options.partial_order = true;
    const SearchResult asked = run_steps_fast(model, Steps::kSpin, options);
    options.only_if_it_pays = true;
    for (const uint32_t threads : {1u, 2u}) {
      INFO(threads);
      options.threads = threads;
      const SearchResult later = run_steps_fast(model, Steps::kSpin, options);
      REQUIRE(later.keys);
      // With two threads it depends on them which states are looked at.
      const bool reduces = threads == 1 || later.keys->reduces;
      CHECK(later.keys->reduces == reduces);
      CHECK(later.states_stored == (reduces ? asked : all).states_stored);
      CHECK(4 * asked.states_stored < all.states_stored);
      CHECK(later.transitions == (reduces ? asked : all).transitions);
      CHECK(later.error_count >= asked.error_count);  // some were found before
      CHECK(later.verdict() == Verdict::kViolated);
      CHECK(all.verdict() == Verdict::kViolated);
      check_paths(model, later);
    }
  }
}

TEST_CASE("fast engine: partial-order reduction that pays in the first states only is given back") {
  const Model model =
      compile_file(std::string(CMC_SOURCE_DIR) + "/models/classics/readers_writers.pml", {"READERS=7", "WRITERS=6"});
  SearchOptions options = options_for(Order::kDepthFirst, 0);
  const SearchResult all = run_steps_fast(model, Steps::kSpin, options);
  options.partial_order = true;
  options.only_if_it_pays = true;
  const SearchResult later = run_steps_fast(model, Steps::kSpin, options);
  CHECK(later.states_stored == all.states_stored);
  CHECK(later.transitions == all.transitions);
  REQUIRE(later.keys);
  CHECK(!later.keys->reduces);
}

// Its processes get new contents one after the other, the last first: what room there is belongs beside them.
const std::string kRunsItself =
    "proctype F(byte n; chan back) { chan mine = [1] of { int }; int x; if :: n == 0 -> x = 1 :: n > 0 -> run "
    "F(n - 1, mine); mine ? x; x = x + 1 fi; back ! x } ";

TEST_CASE("fast engine: processes of a proctype that runs itself have room") {
  const Model model = compile_text(
      kRunsItself + "init { chan answer = [1] of { int }; int x; run F(80, answer); answer ? x; assert(x == 81) }");
  const SearchResult simple = run_simple(model, Steps::kSpin, options_for(Order::kDepthFirst, 1));
  for (const Order order : {Order::kDepthFirst, Order::kBreadthFirst}) {
    const SearchResult fast = run_steps_fast(model, Steps::kSpin, options_for(order, 1));
    CHECK(fast.states_stored == simple.states_stored);
    REQUIRE(fast.keys);
    CHECK(fast.keys->relayouts < 60);  // 144 without
  }
}

// The answer is wrong at the end of the first path; processes that end late make 10^6 states beside it.
TEST_CASE("fast engine: the first path is followed to its end through re-layouts and with threads") {
  const Model model =
      compile_text(kRunsItself +
                   "init { chan answer = [1] of { int }; int x, n; do :: n < 20 -> run F(n, answer); answer ? x; n++ "
                   ":: else -> break od; assert(x != 20) }");
  const SearchResult simple = run_simple(model, Steps::kSpin, options_for(Order::kDepthFirst, 1));
  for (const uint32_t threads : {1u, 3u}) {
    SearchOptions options = options_for(Order::kDepthFirst, 1);
    options.threads = threads;
    const SearchResult fast = run_steps_fast(model, Steps::kSpin, options);
    CHECK(fast.verdict() == Verdict::kViolated);
    CHECK(fast.states_stored == simple.states_stored);
    REQUIRE(fast.keys);
    CHECK(fast.keys->relayouts > 10);
  }
}

// Two words of a key in which all bits are used, and a group of variables that depend on each other.
TEST_CASE("fast engine: keys of many variables that depend on nothing are condensed") {
  std::string text = "byte a, b, v[28]; short s; int r = 1; active proctype P() { do :: s < 3000 -> d_step { s++; ";
  text += "a = s % 16; b = 15 - a; ";
  for (int i = 0; i < 28; ++i) {
    text += fmt::format("r = r * 1103515245 + 12345; if :: s < 1500 -> v[{0}] = (r >> 16) & 255 :: else fi; ", i);
  }
  text += "if :: s >= 1500 -> v[27] = s & 255; v[26] = 255 - v[27]; v[25] = s >> 8; :: else fi; r = s } ";
  text += ":: else -> break od; assert(false) }";
  const Model model = compile_text(text);
  for (const Order order : kOrders) {
    const SearchResult simple = run_simple(model, Steps::kSpin, options_for(order, 0));
    for (const uint32_t threads : {1u, 3u}) {
      const SearchResult fast = run_steps_fast(model, Steps::kSpin, options_for(order, 0, threads));
      check_equal(model, fast, simple, order);
      CHECK(fast.states_stored > 3000);
      CHECK(fast.error_count == 1);
    }
  }
}

TEST_CASE("fast engine: the memory limit is not overshot", "[long]") {
  const Model model = compile_text(kEndless);
  for (const Order order : kOrders) {
    for (const uint32_t threads : {1u, 3u}) {
      const uint64_t earlier_peak = peak_resident_bytes();
      SearchOptions options = options_for(order, 1, threads);
      options.memory_limit_bytes = resident_bytes() + (uint64_t{24} << 20);
      const SearchResult result = run_steps_fast(model, Steps::kSpin, options);
      check_stopped(result, "memory");
      CHECK(result.states_stored > 20'000);
      CHECK(result.memory_peak_bytes < std::max(earlier_peak, options.memory_limit_bytes) + (uint64_t{8} << 20));
    }
  }
}

TEST_CASE("fast engine: thousands of levels cost a breadth-first search little memory") {
  const Model model = compile_text("int x; active proctype P() { do :: x < 3000 -> x++ :: else -> break od }");
  for (const uint32_t threads : {1u, 3u}) {
    SearchOptions options = options_for(Order::kBreadthFirst, 0, threads);
    options.memory_limit_bytes = resident_bytes() + (uint64_t{64} << 20);
    const SearchResult result = run_steps_fast(model, Steps::kSpin, options);
    CHECK(result.all_expanded);
    CHECK(result.depth_reached > 6000);
    CHECK(result.keys->open_bytes < (uint64_t{4} << 20));
  }
}

TEST_CASE("fast engine: workers get parts of a stack of thousands of levels") {
  // A long way, from which a short one branches off here and there.
  const Model model = compile_text(
      "int x; byte y; active proctype P() {\n"
      "do :: x < 20000 -> x++ :: x % 500 == 7 -> y = x % 3; break :: else -> break od; do :: y < 5 -> y++ od }");
  const SearchResult simple = run_simple(model, Steps::kSpin, options_for(Order::kDepthFirst, 0));
  CHECK(simple.states_stored > 40'000);
  CHECK(simple.error_count > 20);
  compare_engines(model, Steps::kSpin, Order::kDepthFirst, simple, {kOneThread, kFewThreads, kManyThreads});
}

TEST_CASE("fast engine: a limit below what the program needs stops the search soon") {
  const Model model = compile_text(kEndless);
  for (const Order order : kOrders) {
    SearchOptions options = options_for(order, 1, 2);
    options.memory_limit_bytes = 1;
    const SearchResult result = run_steps_fast(model, Steps::kSpin, options);
    check_stopped(result, "memory");
    CHECK(result.states_stored < 100'000);
  }
}

#if !CMC_ADDRESS_SANITIZER && !CMC_THREAD_SANITIZER  // their heaps keep what is freed
TEST_CASE("fast engine: a search on disk goes on with what was freed at its start") {
  const Model model = compile_text("byte x; active proctype P() { do :: x++ od }");
  SearchOptions options = options_for(Order::kDepthFirst, 0);
  options.store.enabled = options.store.from_start = true;
  options.memory_limit_bytes = resident_bytes() + (uint64_t{40} << 20);
  // Much that is free in the middle counts as used until it is given back to the system.
  std::vector<std::unique_ptr<char[]>> blocks;
  for (size_t i = 0; i < 80'000; ++i) blocks.push_back(std::make_unique<char[]>(1000));
  const std::unique_ptr<char[]> last = std::move(blocks.back());
  blocks.clear();
  REQUIRE(resident_bytes() > options.memory_limit_bytes);
  const SearchResult result = run_steps_fast(model, Steps::kSpin, options);
  CHECK(result.reasons.empty());
  CHECK(result.all_expanded);
}
#endif

TEST_CASE("fast engine: an interrupt before the start is obeyed soon") {
  const std::atomic<bool> interrupt = true;
  const Model model = compile_text(kEndless);
  for (const Order order : kOrders) {
    for (const uint32_t threads : {1u, 3u}) {
      SearchOptions options = options_for(order, 1, threads);
      options.interrupt = &interrupt;
      const SearchResult result = run_steps_fast(model, Steps::kSpin, options);
      check_stopped(result, "interrupted");
      CHECK(result.interrupted);
      CHECK(result.states_stored < 200'000);
    }
  }
}

// Sees progress, and interrupts.
class Interrupter final : public SearchObserver {
 public:
  void on_progress(const Progress& progress) override {
    all.push_back(progress);
    if (all.size() == 5) interrupt = true;
  }
  std::vector<Progress> all;
  std::atomic<bool> interrupt = false;
};

TEST_CASE("fast engine: progress is shown at most ten times a second, and an interrupt stops the search") {
  const Model model =
      compile_text(std::string(kEndless) + "active proctype E() { byte e; do :: e++; assert(e < 9) od }");
  for (const Order order : kOrders) {
    for (const uint32_t threads : {1u, 3u}) {
      FakeClock clock(0.001);
      Interrupter observer;
      SearchOptions options = options_for(order, 0, threads);
      options.clock = &clock;
      options.interrupt = &observer.interrupt;
      const std::optional<SearchResult> result = try_fast(model, Steps::kSpin, options, nullptr, &observer);
      REQUIRE(result.has_value());
      CHECK(result->interrupted);
      CHECK(!result->all_expanded);
      CHECK(result->reasons.size() == 1);
      REQUIRE(observer.all.size() == 5);
      for (size_t i = 0; i < observer.all.size(); ++i) {
        const Progress& progress = observer.all[i];
        CHECK(progress.states > 0);
        CHECK(progress.transitions == progress.states + progress.matched - 1);
        CHECK(progress.memory_bytes > 0);
        if (i > 0) CHECK(progress.elapsed_seconds >= observer.all[i - 1].elapsed_seconds + 0.1);
        if (i > 0) CHECK(progress.states >= observer.all[i - 1].states);
      }
    }
  }
}

// Sets a flag once `x`, the first global, has reached some value.
class Watcher final : public SuccessorGenerator {
 public:
  Watcher(std::unique_ptr<SuccessorGenerator> inner, const Model& model, int32_t value, std::atomic<bool>& flag)
      : inner_(std::move(inner)), offset_(model.globals.at(0).offset), value_(value), flag_(flag) {}
  void initial(SuccessorBatch& out) override { inner_->initial(out); }
  void successors(ByteView state, SuccessorBatch& out) override { inner_->successors(state, out); }
  bool process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace,
                          SuccessorBatch& out) override {
    if (load<int32_t>(state.data() + offset_) == value_) flag_ = true;
    return inner_->process_successors(state, pid, timeout, trace, out);
  }

 private:
  std::unique_ptr<SuccessorGenerator> inner_;
  uint32_t offset_;
  int32_t value_;
  std::atomic<bool>& flag_;
};

TEST_CASE("fast engine: an interrupt is obeyed also when all work is with one of the threads") {
  // 200 short ways, and one that is long; in the end a single worker, not always the same one, goes that.
  constexpr int kLength = 60'000;
  const Model model = compile_text(
      "int x; byte way; active proctype P() { do :: way < 200 -> way++ :: break od;\n"
      "do :: x < 200 || (way == 77 && x < LENGTH) -> x++ :: else -> break od }",
      {"LENGTH=" + std::to_string(kLength)});
  for (int round = 0; round < 4; ++round) {
    std::atomic<bool> interrupt = false;
    SearchOptions options = options_for(Order::kDepthFirst, 0, 5);
    options.interrupt = &interrupt;
    options.memo_bytes = kTinyMemo;  // so that every state is shown to the generator
    const auto make = [&] {
      return std::make_unique<Watcher>(generator_of(model, Steps::kSpin), model, 5'000, interrupt);
    };
    const std::optional<SearchResult> result = run_key_search(model, make, options);
    REQUIRE(result.has_value());
    CHECK(interrupt);
    CHECK(result->interrupted);
    CHECK(result->states_stored < 2 * kLength);
  }
}

// Every subset of `seen` is met: 2^13 contents of one frame.
TEST_CASE("fast engine: a frame whose contents hardly recur is divided, and the search begins again", "[long]") {
  const Model model = compile_text(
      "active proctype P() { bit seen[13]; byte i;\n"
      "do :: atomic { i < 13 -> i++ } :: i > 0 -> atomic { seen[i - 1] = 1 - seen[i - 1]; i = 0 } :: seen[12] -> "
      "assert(!seen[3]) od }");
  for (const Order order : kOrders) {
    for (const uint32_t threads : {1u, 3u}) {
      INFO("breadth first " << (order == Order::kBreadthFirst) << ", " << threads << " threads");
      const SearchOptions options = options_for(order, 0, threads);
      const SearchResult simple = run_simple(model, Steps::kSpin, options_for(order, 0));
      const SearchResult fast = run_steps_fast(model, Steps::kSpin, options);
      CHECK(fast.states_stored == simple.states_stored);
      CHECK(fast.states_stored > 8192);
      CHECK(fast.transitions == simple.transitions);
      CHECK(fast.error_count == simple.error_count);
      CHECK(fast.error_count > 0);
      const auto is_part = [](const KeyFigures::Component& component) { return component.name == "P[0] part 13"; };
      CHECK(std::ranges::any_of(fast.keys->components, is_part));
      CHECK(std::accumulate(fast.statistics.state_sizes.begin(), fast.statistics.state_sizes.end(), uint64_t{0},
                            [](uint64_t sum, const auto& size) { return sum + size.second; }) == fast.transitions);
    }
  }
}

// 30 * 30 * 30 values of three locals, which are as many contents of the frame.
TEST_CASE("fast engine: a frame with as many contents as there are states is divided into scalars", "[long]") {
  const Model model = compile_text(
      "bit g; active proctype P() { byte x, y, z; do :: x = (x + 1) % 30 :: y = (y + 1) % 30 :: z = (z + 1) % 30\n"
      ":: x == 7 && y == 7 && z == 7 -> assert(g) od }\nactive proctype Q() { byte w = 1; g = w }");
  const SearchResult simple = run_simple(model, Steps::kSpin, options_for(Order::kDepthFirst, 0));
  for (const Order order : kOrders) {
    for (const uint32_t threads : {1u, 3u}) {
      INFO("breadth first " << (order == Order::kBreadthFirst) << ", " << threads << " threads");
      const SearchResult fast = run_steps_fast(model, Steps::kSpin, options_for(order, 0, threads));
      CHECK(fast.states_stored == simple.states_stored);
      CHECK(fast.transitions == simple.transitions);
      CHECK(fast.error_count == simple.error_count);
      uint64_t most = 0;
      for (const KeyFigures::Component& component : fast.keys->components)
        most = std::max<uint64_t>(most, component.contents);
      CHECK(most == 30);
      CHECK(std::ranges::find(fast.keys->components, "Q[1]", &KeyFigures::Component::name) !=
            fast.keys->components.end());
    }
  }
}

// Of so many variables, each has the value that the one before it had: 0 and 1 until `late`, then as many as steps.
std::string shift_register(uint32_t length, uint32_t late, uint32_t end) {
  std::string names;
  std::string moves;
  for (uint32_t i = 0; i < length; ++i) {
    names += fmt::format("a{}, ", i);
    if (i > 0) moves = fmt::format("a{} = a{}; ", i, i - 1) + moves;
  }
  return fmt::format(
      "active proctype P() {{ int {0} seed, k, most = 1; do :: k < {3} -> d_step {{ {1} seed = seed * 1103515245 + "
      "12345; a0 = (seed >> 16) & most; k++; if :: k == {2} -> most = 65535 :: else fi }} :: k == {3} -> break od; "
      "assert(k == {3}) }}",
      names, moves, late, end);
}

TEST_CASE("fast engine: frames are not divided into scalars that differ in each state, or no longer then", "[long]") {
  // Keys for that would need 16 bits for each of 60 variables; of 100 they would be too wide, which turns out late.
  for (const auto& [length, late] : {std::pair(60u, 1u), std::pair(100u, 12'000u)}) {
    const Model model = compile_text(shift_register(length, late, 25'000));
    const SearchResult fast = run_steps_fast(model, Steps::kSpin, options_for(Order::kDepthFirst, 0));
    CHECK(fast.states_stored == 50'004);
    CHECK(fast.transitions == 50'003);
    CHECK(fast.keys->components.size() == 2);
    CHECK(fast.keys->components.back().contents == 50'004);
  }
}

TEST_CASE("fast engine: figures about keys and memo fit together") {
  const Model model = compile_text(
      "byte x, y; active proctype P() { do :: x < 40 -> x++ :: y < 30 -> y++; x = 0 od }\n"
      "active proctype Q() { do :: x == y od }");
  for (const uint64_t memo_bytes : {uint64_t{0}, kTinyMemo}) {
    for (const uint32_t threads : {1u, 2u}) {
      INFO("memo " << memo_bytes << ", " << threads << " threads");
      SearchOptions options = options_for(Order::kDepthFirst, 0, threads);
      options.memo_bytes = memo_bytes;
      const SearchResult result = run_steps_fast(model, Steps::kSpin, options);
      const KeyFigures& keys = *result.keys;
      CHECK(keys.key_words == 1);
      CHECK(keys.relayouts > 3);
      uint32_t bits = 0;
      std::map<std::string, uint32_t> contents;
      for (const KeyFigures::Component& component : keys.components) {
        bits += component.bits;
        contents[component.name] = component.contents;
        CHECK(component.contents <= uint64_t{1} << component.bits);
      }
      CHECK(bits == keys.key_bits);
      CHECK(contents["x"] == 41);
      CHECK(contents["y"] == 31);
      CHECK(contents["P[0]"] == 4);  // its locations
      // A process that did not see what the other one did is not looked up again.
      CHECK(keys.memo_lookups >= result.states_stored);
      CHECK(keys.memo_lookups < 2 * result.states_stored);
      CHECK(keys.set_bytes > 0);
      CHECK(keys.component_bytes > 0);
      if (memo_bytes == 0) {
        CHECK(keys.memo_misses < keys.memo_lookups / 2);
        CHECK(keys.memo_clears == 0);
      } else {  // all is forgotten before something is remembered, and at each re-layout
        CHECK(keys.memo_misses > keys.memo_lookups / 2);
        CHECK(keys.memo_clears > 0);
        CHECK(keys.memo_clears <= keys.memo_misses + uint64_t{keys.relayouts} * threads);
      }
    }
  }
}

}  // namespace
}  // namespace cmc::test
