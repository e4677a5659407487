#include "checker/search/step_shapes.h"

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
