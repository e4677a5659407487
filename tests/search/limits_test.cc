#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/process_memory.h"
#include "base/sanitizers.h"
#include "checker/plain/simple_search.h"
#include "checker/result/control.h"
#include "tests/search/graph_generator.h"
#include "tests/support/fake_clock.h"

#include "tests/catch.h"

namespace cmc {
namespace {

using test::FakeClock;
using LimitsNode = GraphGenerator::Node;

// Never ends: number n goes to 2n+1 and 2n+2.
GraphGenerator endless_tree() {
  return GraphGenerator([](uint64_t number, uint8_t, LimitsNode& node) {
    node.edges = {{2 * number + 1}, {2 * number + 2}};
  });
}

SearchOptions options_with(FakeClock& clock, double time_limit_seconds) {
  SearchOptions options;
  options.clock = &clock;
  options.time_limit_seconds = time_limit_seconds;
  return options;
}

void check_stopped(const SearchResult& result, const std::string& kind) {
  CHECK(!result.all_expanded);
  CHECK(result.verdict() == Verdict::kIncomplete);
  REQUIRE(result.reasons.size() == 1);
  CHECK(info(result.reasons[0].kind).name == std::string(kind));
  CHECK(result.states_stored > 0);
  CHECK(result.transitions == result.states_stored + result.states_matched - 1);
}

constexpr SearchOptions::Order kOrders[] = {SearchOptions::Order::kDepthFirst, SearchOptions::Order::kBreadthFirst};

TEST_CASE("search limits: the time limit makes the verdict incomplete and keeps the counts") {
  for (const auto order : kOrders) {
    FakeClock clock(0.001);
    SearchOptions options = options_with(clock, 0.05);
    options.order = order;
    GraphGenerator generator = endless_tree();
    const SearchResult result = run_search(generator, graph_model(), options);
    check_stopped(result, "time");
    CHECK(result.reasons[0].text.find("0.05 seconds") != std::string::npos);
    CHECK(result.states_stored > 10000);
    CHECK(result.states_stored < 200000);
    CHECK(result.wall_seconds >= 0.05);
    CHECK(result.wall_seconds < 0.06);
  }
}

TEST_CASE("search limits: what was spent before a search counts, for the limit as well") {
  FakeClock clock(0.001);
  SearchOptions options = options_with(clock, 10.02);
  options.spent_wall_seconds = 10;
  options.spent_cpu_seconds = 5;
  GraphGenerator generator = endless_tree();
  const SearchResult result = run_search(generator, graph_model(), options);
  check_stopped(result, "time");
  CHECK(result.wall_seconds >= 10.02);
  CHECK(result.wall_seconds < 10.03);
  CHECK(result.cpu_seconds >= 5.01);
  CHECK(result.cpu_seconds < 5.03);
}

TEST_CASE("search limits: errors found before a limit are reported beside its reason") {
  FakeClock clock(0.001);
  SearchOptions options = options_with(clock, 0.02);
  options.max_errors = 0;
  GraphGenerator generator([](uint64_t number, uint8_t, LimitsNode& node) {
    node.edges = {{number + 1}};
    if (number == 5) node.failures.push_back({RuntimeErrorKind::kAssertion, "assertion violated", 1, 0});
  });
  const SearchResult result = run_search(generator, graph_model(), options);
  CHECK(result.verdict() == Verdict::kViolated);
  CHECK(result.error_count == 1);
  CHECK(!result.all_expanded);
  REQUIRE(result.reasons.size() == 1);
  CHECK(info(result.reasons[0].kind).name == std::string("time"));
}

TEST_CASE("search limits: the memory limit is not overshot") {
  for (const auto order : kOrders) {
    const uint64_t earlier_peak = peak_resident_bytes();
    SearchOptions options;
    options.order = order;
    options.memory_limit_bytes = resident_bytes() + (uint64_t{24} << 20);
    GraphGenerator generator([](uint64_t number, uint8_t, LimitsNode& node) {
      node.edges = {{2 * number + 1}, {2 * number + 2}, {number / 2}};
    });
    const SearchResult result = run_search(generator, graph_model(), options);
    check_stopped(result, "memory");
    CHECK(result.states_stored > 100000);
    CHECK(result.memory_peak_bytes < std::max(earlier_peak, options.memory_limit_bytes) + (uint64_t{4} << 20));
  }
}

class HugeStates final : public SuccessorGenerator {
 public:
  void initial(SuccessorBatch& out) override { append(out, 0); }
  bool process_successors(ByteView, uint8_t, bool, TouchTrace*, SuccessorBatch&) override {
    FAIL("not asked for processes");
    return false;
  }
  void successors(ByteView state, SuccessorBatch& out) override { append(out, load<uint32_t>(state.data()) + 1); }

