#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "checker/generator/wrappers/path_steps.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/plain/simple_search.h"
#include "checker/reference/reference.h"
#include "checker/result/replay.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "tests/search/searches.h"
#include "tests/support/compile.h"
#include "tests/support/memory_files.h"
#include "tests/support/part_of_day.h"

#include "tests/catch.h"

// Atomic sequences with more ends than fit into memory at once, and ones that never end.

namespace cmc::test {
namespace {

using Order = SearchOptions::Order;

// One step to 300 * 300 states, from each of which come others; the assertion fails at some of them. `w` has many
// contents, so keys get wider on the way.
std::string fan() {
  std::string text = "short a, b; int w; active proctype P() { atomic { if ";
  for (int i = 0; i < 300; ++i) text += ":: a = " + std::to_string(i) + " ";
  text += "fi; if ";
  for (int i = 0; i < 300; ++i) text += ":: b = " + std::to_string(i) + " ";
  return text + "fi; w = a * 300 + b; assert(a + b < 580) } }\nactive proctype Q() { byte k; k = 1; k = 2 }";
}

TEST_CASE("long steps: steps that are handed over in parts are counted, found and reported as others", "[long]") {
  const Model model = compile_text(fan());
  SearchOptions options;
  options.max_errors = 0;
  options.max_reported_errors = 100;
  options.max_trails = 2;
  const std::unique_ptr<SuccessorGenerator> generator = make_generator(model);
  const SearchResult simple = run_search(*generator, model, options);
  REQUIRE(simple.all_expanded);
  REQUIRE(simple.states_stored > 400'000);
  REQUIRE(simple.error_count > 500);
  const std::unique_ptr<SuccessorGenerator> reference = make_reference_generator(model);
  const PartOfDay part;
  uint64_t number = 0;
  for (const Order order : {Order::kAuto, Order::kBreadthFirst, Order::kDepthFirst}) {
    for (const uint32_t threads : {1u, 3u}) {
      for (const bool on_disk : {false, true}) {
        if (!part.has(number++)) continue;
        INFO("order " << static_cast<int>(order) << ", " << threads << " threads" << (on_disk ? ", on disk" : ""));
        options.order = order;
        options.threads = threads;
        options.store.from_start = on_disk;
        options.store.lossy_capacity = 200'000;
        options.store.bloom_bits = uint64_t{1} << 22;
        options.store.lookup_buffer = 20'000;
        options.store.write_buffer_bytes = uint64_t{1} << 22;
        const SearchResult fast = run_fast(model, options);
        CHECK(fast.all_expanded);
        CHECK(fast.states_stored == simple.states_stored);
        CHECK(fast.transitions == simple.transitions);
        CHECK(fast.error_count == simple.error_count);
        CHECK(fast.statistics.dead_ends == simple.statistics.dead_ends);
        CHECK(fast.statistics.single_successor == simple.statistics.single_successor);
        CHECK(fast.statistics.state_sizes == simple.statistics.state_sizes);
        REQUIRE(!fast.errors.empty());
        CHECK(fast.errors[0].has_path);
        CHECK(verify_error(fast.errors[0], *reference).empty());
      }
    }
  }
}

// Set from outside, after a while.
class Alarm final : public SearchObserver {
 public:
  void on_progress(const Progress& progress) override {
    if (progress.elapsed_seconds > 0.15) rings = true;
  }
  std::atomic<bool> rings{false};
};

constexpr const char* kLoop = "byte a, b, c; init { atomic { do :: a++ :: b++ :: c++ od } }";

TEST_CASE("long steps: limits and interrupts are obeyed inside an atomic sequence that does not end", "[long]") {
  const Model model = compile_text(kLoop);
  enum class Stop { kTime, kInterrupt, kMemory };
  for (const Stop stop : {Stop::kTime, Stop::kInterrupt, Stop::kMemory}) {
    for (const bool simple : {true, false}) {
      for (const bool on_disk : {false, true}) {
        for (const bool paths : {false, true}) {
          if (simple && on_disk) continue;
          Alarm alarm;
          SearchOptions options;
          options.interrupt = &alarm.rings;
          if (stop == Stop::kTime) options.time_limit_seconds = 0.2;
          if (stop == Stop::kMemory) options.memory_limit_bytes = uint64_t{60} << 20;
          options.store.from_start = on_disk;
          SearchObserver* const observer = stop == Stop::kInterrupt ? &alarm : nullptr;
          const auto make = [&] {
            auto generator = make_generator(model);
            return paths ? close_local_paths(std::move(generator), model) : std::move(generator);
          };
          SearchResult result;
          if (simple) {
            result = run_search(*make(), model, options, observer);
          } else {
            result = std::move(*run_key_search(model, make, options, observer));
          }
          INFO("stop " << static_cast<int>(stop) << " simple " << simple << " disk " << on_disk << " paths "
                       << paths);
          CHECK(!result.all_expanded);
          CHECK(result.verdict() == Verdict::kIncomplete);
          REQUIRE(result.reasons.size() == 1);
          INFO(result.reasons[0].text);
          const ReasonKind expected = stop == Stop::kTime        ? ReasonKind::kTime
                                      : stop == Stop::kInterrupt ? ReasonKind::kInterrupted
                                                                 : ReasonKind::kMemory;
          CHECK(result.reasons[0].kind == expected);
        }
      }
    }
  }
}

TEST_CASE("long steps: an atomic sequence with countless paths is decided") {
  const Model model = compile_text(
      "byte a, b; bit out; active proctype P() { atomic { do :: a = (a + 1) % 30 :: b = (b + 1) % 30 :: a == 7 && b "
      "== 9 "
      "-> out = 1; break od }; assert(out == 1) }");
  SearchOptions options;
  const std::unique_ptr<SuccessorGenerator> generator = make_generator(model);
  const SearchResult simple = run_search(*generator, model, options);
  CHECK(simple.verdict() == Verdict::kHolds);
  CHECK(simple.endless_atomic == 1);
  for (const uint32_t threads : {1u, 2u}) {
    options.threads = threads;
    const SearchResult fast = run_fast(model, options);
    CHECK(fast.verdict() == Verdict::kHolds);
    CHECK(fast.endless_atomic == 1);
    CHECK(fast.states_stored == simple.states_stored);
    CHECK(fast.transitions == simple.transitions);
  }
}

}  // namespace
}  // namespace cmc::test
