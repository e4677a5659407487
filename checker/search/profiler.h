#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/durations.h"
#include "checker/generator/edge_trace.h"
#include "checker/keys/step_profiler.h"
#include "checker/search/edge_walk.h"
#include "checker/search/profile.h"
#include "checker/search/step_shapes.h"

namespace cmc {

// What a worker notes for the profile. Remembered steps are counted exactly and cheaply: what is computed gets the
// number of its shape, the memo keeps it beside the steps, and a look-up only counts the number.
class WorkerProfile final : public StepProfiler {
 public:
  WorkerProfile(const Model& model, StepShapes& shapes, const ProfileOptions& options);

  // For the worker's generator.
  [[nodiscard]] EdgeTrace& edges() { return edges_; }

  void begin_computation() override;
  void on_steps(ByteView state, const SuccessorBatch& batch) override;
  [[nodiscard]] uint32_t number_steps() override;
  void end_computation() override;
  [[nodiscard]] uint32_t number_portion(ByteView state, const SuccessorBatch& batch) override;

  // What is handed to the sink from now on are successors of this state of the batch.
  void begin_state(size_t parent) {
    first_parts_[parent] = state_begin_ = static_cast<uint32_t>(parts_.size());
    carried_.clear();
  }
  // Steps are about to be added to the sink, which has `begin` successors. `asked`: they were not counted as asked
  // for.
  void note_part(uint32_t number, size_t begin, bool asked) {
    parts_.push_back({number, static_cast<uint32_t>(begin)});
    parts_asked_ = asked;
  }
  // They were added, their deltas leading from `from`, and the sink has left some of them out; with kSeveralLeads.
  template <class Sink, class Key>
  void note_origins(const Sink& sink, const Key& from, std::span<const Key> deltas) {
    if (origins_.size() < sink.size()) origins_.resize(2 * sink.size());
    size_t at = parts_.back().begin;
    size_t delta = 0;
    for (const StepShape::Run& run : shape(parts_.back().number).runs) {
      for (uint32_t i = 0; i < run.count && at < sink.size(); ++i, ++delta) {
        if (sink[at] == (from ^ deltas[delta])) origins_[at++] = run.lead;
      }
    }
  }
  // The sink was emptied in the middle of a state.
  void restart_parts();
  // A successor in the sink, of this state of the batch, is a new state.
  void note_new(size_t index, size_t parent) {
    size_t part = first_parts_[parent];
    while (part + 1 < parts_.size() && parts_[part + 1].begin <= index) ++part;
    const uint32_t number = parts_[part].number;
    ++first_reached_[(number & kSeveralLeads) != 0 ? origins_[index] : shape(number).runs.front().lead];
  }

  // The successors of a state count now: so does what its expansion asked for and handed out.
  void count_uses();
  // What was counted does not count any more, because the search starts again.
  void forget();

  // Around each batch.
  void begin_batch();
  void end_batch();

 private:
  friend class SearchProfile;
  struct Uses {
    uint64_t asked = 0;
    uint64_t taken = 0;
    uint64_t computed = 0;
  };

  // Steps of a process that were handed to the sink.
  struct Part {
    uint32_t number = 0;
    uint32_t begin = 0;  // in the sink
  };

  [[nodiscard]] const StepShape& shape(uint32_t flagged) {
    const uint32_t number = flagged & ~kSeveralLeads;
    return number < known_.size() && known_[number] != nullptr ? *known_[number] : learn(number);
  }
  const StepShape& learn(uint32_t number);
  Uses& uses_of(uint32_t flagged) {
    const uint32_t number = flagged & ~kSeveralLeads;
    if (number >= counts_.size()) [[unlikely]]
      counts_.resize(number + number / 2 + 64);
    return counts_[number];
  }
  void add_run(std::span<const Step> steps);
  [[nodiscard]] uint32_t take_number();
  void count_part(uint32_t number);
  void leave_out_inside();

  StepShapes& shapes_;
  EdgeTrace edges_;
  EdgeWalk walk_;
  std::unordered_map<ShapeWords, uint32_t, ShapeHash> numbers_;
  std::vector<const StepShape*> known_;  // by number
  ShapeWords words_;                     // of the computation
  size_t last_run_ = 0;                  // begin of it in words_
  ShapeWords run_;
  std::vector<uint32_t> times_;                   // by edge
  std::vector<Uses> counts_;                      // by number of the shape
  std::unordered_map<uint64_t, uint64_t> moves_;  // of the claim: successors by number << 32 | index
  std::vector<uint64_t> first_reached_;           // by edge
  std::vector<uint32_t> origins_;                 // by index in the sink: edge, of parts with kSeveralLeads
  std::vector<Part> parts_;                       // of the batch
  std::vector<uint32_t> carried_;                 // numbers of parts of this state from before restart_parts()
  std::array<uint32_t, 64> first_parts_{};        // by state of the batch
  uint32_t state_begin_ = 0;                      // in parts_
  bool parts_asked_ = false;
  uint64_t asked_ = 0;
  bool incomplete_inside_ = false;

  const bool every_;
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
  const bool keeps_interruptions_;
};

// The profile of a search, while it runs.
class SearchProfile {
 public:
  SearchProfile(const Model& model, const ProfileOptions& options, uint32_t workers);

  [[nodiscard]] WorkerProfile& worker(uint32_t number) { return *workers_[number]; }
  void forget();
  // When no worker is at work any more. `cpu_seconds`: of the search.
  [[nodiscard]] Profile collect(double cpu_seconds, bool knows_first_reached);

 private:
  struct Sums;
  void add_counts(Sums& sums) const;
  void add_times(Sums& sums, Profile& profile) const;
  void share_costs(Sums& sums, Profile& profile, double cpu_seconds) const;
  void add_spans(Profile& profile, std::span<const uint32_t> places) const;

  const Model& model_;
  const ProfileOptions options_;
  StepShapes shapes_;
  std::vector<std::unique_ptr<WorkerProfile>> workers_;
};

}  // namespace cmc
