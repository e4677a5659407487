#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "checker/generator/wrappers/chain_closer.h"
#include "checker/generator/wrappers/dead_variables.h"
#include "checker/generator/wrappers/path_steps.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/generator/wrappers/state_stack.h"
#include "checker/vm/generator.h"
#include "tests/generator/explore.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

// 2^N paths through one atomic sequence, each to a state of its own; on some of them an assertion fails.
constexpr const char* kFan =
    "byte i; bit v[N]; active proctype P() { atomic { do :: i < N -> if :: v[i] = 0 :: v[i] = 1 fi; i++ :: else -> "
    "break od; assert(v[0] + v[N - 1] < 2) } }";

std::unique_ptr<SuccessorGenerator> make_closed(const Model& model) {
  return close_atomic_chains(make_vm_generator(model), model);
}

struct Outcome {
  Bytes state;
  std::vector<Step> steps;
  bool operator==(const Outcome&) const = default;
};

void add_outcomes(const SuccessorBatch& batch, std::vector<Outcome>& outcomes) {
  for (const SuccessorBatch::Entry& entry : batch.entries) {
    const auto steps = batch.steps.begin() + entry.path_begin;
    const ByteView state = batch.state(entry);
    outcomes.push_back({{state.begin(), state.end()}, {steps, steps + entry.path_count}});
  }
}

TEST_CASE("chain limits: portions of successors are together what one batch has") {
  const Model model = compile_text(kFan, {"N=6"});
  const auto generator = make_closed(model);
  SuccessorBatch whole;
  generator->initial(whole);
  const Bytes initial = Explorer::copy(whole, 0);
  whole.clear();
  generator->successors(initial, whole);
  std::vector<Outcome> expected;
  add_outcomes(whole, expected);
  REQUIRE(expected.size() == 64);
  REQUIRE(whole.errors.size() == 16);
  CHECK(!whole.more);

  for (const size_t most : {1u, 3u, 7u, 63u, 64u, 100u}) {
    for (const bool by_process : {false, true}) {
      INFO(most << " entries at a time");
      SuccessorBatch batch;
      batch.limits.most_entries = most;
      if (by_process) {
        CHECK(generator->process_successors(initial, 0, false, nullptr, batch));
      } else {
        generator->successors(initial, batch);
      }
      std::vector<Outcome> outcomes;
      size_t errors = 0;
      for (;;) {
        REQUIRE(batch.entries.size() <= most);
        add_outcomes(batch, outcomes);
        errors += batch.errors.size();
        if (!batch.more) break;
        batch.clear();
        CHECK(batch.limits.most_entries == most);
        generator->resume(batch);
      }
      CHECK(outcomes == expected);
      CHECK(errors == 16);
    }
  }
}

TEST_CASE("chain limits: a limit of steps makes portions, too") {
  const Model model = compile_text(kFan, {"N=8"});
  const auto generator = reset_dead_variables(make_closed(model), model);
  SuccessorBatch batch;
  generator->initial(batch);
  const Bytes initial = Explorer::copy(batch, 0);
  batch.clear();
  batch.limits.most_steps = 100;
  generator->successors(initial, batch);
  size_t entries = batch.entries.size();
  for (; batch.more; entries += batch.entries.size()) {
    REQUIRE(batch.steps.size() < 200);
    batch.clear();
    generator->resume(batch);
  }
  CHECK(entries == 256);
}

TEST_CASE("chain limits: local paths behind atomic sequences are handed out in portions, all of them") {
  const Model model = compile_text(
      "byte i; bit v[4]; byte g; active proctype P() { byte k; atomic { do :: i < 4 -> if :: v[i] = 0 :: v[i] = 1 "
      "fi; "
      "i++ :: else -> break od }; if :: k = 1 :: k = 2 fi; g = k }");
  const auto generator = close_local_paths(make_closed(model), model);
  SuccessorBatch batch;
  generator->initial(batch);
  const Bytes initial = Explorer::copy(batch, 0);
  std::vector<std::vector<Outcome>> all;
  for (const size_t most : {SIZE_MAX, size_t{5}}) {
    batch.clear();
    batch.limits.most_entries = most;
    generator->successors(initial, batch);
    std::vector<Outcome>& outcomes = all.emplace_back();
    add_outcomes(batch, outcomes);
    while (batch.more) {
      batch.clear();
      generator->resume(batch);
      add_outcomes(batch, outcomes);
    }
  }
  CHECK(all[0].size() == 32);
  CHECK(all[0] == all[1]);
}

// All of them, portion by portion; `largest` is the size of the largest one.
std::vector<Outcome> all_outcomes(SuccessorGenerator& generator, const Bytes& state, bool by_process, size_t most,
                                  size_t& largest) {
  std::vector<Outcome> outcomes;
  SuccessorBatch batch;
  batch.limits.most_entries = most;
  if (by_process) {
    CHECK(generator.process_successors(state, 0, false, nullptr, batch));
  } else {
    generator.successors(state, batch);
  }
  for (largest = 0;;) {
    largest = std::max(largest, batch.entries.size());
    add_outcomes(batch, outcomes);
    if (!batch.more) return outcomes;
    batch.clear();
    generator.resume(batch);
  }
}

TEST_CASE("chain limits: an atomic sequence with many ends is taken at once where local paths are merged") {
  const Model model = compile_text(
      "byte i; bit v[N]; byte g; active proctype P() { byte k; atomic { do :: i < N -> if :: v[i] = 0 :: v[i] = 1 "
      "fi; "
      "i++ :: else -> break od }; k = 1; k = 2; g = k } active proctype Q() { g == 2 }",
      {"N=12"});
  const auto generator = close_local_paths(make_closed(model), model);
  SuccessorBatch batch;
  generator->initial(batch);
  const Bytes initial = Explorer::copy(batch, 0);
  size_t largest = 0;
  const std::vector<Outcome> expected = all_outcomes(*generator, initial, true, SIZE_MAX, largest);
  CHECK(expected.size() == 4096);
  for (const bool by_process : {false, true}) {
    for (const size_t most : {1u, 100u, 1000u}) {
      CHECK(all_outcomes(*generator, initial, by_process, most, largest) == expected);
      CHECK(largest <= 1000);
    }
  }
}

