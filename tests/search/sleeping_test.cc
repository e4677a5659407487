#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "checker/generator/wrappers/spin_steps.h"
#include "checker/plain/simple_search.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "ir/effects.h"
#include "tests/keys/models.h"
#include "tests/search/searches.h"
#include "tests/support/compile.h"
#include "tests/support/random_models.h"

#include "tests/catch.h"

// Sleeping processes in every engine that has them, against the simple engine.

namespace cmc::test {
namespace {

using Order = SearchOptions::Order;
constexpr uint64_t kMostStates = 3000;

enum class Place { kMemory, kCached, kSorted };

struct SleepingEngine {
  Place place = Place::kMemory;
  Order order = Order::kAuto;
  uint32_t threads = 1;
  uint64_t memo_bytes = 0;  // 1: everything is forgotten again and again
};

constexpr SleepingEngine kSleepingEngines[] = {
    {Place::kMemory, Order::kDepthFirst, 1, 0},
    {Place::kMemory, Order::kDepthFirst, 3, kTinyMemo},
    {Place::kMemory, Order::kBreadthFirst, 1, 0},
    {Place::kMemory, Order::kBreadthFirst, 1, kTinyMemo},
    {Place::kMemory, Order::kBreadthFirst, 2, 0},
    {Place::kMemory, Order::kBreadthFirst, 3, kTinyMemo},
    {Place::kCached, Order::kAuto, 1, 0},
    {Place::kCached, Order::kAuto, 2, kTinyMemo},
    {Place::kCached, Order::kDepthFirst, 1, kTinyMemo},
    {Place::kCached, Order::kDepthFirst, 3, 0},
    {Place::kCached, Order::kBreadthFirst, 1, kTinyMemo},
    {Place::kCached, Order::kBreadthFirst, 2, 0},
    {Place::kSorted, Order::kAuto, 1, 0},
    {Place::kSorted, Order::kAuto, 2, kTinyMemo},
    {Place::kSorted, Order::kAuto, 3, 0},
};

// Level by level in RAM it did not pay (bench/RESULTS.md), and depth first on disk errors came late.
bool carries(const SleepingEngine& engine) {
  if (engine.place == Place::kMemory) return engine.order != Order::kBreadthFirst;
  return engine.order != Order::kDepthFirst;
}

// With so little memory that nearly all states are on disk, and open ones in files.
SearchOptions options_of(const SleepingEngine& engine) {
  SearchOptions options;
  options.order = engine.order;
  options.max_errors = 0;
  options.max_trails = SearchOptions::kEachTrail;
  options.threads = engine.threads;
  options.memo_bytes = engine.memo_bytes;
  if (engine.place == Place::kMemory) return options;
  options.store.from_start = true;
  options.store.beyond = engine.place == Place::kSorted ? Beyond::kSorted : Beyond::kCached;
  options.store.partitions = 3;
  options.store.bloom_bits = 4096;
  options.store.lossy_capacity = 64;
  options.store.lookup_buffer = 32;
  options.store.page_bytes = 512;
  options.store.write_buffer_bytes = 4096;
  return options;
}

// Returns how many steps slept in each engine; none: the model is not for them.
std::optional<std::vector<uint64_t>> compare(const Model& model) {
  if (reads_hidden_variable(model) || model.claim.exists()) return std::nullopt;
  SearchOptions plain;
  plain.max_errors = 0;
  plain.state_limit = kMostStates;
  plain.order = Order::kBreadthFirst;
  const SearchResult simple = run_search(*make_generator(model), model, plain);
  if (!simple.all_expanded || simple.states_stored > kMostStates) return std::nullopt;
  std::vector<uint64_t> asleep;
  for (const SleepingEngine& engine : kSleepingEngines) {
    INFO(fmt::format("place {}, order {}, {} threads, memo {}", static_cast<int>(engine.place),
                     static_cast<int>(engine.order), engine.threads, engine.memo_bytes));
    const std::optional<SearchResult> result = run_key_search(
        model, [&] { return make_generator(model); }, options_of(engine), nullptr, nullptr);
    REQUIRE(result.has_value());
    CHECK(result->all_expanded);
    CHECK(result->states_stored == simple.states_stored);
    CHECK(result->transitions == simple.transitions);
    CHECK(result->error_count == simple.error_count);
    CHECK(result->endless_atomic == simple.endless_atomic);
    CHECK(result->locations.reached == simple.locations.reached);
    CHECK(result->verdict() == simple.verdict());
    CHECK(result->statistics.dead_ends == simple.statistics.dead_ends);
    if (engine.order == Order::kBreadthFirst) CHECK(result->depth_reached == simple.depth_reached);
    asleep.push_back(result->keys->asleep_steps);
    CHECK(result->keys->asleep_steps == result->statistics.asleep_steps);
  }
  return asleep;
}

// Where the rule has its special cases.
constexpr SmallModel kModels[] = {
    {"independent processes", "byte x[4]; active [4] proctype P() { do :: x[_pid] < 3 -> x[_pid]++ od }"},
    {"a process that sleeps without a step is awake for timeout", R"(
byte x, y;
active proctype A() { do :: timeout -> x++; if :: x == 4 -> break :: else fi od }
active proctype B() { do :: y < 3 -> y++ :: timeout -> y = 0; break od }
active proctype C() { byte i; do :: i < 3 -> i++ :: x > 1 -> break od }
)"},
    {"atomic sequences that block", R"(
byte x, y, z; chan q = [1] of { byte };
active proctype A() { do :: z < 3 -> z++ :: else -> break od }
active proctype B() { atomic { x = 1; q!1; q!2; x = 2 }; atomic { (y > 0); x = 3; q!3 } }
active proctype C() { byte v; do :: q?v -> y++ :: atomic { y > 1 -> q?v; y = 0 } :: y > 5 -> break od }
)"},
    {"handshakes, of which sleepers are partners", R"(
chan r = [0] of { byte }; chan s = [0] of { byte }; byte x;
active proctype A() { byte i; do :: i < 2 -> i++ :: r!i od }
active proctype B() { byte v; end: do :: r?v -> x = v :: s?v; r!v od }
active proctype D() { byte v; end: do :: r?v -> v = 0 od }
active proctype C() { byte i; do :: i < 2 -> i++; s!i :: x > 1 -> x = 0 :: i == 2 -> break od }
)"},
    {"run in a sleeper's step", R"(
byte n, m;
proctype C(byte k) { do :: k > 0 -> k-- :: else -> break od }
active proctype A() { do :: n < 2 -> atomic { n++; run C(n) } :: m > 1 -> break od }
active proctype B() { do :: m < 3 -> m++ :: else -> break od }
active proctype D() { do :: _nr_pr < 4 -> break od }
)"},
    {"errors of sleepers", R"(
byte x, y, z; byte a[3];
active proctype A() { do :: x < 3 -> x++ :: a[x] = 1; assert(x != 1) od }
active proctype B() { do :: y < 3 -> y++; z = 7 / (2 - y) :: y > 2 -> break od }
active proctype C() { byte i; do :: i < 2 -> i++; assert(i != 2) :: else -> break od }
)"},
};

TEST_CASE("sleeping processes: every engine has the states and transitions of the simple one: special cases") {
  for (const SmallModel& small : kModels) {
    INFO(small.name);
    const auto asleep = compare(compile_text(small.text));
    REQUIRE(asleep);
    for (size_t i = 0; i < asleep->size(); ++i) {
      INFO("engine " << i);
      CHECK(((*asleep)[i] > 0) == carries(kSleepingEngines[i]));
    }
  }
}

TEST_CASE("sleeping processes: every engine has the states and transitions of the simple one: small models") {
  for_each_small_model([](const Model& model) { compare(model); });
}

TEST_CASE("sleeping processes: every engine has the states and transitions of the simple one: random models",
          "[long]") {
  uint64_t compared = 0;
  for (const random::Profile& profile : random::profiles()) {
    for (uint64_t seed = 100; seed < 108; ++seed) {
      INFO(profile.name << " " << seed);
      const std::optional<Model> model = compile_random(seed, profile);
      if (!model) continue;
      compared += compare(*model) ? 1 : 0;
    }
  }
  CHECK(compared > 40);
}

// More states than a worker expands before it looks whether carrying pays.
TEST_CASE("sleeping processes: where few sleep, steps are carried no more") {
  const Model apart = compile_text("byte x[4]; active [4] proctype P() { do :: x[_pid] < 5 -> x[_pid]++ od }");
  const Model together =
      compile_text("short x, y; active [2] proctype P() { do :: x < 70 -> x++ :: y < 70 -> y++ od }");
  for (const SleepingEngine& engine : kSleepingEngines) {
    if (engine.memo_bytes == kTinyMemo || engine.threads > 1 || !carries(engine)) continue;
    SearchOptions options = options_of(engine);
    options.store.lossy_capacity = 4096;
    options.store.lookup_buffer = 4096;
    options.check_end_states = false;
    for (const Model* const model : {&apart, &together}) {
      INFO(fmt::format("place {}, order {}, {}", static_cast<int>(engine.place), static_cast<int>(engine.order),
                       model == &apart ? "apart" : "together"));
      const std::optional<SearchResult> result = run_key_search(
          *model, [&] { return make_generator(*model); }, options, nullptr, nullptr);
      REQUIRE(result.has_value());
      CHECK(result->states_stored == (model == &apart ? 11 * 11 * 11 * 11 : 45792));
      CHECK(result->keys->carrying_given_up == (model == &together));
      if (model == &apart) CHECK(2 * result->keys->asleep_steps > result->transitions);
    }
  }
}

}  // namespace
}  // namespace cmc::test
