#include "checker/keys/key_generator.h"

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "checker/generator/wrappers/path_steps.h"
#include "checker/generator/wrappers/spin_steps.h"
#include "checker/vm/generator.h"
#include "ir/effects.h"
#include "tests/generator/spin_cases.h"
#include "tests/keys/models.h"
#include "tests/keys/steps.h"
#include "tests/support/compile.h"
#include "tests/support/part_of_day.h"
#include "tests/support/random_models.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

// Which edges were taken on the way to successors.
using TakenEdges = std::set<std::tuple<uint8_t, LocationId, uint16_t>>;

void note_edges(const SuccessorBatch& batch, TakenEdges& edges) {
  for (const SuccessorBatch::Entry& entry : batch.entries) {
    for (const Step& step : std::span(batch.steps).subspan(entry.path_begin, entry.path_count)) {
      edges.emplace(step.pid, step.location, step.edge);
      if (step.partner != kNoProcess) edges.emplace(step.partner, step.partner_location, step.partner_edge);
    }
  }
}

class CountingObserver final : public StepObserver {
 public:
  void on_steps(ByteView, const SuccessorBatch& batch) override {
    ++calls;
    note_edges(batch, edges);
  }
  void on_part() override {}
  bool should_stop() override { return false; }
  uint64_t calls = 0;
  TakenEdges edges;
};

struct Explored {
  uint64_t states = 0;
  uint64_t lookups = 0;
  uint64_t misses = 0;
  uint64_t memo_bytes = 0;
  uint64_t relayouts = 0;
};

enum class Relayout {
  kAnew,      // everything begins anew: the figures are those of one generator
  kTakeOver,  // as in a search: keys are converted, what is remembered is taken over
};

// How steps are remembered: handshakes in halves or not, these with merged local steps, or all steps by edges where
// they can be.
enum class Memory { kWholes, kHalves, kMergedHalves, kEdges };

// Explores a model breadth-first with keys of W words and compares every batch with the generator's.
template <unsigned W>
class Comparison {
 public:
  Comparison(const Model& model, bool spin_steps, uint64_t memo_bytes, size_t most_states,
             Relayout relayout = Relayout::kAnew, Memory memory = Memory::kWholes)
      : model_(model),
        memo_bytes_(memo_bytes),
        most_states_(most_states),
        mode_(relayout),
        by_edges_(memory == Memory::kEdges),
        space_(model) {
    for (auto* generator : {&generator_, &reference_}) {
      *generator = make_vm_generator(model);
      if (spin_steps) *generator = close_atomic_chains(std::move(*generator), model);
      if (memory == Memory::kMergedHalves) *generator = close_local_paths(std::move(*generator), model);
    }
    const bool halves = memory == Memory::kHalves || memory == Memory::kMergedHalves;
    if (halves && generator_->has_halves()) handshakes_.emplace(space_.components());
  }

  Explored run() {
    SuccessorBatch first;
    generator_->initial(first);
    initial_ = copy(first.state(first.entries.at(0)));
    space_.set_initial(initial_);
    begin();
    while (next_ < queue_.size() && next_ < most_states_) {
      if (expand(queue_[next_])) {
        ++next_;
        if (mode_ == Relayout::kTakeOver && next_ % 37 == 0) relayout(kManyStates);  // fields may get narrower, too
      } else {
        relayout(0);
      }
    }
    REQUIRE(observer_.edges == edges_);
    const MemoFigures memo = keys_->figures();
    constexpr uint64_t kFewMisses = 4096;  // with more, edges may be remembered, and the observer is told of each
    if (by_edges_ || (!handshakes_ && misses_before_ + memo.misses >= kFewMisses)) {
      REQUIRE(memo.misses <= memo.lookups);
    } else if (handshakes_) {  // halves are computed without telling the observer
      REQUIRE(misses_before_ + memo.misses >= observer_.calls);
    } else {
      REQUIRE(misses_before_ + memo.misses == observer_.calls);
      REQUIRE(memo.misses <= memo.lookups);
    }
    return {seen_.size(), memo.lookups, memo.misses, memo_->memory_bytes(), space_.relayouts()};
  }

