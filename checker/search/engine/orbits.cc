#include "checker/search/engine/orbits.h"

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace cmc {

namespace {

constexpr size_t kOrbitPortion = 4096;  // successors at a time

}  // namespace

PathToState run_through(SuccessorGenerator& generator, const Symmetry& symmetry, ByteView initial,
                        const StateSequence& representatives, uint32_t hidden_bytes) {
  PathToState path(std::vector<Step>{});
  Bytes state(initial.begin(), initial.end());
  Bytes representative;
  Bytes sorted;
  SuccessorBatch batch;
  batch.limits.most_entries = kOrbitPortion;
  for (size_t i = 1; i < representatives.size(); ++i) {
    representatives.get(i, representative);
    const ByteView wanted = ByteView(representative).subspan(hidden_bytes);
    const auto leads_there = [&](const SuccessorBatch::Entry& entry) {
      const ByteView successor = batch.state(entry);
      sorted.assign(successor.begin(), successor.end());
      symmetry.sort(sorted);
      return std::ranges::equal(ByteView(sorted).subspan(hidden_bytes), wanted);
    };
    batch.clear();
    generator.successors(state, batch);
    auto found = std::ranges::find_if(batch.entries, leads_there);
    while (found == batch.entries.end()) {
      CHECK(batch.more);
      batch.clear();
      generator.resume(batch);
      found = std::ranges::find_if(batch.entries, leads_there);
    }
    path.append(batch.path(*found));
    const ByteView next = batch.state(*found);
    state.assign(next.begin(), next.end());
  }
  path.pids = symmetry.order(state);
  return path;
}

}  // namespace cmc
