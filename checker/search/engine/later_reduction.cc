#include "checker/search/engine/later_reduction.h"

#include <algorithm>
#include <new>
#include <unordered_set>
#include <utility>
#include <vector>

namespace cmc {
namespace {

constexpr uint64_t kStatesPerLookedAt = 512;
constexpr uint64_t kLeastLookedAt = 16;
constexpr uint64_t kMostLookedAt = 64;
constexpr uint64_t kMemoBytes = uint64_t{1} << 20;
constexpr uint64_t kLeastAsked = 512;    // states, before a trial can have failed
constexpr uint64_t kLeastOnTrial = 256;  // one state in so many has steps left out
// Neighbourhoods of so many states. Near ones are those that the reduction leaves out first, so each has so many
// states, and within so many steps, unless there are too many. The first one is looked at whatever it costs.
constexpr size_t kMiddles = 8;
constexpr size_t kLeastMiddles = 4;
constexpr size_t kNeighbours = 64;
constexpr size_t kSteps = 5;
constexpr size_t kMostNeighbours = 512;
constexpr size_t kTooManyNeighbours = 16 * kMostNeighbours;  // after a step: those of that state say nothing
// What a state costs with reduction, in what it costs without: more where most steps sleep, which are not taken.
constexpr double kCost = 2.2;
constexpr double kCostOfAsleep = 6;  // for their share above a half
constexpr double kMostCost = 0.6;    // of the reduced search, in that of the other one
constexpr double kHopeless = 1;      // likewise: the next look is at so many times as many states more
constexpr uint64_t kPause = 4;
// Neighbourhoods of few steps promise too much where processes have little to do with each other (philosophers, 9:
// 0.05, where 0.35 of the states are left). In a small search a share below that is not believed: in larger ones less
// is left (of 11 philosophers 0.23), and each state costs more.
constexpr double kLeastShare = 0.16;
constexpr uint64_t kBelievedFrom = uint64_t{1} << 20;  // states, when the next look is
// Looks look up the steps of so many processes, and one in so many of those that the search has computed, and of
// those that it has taken. A look is not begun where it could not look up so many.
constexpr uint64_t kFreeSteps = 3072;
constexpr uint64_t kComputedPerLooked = 8;
constexpr uint64_t kTakenPerLooked = 512;
constexpr uint64_t kStepsOfLook = 1024;

// What is computed here belongs to no state of the search, and is not worth a long time.
class NoObserver final : public StepObserver {
 public:
  void on_steps(ByteView, const SuccessorBatch&) override {}
  void on_part() override {}
  [[nodiscard]] bool should_stop() override { return true; }
};

// What looks know of the steps in one layout.
template <unsigned W>
class LooksOf final : public SearchContext::Looks {
 public:
  explicit LooksOf(SearchContext& context)
      : layout_(context.space->relayouts()),
        memo_(context.space->layout(), kMemoBytes, 1, true),
        generator_(*context.space, *context.generators.front(), observer_, memo_, 0,
                   {.sets = context.considered.get(), .symmetry = context.symmetry.get()}) {}

  [[nodiscard]] bool are_of(const KeySpace& space) const { return space.relayouts() == layout_; }
  [[nodiscard]] uint64_t looked_up() const { return generator_.figures().lookups; }
  [[nodiscard]] uint64_t reduced() const { return generator_.reductions().states; }
  void set_leaves_out(bool leaves_out) { generator_.set_leaves_out(leaves_out); }
  // False: the steps do not fit the keys, or take long. Until the next call.
  [[nodiscard]] bool expand(const Key<W>& key) {
    if (memo_.crowded()) memo_.make_room();
    successors_.clear();
    ExpansionFlags flags;
    const auto using_memo = generator_.use_memo();
    return generator_.expand_whole(key, successors_, flags) == Expanded::kAll;
  }
  [[nodiscard]] const KeyBuffer<W>& successors() const { return successors_; }

 private:
  const uint32_t layout_;  // KeySpace::relayouts()
  NoObserver observer_;
  StepMemo<W> memo_;
  KeyGenerator<W> generator_;
  KeyBuffer<W> successors_;
};

// The states within some steps of one.
template <unsigned W>
class Neighbourhood {
 public:
  explicit Neighbourhood(const Key<W>& middle) : known_{middle}, last_{middle} {}
  [[nodiscard]] size_t size() const { return known_.size(); }
  [[nodiscard]] size_t steps() const { return steps_; }
  [[nodiscard]] bool is_whole() const { return last_.empty(); }
  // By one step. False: there are too many.
  [[nodiscard]] bool widen(LooksOf<W>& looks) {
    std::vector<Key<W>> next;
    for (const Key<W>& key : last_) {
      if (!looks.expand(key)) continue;  // it says nothing
      for (const Key<W>& each : looks.successors()) {
        if (known_.insert(each).second) next.push_back(each);
      }
      if (known_.size() > kTooManyNeighbours) return false;
    }
    last_ = std::move(next);
    ++steps_;
    return true;
  }

