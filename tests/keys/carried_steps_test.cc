#include "checker/keys/carried_steps.h"

#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/generator/wrappers/spin_steps.h"
#include "checker/keys/key_generator.h"
#include "checker/vm/generator.h"
#include "ir/effects.h"
#include "tests/generator/spin_cases.h"
#include "tests/keys/models.h"
#include "tests/keys/steps.h"
#include "tests/support/compile.h"
#include "tests/support/make_generator.h"
#include "tests/support/part_of_day.h"
#include "tests/support/random_models.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

constexpr size_t kMostStates = 4000;
constexpr uint32_t kProcesses = 12;

struct Counts {
  uint64_t states = 0;
  uint64_t transitions = 0;
  uint64_t blocked = 0;
  uint64_t with_errors = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};

// By the generator, state vector by state vector. None: there are too many states.
std::optional<Counts> explore_in_full(const Model& model) {
  const auto generator = make_generator(model);
  SuccessorBatch batch;
  generator->initial(batch);
  if (batch.entries.empty()) return std::nullopt;
  std::set<Bytes> seen;
  std::vector<Bytes> open;
  const auto reach = [&](ByteView state) {
    if (seen.insert(copy(state.subspan(model.hidden_bytes))).second) open.push_back(copy(state));
  };
  reach(batch.state(batch.entries.front()));
  Counts counts;
  while (!open.empty()) {
    if (seen.size() > kMostStates) return std::nullopt;
    const Bytes state = std::move(open.back());
    open.pop_back();
    batch.clear();
    generator->successors(state, batch);
    counts.transitions += batch.entries.size();
    counts.blocked += batch.blocked ? 1 : 0;
    counts.with_errors += batch.errors.empty() ? 0 : 1;
    for (const SuccessorBatch::Entry& entry : batch.entries) reach(batch.state(entry));
  }
  counts.states = seen.size();
  return counts;
}

enum class Order { kLastFirst, kFirstFirst, kRandom };

// What stands beside open states: rows; masks of sleeping processes, as beside candidates, too, of which nobody knows
// for a while whether they are new.
enum class Beside { kRows, kMasks };

// In any order.
template <unsigned W>
class CarryingSearch final : public StepObserver {
 public:
  CarryingSearch(const Model& model, Order order, Beside beside, bool halves, uint64_t memo_bytes)
      : order_(order),
        beside_(beside),
        memo_bytes_(memo_bytes),
        space_(model),
        generator_(make_generator(model)),
        batch_(1) {
    SuccessorBatch first;
    generator_->initial(first);
    space_.set_initial(first.state(first.entries.front()));
    if (halves && generator_->has_halves()) handshakes_.emplace(space_.components());
    batch_.resize(kProcesses);
  }

  Counts run() {
    begin();
    while (!open_.empty() || decide()) {
      if (memo_->crowded() && !clears_in_long_steps_) memo_->make_room();
      if (expand(take())) continue;
      REQUIRE(space_.relayout(0));
      REQUIRE(space_.layout().words() <= W);
      begin();
    }
    counts_.states = seen_.size();
    return counts_;
  }
  [[nodiscard]] uint64_t asleep() const { return asleep_; }
  // Only while a long step is computed, as another worker does that needs room meanwhile.
  void clear_memo_in_long_steps() { clears_in_long_steps_ = true; }
  [[nodiscard]] uint64_t clears() const { return memo_->clears(); }

 private:
  struct Open {
    Key<W> key;
    std::vector<uint32_t> row = std::vector<uint32_t>(kProcesses + 1);
    uint64_t clears = 0;  // of the memo, when the row was written
  };
  // The sink of expand_carried().
  struct Successors {
    void add(const Key<W>& from, const Steps<W>& steps, uint32_t process = kNoProcess) {
      for (const Key<W>& delta : steps.deltas) all.push_back({from ^ delta, process});
    }
    std::vector<std::pair<Key<W>, uint32_t>> all;
  };

