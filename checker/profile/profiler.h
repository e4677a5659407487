#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/durations.h"
#include "base/quick_random.h"
#include "checker/generator/edge_trace.h"
#include "checker/keys/step_profiler.h"
#include "checker/profile/profile_pace.h"
#include "checker/profile/step_shapes.h"
#include "checker/result/edge_walk.h"
#include "checker/result/profile.h"

namespace cmc {

// What a worker notes for the profile. Remembered steps are counted cheaply: what is computed gets the number of its
// shape, the memo keeps it beside the steps, and a look-up only counts the number. Beside a look-up of 25 ns even
// that is a fifth, so only the first batches are all counted, and later some, at random distances.
//
// Where noting what computations do would cost too much (ProfilePace), steps get no number. They are a stratum of
// their own, of which samples at random distances are observed; each stands for the steps since the one before (the
// estimator of Horvitz and Thompson, 1952). What is known exactly of the whole stratum scales them at the end.
class WorkerProfile final : public StepProfiler {
 public:
  WorkerProfile(const Model& model, StepShapes& shapes, SuccessorGenerator& generator, const ProfileOptions& options);

  void begin_computation() override;
  void on_steps(ByteView state, const SuccessorBatch& batch) override;
  [[nodiscard]] uint32_t number_steps() override;
  void end_computation() override;
  [[nodiscard]] uint32_t number_portion(ByteView state, const SuccessorBatch& batch) override;
  void begin_sample() override;
  [[nodiscard]] uint32_t end_sample() override;

  // What is handed to the sink from now on are successors of the next state. What was handed out and not counted
  // (count_uses()) does not count.
  void begin_state() {
    parts_end_ = state_begin_ = counted_end_;
    carried_.clear();
  }
  // Steps that were looked up or computed are about to be added to the sink, which has `begin` successors.
  void note_part(uint32_t number, size_t begin) {
    if (parts_end_ == parts_.size()) [[unlikely]]
      parts_.resize(2 * parts_.size());
    parts_[parts_end_++] = {number, static_cast<uint32_t>(begin)};
  }
  // The same where steps are handed out that have been counted as asked for.
  void note_taken_part(uint32_t number, size_t begin) {
    parts_are_asked_ = false;
    note_part(number, begin);
  }
  // They were added, their deltas leading from `from`, and the sink has left some of them out; with kSeveralLeads.
  template <class Sink, class Key>
  void note_origins(const Sink& sink, const Key& from, std::span<const Key> deltas) {
    if (origins_.size() < sink.size()) origins_.resize(2 * sink.size());
    size_t at = parts_[parts_end_ - 1].begin;
    size_t delta = 0;
    for (const StepShape::Run& run : shape(parts_[parts_end_ - 1].number).runs) {
      for (uint32_t i = 0; i < run.count && at < sink.size(); ++i, ++delta) {
        if (sink[at] == (from ^ deltas[delta])) origins_[at++] = run.lead;
      }
    }
  }
  // The sink was emptied in the middle of a state.
  void restart_parts();
  // A successor in the sink is a new state. In order.
  void note_new(size_t index) {
    while (new_part_ + 1 < parts_end_ && parts_[new_part_ + 1].begin <= index) ++new_part_;
    const uint32_t number = parts_[new_part_].number;
    if (number >= leads_.size() || leads_[number] == kUnknownLead) [[unlikely]]
      return note_new_of(number, index);
    first_reached_[leads_[number]] += batch_weight_;
  }

  // The successors of a state, which are so many, count now: so does what its expansion asked for and handed out.
  void count_uses(uint64_t successors) {
    transitions_ += batch_weight_ * successors;
    counted_end_ = parts_end_;
    if (!carried_.empty() || !uses().asked.empty() || !uses().moves.empty()) [[unlikely]]
      count_other_uses();
  }
  // What was counted does not count any more, because the search starts again.
  void forget();

  // Around each batch. False: it is not counted, and none of the above is to be called.
  [[nodiscard]] bool begin_batch();
  void end_batch();

 private:
  friend class SearchProfile;
  // Steps of a process that were handed to the sink.
  struct Part {
    uint32_t number = 0;
    uint32_t begin = 0;  // in the sink
  };
  // An observation of steps without a number.
  struct Sample {
    StepShape shape;
    uint64_t weight = 0;  // steps that it stands for; 0: it would be observed in any case
  };
  static constexpr uint32_t kFlags = kSeveralLeads | kSampledSteps;
  static constexpr uint32_t kUnknownLead = 0xffffffff;

  [[nodiscard]] const StepShape& shape(uint32_t flagged) {
    const uint32_t number = flagged & ~kFlags;
    if ((flagged & kSampledSteps) != 0) return samples_[number].shape;
    return number < known_.size() && known_[number] != nullptr ? *known_[number] : learn(number);
  }
  const StepShape& learn(uint32_t number);
  [[nodiscard]] ShapeCounts& counts_of(const Sample& sample) { return sample.weight == 0 ? certain_ : estimated_; }
  [[nodiscard]] uint64_t times(const Sample& sample) const {
    return sample.weight == 0 ? batch_weight_ : sample.weight;
  }