  // Of all states that were found; returns how many steps are computed.
  uint64_t expand_all_again() {
    const uint64_t before = observer_.calls;
    for (size_t i = 0; i < next_; ++i) REQUIRE(expand(queue_[i]));
    return observer_.calls - before;
  }
  // The same by another worker, with the same memo or with one of its own.
  uint64_t expand_all_by_another(bool same_memo) {
    const std::unique_ptr<StepMemo<W>> memo = std::exchange(memo_, same_memo ? std::move(memo_) : make_memo());
    keys_ = make_generator(1);
    return expand_all_again();
  }

 private:
  static constexpr uint64_t kManyStates = 30'000;

  [[nodiscard]] std::unique_ptr<StepMemo<W>> make_memo() const {
    return std::make_unique<StepMemo<W>>(space_.layout(), memo_bytes_, 2, handshakes_.has_value());
  }
  [[nodiscard]] std::unique_ptr<KeyGenerator<W>> make_generator(uint32_t worker) {
    const StepOptions options{.handshakes = handshakes_ ? &*handshakes_ : nullptr, .only_by_edges = by_edges_};
    return std::make_unique<KeyGenerator<W>>(space_, *generator_, observer_, *memo_, worker, options);
  }
  void begin() {
    memo_ = make_memo();
    keys_ = make_generator(0);
    next_ = 0;
    queue_ = {Key<W>{}};
    seen_ = {Key<W>{}};
  }

  void relayout(uint64_t states) {
    const Layout old_layout = space_.layout();
    REQUIRE(space_.relayout(states));
    REQUIRE(space_.layout().words() <= W);
    misses_before_ += keys_->figures().misses;
    if (mode_ == Relayout::kAnew) return begin();
    const Converter<W, W> convert(old_layout, space_.layout());
    auto memo = make_memo();
    memo->take_over(*memo_, convert);
    std::swap(memo_, memo);
    auto next = make_generator(0);
    next->take_over_habits(keys_->habits());
    keys_ = std::move(next);
    seen_.clear();
    for (Key<W>& key : queue_) {
      key = convert(key);
      REQUIRE(seen_.insert(key).second);
    }
  }

  bool expand(const Key<W> key) {
    successors_.clear();
    ExpansionFlags flags;
    if (memo_->crowded()) memo_->make_room();
    {
      const auto using_memo = keys_->use_memo();
      if (keys_->expand(key, successors_, flags) != KeyGenerator<W>::Expanded::kAll) return false;
    }
    space_.unpack(key.data(), state_);
    batch_.clear();
    reference_->successors(state_, batch_);
    note_edges(batch_, edges_);
    REQUIRE(successors_.size() == batch_.entries.size());
    for (size_t k = 0; k < successors_.size(); ++k) {
      Bytes successor;
      space_.unpack(successors_[k].data(), successor);
      const ByteView expected = batch_.state(batch_.entries[k]).subspan(model_.hidden_bytes);
      REQUIRE(copy(ByteView(successor).subspan(model_.hidden_bytes)) == copy(expected));
      if (seen_.insert(successors_[k]).second) queue_.push_back(successors_[k]);
    }
    REQUIRE(flags.blocked == batch_.blocked);
    REQUIRE(flags.needs_generator == !batch_.errors.empty());
    REQUIRE(flags.endless_atomic == batch_.endless_atomic);
    REQUIRE(flags.long_atomic == batch_.long_atomic);
    return true;
  }

  const Model& model_;
  const uint64_t memo_bytes_;
  const size_t most_states_;
  const Relayout mode_;
  const bool by_edges_;
  KeySpace space_;
  std::unique_ptr<SuccessorGenerator> generator_;
  std::unique_ptr<SuccessorGenerator> reference_;
  CountingObserver observer_;
  std::optional<Handshakes> handshakes_;
  std::unique_ptr<StepMemo<W>> memo_;
  std::unique_ptr<KeyGenerator<W>> keys_;
  uint64_t misses_before_ = 0;
  Bytes initial_;
  size_t next_ = 0;
  std::vector<Key<W>> queue_;  // all states
  std::set<Key<W>> seen_;
  TakenEdges edges_;  // in all states that were expanded
  KeyBuffer<W> successors_;
  Bytes state_;
  SuccessorBatch batch_;
};

constexpr uint64_t kNothing = 1;
constexpr size_t kMostExplored = 3000;