  void begin() {
    memo_ = std::make_unique<StepMemo<W>>(space_.layout(), memo_bytes_, 1, handshakes_.has_value(), true);
    keys_ = std::make_unique<KeyGenerator<W>>(space_, *generator_, *this, *memo_, 0,
                                              StepOptions{.handshakes = handshakes_ ? &*handshakes_ : nullptr});
    REQUIRE(keys_->may_carry());
    counts_ = {};
    asleep_ = 0;
    seen_ = {Key<W>{}};
    open_ = {Open{}};
    candidates_.clear();
  }
  // Which candidates are new: the first of several equal ones. False: nothing is open.
  bool decide() {
    for (Open& each : candidates_) {
      if (seen_.insert(each.key).second) open_.push_back(std::move(each));
    }
    candidates_.clear();
    return !open_.empty();
  }
  Open take() {
    const size_t at = order_ == Order::kLastFirst    ? open_.size() - 1
                      : order_ == Order::kFirstFirst ? 0
                                                     : random_() % open_.size();
    Open taken = std::move(open_[at]);
    open_.erase(open_.begin() + static_cast<ptrdiff_t>(at));
    return taken;
  }
  bool expand(Open state) {
    const auto using_memo = keys_->use_memo();
    if (state.clears != memo_->clears()) carried_row::forget_leaves(state.row.data(), kProcesses);
    const uint64_t clears = memo_->clears();
    CarriedState<W>& carried = batch_[0];
    carried.row = state.row.data();
    Successors successors;
    ExpansionFlags flags;
    if (keys_->expand_carried(state.key, carried, kProcesses, successors, flags) != Expanded::kAll) return false;
    if (memo_->clears() != clears) batch_.forget();
    asleep_ += carried.asleep_steps;
    counts_.transitions += successors.all.size() + carried.asleep_steps;
    counts_.blocked += flags.blocked ? 1 : 0;
    counts_.with_errors += flags.needs_generator ? 1 : 0;
    for (const auto& [key, process] : successors.all) {
      Open& next = candidates_.emplace_back();
      next.key = key;
      next.clears = memo_->clears();
      if (beside_ == Beside::kRows) {
        keys_->write_row(carried, process, state.key ^ key, next.row.data(), kProcesses);
      } else {
        carried_row::write(keys_->asleep_after(carried, process, state.key ^ key), next.row.data(), kProcesses);
      }
    }
    if (beside_ == Beside::kRows || candidates_.size() > kMostCandidates) decide();
    return true;
  }
  static constexpr size_t kMostCandidates = 20;

  void on_steps(ByteView, const SuccessorBatch&) override {}
  void on_part() override {}
  bool should_stop() override {
    if (!clears_in_long_steps_ || ++stops_ % 7 != 0) return false;
    const uint64_t clears = memo_->clears();
    const auto remember = [&](uint32_t frame) {  // of process 0, which has no such frame, steps that lead nowhere
      const auto using_memo = memo_->use(0);
      memo_->insert(0, Key<W>{}, 0, frame, false, {}, {0, std::vector<Key<W>>(3)});
    };
    remember(1000 + static_cast<uint32_t>(stops_));  // for which there is no room
    memo_->make_room(0);
    // The numbers of leaves that are gone are those of others now.
    for (uint32_t i = 0; memo_->clears() > clears && i < stops_ % 4 * 8; ++i) remember(500 + i);
    return false;
  }

  const Order order_;
  const Beside beside_;
  const uint64_t memo_bytes_;
  bool clears_in_long_steps_ = false;
  uint64_t stops_ = 0;
  KeySpace space_;
  const std::unique_ptr<SuccessorGenerator> generator_;
  std::optional<Handshakes> handshakes_;
  std::unique_ptr<StepMemo<W>> memo_;
  std::unique_ptr<KeyGenerator<W>> keys_;
  CarriedBatch<W> batch_;
  std::mt19937 random_{1};
  Counts counts_;
  uint64_t asleep_ = 0;
  std::set<Key<W>> seen_;
  std::vector<Open> open_;
  std::vector<Open> candidates_;
};