  void begin_observation(uint64_t weight, uint64_t computed);
  void end_sampling(int64_t nanoseconds);
  void choose_batch();
  void add_run(std::span<const Step> steps);
  uint64_t add_tried();
  [[nodiscard]] uint32_t take_number();
  [[nodiscard]] uint32_t make_sample(uint64_t weight);
  void count_sample(uint32_t number, bool asked, bool taken);
  void count_part(uint32_t number);
  void count_parts(size_t end);
  void count_move(const StepUses::Move& move);
  void count_other_uses();
  void note_new_of(uint32_t number, size_t index);

  StepShapes& shapes_;
  SuccessorGenerator& generator_;
  EdgeTrace edges_;
  EdgeWalk walk_;
  ProfilePace pace_;
  const bool every_;
  const bool keeps_interruptions_;

  // The computation, or the sample.
  bool observed_ = false;
  uint64_t weight_ = 0;  // of the sample; 0: it is none
  int64_t sample_begin_ = 0;
  int64_t own_before_ = 0;  // EdgeTrace::own_nanoseconds()
  ShapeWords words_;
  size_t last_run_ = 0;  // begin of it in words_
  ShapeWords run_;
  std::vector<uint32_t> times_;  // by edge
  uint32_t distance_ = 1;        // from the last sample to the next one, in batches that are counted

  std::unordered_map<ShapeWords, uint32_t, ShapeHash> numbers_;
  size_t number_words_ = 0;
  std::vector<const StepShape*> known_;  // by number
  // By number. [0]: steps without one that were not sampled.
  std::vector<uint64_t> asked_;  // but those that are asked for as they are taken (parts_are_asked_)
  std::vector<uint64_t> taken_;
  std::vector<uint64_t> computed_;
  std::vector<uint32_t> leads_;                   // if all successors have the same, and it is known
  std::unordered_map<uint64_t, uint64_t> moves_;  // of the claim: successors by number << 32 | index
  std::vector<uint64_t> first_reached_;           // by edge; the last one: not known
  uint64_t transitions_ = 0;
  uint64_t counted_ = 0;     // steps that were asked for, one by one, without weights
  uint64_t unnumbered_ = 0;  // of these

  // Of batches.
  uint64_t batch_weight_ = 1;    // that the last one that was counted stands for
  uint32_t until_batch_ = 1;     // to the next one that is counted
  uint32_t batch_distance_ = 1;  // to that from the last one
  uint64_t counted_batches_ = 0;
  bool skips_ = false;       // some were not counted
  bool pauses_ = false;      // this one is not
  uint32_t held_until_ = 0;  // until_sample_, while it pauses
  QuickRandom random_;

  std::vector<Sample> samples_;  // of the batch
  ShapeCounts certain_;
  ShapeCounts estimated_;
  uint64_t samples_asked_ = 0;    // that were counted as asked for, times their batches' weights
  uint64_t samples_counted_ = 0;  // of these, with a weight of their own, once each
  uint64_t samples_steps_ = 0;    // those, times their batches' weights
  uint64_t samples_weight_ = 0;   // sum of their weights
  uint64_t samples_new_ = 0;      // states that they reached first, times their batches' weights

  std::vector<uint32_t> origins_;  // by index in the sink: edge, of parts with kSeveralLeads
  std::vector<Part> parts_;        // of the batch, up to parts_end_
  size_t parts_end_ = 0;
  size_t state_begin_ = 0;         // in parts_
  size_t counted_end_ = 0;         // likewise: of states that count
  size_t new_part_ = 0;            // likewise: of the last new state
  std::vector<uint32_t> carried_;  // numbers of parts of this state from before restart_parts()
  bool parts_are_asked_ = true;    // steps are not asked for apart from being handed out

  // Of computations: one in `until` is timed, which stands for those since the last one.
  struct Sampling {
    uint64_t seen = 0;
    uint64_t until = 1;
    uint64_t weight = 0;
    bool timed = false;
    int64_t begin = 0;
    bool next();
    void set_distance(uint64_t distance) { until = distance; }
  };
  Sampling computation_;
  int64_t trace_begin_ = 0;  // EdgeTrace::own_nanoseconds()
  Durations computing_;
  Sampling batch_;
  Durations expanding_;  // batches
  // Of the thread, when the last computation, or batch, that is timed began.
  uint64_t computation_switches_ = 0;
  uint64_t batch_switches_ = 0;
};

// The profile of a search, while it runs.
class SearchProfile {
 public:
  // The generators of the workers, which stay.
  SearchProfile(const Model& model, const ProfileOptions& options,
                std::span<const std::unique_ptr<SuccessorGenerator>> generators);

  [[nodiscard]] WorkerProfile& worker(uint32_t number) { return *workers_[number]; }
  void forget();
  // What the search found.
  struct Totals {
    uint64_t states = 0;
    uint64_t transitions = 0;
    double cpu_seconds = 0;
    bool knows_first_reached = true;
  };
  // When no worker is at work any more.
  [[nodiscard]] Profile collect(const Totals& totals);

 private:
  struct Sums;
  void add_counts(Sums& sums, Profile& profile, const Totals& totals) const;
  void add_unnumbered(ShapeCounts& counts) const;
  void add_numbered(const WorkerProfile& worker, ShapeCounts& counts) const;
  void add_times(Sums& sums, Profile& profile) const;
  void share_costs(Sums& sums, Profile& profile, double cpu_seconds) const;
  void add_spans(Profile& profile, std::span<const uint32_t> places) const;

  const Model& model_;
  const ProfileOptions options_;
  StepShapes shapes_;
  std::vector<std::unique_ptr<WorkerProfile>> workers_;
};

}  // namespace cmc
