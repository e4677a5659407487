#pragma once

#include <cstdint>
#include <vector>

#include "checker/generator/generator.h"

namespace cmc {

// A bit of Steps::number: it means nothing after this state, so the memo is not to keep it.
inline constexpr uint32_t kPassingSteps = uint32_t{1} << 31;

// What the expansion of a state asked for, by the numbers of steps (Steps::number). The KeyGenerator adds to it; the
// search empties it before each state, and counts it as soon as it counts the successors.
struct StepUses {
  // A move of the claim that so many successors begin with.
  struct Move {
    uint32_t number = 0;  // of the steps that it is one of
    uint32_t index = 0;   // which one
    uint64_t successors = 0;
  };
  std::vector<uint32_t> asked;  // looked up or computed
  std::vector<Move> moves;

  void clear() {
    asked.clear();
    moves.clear();
  }
};

// Told of what a KeyGenerator computes, for a profile. What is computed gets a number that is remembered with it, so
// that a look-up tells what it found. One for each worker.
class StepProfiler {
 public:
  virtual ~StepProfiler() = default;
  virtual void begin_computation() = 0;
  // A portion of the steps of one process, or of the moves of the claim, in the state that is given.
  virtual void on_steps(ByteView state, const SuccessorBatch& batch) = 0;
  // The number of all that on_steps() was told of in this computation. They have been asked for.
  [[nodiscard]] virtual uint32_t number_steps() = 0;
  virtual void end_computation() = 0;
  // The number of a portion that was computed once more because there are too many steps to be remembered.
  [[nodiscard]] virtual uint32_t number_portion(ByteView state, const SuccessorBatch& batch) = 0;

  [[nodiscard]] StepUses& uses() { return uses_; }

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