// Returns how many steps slept; none: the model is too large.
std::optional<uint64_t> compare(const Model& model) {
  if (reads_hidden_variable(model) || model.claim.exists()) return std::nullopt;
  const std::optional<Counts> expected = explore_in_full(model);
  if (!expected) return std::nullopt;
  uint64_t asleep = 0;
  for (const Order order : {Order::kLastFirst, Order::kFirstFirst, Order::kRandom}) {
    for (const Beside beside : {Beside::kRows, Beside::kMasks}) {
      for (const bool halves : {false, true}) {
        for (const uint64_t memo_bytes : {kRoomy, kTight}) {
          CarryingSearch<16> search(model, order, beside, halves, memo_bytes);
          const Counts counts = search.run();
          INFO("order " << static_cast<int>(order) << ", beside " << static_cast<int>(beside) << ", halves " << halves
                        << ", memo " << memo_bytes);
          CHECK(counts == *expected);
          asleep += search.asleep();
        }
      }
    }
  }
  return asleep;
}

TEST_CASE("carried steps: all states are found in any order: everything that comes and goes") {
  for_each_small_model([](const Model& model) { compare(model); });
}

TEST_CASE("carried steps: all states are found in any order: small models of dark corners") {
  const PartOfDay part;
  uint64_t number = 0;
  for (const SpinCase& each : kSpinCases) {
    if (!part.has(number++)) continue;
    INFO(each.name);
    compare(compile_text(each.text));
  }
}

TEST_CASE("carried steps: all states are found in any order: random models") {
  const PartOfDay part;
  uint64_t compared = 0;
  uint64_t asleep = 0;
  for (const random::Profile& profile : random::profiles()) {
    for (uint64_t seed = 0; seed < 28; ++seed) {
      if (!part.has(seed)) continue;
      INFO(profile.name << " " << seed);
      const std::optional<Model> model = compile_random(seed, profile);
      if (!model) continue;
      const std::optional<uint64_t> slept = compare(*model);
      compared += slept ? 1 : 0;
      asleep += slept.value_or(0);
    }
  }
  CHECK(compared > 20);
  CHECK(asleep > 300);
}

TEST_CASE("carried steps: a memo that is cleared while a step is computed takes no leaf with it", "[long]") {
  const Model model = compile_text(
      "byte x, y; active proctype A() { byte i; do :: i < 3 -> i++ od }\n"
      "active proctype L() { int n; do :: atomic { x < 3 -> do :: n < 1200 -> n++ :: else -> break od; x = x + 1 + y "
      "/ 99;\n"
      "                                            n = 0 } :: else -> break od }\n"
      "active proctype B() { do :: y < 25 -> y++ od }");
  const std::optional<Counts> expected = explore_in_full(model);
  REQUIRE(expected);
  for (const Beside beside : {Beside::kRows, Beside::kMasks}) {
    for (const Order order : {Order::kLastFirst, Order::kRandom}) {
      CarryingSearch<16> search(model, order, beside, false, 1);
      search.clear_memo_in_long_steps();
      CHECK(search.run() == *expected);
      CHECK(search.asleep() > 0);
      CHECK(search.clears() > 0);
    }
  }
}

TEST_CASE("carried steps: of independent processes most steps sleep") {
  const Model model = compile_text("byte x[3]; active [3] proctype P() { do :: x[_pid] < 4 -> x[_pid]++ od }");
  const std::optional<Counts> expected = explore_in_full(model);
  REQUIRE(expected);
  for (const Beside beside : {Beside::kRows, Beside::kMasks}) {
    for (const Order order : {Order::kLastFirst, Order::kFirstFirst}) {
      CarryingSearch<16> search(model, order, beside, false, kRoomy);
      CHECK(search.run() == *expected);
      CHECK(2 * search.asleep() > expected->transitions);
    }
  }
}

}  // namespace
}  // namespace cmc::test
