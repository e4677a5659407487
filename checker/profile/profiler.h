#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/fine_clock.h"
#include "checker/generator/edge_trace.h"
#include "checker/keys/step_profiler.h"
#include "checker/profile/step_shapes.h"
#include "checker/result/edge_walk.h"
#include "checker/result/profile.h"

namespace cmc {

// What a worker notes for the profile: all that it does, with exact counts. What is computed is measured, and gets
// the number of its shape, the memo keeps the number beside the steps, and a look-up only counts the number.
//
// Where nearly each computation has a shape of its own, shapes would fill the memory. When there are very many, a new
// one gets a number for this state only, and the memo does not remember the steps.
class WorkerProfile final : public StepProfiler {
 public:
  WorkerProfile(const Model& model, StepShapes& shapes, SuccessorGenerator& generator);

  void begin_computation() override;
  void on_steps(ByteView state, const SuccessorBatch& batch) override;
  [[nodiscard]] uint32_t number_steps() override;
  void end_computation() override;
  [[nodiscard]] uint32_t number_portion(ByteView state, const SuccessorBatch& batch) override;

  // Around each batch.
  void begin_batch();
  void end_batch();
  // What is noted from now on is about the next state. What was not counted (count_uses()) does not count.
  void begin_state();
  // Steps of the number were added to the sink, which had `begin` successors before: their deltas lead from `from`,
  // and the sink has left some of them out.
  template <class Sink, class Key>
  void note_taken(uint32_t number, const Key& from, std::span<const Key> deltas, const Sink& sink, size_t begin) {
    taken_.push_back(number);
    if (origins_.size() < sink.size()) origins_.resize(2 * sink.size());
    size_t at = begin;
    size_t delta = 0;
    for (const StepShape::Run& run : shape(number).shape->runs) {
      for (uint32_t i = 0; i < run.count && at < sink.size(); ++i, ++delta) {
        if (sink[at] == (from ^ deltas[delta])) origins_[at++] = run.lead;
      }
    }
  }
  // The successors of the state count now: so does what its expansion asked for and handed out.
  void count_uses();
  // A successor in the sink is a new state.
  void note_new(size_t index) { ++counts_.counts[origins_[index]].first_reached; }

  // What was counted does not count any more, because the search starts again. What was computed does.
  void forget();

 private:
  friend class SearchProfile;
  // A shape, and what happened to its steps.
  struct Shape {
    const StepShape* shape = nullptr;  // null: this worker has not met it
    uint64_t asked = 0;
    uint64_t taken = 0;
    uint64_t computed = 0;
    void add_to(ShapeCounts& counts) const;
  };

  [[nodiscard]] Shape& shape(uint32_t number) {
    if ((number & kPassingSteps) != 0) [[unlikely]]
      return passing_[number & ~kPassingSteps];
    if (number >= known_.size() || known_[number].shape == nullptr) [[unlikely]]
      learn(number);
    return known_[number];
  }
  void learn(uint32_t number);
  void add_run(std::span<const Step> steps);
  [[nodiscard]] uint32_t take_number();
  void end_passing();

  StepShapes& shapes_;
  SuccessorGenerator& generator_;
  EdgeTrace edges_;
  EdgeWalk walk_;

  // Of the computation.
  ShapeWords words_;
  size_t last_run_ = 0;  // begin of it in words_
  ShapeWords run_;
  std::vector<uint32_t> times_;  // by edge

  std::unordered_map<ShapeWords, uint32_t, ShapeHash> numbers_;
  size_t number_words_ = 0;
  std::vector<Shape> known_;              // by number
  std::deque<StepShape> passing_shapes_;  // of the state
  std::vector<Shape> passing_;            // by number
  std::vector<uint32_t> taken_;           // in this state: numbers
  std::vector<uint32_t> origins_;         // by index in the sink: edge
  ShapeCounts counts_;                    // what known_ has not
  uint64_t asked_ = 0;

  // Time that computations and batches took, in nanoseconds, without what measuring cost.
  struct Stretch {
    int64_t nanoseconds = 0;
    int64_t began = 0;
    void begin(const EdgeTrace& edges) { began = fine_nanoseconds() - edges.lost_nanoseconds(); }
    void end(const EdgeTrace& edges) { nanoseconds += fine_nanoseconds() - edges.lost_nanoseconds() - began; }
  };
  uint64_t computations_ = 0;
  Stretch computing_;
  Stretch expanding_;
};

// The profile of a search, while it runs.
class SearchProfile {
 public:
  // The generators of the workers, which stay.
  SearchProfile(const Model& model, std::span<const std::unique_ptr<SuccessorGenerator>> generators);

  [[nodiscard]] WorkerProfile& worker(uint32_t number) { return *workers_[number]; }
  void forget();
  // When no worker is at work any more.
  [[nodiscard]] Profile collect(double cpu_seconds, bool knows_first_reached);

 private:
  struct Sums;
  void add_worker(const WorkerProfile& worker, Sums& sums, Profile& profile) const;
  void share_costs(Sums& sums, Profile& profile, double cpu_seconds) const;
  void add_edges(const Sums& sums, Profile& profile) const;

  const Model& model_;
  StepShapes shapes_;
  std::vector<std::unique_ptr<WorkerProfile>> workers_;
};

}  // namespace cmc
