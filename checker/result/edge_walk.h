#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "checker/generator/generator.h"

namespace cmc {

// Numbers for the edges of a model, by proctype, location and place there, those of the claim that runs behind them;
// and which of them steps take.
//
// A step names a process, not its proctype, so the caller first passes the state in which the steps start. Processes
// can start and end inside a closed atomic sequence; this is followed by the processes that each statement can start.
// (A `run` in an arm of a conditional expression that is not evaluated misleads it.)
class EdgeWalk {
 public:
  static constexpr uint32_t kNoEdge = 0xffffffff;
  // How taking an edge changes the list of processes.
  struct Effect {
    std::vector<ProctypeId> started;
    bool ends_process = false;
  };

  explicit EdgeWalk(const Model& model);

  [[nodiscard]] uint32_t edges() const { return static_cast<uint32_t>(effects_.size()); }
  [[nodiscard]] const Effect& effect(uint32_t edge) const { return effects_[edge]; }
  // `proctype`: the claim that runs comes behind the proctypes.
  [[nodiscard]] uint32_t number(size_t proctype, LocationId location, uint16_t edge) const {
    return first_edges_[proctype][location] + edge;
  }

  // The steps that are walked next start in `state`.
  void enter(ByteView state);
  // The edge that a process takes (kNoProcess: the claim); kNoEdge: there is no such process, location or edge.
  [[nodiscard]] uint32_t edge_of(uint8_t pid, LocationId location, uint16_t edge) const {
    if (pid >= processes_.size()) [[unlikely]]
      return edge_of_claim(pid, location, edge);
    return edge_in(first_edges_[processes_[pid]], location, edge);
  }
  // Calls take(step) for each step, where edge_of() knows its processes. Afterwards the walk is where it was before.
  // Returns how many of the first steps start and end no process, or fewer.
  template <class Take>
  size_t walk(std::span<const Step> steps, Take&& take) {
    if (steps.size() == 1) {
      take(steps.front());
      return 0;
    }
    before_ = processes_;
    size_t plain = 0;
    bool all_plain = true;
    for (const Step& step : steps) {
      take(step);
      all_plain &= !apply_effect(edge_of(step.pid, step.location, step.edge));
      if (step.partner != kNoProcess) {
        all_plain &= !apply_effect(edge_of(step.partner, step.partner_location, step.partner_edge));
      }
      plain += all_plain ? 1 : 0;
    }
    processes_.swap(before_);
    return plain;
  }

 private:
  [[nodiscard]] static uint32_t edge_in(const std::vector<uint32_t>& first_edge, LocationId location, uint16_t edge) {
    if (location + size_t{1} >= first_edge.size()) return kNoEdge;
    const uint32_t number = first_edge[location] + edge;
    return number < first_edge[location + size_t{1}] ? number : kNoEdge;
  }
  [[nodiscard]] uint32_t edge_of_claim(uint8_t pid, LocationId location, uint16_t edge) const {
    return pid == kNoProcess && has_claim_ ? edge_in(first_edges_.back(), location, edge) : kNoEdge;
  }
  void add(const Proctype& proctype);
  // False: it has none.
  bool apply_effect(uint32_t edge);

  const Model& model_;
  bool has_claim_ = false;
  std::vector<std::vector<uint32_t>> first_edges_;  // by proctype and location, with one more at the end
  std::vector<uint32_t> frame_bytes_;               // by proctype
  std::vector<Effect> effects_;                     // by edge
  std::vector<ProctypeId> processes_;               // by pid, where the next step starts
  std::vector<ProctypeId> before_;
};

}  // namespace cmc
