#include "checker/profile/profiler.h"

#include <algorithm>
#include <utility>

namespace cmc {
namespace {

constexpr size_t kMostWords = size_t{1} << 22;  // of shapes of a worker

}  // namespace

WorkerProfile::WorkerProfile(const Model& model, StepShapes& shapes, SuccessorGenerator& generator)
    : shapes_(shapes),
      generator_(generator),
      edges_(EdgeWalk(model).edges()),
      walk_(model),
      times_(walk_.edges()),
      counts_(walk_.edges()) {}

// --- computing

void WorkerProfile::begin_computation() {
  ++computations_;
  edges_.clear();
  words_.clear();
  last_run_ = 0;
  generator_.watch(&edges_);
  computing_.begin(edges_);
}

void WorkerProfile::end_computation() {
  computing_.end(edges_);
  generator_.watch(nullptr);
}

void WorkerProfile::on_steps(ByteView state, const SuccessorBatch& batch) {
  walk_.enter(state);
  for (const SuccessorBatch::Entry& entry : batch.entries) {
    add_run(batch.path(entry));
  }
}

// Appends a successor to words_: to the last run, if the edges are the same.
void WorkerProfile::add_run(std::span<const Step> steps) {
  const uint32_t unknown = walk_.edges();
  run_ = {unknown, 1, 0};
  const auto take = [&](uint32_t edge) {
    if (edge == EdgeWalk::kNoEdge) return;
    if (run_[0] == unknown) run_[0] = edge;
    if (times_[edge]++ > 0) return;
    run_.push_back(edge);
    run_.push_back(0);
    ++run_[2];
  };
  walk_.walk(steps, [&](const Step& step) {
    take(walk_.edge_of(step.pid, step.location, step.edge));
    if (step.partner != kNoProcess) take(walk_.edge_of(step.partner, step.partner_location, step.partner_edge));
  });
  for (size_t i = 3; i < run_.size(); i += 2) run_[i + 1] = std::exchange(times_[run_[i]], 0);
  const std::span<uint32_t> last = std::span(words_).subspan(last_run_);
  const bool same =
      last.size() == run_.size() && last[0] == run_[0] && std::equal(last.begin() + 2, last.end(), run_.begin() + 2);
  if (same) {
    ++last[1];
    return;
  }
  last_run_ = words_.size();
  words_.insert(words_.end(), run_.begin(), run_.end());
}

uint32_t WorkerProfile::number_steps() {
  for (const uint32_t edge : edges_.tried()) {
    const EdgeTrace::Count& count = edges_.count(edge);
    words_.insert(words_.end(), {edge, count.tried, count.executable});
  }
  words_.push_back(static_cast<uint32_t>(edges_.tried().size()));
  const uint32_t number = take_number();
  ++shape(number).computed;
  uses().asked.push_back(number);
  return number;
}

uint32_t WorkerProfile::number_portion(ByteView state, const SuccessorBatch& batch) {
  words_.clear();
  last_run_ = 0;
  on_steps(state, batch);
  words_.push_back(0);
  return take_number();
}

// --- numbers

// Of the steps in words_.
uint32_t WorkerProfile::take_number() {
  if (const auto found = numbers_.find(words_); found != numbers_.end()) return found->second;
  if (number_words_ + words_.size() > kMostWords) {
    passing_.push_back({&passing_shapes_.emplace_back(read_shape(words_))});
    return kPassingSteps | static_cast<uint32_t>(passing_.size() - 1);
  }
  number_words_ += words_.size();
  return numbers_.emplace(words_, shapes_.number_of(words_)).first->second;
}

void WorkerProfile::learn(uint32_t number) {
  if (number >= known_.size()) known_.resize(number + number / 2 + 64);
  known_[number].shape = &shapes_.shape(number);
}

void WorkerProfile::end_passing() {
  for (const Shape& each : passing_) each.add_to(counts_);
  passing_.clear();
  passing_shapes_.clear();
}

// --- counting

void WorkerProfile::Shape::add_to(ShapeCounts& counts) const {
  if (shape == nullptr) return;
  counts.ask(*shape, asked);
  counts.take(*shape, taken);
  counts.compute(*shape, computed);
}

void WorkerProfile::begin_batch() {
  edges_.look_for_interruptions();
  expanding_.begin(edges_);
}

void WorkerProfile::end_batch() { expanding_.end(edges_); }

void WorkerProfile::begin_state() {
  uses().clear();
  taken_.clear();
  if (!passing_.empty()) [[unlikely]]
    end_passing();
}

void WorkerProfile::count_uses() {
  asked_ += uses().asked.size();
  for (const uint32_t number : uses().asked) ++shape(number).asked;
  for (const uint32_t number : taken_) ++shape(number).taken;
  for (const StepUses::Move& move : uses().moves) {
    const StepShape::Run* const run = shape(move.number).shape->run_of(move.index);
    if (run != nullptr) counts_.execute(*run, move.successors, &Profile::Counts::executed);
  }
}

void WorkerProfile::forget() {
  begin_state();
  for (Shape& each : known_) each.asked = each.taken = 0;
  counts_.keep_computed();
  asked_ = 0;
}

}  // namespace cmc