 private:
  struct Hash {
    size_t operator()(const Key<W>& key) const {
      uint64_t hash = 0;
      for (const uint64_t word : key.words) hash = (hash ^ word ^ hash >> 31) * 0x9e3779b97f4a7c15ULL;
      return hash ^ hash >> 32;
    }
  };
  std::unordered_set<Key<W>, Hash> known_;
  std::vector<Key<W>> last_;  // so many steps away
  size_t steps_ = 0;
};

// How many states of neighbourhoods there are when steps are left out, and how many there are in all.
struct Compared {
  uint64_t reduced = 0;
  uint64_t all = 0;
};

template <unsigned W>
void compare_around(const Key<W>& middle, size_t least_steps, LooksOf<W>& looks, Compared& sum) {
  Neighbourhood<W> all(middle);
  Neighbourhood<W> reduced(middle);
  looks.set_leaves_out(false);
  while (!all.is_whole() && all.size() < (all.steps() < least_steps ? kMostNeighbours : kNeighbours)) {
    if (!all.widen(looks)) return looks.set_leaves_out(true);
  }
  looks.set_leaves_out(true);
  while (!reduced.is_whole() && reduced.steps() < all.steps()) {
    if (!reduced.widen(looks)) return;
  }
  sum.all += all.size();
  sum.reduced += reduced.size();
}

template <unsigned W>
LooksOf<W>& looks_of(SearchContext& context) {
  auto* looks = dynamic_cast<LooksOf<W>*>(context.looks.get());
  if (looks != nullptr && looks->are_of(*context.space)) return *looks;
  context.looks.reset();
  auto made = std::make_unique<LooksOf<W>>(context);
  looks = made.get();
  context.looks = std::move(made);
  return *looks;
}

// What the search without reduction says about the cost of the other one.
double cost_of_state(const SearchContext& context) {
  const uint64_t steps = context.sum(&SearchContext::Counts::transitions);
  const uint64_t asleep = context.sum(&SearchContext::Counts::asleep_steps);
  const double share = steps == 0 ? 0 : static_cast<double>(asleep) / static_cast<double>(steps);
  return kCost + kCostOfAsleep * std::max(share - 0.5, 0.0);
}

template <unsigned W>
bool pays_in(SearchContext& context, std::span<const uint64_t> keys, uint64_t computed) {
  const uint64_t taken = context.sum(&SearchContext::Counts::transitions);
  const uint64_t most = kFreeSteps + computed / kComputedPerLooked + taken / kTakenPerLooked;
  if (context.looked_steps + kStepsOfLook > most) return false;
  LooksOf<W>& looks = looks_of<W>(context);
  const uint64_t before = looks.looked_up();
  const uint64_t reduced_before = looks.reduced();
  const auto looked = [&] { return context.looked_steps + looks.looked_up() - before; };
  const auto may_go_on = [&] { return looked() <= most; };
  const auto reduces = [&] { return looks.reduced() > reduced_before; };
  const size_t count = keys.size() / W;
  const auto key_at = [&](size_t i) {
    Key<W> key;
    std::copy_n(keys.data() + i * W, W, key.data());
    return key;
  };
  for (size_t i = 0; i < count && !reduces() && may_go_on(); ++i) static_cast<void>(looks.expand(key_at(i)));
  Compared sum;
  size_t compared = 0;
  const double cost = cost_of_state(context);
  const double least_share = context.considered_at < kBelievedFrom ? kLeastShare : 0;
  const auto costs = [&](double of_all) {
    const double all = static_cast<double>(sum.all);
    return cost * std::max(static_cast<double>(sum.reduced), least_share * all) >= of_all * all;
  };
  const auto is_needed = [&] {
    if (compared == 0) return true;
    const bool hopeless = costs(kHopeless);
    return compared < (may_go_on() && !hopeless ? kMiddles : may_go_on() || !hopeless ? kLeastMiddles : 0);
  };
  while (reduces() && is_needed())
    compare_around<W>(key_at(compared++ * count / kMiddles), may_go_on() ? kSteps : 0, looks, sum);
  if (costs(kHopeless)) context.considered_at *= kPause;
  context.looked_steps = looked();
  return !costs(kMostCost);
}

}  // namespace

uint64_t looked_at_of(uint64_t states) {
  return std::clamp(states / kStatesPerLookedAt, kLeastLookedAt, kMostLookedAt);
}

bool reduction_has_failed(const ReductionFigures& figures) {
  return figures.asked >= kLeastAsked && figures.states * kLeastOnTrial < figures.asked;
}

template <unsigned W>
bool reduction_pays_in(SearchContext& context, std::span<const uint64_t> keys, uint64_t computed) {
  try {
    return pays_in<W>(context, keys, computed);
  } catch (const std::bad_alloc&) {  // the gate is closed
    return false;
  }
}

template bool reduction_pays_in<1>(SearchContext&, std::span<const uint64_t>, uint64_t);
template bool reduction_pays_in<2>(SearchContext&, std::span<const uint64_t>, uint64_t);
template bool reduction_pays_in<4>(SearchContext&, std::span<const uint64_t>, uint64_t);
template bool reduction_pays_in<16>(SearchContext&, std::span<const uint64_t>, uint64_t);

}  // namespace cmc
