#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "checker/generator/generator.h"
#include "checker/search/result.h"

namespace cmc {

// How a sequence of steps ended: completed, with a failing step, which reached no further location, or cut behind its
// last step because it would have continued for ever.
enum class SequenceEnd : uint8_t { kCompleted, kFailed, kCut };

// Remembers which edges were taken, one byte per edge of the model. As in SPIN's verifier, a location is reached when
// an edge from it or to it was taken, or a process started there; the report lists the others.
//
// It also remembers where atomic sequences that never end were cut.
//
// A step names a process, not its proctype, so the caller first passes the state in which the steps start. Processes
// can start and end inside a closed atomic sequence; Coverage follows this by the processes that each statement can
// start. (A `run` in an arm of a conditional expression that is not evaluated misleads it, which affects only the
// report of unreached statements.)
class Coverage {
 public:
  explicit Coverage(const Model& model);

  // The steps that are marked next start in `state`.
  void enter(ByteView state);

  void mark(const Step& step) {
    mark_edge(step.pid, step.location, step.edge, kTaken);
    if (step.partner != kNoProcess) mark_edge(step.partner, step.partner_location, step.partner_edge, kTaken);
  }
  void mark_sequence(std::span<const Step> steps, SequenceEnd end);

  // Marks from a batch of the entered state: its successors and endless atomic sequences; only the latter; its
  // errors.
  void mark_successors(const SuccessorBatch& batch);
  void mark_endless(const SuccessorBatch& batch);
  void mark_errors(const SuccessorBatch& batch);

  // Adds the marks of another coverage of the same model.
  void merge(const Coverage& other);

  [[nodiscard]] ReachedLocations reached() const;

 private:
  enum Mark : uint8_t { kTried = 1, kTaken = 2, kCut = 4 };

  // How taking an edge changes the list of processes.
  struct Effect {
    std::vector<ProctypeId> started;
    bool ends_process = false;
  };

  void mark_edge(uint8_t pid, LocationId location, uint16_t edge, Mark mark) {
    if (pid >= processes_.size()) return;
    const std::vector<uint32_t>& first_edge = first_edges_[processes_[pid]];
    if (location + size_t{1} >= first_edge.size()) return;
    const size_t index = first_edge[location] + edge;
    if (index < first_edge[location + size_t{1}]) marks_[index] |= mark;
  }
  void apply_effect(uint8_t pid, LocationId location, uint16_t edge);

  const Model& model_;
  std::vector<std::vector<uint32_t>>
      first_edges_;                    // by proctype and location, with one more at the end: index into marks_
  std::vector<uint32_t> frame_bytes_;  // by proctype
  std::vector<Effect> effects_;        // by edge
  std::vector<uint8_t> marks_;         // by edge
  std::vector<ProctypeId> processes_;  // by pid, where the next step starts
};

}  // namespace cmc
