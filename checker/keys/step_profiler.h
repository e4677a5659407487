#pragma once

#include <cstdint>
#include <vector>

#include "checker/generator/generator.h"

namespace cmc {

// Bits of Steps::number: not all successors begin with the same edge; it is the number of a sample, which counts for
// steps without a number (kUncounted), and means nothing after the batch.
inline constexpr uint32_t kSeveralLeads = uint32_t{1} << 31;
inline constexpr uint32_t kSampledSteps = uint32_t{1} << 30;
inline constexpr uint32_t kUncountedSteps = 0;

// What the expansion of a state asked for, by the numbers of steps (Steps::number). The KeyGenerator fills it; the
// search counts it as soon as it counts the successors. What was handed out, the sink is told.
struct StepUses {
  // A move of the claim that so many successors begin with.
  struct Move {
    uint32_t number = 0;  // of the steps that it is one of
    uint32_t index = 0;   // which one
    uint64_t successors = 0;
  };
  // Looked up or computed. Without reduction and claim only those that were not handed to the sink.
  std::vector<uint32_t> asked;
  std::vector<Move> moves;

  void clear() {
    asked.clear();
    moves.clear();
  }
};

// Told of what a KeyGenerator computes, for a profile. What is computed gets a number that is remembered with it, so
// that a look-up tells what it found at no cost. Some steps have none, because noting what all computations do would
// cost too much, or because they are joined of halves. Of these a sample is computed once more when they are found.
// One for each worker.
class StepProfiler {
 public:
  virtual ~StepProfiler() = default;
  virtual void begin_computation() = 0;
  // A portion of the steps of one process, or of the moves of the claim, in the state that is given.
  virtual void on_steps(ByteView state, const SuccessorBatch& batch) = 0;
  // The number of all that on_steps() was told of in this computation.
  [[nodiscard]] virtual uint32_t number_steps() = 0;
  virtual void end_computation() = 0;
  // The number of a portion that was computed once more because there are too many steps to be remembered.
  [[nodiscard]] virtual uint32_t number_portion(ByteView state, const SuccessorBatch& batch) = 0;

  // Of steps without a number that were found: whether they are sampled. Then they are computed between
  // begin_sample() and end_sample(), which returns the sample's number, and on_steps() is told.
  [[nodiscard]] bool takes_sample() { return --until_sample_ == 0; }
  virtual void begin_sample() = 0;
  [[nodiscard]] virtual uint32_t end_sample() = 0;

  [[nodiscard]] StepUses& uses() { return uses_; }

 protected:
  uint32_t until_sample_ = 1;  // steps without a number

 private:
  StepUses uses_;
};

// From begin_computation() to end_computation(); `profiler` may be null.
class ProfiledComputation {
 public:
  explicit ProfiledComputation(StepProfiler* profiler) : profiler_(profiler) {
    if (profiler_ != nullptr) [[unlikely]]
      profiler_->begin_computation();
  }
  ~ProfiledComputation() {
    if (profiler_ != nullptr) [[unlikely]]
      profiler_->end_computation();
  }
  ProfiledComputation(const ProfiledComputation&) = delete;
  ProfiledComputation& operator=(const ProfiledComputation&) = delete;

 private:
  StepProfiler* const profiler_;
};

}  // namespace cmc
