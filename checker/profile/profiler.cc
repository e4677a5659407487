#include "checker/profile/profiler.h"

#include <algorithm>
#include <utility>

#include "base/fine_clock.h"

namespace cmc {
namespace {

constexpr uint64_t kFirst = 64;            // computations, and batches, that are timed in any case
constexpr uint64_t kEachComputation = 61;  // later: one in so many
constexpr uint64_t kEachBatch = 16;
constexpr size_t kMostWords = size_t{1} << 22;  // of shapes of a worker
constexpr int64_t kLongBatch = 50'000;          // nanoseconds: then all are timed
constexpr size_t kFirstParts = 256;
constexpr uint64_t kFirstBatches = 512;    // that are counted in any case
constexpr uint32_t kEachCountedBatch = 8;  // later: about one in so many
// What noting a computation costs, but for what is measured: nanoseconds.
constexpr int64_t kTryCost = 10;
constexpr int64_t kWordCost = 20;

EdgeTrace::Options trace_options(const ProfileOptions& options) {
  return {options.every, options.keeps_interruptions};
}

}  // namespace

WorkerProfile::WorkerProfile(const Model& model, StepShapes& shapes, SuccessorGenerator& generator,
                             const ProfileOptions& options)
    : shapes_(shapes),
      generator_(generator),
      edges_(EdgeWalk(model).edges(), trace_options(options)),
      walk_(model),
      pace_(options),
      every_(options.every),
      keeps_interruptions_(options.keeps_interruptions),
      times_(walk_.edges()),
      asked_(1),
      taken_(1),
      computed_(1),
      leads_(1, walk_.edges()),
      first_reached_(walk_.edges() + size_t{1}),
      certain_(walk_.edges()),
      estimated_(walk_.edges()),
      parts_(kFirstParts) {}

// Whether this one is timed.
bool WorkerProfile::Sampling::next() {
  ++seen;
  ++weight;
  timed = --until == 0;
  return timed;
}

// --- observing

void WorkerProfile::begin_computation() {
  const bool counted = pace_.observes();
  const bool sampled = !counted && takes_sample();
  observed_ = counted || sampled;
  const uint64_t weight = sampled ? distance_ * batch_weight_ : 0;
  if (observed_) begin_observation(weight, sampled ? weight : 1);
  if (!computation_.next()) return;
  computation_switches_ = thread_context_switches();
  trace_begin_ = edges_.own_nanoseconds();
  computation_.begin = fine_nanoseconds();
}

void WorkerProfile::end_computation() {
  if (observed_) generator_.watch(nullptr);
  observed_ = false;
  if (!computation_.timed) return;
  const int64_t timing = edges_.own_nanoseconds() - trace_begin_ + edges_.clock_nanoseconds();
  const int64_t took = fine_nanoseconds() - computation_.begin - timing;
  // The next one then stands for this one, too.
  const bool interrupted = !keeps_interruptions_ && thread_context_switches() != computation_switches_;
  if (!interrupted) computing_.add(took, std::exchange(computation_.weight, 0));
  computation_.set_distance(every_ || computation_.seen < kFirst ? 1 : kEachComputation);
}

// `weight`: of the sample; 0: it is none. A sample that is never finished is lost. `computed`: how many computations
// this one stands for.
void WorkerProfile::begin_observation(uint64_t weight, uint64_t computed) {
  weight_ = weight;
  if (weight > 0) until_sample_ = distance_;
  edges_.clear(computed);
  own_before_ = edges_.own_nanoseconds();
  words_.clear();
  last_run_ = 0;
  generator_.watch(&edges_);
}

void WorkerProfile::on_steps(ByteView state, const SuccessorBatch& batch) {
  if (!observed_) return;
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

// Appends the edges that were tried. Returns how often they were.
uint64_t WorkerProfile::add_tried() {
  uint64_t tried = 0;
  for (const uint32_t edge : edges_.tried()) {
    const EdgeTrace::Count& count = edges_.count(edge);
    words_.insert(words_.end(), {edge, count.tried, count.executable});
    tried += count.tried;
  }
  words_.push_back(static_cast<uint32_t>(edges_.tried().size()));
  return tried;
}

uint32_t WorkerProfile::number_steps() {
  if (!observed_) return kUncountedSteps;
  const int64_t begin = fine_nanoseconds();
  const uint64_t tried = add_tried();
  uint32_t number = weight_ > 0 ? kUncountedSteps : take_number();
  if (number == kUncountedSteps) {
    number = make_sample(weight_);
    const Sample& sample = samples_.back();
    counts_of(sample).compute(sample.shape, std::max<uint64_t>(sample.weight, 1));
  } else {
    ++computed_[number & ~kFlags];
  }
  const int64_t cost = fine_nanoseconds() - begin + edges_.own_nanoseconds() - own_before_ +
                       kTryCost * static_cast<int64_t>(tried) + kWordCost * static_cast<int64_t>(words_.size());
  if (weight_ > 0) {
    end_sampling(cost);
  } else {
    pace_.note_observation(cost);
  }
  return number;
}

uint32_t WorkerProfile::number_portion(ByteView state, const SuccessorBatch& batch) {
  words_.clear();
  last_run_ = 0;
  observed_ = true;
  on_steps(state, batch);
  observed_ = false;
  words_.push_back(0);
  const uint32_t number = take_number();
  return number == kUncountedSteps ? make_sample(0) : number;
}

void WorkerProfile::begin_sample() {
  sample_begin_ = fine_nanoseconds();
  observed_ = true;
  begin_observation(distance_ * batch_weight_, 0);
}

uint32_t WorkerProfile::end_sample() {
  static_cast<void>(add_tried());
  generator_.watch(nullptr);
  observed_ = false;
  const uint32_t number = make_sample(every_ ? 0 : weight_);
  end_sampling(fine_nanoseconds() - sample_begin_);
  return number;
}

void WorkerProfile::end_sampling(int64_t nanoseconds) {
  const uint64_t steps = pace_.next_distance(weight_, nanoseconds);
  distance_ = until_sample_ = static_cast<uint32_t>(std::max<uint64_t>(steps / batch_weight_, 1));
}

// --- numbers

uint32_t WorkerProfile::take_number() {
  if (const auto found = numbers_.find(words_); found != numbers_.end()) return found->second;
  number_words_ += words_.size();
  if (number_words_ > kMostWords) {
    pace_.observe_no_more();
    return kUncountedSteps;
  }
  const uint32_t number = shapes_.number_of(words_);
  if (number >= computed_.size()) computed_.resize(number + number / 2 + 64);
  return numbers_.emplace(words_, number | (shape(number).has_several_leads() ? kSeveralLeads : 0)).first->second;
}

// Of the steps in words_.
uint32_t WorkerProfile::make_sample(uint64_t weight) {
  const auto number = static_cast<uint32_t>(samples_.size());
  const Sample& sample = samples_.emplace_back(read_shape(words_), weight);
  return number | kSampledSteps | (sample.shape.has_several_leads() ? kSeveralLeads : 0);
}

const StepShape& WorkerProfile::learn(uint32_t number) {
  if (number >= known_.size()) known_.resize(number + number / 2 + 64);
  known_[number] = &shapes_.shape(number);
  return *known_[number];
}

// --- counting

void WorkerProfile::count_sample(uint32_t number, bool asked, bool taken) {
  const Sample& sample = samples_[number & ~kFlags];
  if (taken) counts_of(sample).take(sample.shape, times(sample));
  if (!asked) return;
  counts_of(sample).ask(sample.shape, times(sample));
  ++counted_;
  samples_asked_ += batch_weight_;
  if (sample.weight == 0) return;
  ++samples_counted_;
  samples_steps_ += batch_weight_;
  samples_weight_ += sample.weight;
}

void WorkerProfile::count_part(uint32_t number) {
  if ((number & kSampledSteps) != 0) [[unlikely]]
    return count_sample(number, parts_are_asked_, true);
  number &= ~kFlags;
  if (number >= taken_.size()) [[unlikely]]
    taken_.resize(number + number / 2 + 64);
  taken_[number] += batch_weight_;
  if (!parts_are_asked_) return;
  ++counted_;
  unnumbered_ += number == kUncountedSteps ? 1 : 0;
}

void WorkerProfile::count_parts(size_t end) {
  for (size_t i = 0; i < end; ++i) count_part(parts_[i].number);
}

void WorkerProfile::count_other_uses() {
  for (const uint32_t number : uses().asked) {
    if ((number & kSampledSteps) != 0) {
      count_sample(number, true, false);
      continue;
    }
    const uint32_t its = number & ~kFlags;
    if (its >= asked_.size()) asked_.resize(its + its / 2 + 64);
    asked_[its] += batch_weight_;
    ++counted_;
    unnumbered_ += its == kUncountedSteps ? 1 : 0;
  }
  for (const uint32_t number : carried_) count_part(number);
  carried_.clear();
  for (const StepUses::Move& move : uses().moves) count_move(move);
}

void WorkerProfile::count_move(const StepUses::Move& move) {
  if ((move.number & kSampledSteps) == 0) {
    moves_[uint64_t{move.number & ~kFlags} << 32 | move.index] += batch_weight_ * move.successors;
    return;
  }
  const Sample& sample = samples_[move.number & ~kFlags];
  const StepShape::Run* const run = sample.shape.run_of(move.index);
  if (run == nullptr) return;
  counts_of(sample).execute(*run, times(sample) * move.successors, &Profile::Counts::executed);
}

void WorkerProfile::restart_parts() {
  for (size_t i = state_begin_; i < parts_end_; ++i) carried_.push_back(parts_[i].number);
  count_parts(state_begin_);
  parts_end_ = state_begin_ = counted_end_ = new_part_ = 0;
}

void WorkerProfile::note_new_of(uint32_t number, size_t index) {
  if ((number & kFlags) == 0) {
    const uint32_t lead = shape(number).runs.front().lead;
    if (number >= leads_.size()) leads_.resize(number + number / 2 + 64, kUnknownLead);
    first_reached_[leads_[number] = lead] += batch_weight_;
    return;
  }
  const uint32_t lead = (number & kSeveralLeads) != 0 ? origins_[index] : shape(number).runs.front().lead;
  if ((number & kSampledSteps) == 0) {
    first_reached_[lead] += batch_weight_;
    return;
  }
  const Sample& sample = samples_[number & ~kFlags];
  counts_of(sample).counts[lead].first_reached += times(sample);
  if (sample.weight > 0) samples_new_ += batch_weight_;
}

void WorkerProfile::forget() {
  std::ranges::fill(asked_, 0);
  std::ranges::fill(taken_, 0);
  moves_.clear();
  std::ranges::fill(first_reached_, 0);
  transitions_ = counted_ = unnumbered_ = counted_batches_ = 0;
  batch_distance_ = until_batch_ = 1;
  skips_ = pauses_ = false;
  certain_.keep_computed();
  estimated_.keep_computed();
  samples_asked_ = samples_counted_ = samples_steps_ = samples_weight_ = samples_new_ = 0;
  distance_ = until_sample_ = 1;
}

// Whether this batch is counted. If not, there are no samples.
void WorkerProfile::choose_batch() {
  constexpr uint32_t kNever = 0xffffffff;
  if (--until_batch_ > 0) {
    if (!pauses_) held_until_ = until_sample_;
    until_sample_ = kNever;
    pauses_ = skips_ = true;
    return;
  }
  if (pauses_) until_sample_ = held_until_;
  pauses_ = false;
  batch_weight_ = batch_distance_;
  const uint32_t later = 1 + random_.next(24) % (2 * kEachCountedBatch - 1);
  batch_distance_ = every_ || ++counted_batches_ < kFirstBatches ? 1 : later;
  until_batch_ = batch_distance_;
}

bool WorkerProfile::begin_batch() {
  parts_end_ = state_begin_ = counted_end_ = new_part_ = 0;
  if (!samples_.empty()) samples_.clear();
  choose_batch();
  if (batch_.next()) {
    batch_switches_ = thread_context_switches();
    batch_.begin = fine_nanoseconds();
  }
  return !pauses_;
}

void WorkerProfile::end_batch() {
  parts_end_ = counted_end_;
  count_parts(parts_end_);
  if (!batch_.timed) return;
  const int64_t took = fine_nanoseconds() - batch_.begin;
  const bool interrupted = !keeps_interruptions_ && thread_context_switches() != batch_switches_;
  if (!interrupted) expanding_.add(took, std::exchange(batch_.weight, 0));
  batch_.set_distance(took > kLongBatch || batch_.seen < kFirst ? 1 : kEachBatch);
}

}  // namespace cmc
