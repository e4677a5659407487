#include "checker/keys/key_generator.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "checker/generator/spin_steps.h"
#include "checker/vm/generator.h"
#include "tests/generator/spin_cases.h"
#include "tests/keys/models.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

class CountingObserver final : public StepObserver {
 public:
  void on_steps(ByteView, const SuccessorBatch&) override { ++calls; }
  uint64_t calls = 0;
};

Bytes copy(ByteView view) { return {view.begin(), view.end()}; }

struct Explored {
  uint64_t states = 0;
  uint64_t lookups = 0;
  uint64_t misses = 0;
  uint64_t relayouts = 0;
};

// Explores a model breadth-first with keys of W words and compares every batch with the generator's. After a re-layout
// everything begins anew.
template <unsigned W>
class Comparison {
 public:
  Comparison(const Model& model, bool spin_steps, uint64_t memo_bytes, size_t most_states)
      : model_(model), memo_bytes_(memo_bytes), most_states_(most_states), space_(model) {
    for (auto* generator : {&generator_, &reference_}) {
      *generator = make_vm_generator(model);
      if (spin_steps) *generator = close_atomic_chains(std::move(*generator), model);
    }
  }

  Explored run() {
    SuccessorBatch first;
    generator_->initial(first);
    initial_ = copy(first.state(first.entries.at(0)));
    space_.set_initial(initial_);
    while (!explore()) {
      REQUIRE(space_.relayout(0));
      REQUIRE(space_.layout().words() <= W);
    }
    figures_.relayouts = space_.relayouts();
    return figures_;
  }

 private:
  bool explore() {
    CountingObserver observer;
    KeyGenerator<W> keys(space_, *generator_, observer, memo_bytes_);
    std::map<std::array<uint64_t, W>, size_t> seen{{Key<W>{}.words, 0}};
    std::vector<Key<W>> queue{Key<W>{}};
    KeyBuffer<W> successors;
    ExpansionFlags flags;
    Bytes state;
    SuccessorBatch batch;
    for (size_t i = 0; i < queue.size() && i < most_states_; ++i) {
      const Key<W> key = queue[i];
      successors.clear();
      if (!keys.expand(key, successors, flags)) return false;
      space_.unpack(key.words.data(), state);
      batch.clear();
      reference_->successors(state, batch);
      REQUIRE(successors.size() == batch.entries.size());
      for (size_t k = 0; k < successors.size(); ++k) {
        Bytes successor;
        space_.unpack(successors[k].words.data(), successor);
        const ByteView expected = batch.state(batch.entries[k]).subspan(model_.hidden_bytes);
        REQUIRE(copy(ByteView(successor).subspan(model_.hidden_bytes)) == copy(expected));
        if (seen.try_emplace(successors[k].words, seen.size()).second) queue.push_back(successors[k]);
      }
      REQUIRE(flags.blocked == batch.blocked);
      REQUIRE(flags.needs_generator == !batch.errors.empty());
      REQUIRE(flags.endless_atomic == batch.endless_atomic);
      REQUIRE(flags.long_atomic == batch.long_atomic);
    }
    const MemoFigures memo = keys.figures();
    figures_ = {seen.size(), memo.lookups, memo.misses, 0};
    REQUIRE(memo.misses == observer.calls);
    REQUIRE(memo.misses <= memo.lookups);
    return true;
  }

  const Model& model_;
  const uint64_t memo_bytes_;
  const size_t most_states_;
  KeySpace space_;
  std::unique_ptr<SuccessorGenerator> generator_;
  std::unique_ptr<SuccessorGenerator> reference_;
  Bytes initial_;
  Explored figures_;
};

constexpr uint64_t kRoomy = uint64_t{64} << 20;
constexpr uint64_t kTight = 40'000;
constexpr uint64_t kNothing = 1;
constexpr size_t kMostStates = 3000;

TEST_CASE("looked up or computed, the successors are the generator's: everything that comes and goes") {
  for (const SmallModel& small : kSmallModels) {
    const Model model = compile_text(small.text);
    for (const bool spin_steps : {true, false}) {
      for (const uint64_t memo_bytes : {kRoomy, kTight, kNothing}) {
        INFO(small.name << ", " << (spin_steps ? "spin" : "statement") << ", " << memo_bytes);
        const Explored explored = Comparison<4>(model, spin_steps, memo_bytes, kMostStates).run();
        CHECK(explored.states > 5);
        CHECK(explored.relayouts > 1);
      }
    }
  }
}

TEST_CASE("looked up or computed, the successors are the generator's: small models of dark corners") {
  for (const SpinCase& each : kSpinCases) {
    INFO(each.name);
    const Model model = compile_text(each.text);
    const Explored explored = Comparison<2>(model, true, kRoomy, kMostStates).run();
    if (each.states <= kMostStates) CHECK(explored.states == each.states);
    Comparison<2>(model, false, kRoomy, kMostStates).run();
    Comparison<16>(model, true, kTight, 200).run();
  }
}

TEST_CASE("most steps are looked up") {
  const Model model = compile_text(
      "byte x[3]; active [3] proctype P() { do :: x[_pid] < 5 -> x[_pid]++ :: x[_pid] > 0 -> x[_pid] = 0 od }");
  const Explored explored = Comparison<1>(model, true, kRoomy, 10000).run();
  // Each process has 16 states: 6 values, 5 of them behind the first guard, 5 behind the second.
  CHECK(explored.states == 16 * 16 * 16);
  CHECK(explored.lookups == 3 * explored.states);
  CHECK(explored.misses == 3 * 16);
}

TEST_CASE("a process that looks at its frame only is computed once for each content of it") {
  const Model model = compile_text("active [3] proctype P() { byte i; do :: i < 5 -> i++ :: i > 3 -> i = 0 od }");
  const Explored explored = Comparison<1>(model, true, kRoomy, 10000).run();
  CHECK(explored.states == 13 * 13 * 13);
  CHECK(explored.misses == 3 * 13);
}

TEST_CASE("a process whose steps never recur is computed without remembering, and right") {
  const Model model = compile_text(
      "int x; active proctype P() { do :: x = (x * 5 + 1) % 20000 :: x = (x + 777) % 20000 od }\n"
      "active proctype Q() { do :: x == 5 -> x = 6 od }");
  const Explored explored = Comparison<1>(model, true, kRoomy, 12000).run();
  CHECK(explored.states > 12000);
  CHECK(explored.lookups == 2 * 12000);
  CHECK(explored.misses > 23000);
}

TEST_CASE("a buffer of keys keeps what is appended") {
  KeyBuffer<2> buffer;
  for (int round = 0; round < 3; ++round) {
    buffer.clear();
    REQUIRE(buffer.size() == 0);
    uint64_t number = 0;
    for (size_t count = 0; count < 60; ++count) {
      Key<2>* next = buffer.append(count);
      for (size_t i = 0; i < count; ++i, ++number) next[i] = Key<2>{{number, ~number}};
    }
    REQUIRE(buffer.size() == number);
    buffer.shrink(500);
    REQUIRE(buffer.size() == 500);
    number = 0;
    for (const Key<2>& key : buffer) {
      REQUIRE(key == Key<2>{{number, ~number}});
      REQUIRE(buffer[number] == key);
      ++number;
    }
    REQUIRE(number == 500);
  }
}

}  // namespace
}  // namespace cmc::test
