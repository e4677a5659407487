#pragma once

#include <memory>
#include <span>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/generator/state_stack.h"

namespace cmc {

// Follows the steps of the inner generator on to where no process has to go on at once, and hands out the states
// where the paths end, each with the steps of its whole path. A derived class says which processes have to go on:
// step modes `spin` and `path`.
//
// Paths can be exponentially many, and endless. So:
//  - Successors are handed out in portions, if the batch limits them (SuccessorLimits): the paths still to be
//    followed wait on an explicit stack, and resume() goes on there. Memory then depends on the length of a path
//    only.
//  - The batch's should_stop is asked on the way.
//  - A sequence in which some path comes back to itself, and of which more than kMostFollowed states were followed,
//    is followed on with memory: no state inside it is followed twice from then on. Every end, statement and error is
//    still found; paths that meet again are not counted as several transitions any more. (SPIN's verifier has no
//    count for such a model: it goes round to its depth limit.)
class ChainCloser : public SuccessorGenerator {
 public:
  static constexpr uint32_t kMaxChain = 1'000'000;  // states on a path, unless all are remembered
  static constexpr uint32_t kMostFollowed =
      1'000'000;  // states, in a sequence with cycles, before they are remembered

  ChainCloser(std::unique_ptr<SuccessorGenerator> inner, const Model& model);
  ~ChainCloser() override;

  void initial(SuccessorBatch& out) override { inner_->initial(out); }
  void successors(ByteView state, SuccessorBatch& out) override;
  bool process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace, SuccessorBatch& out) override;
  void resume(SuccessorBatch& out) override;

 protected:
  // Appends the processes of which the first that can go on does so. `path`: the steps from the expanded state to
  // this one.
  virtual void find_movers(ByteView state, std::span<const Step> path, std::vector<uint8_t>& movers) = 0;
  // The last word on a state that is handed out.
  virtual void finish(std::byte* state) = 0;
  // A state that is on the path already is handed out (it is a successor like any other), or cut off. If handed out,
  // paths that meet again are merged: what follows is explored once. There can be exponentially many paths otherwise.
  [[nodiscard]] virtual bool hands_out_cycles() const = 0;

 private:
  // A state still to be looked at, behind `depth` others; its bytes and last steps lie at the ends of pending_bytes_
  // and pending_steps_ once it is on top.
  struct Pending {
    size_t offset;
    size_t size;
    size_t step_begin;
    size_t step_count;
    size_t depth;
  };

  [[nodiscard]] bool closed(const SuccessorBatch& batch);
  void begin(SuccessorBatch& out, TouchTrace* trace);
  void follow(SuccessorBatch& out);
  void follow_next(SuccessorBatch& out);
  [[nodiscard]] bool enter(ByteView state, size_t depth, SuccessorBatch& out);
  [[nodiscard]] bool limits_reached(SuccessorBatch& out);
  void begin_process(std::span<const Step> steps);
  [[nodiscard]] bool is_first_visit(ByteView state);
  void go_on(SuccessorBatch& out);
  void push_entries(const SuccessorBatch& batch, size_t depth);
  void add_errors(SuccessorBatch& batch, SuccessorBatch& out) const;
  void add_endless(const SuccessorBatch& batch, SuccessorBatch& out);
  void cut(std::span<const Step> more, SuccessorBatch& out);
  void hand_out(ByteView state, SuccessorBatch& out);

  std::unique_ptr<SuccessorGenerator> inner_;
  const size_t ignored_bytes_;  // hidden variables that nobody reads: states that differ in them only are equal
  SuccessorBatch batch_;
  TouchTrace* trace_ = nullptr;
  std::vector<uint8_t> movers_;
  std::vector<Pending> pending_;
  Bytes pending_bytes_;
  std::vector<Step> pending_steps_;
  StateStack path_;        // the states on the path, each with movers
  StateStack remembered_;  // states with their movers that have been followed, if paths are merged
  Bytes scratch_;
  uint64_t followed_ = 0;                 // states, of this process
  bool cyclic_ = false;                   // some path came back to itself
  bool remembers_ = false;                // paths are merged from now on, although cycles are cut
  uint8_t process_ = kNoProcess;          // that began the path
  std::vector<Step> path_steps_;          // from the expanded state to the current one
  std::vector<Step> cut_steps_;           // statements on paths in SuccessorBatch::endless_paths, once each
  size_t steps_known_cut_ = 0;            // how many of path_steps_ are among them
  std::vector<size_t> path_step_counts_;  // how many of them lead up to each state of path_, inclusive
};

}  // namespace cmc