// It may go up and down, and leave at any time.
TEST_CASE("chain limits: a local loop of many states leads to all that it can") {
  const Model model = compile_text(
      "short g; active proctype P() { short x; g = 1; do :: x < 300 -> x++ :: x > 0 -> x-- :: break od; g = x } "
      "active proctype Q() { g == 300 }");
  const auto generator = close_local_paths(make_closed(model), model);
  Explorer e(model, close_local_paths(make_closed(model), model));
  std::set<Bytes> known{e.initial()};
  std::vector<Bytes> open(known.begin(), known.end());
  std::set<int16_t> values;
  while (!open.empty()) {
    const Bytes state = open.back();
    open.pop_back();
    values.insert(load<int16_t>(state.data() + model.globals.at(0).offset));
    const SuccessorBatch batch = e.expand(state);
    CHECK(batch.entries.size() <= 2 * ChainCloser::kMostChoices);
    size_t largest = 0;
    CHECK(all_outcomes(*generator, state, false, 1, largest).size() == batch.entries.size());
    for (size_t i = 0; i < batch.entries.size(); ++i) {
      Bytes next = Explorer::copy(batch, i);
      if (known.insert(next).second) open.push_back(std::move(next));
    }
  }
  CHECK(values.size() == 301);
}

TEST_CASE("chain limits: a long chain of local steps is followed in portions") {
  const Model model = compile_text(
      "byte g; active proctype P() { short x; g = 1; do :: x < 30000 -> x++ :: else -> break od; g = 2 }");
  Explorer e(model, close_local_paths(make_closed(model), model));
  const Explorer::Counts counts = e.explore();
  CHECK(counts.states > 30);
  CHECK(counts.states < 200);
}

TEST_CASE("chain limits: a long atomic sequence ends when it is told to stop") {
  const Model model = compile_text("byte a, b, c; init { atomic { do :: a++ :: b++ :: c++ od } }");
  for (const bool paths : {false, true}) {
    auto generator = make_closed(model);
    if (paths) generator = close_local_paths(std::move(generator), model);
    SuccessorBatch batch;
    generator->initial(batch);
    const Bytes initial = Explorer::copy(batch, 0);
    batch.clear();
    int questions = 0;
    const std::function<bool()> stop = [&] { return ++questions == 3; };
    batch.limits.should_stop = &stop;
    generator->successors(initial, batch);
    CHECK(batch.stopped);
    CHECK(questions == 3);
    // It can be used again.
    questions = 0;
    batch.clear();
    CHECK(!batch.stopped);
    generator->successors(initial, batch);
    CHECK(questions == 3);
  }
}

// The paths on a torus that do not meet themselves are too many to be followed.
TEST_CASE("chain limits: a sequence with cycles ends although its paths are countless, and keeps every way out") {
  const Model model = compile_text(
      "byte a, b, out; init { atomic { do :: a = (a + 1) % 20 :: b = (b + 1) % 20 :: a == 7 && b == 9 -> out = 1; "
      "break "
      ":: a == 19 && b == 0 -> out = 2; assert(false); break od } }");
  const auto generator = make_closed(model);
  SuccessorBatch batch;
  generator->initial(batch);
  const Bytes initial = Explorer::copy(batch, 0);
  batch.clear();
  batch.limits.most_entries = 100;
  generator->successors(initial, batch);
  std::set<Bytes> ends;
  bool endless = false;
  bool failed = false;
  for (;;) {
    for (size_t i = 0; i < batch.entries.size(); ++i) ends.insert(Explorer::copy(batch, i));
    endless = endless || batch.endless_atomic;
    failed = failed || !batch.errors.empty();
    CHECK(!batch.long_atomic);
    if (!batch.more) break;
    batch.clear();
    generator->resume(batch);
  }
  CHECK(ends.size() == 2);
  CHECK(endless);
  CHECK(failed);
}

TEST_CASE("chain limits: a stack of states finds what is on it, and nothing that was taken off") {
  std::mt19937 random(7);
  for (const size_t ignored : {size_t{0}, size_t{2}}) {
    StateStack stack(ignored);
    std::vector<Bytes> expected;
    const auto same = [&](const Bytes& a, const Bytes& b) {
      return std::ranges::equal(ByteView(a).subspan(ignored), ByteView(b).subspan(ignored));
    };
    for (int i = 0; i < 20000; ++i) {
      if (random() % 3 == 0 && !expected.empty()) {
        const size_t size = random() % 50 == 0 ? random() % expected.size() : expected.size() - 1;
        stack.shrink(size);
        expected.resize(size);
        continue;
      }
      Bytes state(2 + random() % 3);
      for (std::byte& each : state) each = static_cast<std::byte>(random() % 16);
      const bool known = std::ranges::any_of(expected, [&](const Bytes& each) { return same(each, state); });
      REQUIRE(stack.push_new(state) == !known);
      if (!known) expected.push_back(state);
      REQUIRE(stack.size() == expected.size());
      if (!expected.empty()) {
        REQUIRE(std::ranges::equal(stack.top(), ByteView(expected.back())));
      }
    }
    stack.clear();
    CHECK(stack.size() == 0);
    CHECK(stack.push_new(Bytes(3)));
  }
}

}  // namespace
}  // namespace cmc::test
