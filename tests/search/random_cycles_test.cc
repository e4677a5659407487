#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/sanitizers.h"
#include "checker/generator/product_generator.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/plain/simple_search.h"
#include "checker/reference/reference.h"
#include "checker/search/key_search.h"
#include "checker/vm/generator.h"
#include "ir/product.h"
#include "tests/support/compile.h"
#include "tests/support/part_of_day.h"
#include "tests/support/products.h"

#include "tests/catch.h"

// Cycles through accept labels in random graphs: what nested depth-first search, alone and with threads, the search
// for fair components, and the hull say is what Tarjan's algorithm (1972) says of the explicit graph.

namespace cmc::test {
namespace {

constexpr int kGraphs = 250;

// AddressSanitizer keeps what was freed for a while, ThreadSanitizer who used what.
#if CMC_ADDRESS_SANITIZER || CMC_THREAD_SANITIZER
constexpr uint64_t kFairMemoryLimit = uint64_t{4} << 30;
#else
constexpr uint64_t kFairMemoryLimit = uint64_t{256} << 20;
#endif

class RandomGraphs {
 public:
  explicit RandomGraphs(uint64_t seed) : random_(seed) {}

  // Processes whose locations are the nodes of a graph each: one large one, or up to four small ones, which wait for
  // each other through a variable.
  std::string model() {
    const uint32_t processes = below(2) == 0 ? 1 : 2 + below(3);
    std::string text = "byte g;\n";
    for (uint32_t i = 0; i < processes; ++i) {
      const uint32_t nodes = processes == 1 ? 20 + below(181) : 2 + below(processes == 2 ? 12 : 4);
      text += "active proctype P" + std::to_string(i) + "() {\n" + graph(nodes, processes > 1) + "}\n";
    }
    return text;
  }

 private:
  uint32_t below(uint64_t end) { return static_cast<uint32_t>(random_() % end); }

  std::string graph(uint32_t nodes, bool guarded) {
    const uint32_t accepting_percent = 1 + below(20);
    constexpr double kDensities[] = {0.8, 1, 1.2, 1.5, 2, 3};
    const auto arcs = static_cast<uint32_t>(kDensities[below(6)] * nodes + 1);
    const uint32_t back_percent = 1 + below(100);  // of arcs that may lead to a smaller number
    std::vector<std::string> names;
    for (uint32_t i = 0; i < nodes; ++i)
      names.push_back((below(100) < accepting_percent ? "accept" : "n") + std::to_string(i));
    std::vector<std::string> options(nodes);
    for (uint32_t i = 0; i < arcs; ++i) {
      uint32_t from = below(nodes);
      uint32_t to = below(nodes);
      if (to < from && below(100) >= back_percent) std::swap(from, to);
      options[from] += " :: " + action(guarded) + " -> goto " + names[to];
    }
    std::string text;
    for (uint32_t i = 0; i < nodes; ++i) {
      text += names[i] + ": " + (options[i].empty() ? "false" : "if" + options[i] + " fi") + ";\n";
    }
    return text;
  }
  std::string action(bool guarded) {
    const uint32_t kind = guarded ? below(4) : 0;
    if (kind < 2) return "true";
    return (kind == 2 ? "g == " : "g = ") + std::to_string(below(3));
  }

