#include "checker/result/coverage.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace cmc {

namespace {

// How many steps at the front are equal. REQUIRES: `one` is not longer.
size_t common_begin(std::span<const Step> one, std::span<const Step> other) {
  static_assert(std::has_unique_object_representations_v<Step>);
  constexpr size_t kAtOnce = 32;
  size_t same = 0;
  const auto are_equal = [&](size_t count) {
    return std::memcmp(one.data() + same, other.data() + same, count * sizeof(Step)) == 0;
  };
  while (same + kAtOnce <= one.size() && are_equal(kAtOnce)) same += kAtOnce;
  while (same < one.size() && are_equal(1)) ++same;
  return same;
}

}  // namespace

size_t Coverage::mark_sequence(std::span<const Step> steps, SequenceEnd end) {
  return walk_.walk(steps, [&](const Step& step) {
    const bool last = &step == &steps.back();
    if (last && end == SequenceEnd::kFailed) return mark_edge(step.pid, step.location, step.edge, kTried);
    mark(step);
    if (last && end == SequenceEnd::kCut) mark_edge(step.pid, step.location, step.edge, kCut);
  });
}

// Of a sequence with choices the outcomes follow each other with most of their steps in common.
void Coverage::mark_successors(const SuccessorBatch& batch) {
  std::span<const Step> before;  // whose steps are marked
  size_t plain = 0;              // how many of these start and end no process
  for (const SuccessorBatch::Entry& entry : batch.entries) {
    const std::span<const Step> steps = batch.path(entry);
    if (steps.size() == 1) {
      mark(steps.front());
      continue;
    }
    const size_t same = common_begin(before.first(std::min(plain, steps.size())), steps);
    plain = same + mark_sequence(steps.subspan(same), SequenceEnd::kCompleted);
    before = steps;
  }
  mark_endless(batch);
}

void Coverage::mark_endless(const SuccessorBatch& batch) {
  for (const SuccessorBatch::Path& path : batch.endless_paths) {
    mark_sequence(std::span(batch.steps).subspan(path.begin, path.count), SequenceEnd::kCut);
  }
}

void Coverage::mark_errors(const SuccessorBatch& batch) {
  for (const RuntimeError& error : batch.errors) {
    const std::span<const Step> steps = batch.path(error);
    mark_sequence(steps, runtime_error_continues(error.kind) ? SequenceEnd::kCompleted : SequenceEnd::kFailed);
  }
}

void Coverage::merge(std::span<const uint8_t> marks) {
  for (size_t i = 0; i < marks_.size(); ++i) marks_[i] |= marks[i];
}

ReachedLocations Coverage::reached() const {
  ReachedLocations result;
  for (const Proctype& proctype : model_.proctypes) result.reached.emplace_back(proctype.locations.size(), false);
  const auto mark_start = [&](ProctypeId id) {
    const LocationId start = model_.proctypes[id].start;
    if (start > 0) result.reached[id][start] = true;
  };
  for (const ActiveProcess& process : model_.active) mark_start(process.proctype);
  for (size_t p = 0; p < model_.proctypes.size(); ++p) {
    const std::vector<Location>& locations = model_.proctypes[p].locations;
    for (size_t i = 0; i < locations.size(); ++i) {
      for (size_t e = 0; e < locations[i].edges.size(); ++e) {
        const uint32_t index = walk_.number(p, static_cast<LocationId>(i), static_cast<uint16_t>(e));
        if (marks_[index] != 0) result.reached[p][i] = true;
        if ((marks_[index] & kTaken) == 0) continue;
        if ((marks_[index] & kCut) != 0 && result.endless_atomic.line == 0) {
          result.endless_atomic = model_.statements[locations[i].edges[e].statement].place;
        }
        const LocationId target = locations[i].edges[e].target;
        if (target > 0) result.reached[p][target] = true;
        for (const ProctypeId started : walk_.effect(index).started) mark_start(started);
      }
    }
  }
  return result;
}

}  // namespace cmc
