#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/generator/wrappers/byte_stack.h"
#include "checker/generator/wrappers/state_stack.h"

namespace cmc {

// Continues each step of the inner generator until no process has to go on at once, and hands out the states where
// the paths end, each with the steps of its whole path. A derived class (step modes `spin` and `path`) says which
// processes have to go on.
//
// Paths can be endless, and exponentially many. Therefore:
//  - If the batch limits its size (SuccessorLimits), successors come in portions: the remaining paths wait on an
//    explicit stack, where resume() continues. Memory then depends only on the length of a path.
//  - The batch's should_stop is called from time to time.
//  - If a state on the way is as good as an end (may_end_anywhere()), paths go on only where they are few: not behind
//    the successors of a process that are many already, nor behind a state with a choice that leads to many paths, or
//    long ones, nor for more than kMostLocal states. What is handed out depends on nothing but the expanded state.
//  - A sequence that is cyclic and has more than kMostFollowed states is explored with a visited set from then on: no
//    state inside it is followed twice. Every end, statement and error is still found, but paths that meet again
//    count as one transition. (SPIN's verifier has no count for such a model: it goes round to its depth limit.)
class ChainCloser : public SuccessorGenerator {
 public:
  static constexpr uint32_t kMaxChain = 1'000'000;      // states on a path, unless there is a visited set
  static constexpr uint32_t kMostFollowed = 1'000'000;  // states of a cyclic sequence before there is one
  // If a path may end anywhere: how many ways there may be beside the first one behind a state with a choice, and how
  // many states may be followed there, or one after the other. To follow 9 ways or more instead of storing the state
  // with the choice saves one state of ten at most, and what is followed up to the limit is taken back mostly.
  static constexpr uint32_t kMostChoices = 8;
  static constexpr uint32_t kMostLocal = 1024;

  ChainCloser(std::unique_ptr<SuccessorGenerator> inner, const Model& model);
  ~ChainCloser() override;

  void initial(SuccessorBatch& out) override { inner_->initial(out); }
  void successors(ByteView state, SuccessorBatch& out) override;
  bool process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace, SuccessorBatch& out) override;
  // Only of an edge behind which nobody goes on at once. Others can take very long, and merged paths can meet.
  bool edge_successors(ByteView state, uint8_t pid, bool timeout, uint32_t edge, TouchTrace* trace,
                       SuccessorBatch& out) override;
  void claim_moves(ByteView state, bool timeout, TouchTrace* trace, SuccessorBatch& out) override {
    inner_->claim_moves(state, timeout, trace, out);
  }
  [[nodiscard]] bool executable_edges(ByteView state, uint8_t pid, bool timeout,
                                      std::vector<uint32_t>& edges) override {
    return inner_->executable_edges(state, pid, timeout, edges);
  }
  void resume(SuccessorBatch& out) override;
  void watch(EdgeTrace* trace) override { inner_->watch(trace); }

 protected:
  [[nodiscard]] SuccessorGenerator& inner() { return *inner_; }
  [[nodiscard]] const SuccessorGenerator& inner() const { return *inner_; }
  // Appends the candidates for the next step: the first of them that can move does. `first_steps`: those from the
  // expanded state to the first one on the way; who goes on afterwards has moved in them, too.
  virtual void find_movers(ByteView state, std::span<const Step> first_steps, std::vector<uint8_t>& movers) = 0;
  // May change a state before it is handed out.
  virtual void finish(std::byte* state) = 0;
  // Whether any state with movers can be handed out as a successor, as if it had none. If so, a path ends where it
  // comes back to itself (otherwise it is cut there), and paths that meet again are merged and continue once;
  // otherwise there could be exponentially many.
  [[nodiscard]] virtual bool may_end_anywhere() const = 0;

 private:
  // A state that waits to be followed, with `depth` states before it on its path. When it is on top, so are its bytes
  // on pending_bytes_; its last steps are the end of pending_steps_.
  struct Pending {
    size_t step_begin;
    size_t step_count;
    size_t depth;
  };

  // A state with a choice whose paths are followed as long as they are few: what there was when the choice was met.
  struct Trial {
    bool on = false;
    uint64_t choices = 0;   // so far
    uint64_t followed = 0;  // states
    size_t depth = 0;       // of the state, on the path
    size_t pending = 0, pending_steps = 0;
    size_t remembered = 0;
    size_t cut_steps = 0;
    bool cyclic = false;
    size_t entries = 0, bytes = 0, steps = 0, errors = 0, endless_paths = 0;
    bool endless_atomic = false, long_atomic = false;
  };

  template <class Ask>
  void ask_inner(SuccessorBatch& out, Ask&& ask);
  bool add_process(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace, SuccessorBatch& out);
  void begin_by_process(ByteView state, SuccessorBatch& out);
  [[nodiscard]] bool closed(const SuccessorBatch& batch);
  void begin(SuccessorBatch& out, TouchTrace* trace);
  void follow(SuccessorBatch& out);
  void follow_next(SuccessorBatch& out);
  void shrink_path(size_t depth);
  [[nodiscard]] bool enter(ByteView state, SuccessorBatch& out);
  [[nodiscard]] bool limits_reached(bool in_trial, SuccessorBatch& out);
  void begin_process(uint8_t pid);
  [[nodiscard]] bool is_first_visit(ByteView state);
  [[nodiscard]] bool reach(ByteView state, SuccessorBatch& out);
  [[nodiscard]] bool go_on(SuccessorBatch& out);
  [[nodiscard]] bool in_trial() const;
  void begin_trial(const SuccessorBatch& out);
  void end_path_here(SuccessorBatch& out);
  void push_entries(const SuccessorBatch& batch, size_t depth);
  void add_errors(SuccessorBatch& batch, SuccessorBatch& out) const;
  void add_endless(const SuccessorBatch& batch, SuccessorBatch& out);
  void cut(std::span<const Step> more, SuccessorBatch& out);
  void keep_path(std::span<const Step> more, bool always, SuccessorBatch& out);
  void hand_out(ByteView state, SuccessorBatch& out);

  std::unique_ptr<SuccessorGenerator> inner_;
  const Model& model_;
  const size_t ignored_bytes_;  // hidden variables that nobody reads: states that differ in them only are equal
  SuccessorBatch batch_;
  TouchTrace* trace_ = nullptr;
  bool passes_on_ = false;       // what the inner generator hands out in portions
  uint32_t processes_left_ = 0;  // whose steps are to come, one after the other, if those of a state are many
  struct ByProcess {
    Bytes state;
    bool timeout = false;
    bool holder_released = false;
  };
  ByProcess by_process_;
  std::vector<uint8_t> movers_;
  std::deque<Pending> pending_;  // it can be long: nothing of it is copied when it grows
  ByteStack pending_bytes_;
  std::deque<Step> pending_steps_;
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
  Trial trial_;
};

}  // namespace cmc
