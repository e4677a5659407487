#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "checker/generator/generator.h"
#include "checker/result/edge_walk.h"
#include "checker/result/result.h"

namespace cmc {

// How a sequence of steps ended: completed, with a failing step, which reached no further location, or cut behind its
// last step because it would have continued for ever.
enum class SequenceEnd : uint8_t { kCompleted, kFailed, kCut };

// Remembers which edges were taken, one byte per edge of the model. As in SPIN's verifier, a location is reached when
// an edge from it or to it was taken, or a process started there; the report lists the others.
//
// It also remembers where atomic sequences that never end were cut.
//
// The caller first passes the state in which the steps start (EdgeWalk says why). What misleads an EdgeWalk affects
// only the report of unreached statements.
class Coverage {
 public:
  explicit Coverage(const Model& model) : model_(model), walk_(model), marks_(walk_.edges()) {}

  // The steps that are marked next start in `state`.
  void enter(ByteView state) { walk_.enter(state); }

  void mark(const Step& step) {
    mark_edge(step.pid, step.location, step.edge, kTaken);
    if (step.partner != kNoProcess) mark_edge(step.partner, step.partner_location, step.partner_edge, kTaken);
  }
  // As EdgeWalk::walk().
  size_t mark_sequence(std::span<const Step> steps, SequenceEnd end);

  // Marks from a batch of the entered state: its successors and endless atomic sequences; only the latter; its
  // errors.
  void mark_successors(const SuccessorBatch& batch);
  void mark_endless(const SuccessorBatch& batch);
  void mark_errors(const SuccessorBatch& batch);

  // Adds the marks of another coverage of the same model.
  void merge(const Coverage& other) { merge(other.marks()); }
  [[nodiscard]] std::span<const uint8_t> marks() const { return marks_; }
  // REQUIRES: as many as marks() has.
  void merge(std::span<const uint8_t> marks);

  [[nodiscard]] ReachedLocations reached() const;

 private:
  enum Mark : uint8_t { kTried = 1, kTaken = 2, kCut = 4 };

  void mark_edge(uint8_t pid, LocationId location, uint16_t edge, Mark mark) {
    const uint32_t number = walk_.edge_of(pid, location, edge);
    if (number != EdgeWalk::kNoEdge) marks_[number] |= mark;
  }

  const Model& model_;
  EdgeWalk walk_;
  std::vector<uint8_t> marks_;  // by edge
};

}  // namespace cmc
