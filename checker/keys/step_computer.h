#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/generator/touch_trace.h"
#include "checker/keys/step_profiler.h"
#include "checker/keyspace/key_space.h"
#include "storage/sets/key.h"

namespace cmc {

// The search's side of what computes steps.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  // Told of everything that is computed (not looked up), once or more often, in the state that is given.
  virtual void on_steps(ByteView state, const SuccessorBatch& batch) = 0;
  // The sink has been given a part of the steps of one process, of which there are too many for memory: now it may be
  // emptied, and the memo is not in use.
  virtual void on_part() = 0;
  // Asked during a long computation, while the memo is not in use: true ends it.
  [[nodiscard]] virtual bool should_stop() = 0;
};

// Computes what a memo does not know: unpacks the state of a key, asks the generator, and finds out what the
// successors change in the key, and what was touched.
//
// It knows the width of keys as a number only, so it is compiled once. Keys that it is given are arrays of so many
// words; what it found is that of the last call, and deltas are so many words each, one behind the other. One per
// worker and layout.
class StepComputer {
 public:
  static constexpr size_t kMostSteps = 0xffff;  // that are kept of one computation

  // `profiler` may be null. `notes_places`: places() are found. `should_stop` is asked during long computations.
  StepComputer(KeySpace& space, SuccessorGenerator& generator, StepObserver& observer, StepProfiler* profiler,
               unsigned words, bool notes_places, std::function<bool()> should_stop);
  StepComputer(const StepComputer&) = delete;
  StepComputer& operator=(const StepComputer&) = delete;

  enum class Computed : uint8_t {
    kSteps,
    kUnknown,    // of an edge: it says nothing by itself
    kTooNarrow,  // a number does not fit its field: a re-layout is needed first
    kStopped,    // by `should_stop`
  };
  // The steps of a mover; `traces`: touched() is found. If there are too many(), some deltas are missing, but all
  // contents have numbers.
  Computed compute(const uint64_t* key, uint32_t mover, bool timeout, bool traces);
  // Of the last computation:
  [[nodiscard]] uint32_t flags() const { return flags_; }  // Steps::Flag
  [[nodiscard]] std::span<const uint64_t> deltas() const { return deltas_; }
  [[nodiscard]] bool too_many() const { return deltas_.size() > kMostSteps * words_; }
  [[nodiscard]] bool undecided() const { return undecided_; }  // some guard was not decided
  [[nodiscard]] uint32_t pending() const { return pending_; }  // the question behind the last Steps::kPending
  [[nodiscard]] std::span<const ComponentId> touched() const { return trace_.touched(); }
  [[nodiscard]] bool handshakes() const { return trace_.handshakes(); }   // TouchTrace
  [[nodiscard]] std::array<uint64_t, kMaxKeyWords> changed_bits() const;  // by any of its deltas
  [[nodiscard]] std::span<const Step> places() const { return places_; }  // steps, one for each location that is left
  [[nodiscard]] ByteView state() const { return state_; }

  // What was touched, for the memo. `without`: a component that the memo is asked for by its number.
  [[nodiscard]] std::span<const ComponentId> path(const uint64_t* key, std::optional<ComponentId> without = {});

  // Of one process: edges that are executable in the state (SuccessorGenerator), and what one of them does.
  // REQUIRES: of compute_edge(), that executable_edges() has been asked in this state.
  [[nodiscard]] bool executable_edges(const uint64_t* key, uint8_t pid, bool timeout, std::vector<uint32_t>& edges);
  Computed compute_edge(const uint64_t* key, uint8_t pid, bool timeout, uint32_t edge, bool traces);

  // The steps of a mover once more, of which there are too many: a portion at a time, in deltas() and flags().
  // REQUIRES: they have been computed, so their contents have numbers that fit.
  void begin_portions(const uint64_t* key, uint32_t mover, bool timeout);
  // Returns their number in a profile, 0 without.
  uint32_t take_portion(const uint64_t* key);
  [[nodiscard]] bool has_more() const { return batch_.more; }
  void go_on();
  [[nodiscard]] bool stopped() const { return batch_.stopped; }

  [[nodiscard]] bool can_move(const uint64_t* key, uint8_t pid);
  // What is xor-ed into the key of a state in which the system is marked as blocked, to unmark it. False: too narrow.
  [[nodiscard]] bool unblock(const uint64_t* key, uint64_t* delta);

 private:
  void begin(const uint64_t* key);
  // Whether the mover can move, or failed trying.
  bool ask_generator(uint32_t mover, bool timeout, TouchTrace* trace);
  void note_places();
  // Appends the deltas of the batch, and its flags. False: too narrow.
  bool append_deltas(const uint64_t* key, const KeySpace::Touched& touched);
  [[nodiscard]] bool is_key_of(const uint64_t* key, ByteView state) const;
  [[nodiscard]] bool leads_to(const uint64_t* key, const uint64_t* delta, ByteView successor) const;

  static constexpr size_t kPortionEntries = 4096;  // what the generator computes at a time
  static constexpr size_t kPortionSteps = size_t{1} << 16;

  KeySpace& space_;
  SuccessorGenerator& generator_;
  StepObserver& observer_;
  StepProfiler* const profiler_;  // null: there is no profile
  const unsigned words_;
  const bool notes_places_;
  const std::function<bool()> should_stop_;
  const uint32_t claim_proctype_;  // where the claim is marked, in the state vector
  const FieldReader control_field_;

  std::array<uint64_t, kMaxKeyWords> unpacked_key_{};
  bool unpacked_ = false;  // state_ is that of unpacked_key_
  Bytes state_;
  Bytes claim_state_;  // the same, marked as blocked if it is

  // Of the last computation.
  SuccessorBatch batch_;
  TouchTrace trace_;
  std::vector<ComponentId> path_;
  std::vector<uint64_t> deltas_;
  uint32_t flags_ = 0;
  bool undecided_ = false;
  std::vector<Step> places_;
  uint32_t pending_ = 0;
};

}  // namespace cmc
