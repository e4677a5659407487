#include "checker/search/engine/later_reduction.h"

#include <algorithm>
#include <new>

namespace cmc {
namespace {

constexpr uint64_t kStatesPerLookedAt = 256;
constexpr uint64_t kLeastLookedAt = 32;
constexpr uint64_t kMostLookedAt = 512;
constexpr uint64_t kMemoBytes = uint64_t{1} << 20;
// So many of those in which several processes can move are to have steps left out, and so many of all.
constexpr uint64_t kLeastShare = 4;  // one in so many
constexpr uint64_t kLeastOfAll = 16;
constexpr uint64_t kLeastOnTrial = 256;
// Looks compute so many steps, and one in so many of those that the search has computed.
constexpr uint64_t kFreeSteps = 3072;
constexpr uint64_t kStepsPerLooked = 8;

// What is computed here belongs to no state of the search, and is not worth a long time.
class NoObserver final : public StepObserver {
 public:
  void on_steps(ByteView, const SuccessorBatch&) override {}
  void on_part() override {}
  [[nodiscard]] bool should_stop() override { return true; }
};

template <unsigned W>
bool pays_in(SearchContext& context, std::span<const uint64_t> keys, uint64_t computed) {
  NoObserver observer;
  StepMemo<W> memo(context.space->layout(), kMemoBytes, 1, true);
  KeyGenerator<W> generator(*context.space, *context.generators.front(), observer, memo, 0,
                            {.sets = context.considered.get(), .symmetry = context.symmetry.get()});
  KeyBuffer<W> successors;
  ExpansionFlags flags;
  const uint64_t most = kFreeSteps + computed / kStepsPerLooked;
  uint64_t looked_at = 0;
  for (size_t i = 0; i + W <= keys.size(); i += W) {
    if (context.looked_steps + generator.figures().misses > most) break;
    ++looked_at;
    Key<W> key;
    std::copy_n(keys.data() + i, W, key.data());
    successors.clear();
    const auto using_memo = generator.use_memo();
    // A state whose steps do not fit the keys, or take long, says nothing.
    static_cast<void>(generator.expand_whole(key, successors, flags));
  }
  context.looked_steps += generator.figures().misses;
  const ReductionFigures& figures = generator.reductions();
  return looked_at >= std::min(kLeastLookedAt, uint64_t{keys.size() / W}) &&
         figures.states * kLeastShare >= figures.asked && figures.states * kLeastOfAll >= looked_at;
}

}  // namespace

uint64_t looked_at_of(uint64_t states) {
  return std::clamp(states / kStatesPerLookedAt, kLeastLookedAt, kMostLookedAt);
}

bool reduction_has_failed(const ReductionFigures& figures) {
  return figures.asked >= kMostLookedAt && figures.states * kLeastOnTrial < figures.asked;
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
