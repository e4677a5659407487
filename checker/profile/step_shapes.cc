#include "checker/profile/step_shapes.h"

#include <algorithm>

#include "base/check.h"

namespace cmc {

size_t ShapeHash::operator()(const ShapeWords& words) const {
  uint64_t hash = words.size();
  for (const uint32_t word : words) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  return static_cast<size_t>(hash);
}

StepShape read_shape(const ShapeWords& words) {
  StepShape shape;
  const size_t tried_begin = words.size() - 1 - size_t{3} * words.back();
  size_t at = 0;
  while (at < tried_begin) {
    StepShape::Run& run = shape.runs.emplace_back();
    run.lead = words[at];
    run.count = words[at + 1];
    const size_t end = at + 3 + size_t{2} * words[at + 2];
    for (at += 3; at < end; at += 2) run.executed.push_back({words[at], words[at + 1]});
  }
  CHECK(at == tried_begin);
  for (; at + 1 < words.size(); at += 3) shape.tried.push_back({words[at], words[at + 1], words[at + 2]});
  return shape;
}

const StepShape::Run* StepShape::run_of(uint32_t index) const {
  for (const Run& run : runs) {
    if (index < run.count) return &run;
    index -= run.count;
  }
  return nullptr;
}

void ShapeCounts::add_share(std::vector<double>& shares, const StepShape& shape, double times) {
  uint64_t tried = 0;
  for (const StepShape::Tried& each : shape.tried) tried += each.tried;
  for (const StepShape::Tried& each : shape.tried) {
    shares[each.edge] += times * each.tried / static_cast<double>(tried);
  }
}

void ShapeCounts::ask(const StepShape& shape, uint64_t times) {
  for (const StepShape::Tried& each : shape.tried) {
    counts[each.edge].tried += times * each.tried;
    counts[each.edge].executable += times * each.executable;
  }
  add_share(look_ups, shape, static_cast<double>(times));
}

void ShapeCounts::take(const StepShape& shape, uint64_t times) {
  for (const StepShape::Run& run : shape.runs) {
    counts[run.lead].transitions += times * run.count;
    execute(run, times * run.count, &Profile::Counts::executed);
  }
}

void ShapeCounts::compute(const StepShape& shape, uint64_t times) {
  for (const StepShape::Run& run : shape.runs) {
    keys[run.lead] += static_cast<double>(times * run.count);
    execute(run, times * run.count, &Profile::Counts::computed);
  }
  add_share(keys, shape, static_cast<double>(times));
}

void ShapeCounts::add(const ShapeCounts& other) {
  for (size_t i = 0; i < counts.size(); ++i) {
    counts[i] += other.counts[i];
    keys[i] += other.keys[i];
    look_ups[i] += other.look_ups[i];
  }
}

void ShapeCounts::keep_computed() {
  for (Profile::Counts& each : counts) {
    const uint64_t computed = each.computed;
    each = {};
    each.computed = computed;
  }
  std::ranges::fill(look_ups, 0);
}

uint32_t StepShapes::number_of(const ShapeWords& words) {
  const std::lock_guard lock(mutex_);
  const auto [place, added] = numbers_.try_emplace(words, static_cast<uint32_t>(shapes_.size()));
  if (added) shapes_.push_back(read_shape(words));
  return place->second;
}

const StepShape& StepShapes::shape(uint32_t number) const {
  const std::lock_guard lock(mutex_);
  return shapes_[number];
}

}  // namespace cmc
