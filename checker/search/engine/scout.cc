#include "checker/search/engine/scout.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "storage/sets/state_set.h"

namespace cmc {

namespace {

constexpr uint64_t kFewStates = 4096;  // of which re-layouts cost nothing
constexpr uint64_t kStatesPerScouted = 64;
constexpr uint64_t kMostScouted = 4096;
constexpr uint64_t kMostBytes = uint64_t{4} << 20;
constexpr size_t kMostOutcomes = 64;  // of a state
constexpr size_t kMostSteps = 4096;

}  // namespace

void scout(SearchContext& context, const uint64_t* key, uint64_t states) {
  // What a reduced search leaves out would get numbers, too; and questions are asked once.
  const bool is_reduced = context.stubborn != nullptr || context.symmetry != nullptr;
  if (states < kFewStates || is_reduced || !context.model.guards.empty()) return;
  const uint64_t most = std::min(states / kStatesPerScouted, kMostScouted);
  const std::function<bool()> at_once = [] { return true; };
  SuccessorGenerator& generator = *context.generators.front();
  SuccessorBatch batch;
  batch.limits = {kMostOutcomes, kMostSteps, &at_once};
  StateSet seen(context.model.hidden_bytes);
  std::vector<StateSet::Id> open;
  std::vector<uint64_t> delta(context.space->layout().words());
  Bytes state;
  context.space->unpack(key, state);
  for (open.push_back(seen.insert(state).id); !open.empty();) {
    if (seen.size() >= most || seen.memory_bytes() + seen.growth_bytes(state.size()) > kMostBytes) return;
    const ByteView next = seen.get(open.back());
    open.pop_back();
    state.assign(next.begin(), next.end());
    batch.clear();
    generator.successors(state, batch);
    // The first one is the next, as depth first.
    for (size_t i = batch.entries.size(); i-- > 0;) {
      const ByteView successor = batch.state(batch.entries[i]);
      static_cast<void>(context.space->difference(key, state, successor, KeySpace::kAll, delta.data()));
      if (const auto inserted = seen.insert(successor); inserted.is_new) open.push_back(inserted.id);
    }
  }
}

}  // namespace cmc