TEST_CASE("key generator: looked up or computed, successors are the generator's: everything that comes and goes") {
  for (const SmallModel& small : kSmallModels) {
    const Model model = compile_text(small.text);
    for (const bool spin_steps : {true, false}) {
      for (const uint64_t memo_bytes : {kRoomy, kTight, kNothing}) {
        INFO(small.name << ", " << (spin_steps ? "spin" : "statement") << ", " << memo_bytes);
        const Explored explored = Comparison<4>(model, spin_steps, memo_bytes, kMostExplored).run();
        CHECK(explored.states > 5);
        CHECK(explored.relayouts > 1);
        const Explored other = Comparison<4>(model, spin_steps, memo_bytes, kMostExplored, Relayout::kTakeOver).run();
        CHECK(other.states == explored.states);
      }
    }
  }
}

TEST_CASE("key generator: joined of halves or edges, successors are the generator's: what comes and goes", "[long]") {
  std::vector<SmallModel> models(std::begin(kSmallModels), std::end(kSmallModels));
  models.insert(models.end(), std::begin(kHandshakeModels), std::end(kHandshakeModels));
  const PartOfDay part;
  uint64_t number = 0;
  for (const SmallModel& small : models) {
    const Model model = compile_text(small.text);
    for (const bool spin_steps : {true, false}) {
      for (const uint64_t memo_bytes : {kRoomy, kTight, kNothing}) {
        if (!part.has(number++)) continue;
        INFO(small.name << ", " << (spin_steps ? "spin" : "statement") << ", " << memo_bytes);
        for (const Relayout relayout : {Relayout::kAnew, Relayout::kTakeOver}) {
          Comparison<4>(model, spin_steps, memo_bytes, kMostExplored, relayout, Memory::kHalves).run();
          Comparison<4>(model, spin_steps, memo_bytes, kMostExplored, relayout, Memory::kEdges).run();
          if (!spin_steps) continue;
          Comparison<4>(model, true, memo_bytes, kMostExplored, relayout, Memory::kMergedHalves).run();
        }
      }
    }
  }
}

TEST_CASE("key generator: joined of halves or edges, successors are the generator's: random models") {
  uint64_t compared = 0;
  for (const char* name : {"handshakes", "rendezvous", "d_step", "unless"}) {
    for (uint64_t seed = 0; seed < 40; ++seed) {
      INFO(name << " " << seed);
      const std::optional<Model> model = compile_random(seed, *random::find_profile(name));
      if (!model) continue;
      if (reads_hidden_variable(*model) || !make_vm_generator(*model)->has_halves()) continue;
      Comparison<16>(*model, seed % 2 == 0, kRoomy, 300, Relayout::kTakeOver, Memory::kHalves).run();
      Comparison<16>(*model, seed % 2 == 0, kRoomy, 300, Relayout::kTakeOver, Memory::kEdges).run();
      Comparison<16>(*model, true, kRoomy, 300, Relayout::kTakeOver, Memory::kMergedHalves).run();
      ++compared;
    }
  }
  CHECK(compared > 60);
}

TEST_CASE("key generator: looked up or computed, successors are the generator's: small models of dark corners") {
  for (const SpinCase& each : kSpinCases) {
    INFO(each.name);
    const Model model = compile_text(each.text);
    const Explored explored = Comparison<2>(model, true, kRoomy, kMostExplored).run();
    if (each.states <= kMostExplored) CHECK(explored.states == each.states);
    Comparison<2>(model, false, kRoomy, kMostExplored).run();
    Comparison<16>(model, true, kTight, 200).run();
    Comparison<2>(model, true, kRoomy, kMostExplored, Relayout::kTakeOver).run();
    for (const bool spin_steps : {true, false}) {
      Comparison<2>(model, spin_steps, kRoomy, kMostExplored, Relayout::kTakeOver, Memory::kHalves).run();
      Comparison<2>(model, spin_steps, kRoomy, kMostExplored, Relayout::kTakeOver, Memory::kEdges).run();
    }
  }
}

