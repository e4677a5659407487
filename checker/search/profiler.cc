#include "checker/search/profiler.h"

#include <algorithm>
#include <utility>

#include "base/fine_clock.h"

namespace cmc {
namespace {

constexpr uint64_t kFirst = 64;            // computations, and batches, that are timed in any case
constexpr uint64_t kEachComputation = 61;  // later: one in so many
constexpr uint64_t kEachBatch = 16;
constexpr size_t kMostShapes = size_t{1} << 18;  // of a worker: 100 MB, if they are long
constexpr int64_t kLongBatch = 50'000;           // nanoseconds: then all are timed

EdgeTrace::Options trace_options(const ProfileOptions& options) {
  return {options.every, options.keeps_interruptions};
}

}  // namespace

WorkerProfile::WorkerProfile(const Model& model, StepShapes& shapes, const ProfileOptions& options)
    : shapes_(shapes),
      edges_(EdgeWalk(model).edges(), trace_options(options)),
      walk_(model),
      times_(walk_.edges()),
      first_reached_(walk_.edges() + 1),
      every_(options.every),
      keeps_interruptions_(options.keeps_interruptions) {}

// Whether this one is timed.
bool WorkerProfile::Sampling::next() {
  ++seen;
  ++weight;
  timed = --until == 0;
  return timed;
}

void WorkerProfile::begin_computation() {
  edges_.clear();
  words_.clear();
  last_run_ = 0;
  if (!computation_.next()) return;
  computation_switches_ = thread_context_switches();
  trace_begin_ = edges_.own_nanoseconds();
  computation_.begin = fine_nanoseconds();
}

void WorkerProfile::end_computation() {
  if (!computation_.timed) return;
  const int64_t timing = edges_.own_nanoseconds() - trace_begin_ + edges_.clock_nanoseconds();
  const int64_t took = fine_nanoseconds() - computation_.begin - timing;
  // The next one then stands for this one, too.
  const bool interrupted = !keeps_interruptions_ && thread_context_switches() != computation_switches_;
  if (!interrupted) computing_.add(took, std::exchange(computation_.weight, 0));
  computation_.set_distance(every_ || computation_.seen < kFirst ? 1 : kEachComputation);
}

void WorkerProfile::on_steps(ByteView state, const SuccessorBatch& batch) {
  walk_.enter(state);
  for (const SuccessorBatch::Entry& entry : batch.entries) {
    add_run(std::span(batch.steps).subspan(entry.path_begin, entry.path_count));
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

uint32_t WorkerProfile::take_number() {
  auto found = numbers_.find(words_);
  if (found == numbers_.end() && numbers_.size() >= kMostShapes) {
    leave_out_inside();
    found = numbers_.find(words_);
  }
  if (found != numbers_.end()) return found->second;
  const uint32_t number = shapes_.number_of(words_);
  const auto other_lead = [&](const StepShape::Run& run) { return run.lead != shape(number).runs.front().lead; };
  const bool several = std::ranges::any_of(shape(number).runs, other_lead);
  return numbers_.emplace(words_, number | (several ? kSeveralLeads : 0)).first->second;
}

// Of the shape in words_, leaves only the edges that successors begin with: there are not many such shapes.
void WorkerProfile::leave_out_inside() {
  incomplete_inside_ = true;
  const StepShape shape = read_shape(words_);
  words_.clear();
  std::vector<uint32_t> leads;
  for (const StepShape::Run& run : shape.runs) {
    words_.insert(words_.end(), {run.lead, run.count, 1, run.lead, 1});
    if (std::ranges::find(leads, run.lead) == leads.end()) leads.push_back(run.lead);
  }
  for (const uint32_t edge : leads) words_.insert(words_.end(), {edge, 1, 1});
  words_.push_back(static_cast<uint32_t>(leads.size()));
}

uint32_t WorkerProfile::number_steps() {
  for (const uint32_t edge : edges_.tried()) {
    const EdgeTrace::Count& count = edges_.count(edge);
    words_.insert(words_.end(), {edge, count.tried, count.executable});
  }
  words_.push_back(static_cast<uint32_t>(edges_.tried().size()));
  const uint32_t number = take_number();
  ++uses_of(number).computed;
  return number;
}

uint32_t WorkerProfile::number_portion(ByteView state, const SuccessorBatch& batch) {
  words_.clear();
  last_run_ = 0;
  on_steps(state, batch);
  words_.push_back(0);
  return take_number();
}

const StepShape& WorkerProfile::learn(uint32_t number) {
  if (number >= known_.size()) known_.resize(number + number / 2 + 64);
  known_[number] = &shapes_.shape(number);
  return *known_[number];
}

void WorkerProfile::count_uses() {
  const StepUses& now = uses();
  asked_ += now.asked.size();
  for (const uint32_t number : now.asked) ++uses_of(number).asked;
  for (size_t i = state_begin_; i < parts_.size(); ++i) count_part(parts_[i].number);
  for (const uint32_t number : carried_) count_part(number);
  for (const StepUses::Move& move : now.moves) {
    moves_[uint64_t{move.number & ~kSeveralLeads} << 32 | move.index] += move.successors;
  }
}

void WorkerProfile::count_part(uint32_t number) {
  Uses& its = uses_of(number);
  ++its.taken;
  its.asked += parts_asked_ ? 1 : 0;
  asked_ += parts_asked_ ? 1 : 0;
}

void WorkerProfile::restart_parts() {
  for (size_t i = state_begin_; i < parts_.size(); ++i) carried_.push_back(parts_[i].number);
  parts_.clear();
  first_parts_.fill(0);
  state_begin_ = 0;
}

void WorkerProfile::forget() {
  for (Uses& each : counts_) each.asked = each.taken = 0;
  moves_.clear();
  std::ranges::fill(first_reached_, 0);
  asked_ = 0;
}

void WorkerProfile::begin_batch() {
  parts_.clear();
  if (!batch_.next()) return;
  batch_switches_ = thread_context_switches();
  batch_.begin = fine_nanoseconds();
}

void WorkerProfile::end_batch() {
  if (!batch_.timed) return;
  const int64_t took = fine_nanoseconds() - batch_.begin;
  const bool interrupted = !keeps_interruptions_ && thread_context_switches() != batch_switches_;
  if (!interrupted) expanding_.add(took, std::exchange(batch_.weight, 0));
  batch_.set_distance(took > kLongBatch || batch_.seen < kFirst ? 1 : kEachBatch);
}

}  // namespace cmc
