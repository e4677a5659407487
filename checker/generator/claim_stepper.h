#pragma once

#include <algorithm>
#include <utility>

#include "checker/generator/block.h"

namespace cmc {

// The moves of the never claim.
template <Machine M, class Rules>
class ClaimStepper {
 public:
  // All of one Stepper.
  ClaimStepper(BatchWriter& writer, BlockMachine<M, Rules>& machine) : writer_(writer), machine_(machine) {}

  // Appends the moves in the view's state.
  void moves(View view) {
    path_.clear();
    go_on(view);
  }

 private:
  // Appends the moves that begin with path_ and go on in the view's state.
  void go_on(View view) {
    view.enter(writer_.model.claim);
    view.earlier = false;
    LocationId escape_state = 0;
    for (const FastEdge& edge : writer_.table.edges_of(writer_.table.proctypes.back(), view)) {
      if (escape_state > 0 && edge.escape != escape_state) break;
      view.statement = edge.statement;
      EdgeTry tried(writer_.edge_trace, writer_.table.number_of(edge));
      if (edge.kind == StatementKind::kEndProcess) continue;
      if (machine_.test_edge(view, edge) == Executability::kBlocked) continue;
      tried.set_executable();
      writer_.note_selected();
      path_.push_back(BatchWriter::step_of(view, edge));
      writer_.faults.empty() ? take(view, edge) : report_faults(view);
      path_.pop_back();
      view.earlier = true;
      escape_state = edge.escape;
    }
  }

  // In an atomic sequence the claim goes on at once; if it cannot, that is no move. One that returns to one of its
  // states, or is very long, is cut.
  void take(const View& view, const FastEdge& edge) {
    constexpr size_t kLongestMove = 1000;  // edges
    const Observer& claim = writer_.model.claim;
    Bytes& bytes = writer_.out->bytes;
    const size_t begin = bytes.size();
    Scratch scratch(writer_.model, view, bytes);
    if (!execute(scratch, edge)) {
      bytes.resize(begin);
      return report_faults(view);
    }
    if (edge.target > 0) store(scratch.frame + kFrameLocation, edge.target);
    const Location& target =
        writer_.model.claims[claim.claim].locations[load<LocationId>(scratch.frame + kFrameLocation)];
    if (target.valid_end) view.fault(RuntimeErrorKind::kClaimEnd);
    if (!writer_.faults.empty()) report_faults(view);
    if (!edge.atomic) return writer_.add_entry(begin, append_path());
    Bytes next(scratch.state, scratch.state + scratch.size());
    bytes.resize(begin);
    if (path_.size() > kLongestMove || std::ranges::find(states_, next) != states_.end()) {
      writer_.out->endless_atomic = true;
      return;
    }
    states_.push_back(std::move(next));
    View inside = view;
    inside.state = states_.back().data();
    go_on(inside);
    states_.pop_back();
  }

  bool execute(Scratch& scratch, const FastEdge& edge) {
    if (!edge.changes_data) return true;
    if (edge.kind == StatementKind::kAtomicBlock) return machine_.execute_block(scratch, edge);
    return machine_.execute(scratch, edge.statement);
  }

  // Returns where it begins.
  uint32_t append_path() {
    std::vector<Step>& steps = writer_.out->steps;
    const uint32_t begin = static_cast<uint32_t>(steps.size());
    steps.insert(steps.end(), path_.begin(), path_.end());
    return begin;
  }

  void report_faults(const View& view) {
    View place = view;
    place.frame = nullptr;
    writer_.report_faults(append_path(), place);
  }

  BatchWriter& writer_;
  BlockMachine<M, Rules>& machine_;
  std::vector<Step> path_;     // of the move that is being made
  std::vector<Bytes> states_;  // in the middle of its atomic sequence
};

}  // namespace cmc