  std::mt19937_64 random_;
};

std::unique_ptr<SuccessorGenerator> product(const Model& model) {
  return make_product_generator(close_atomic_chains(make_vm_generator(model), model), model);
}

struct Engine {
  const char* name;
  uint32_t threads;
  CycleAlgorithm cycles;
};
constexpr Engine kEngines[] = {{"auto", 1, CycleAlgorithm::kAuto},
                               {"auto, two threads", 2, CycleAlgorithm::kAuto},
                               {"auto, eight threads", 8, CycleAlgorithm::kAuto},
                               {"hull", 1, CycleAlgorithm::kHull},
                               {"hull, two threads", 2, CycleAlgorithm::kHull}};

bool is_cycle(const FoundError& error) { return error.loop_start != FoundError::kNoLoop; }

bool has_cycle(const SearchResult& result) { return std::ranges::any_of(result.errors, is_cycle); }

TEST_CASE("cycles: every algorithm finds one in random graphs iff there is one", "[long]") {
  const PartOfDay part;
  RandomGraphs graphs(1);
  int cyclic = 0;
  int fair = 0;
  for (int i = 0; i < kGraphs; ++i) {
    const std::string text = graphs.model();
    if (!part.has(static_cast<uint64_t>(i))) continue;
    Model model = compile_text(text);
    model = with_observers(model, add_true_claim(model));
    ProductWithProcesses judge(make_reference_product(model, nullptr, ReferenceSteps::kSpin),
                               make_reference_generator(model, nullptr, ReferenceSteps::kSpin));
    for (const Fairness fairness : {Fairness::kNone, Fairness::kWeak}) {
      SearchOptions options = cycle_options(fairness);
      const bool expected = has_cycle(run_search(*product(model), model, options));
      (fairness == Fairness::kWeak ? fair : cyclic) += expected;
      for (const Engine& engine : kEngines) {
        INFO(text << engine.name << (fairness == Fairness::kWeak ? ", weak fairness" : ""));
        options.threads = engine.threads;
        options.cycles = engine.cycles;
        const std::optional<SearchResult> result = run_key_search(
            model, [&] { return product(model); }, options);
        REQUIRE(result);
        REQUIRE(has_cycle(*result) == expected);
        if (expected) {
          REQUIRE(lasso_fault(judge, model, *std::ranges::find_if(result->errors, is_cycle), fairness) == "");
        }
      }
    }
  }
  if (!part.is_whole()) return;
  CHECK(cyclic > kGraphs / 4);
  CHECK(cyclic < kGraphs * 3 / 4);
  CHECK(fair < cyclic);
}

// A process that can move, but has no step, because each is cut: it waits for ever, so no run without it is fair.
TEST_CASE("fairness: a process whose every step is cut is not served", "[long]") {
  const std::string endless = "active proctype Q() { atomic { do :: x = 1 - x od } }\n";
  const std::string failing = "active proctype Q() { x = 1 / x }\n";  // only observers count
  const std::string goes_on = "active proctype P() { do :: y = 1 - y od }\n";
  // Where a handshake can lead the receiver back to where it was, keys do not tell who took part.
  const std::string partner =
      "chan c = [0] of { bit }; active proctype R() { do :: c!1 od } active proctype S() { do :: c?_ od }\n";
  // More steps than are kept at a time: nobody may take the one before for their process.
  const std::string many =
      "active proctype Q() { byte i, j; atomic { select(i : 0 .. 255); select(j : 0 .. 255) }; "
      "y = 2; do :: i = j od }\n";
  const std::string claim = "never { accept: do :: y != 2 od }\n";
  const PartOfDay part;
  uint64_t number = 0;
  for (const std::string& text : {endless + goes_on, goes_on + endless, failing + goes_on, endless + partner,
                                  partner + failing, goes_on + many}) {
    INFO(text);
    const Model system = compile_text("byte x; byte y;\n" + text + claim);
    const Model model = with_observers(system, 0);
    SearchOptions options;
    options.check_end_states = false;
    options.only_observers = true;
    options.find_cycles = true;
    options.fairness = Fairness::kWeak;
    options.memory_limit_bytes = kFairMemoryLimit;
    CHECK(!has_cycle(run_search(*product(model), model, options)));
    for (const bool on_disk : {false, true}) {
      options.store.from_start = on_disk;
      for (const Engine& engine : kEngines) {
        if (engine.threads > 2 || !part.has(number++)) continue;
        INFO(engine.name << (on_disk ? ", on disk" : ""));
        options.threads = engine.threads;
        options.cycles = engine.cycles;
        const std::optional<SearchResult> result = run_key_search(
            model, [&] { return product(model); }, options);
        REQUIRE(result);
        INFO((result->reasons.empty() ? "" : result->reasons.front().text));
        CHECK(result->verdict() == Verdict::kHolds);
      }
    }
  }
}

}  // namespace
}  // namespace cmc::test