 private:
  static void append(SuccessorBatch& out, uint32_t number) {
    out.bytes.resize(1 << 20);
    store(out.bytes.data(), number);
    out.entries.push_back({0, 1 << 20, 0, 0});
  }
};

TEST_CASE("search limits: a few huge states hit the memory limit, too") {
  for (const auto order : kOrders) {
    SearchOptions options;
    options.order = order;
    options.memory_limit_bytes = resident_bytes() + (uint64_t{64} << 20);
    HugeStates generator;
    const SearchResult result = run_search(generator, graph_model(), options);
    check_stopped(result, "memory");
    CHECK(result.states_stored >= 10);
    CHECK(result.states_stored <= 120);  // more than 64: what earlier tests freed is used again
  }
}

TEST_CASE("search limits: a limit below what the program needs stops at the first state") {
  SearchOptions options;
  options.memory_limit_bytes = 1;
  GraphGenerator generator = endless_tree();
  const SearchResult result = run_search(generator, graph_model(), options);
  check_stopped(result, "memory");
  CHECK(result.states_stored == 1);
}

TEST_CASE("search limits: an interrupt stops the search soon and is a reason") {
  for (const auto order : kOrders) {
    std::atomic<bool> interrupt = false;
    SearchOptions options;
    options.order = order;
    options.interrupt = &interrupt;
    GraphGenerator generator([&](uint64_t number, uint8_t, LimitsNode& node) {
      node.edges = {{2 * number + 1}, {2 * number + 2}};
      if (generator.calls == 5000) interrupt = true;
    });
    const SearchResult result = run_search(generator, graph_model(), options);
    check_stopped(result, "interrupted");
    CHECK(result.interrupted);
    CHECK(generator.calls >= 5000);
    CHECK(generator.calls < 7000);
  }
}

TEST_CASE("search limits: an interrupt before the start is obeyed") {
  const std::atomic<bool> interrupt = true;
  SearchOptions options;
  options.interrupt = &interrupt;
  GraphGenerator generator = endless_tree();
  const SearchResult result = run_search(generator, graph_model(), options);
  check_stopped(result, "interrupted");
  CHECK(generator.calls == 0);
}

class Recorder final : public SearchObserver {
 public:
  void on_progress(const Progress& progress) override { all.push_back(progress); }
  std::vector<Progress> all;
};

TEST_CASE("search limits: progress is shown at most ten times a second, and its numbers fit together") {
  FakeClock clock(0.001);
  Recorder recorder;
  SearchOptions options = options_with(clock, 1.0);
  GraphGenerator generator([](uint64_t number, uint8_t, LimitsNode& node) {
    node.edges = {{number + 1}, {number / 2}};
  });
  const SearchResult result = run_search(generator, graph_model(), options, &recorder);
  CHECK(result.states_stored > 100000);
  CHECK(recorder.all.size() >= 8);
  CHECK(recorder.all.size() <= 10);
  for (size_t i = 0; i < recorder.all.size(); ++i) {
    const Progress& progress = recorder.all[i];
    CHECK(progress.transitions == progress.states + progress.matched - 1);
    CHECK(progress.depth > 0);
    CHECK(progress.open_states > 0);
    CHECK(progress.memory_bytes > 0);
    if (i > 0) CHECK(progress.elapsed_seconds >= recorder.all[i - 1].elapsed_seconds + 0.1);
    if (i > 0) CHECK(progress.states > recorder.all[i - 1].states);
  }
}

TEST_CASE("search limits: errors that were found before a search began again are kept if it is cut") {
  const Model& model = graph_model();
  SearchOptions options;
  options.max_errors = 0;
  SuccessorBatch stuck;
  stuck.invalid_end = true;
  const auto no_path = [] { return std::vector<Step>(); };
  for (const uint64_t again : {0u, 2u, 5u}) {
    for (const bool cut : {false, true}) {
      if (!cut && again < 3) continue;
      SearchControl control(model, options, nullptr);
      for (uint64_t i = 0; i < 3; ++i) control.report_errors(stuck, i, no_path);
      control.start_again();
      for (uint64_t i = 0; i < again; ++i) control.report_errors(stuck, i, no_path);
      if (cut) control.stop(ReasonKind::kTime, "the time is over");
      const SearchResult result = control.finish(1, 0, Remainder());
      CHECK(result.verdict() == Verdict::kViolated);
      CHECK(result.error_count == std::max<uint64_t>(3, again));
      CHECK(result.errors.size() == result.error_count);
    }
  }
}

TEST_CASE("search limits: a cycle ends a search that had found more errors before it began again") {
  SearchOptions options;
  options.max_errors = 0;
  SearchControl control(graph_model(), options, nullptr);
  SuccessorBatch stuck;
  stuck.invalid_end = true;
  for (uint64_t i = 0; i < 3; ++i) control.report_errors(stuck, i, [] { return std::vector<Step>(); });
  control.start_again();
  control.report_cycle({}, 0, 1);
  const SearchResult result = control.finish(1, 0, Remainder());
  CHECK(result.error_count == 4);
  REQUIRE(result.errors.size() == 4);
  CHECK(result.errors.back().kind.is_cycle());
}

#if !CMC_ADDRESS_SANITIZER && !CMC_THREAD_SANITIZER  // their heaps keep what is freed
TEST_CASE("search limits: what the heap has freed is given back before grace is used") {
  constexpr size_t kBlocks = 768;
  constexpr size_t kBlockBytes = size_t{64} << 10;
  std::vector<std::unique_ptr<char[]>> blocks;
  for (size_t i = 0; i < kBlocks; ++i) {
    blocks.push_back(std::make_unique<char[]>(kBlockBytes));
    asm volatile("" : : "r"(blocks.back().get()) : "memory");
  }
  blocks.erase(blocks.begin(), blocks.end() - 1);  // the last one is in the way of the heap's end
  SearchOptions options;
  options.memory_limit_bytes = resident_bytes() - kBlocks / 2 * kBlockBytes;
  SearchControl control(graph_model(), options, nullptr);
  SearchControl::Usage usage;
  usage.grace_bytes = options.memory_limit_bytes / 10;
  CHECK(control.has_room(usage));
  CHECK(resident_bytes() < options.memory_limit_bytes);
  usage.reserve_bytes = options.memory_limit_bytes * 2;
  CHECK(!control.has_room(usage));
}
#endif

TEST_CASE("search limits: an engine that leaves something, or hands over no proof, does not hold") {
  const Model& model = graph_model();
  const auto finished = [&](const std::optional<Remainder>& left) {
    return SearchControl(model, SearchOptions(), nullptr).finish(1, 0, left);
  };
  CHECK(finished(Remainder()).verdict() == Verdict::kHolds);
  const std::optional<Remainder> wrong[] = {std::nullopt, Remainder{1, 0, 0}, Remainder{0, 1, 0}, Remainder{0, 0, 1}};
  for (const std::optional<Remainder>& left : wrong) {
    const SearchResult result = finished(left);
    CHECK(!result.all_expanded);
    CHECK(result.verdict() == Verdict::kIncomplete);
    REQUIRE(result.reasons.size() == 1);
    CHECK(result.reasons[0].kind == ReasonKind::kBug);
  }
}

}  // namespace
}  // namespace cmc
