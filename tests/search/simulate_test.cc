#include "checker/plain/simulate.h"

#include <atomic>
#include <string>
#include <vector>

#include "checker/result/replay.h"
#include "tests/search/graph_generator.h"

#include "tests/catch.h"

namespace cmc {
namespace {

using RingNode = GraphGenerator::Node;
using Outcome = SimulationResult::Outcome;

// A ring in which one can go both ways.
GraphGenerator ring() {
  return GraphGenerator([](uint64_t number, uint8_t, RingNode& node) {
    node.edges = {{(number + 1) % 100}, {(number + 99) % 100}};
  });
}

SimulationResult simulate_ring(uint64_t seed, uint64_t steps) {
  GraphGenerator generator = ring();
  SimulationOptions options;
  options.seed = seed;
  options.max_steps = steps;
  return simulate(generator, options);
}

TEST_CASE("simulation: equal seeds give equal runs, other seeds others") {
  const SimulationResult first = simulate_ring(7, 200);
  CHECK(first.outcome == Outcome::kMaxSteps);
  CHECK(first.path.size() == 200);
  CHECK(simulate_ring(7, 200).path == first.path);
  CHECK(simulate_ring(8, 200).path != first.path);
  GraphGenerator generator = ring();
  CHECK(replay(generator, first.path).end.state == first.state);
}

TEST_CASE("simulation: a random run takes both ways") {
  const SimulationResult run = simulate_ring(1, 1000);
  size_t first = 0;
  for (const Step& step : run.path) first += step.edge == 0;
  CHECK(first > 400);
  CHECK(first < 600);
}

TEST_CASE("simulation: a run ends where nothing can move, and knows whether it may") {
  for (const bool invalid : {false, true}) {
    GraphGenerator generator([=](uint64_t number, uint8_t, RingNode& node) {
      if (number < 5) node.edges = {{number + 1}};
      node.invalid_end = invalid && number == 5;
    });
    std::vector<uint64_t> seen;
    SimulationOptions options;
    options.on_start = [&](ByteView state) { seen.push_back(load<uint64_t>(state.data())); };
    options.on_step = [&](const SimulationStep& step) {
      CHECK(step.index + 1 == seen.size());
      CHECK(load<uint64_t>(step.before.data()) == seen.back());
      seen.push_back(load<uint64_t>(step.choice.after.data()));
    };
    const SimulationResult run = simulate(generator, options);
    CHECK(run.outcome == (invalid ? Outcome::kInvalidEnd : Outcome::kEnded));
    CHECK(seen == std::vector<uint64_t>{0, 1, 2, 3, 4, 5});
  }
}

TEST_CASE("simulation: an error ends the run, whether or not it completes the step") {
  for (const size_t edge : {0u, 9u}) {
    GraphGenerator generator([=](uint64_t number, uint8_t, RingNode& node) {
      if (number < 3 || edge == 0) node.edges = {{number + 1}};
      if (number == 3) node.failures.push_back({RuntimeErrorKind::kAssertion, "assertion violated", 1, edge});
    });
    const SimulationResult run = simulate(generator, {});
    CHECK(run.outcome == Outcome::kError);
    REQUIRE(run.errors.size() == 1);
    CHECK(run.path.size() == 4);
    CHECK(load<uint64_t>(run.state.data()) == (edge == 0 ? 4 : 3));
  }
}

TEST_CASE("simulation: someone who chooses sees all choices, errors too, and can stop") {
  GraphGenerator generator([](uint64_t number, uint8_t, RingNode& node) {
    node.edges = {{number + 1}, {number + 10}};
    node.failures.push_back({RuntimeErrorKind::kDivisionByZero, "division by zero", 1, 9});
  });
  SimulationOptions options;
  size_t asked = 0;
  options.choose = [&](ByteView, std::span<const Choice> choices) -> std::optional<size_t> {
    REQUIRE(choices.size() == 3);
    CHECK(choices[0].errors.empty());
    CHECK(choices[2].errors.size() == 1);
    CHECK(choices[2].after.empty());
    if (++asked == 4) return std::nullopt;
    return 1;
  };
  const SimulationResult run = simulate(generator, options);
  CHECK(run.outcome == Outcome::kStopped);
  CHECK(load<uint64_t>(run.state.data()) == 30);
}

TEST_CASE("simulation: an interrupt stops a run") {
  std::atomic<bool> interrupt = false;
  GraphGenerator generator = ring();
  SimulationOptions options;
  options.interrupt = &interrupt;
  options.on_step = [&](const SimulationStep& step) { interrupt = step.index == 9; };
  const SimulationResult run = simulate(generator, options);
  CHECK(run.outcome == Outcome::kStopped);
  CHECK(run.path.size() == 10);
}

}  // namespace
}  // namespace cmc