TEST_CASE("key generator: a worker computes nothing that another one has remembered") {
  const Model model = compile_text(
      "byte x[3]; chan c = [2] of {byte}; active [3] proctype P() { do :: x[_pid] < 5 -> x[_pid]++ :: x[_pid] > 0 -> "
      "x[_pid] = 0 "
      ":: c!x[_pid] :: c?x[_pid] od }");
  Comparison<1> first(model, true, kRoomy, 1000);
  const Explored alone = first.run();
  CHECK(alone.misses > 100);
  CHECK(first.expand_all_again() == 0);
  CHECK(first.expand_all_by_another(true) == 0);
  CHECK(first.expand_all_by_another(false) > 100);
}

TEST_CASE("key generator: most steps are looked up") {
  const Model model = compile_text(
      "byte x[3]; active [3] proctype P() { do :: x[_pid] < 5 -> x[_pid]++ :: x[_pid] > 0 -> x[_pid] = 0 od }");
  const Explored explored = Comparison<1>(model, true, kRoomy, 10000).run();
  // Each process has 16 states: 6 values, 5 of them behind the first guard, 5 behind the second. For the first one
  // that it is in, the memo has no room yet.
  CHECK(explored.states == 16 * 16 * 16);
  CHECK(explored.lookups == 3 * explored.states);
  CHECK(explored.misses == 3 * (16 + 1));
}

TEST_CASE("key generator: a process that looks at its frame only is computed once for each content of it") {
  const Model model = compile_text("active [3] proctype P() { byte i; do :: i < 5 -> i++ :: i > 3 -> i = 0 od }");
  const Explored explored = Comparison<1>(model, true, kRoomy, 10000).run();
  CHECK(explored.states == 13 * 13 * 13);
  CHECK(explored.misses == 3 * (13 + 1));
}

TEST_CASE("key generator: what is remembered survives a re-layout") {
  const Model model = compile_text(
      "byte x[3]; active [3] proctype P() { do :: x[_pid] < 5 -> x[_pid]++ :: x[_pid] > 0 -> x[_pid] = 0 od }");
  const Explored explored = Comparison<1>(model, true, kRoomy, 10000, Relayout::kTakeOver).run();
  CHECK(explored.states == 16 * 16 * 16);
  CHECK(explored.relayouts > 100);
  CHECK(explored.misses == 0);  // of the last generator
}

// A state here is one number, which both processes look at.
constexpr const char* kNeverRecurs =
    "int x; active proctype P() { do :: x = (x * 5 + 1) % 20000 :: x = (x + 777) % 20000 od }\n"
    "active proctype Q() { do :: x == 5 -> x = 6 od }";

TEST_CASE("key generator: a process whose steps never recur is computed without remembering, and right") {
  const Model model = compile_text(kNeverRecurs);
  const Explored some = Comparison<1>(model, true, kRoomy, 6000).run();
  const Explored more = Comparison<1>(model, true, kRoomy, 12000).run();
  for (const auto& [explored, expanded] : {std::pair(some, 6000u), std::pair(more, 12000u)}) {
    CHECK(explored.states > expanded);
    CHECK(explored.lookups == 2 * expanded);
    CHECK(explored.misses >= expanded);  // all of P's, and Q's until its only edge is known to be blocked without
  }
  CHECK(some.memo_bytes > 100'000);
  CHECK(more.memo_bytes < some.memo_bytes + some.memo_bytes / 8);  // what it is tried with
}

TEST_CASE("key generator: a process that looks at little is looked up, however many states there are") {
  // As above, but P increments y in every other step, which it does without looking at x.
  const Model model = compile_text(
      "int x; byte y; active proctype P() { do :: x = (x * 5 + 1) % 20000; y++ :: x = (x + 777) % 20000; y = 0 od }\n"
      "active proctype Q() { do :: y > 3 -> y = 1 od }");
  const Explored explored = Comparison<1>(model, true, kRoomy, 12000).run();
  CHECK(explored.lookups == 2 * 12000);
  CHECK(explored.misses < 12000);
}

TEST_CASE("key generator: a buffer of keys keeps what is appended") {
  KeyBuffer<2> buffer;
  for (int round = 0; round < 3; ++round) {
    buffer.clear();
    REQUIRE(buffer.size() == 0);
    uint64_t number = 0;
    for (size_t count = 0; count < 60; ++count) {
      const Key<2> from{{number, 7}};
      std::vector<Key<2>> deltas;
      for (size_t i = 0; i < count; ++i, ++number) deltas.push_back(from ^ Key<2>{{number, ~number}});
      buffer.add(from, Steps<2>{0, deltas});
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
