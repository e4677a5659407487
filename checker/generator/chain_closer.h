#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "checker/generator/generator.h"

namespace cmc {

// Follows the steps of the inner generator on to where nobody has to go on at once, and hands out the states where
// that ends, each with the steps of a whole path to it. Which processes have to go on is said by a derived class:
// step modes `spin` and `path`.
class ChainCloser : public SuccessorGenerator {
 public:
  static constexpr uint32_t kMaxChain = 1'000'000;  // states on a path

  ChainCloser(std::unique_ptr<SuccessorGenerator> inner, const Model& model);
  ~ChainCloser() override;

  void initial(SuccessorBatch& out) override { inner_->initial(out); }
  void successors(ByteView state, SuccessorBatch& out) override;
  bool process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace, SuccessorBatch& out) override;

 protected:
  // Appends the processes of which the first that can go on does so. `path`: the steps from the expanded state to
  // this one.
  virtual void find_movers(ByteView state, std::span<const Step> path, std::vector<uint8_t>& movers) = 0;
  // The last word on a state that is handed out.
  virtual void finish(std::byte* state) = 0;
  // A state that is on the path already: handed out (it is a successor like any other), or cut off. If handed out,
  // paths that meet again are merged: what follows is explored once. There can be exponentially many paths otherwise.
  [[nodiscard]] virtual bool hands_out_cycles() const = 0;

 private:
  class StatePath;
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
  void follow(SuccessorBatch& out, TouchTrace* trace);
  void begin_process(std::span<const Step> steps);
  [[nodiscard]] bool is_first_visit();
  void go_on(SuccessorBatch& out, TouchTrace* trace);
  void push_entries(const SuccessorBatch& batch, size_t depth);
  void add_errors(SuccessorBatch& batch, SuccessorBatch& out) const;
  void add_endless(const SuccessorBatch& batch, SuccessorBatch& out);
  void cut(std::span<const Step> more, SuccessorBatch& out);
  void hand_out(ByteView state, SuccessorBatch& out);

  std::unique_ptr<SuccessorGenerator> inner_;
  const size_t ignored_bytes_;  // hidden variables that nobody reads: states that differ in them only are equal
  SuccessorBatch batch_;
  std::vector<uint8_t> movers_;
  std::vector<Pending> pending_;
  Bytes pending_bytes_;
  std::vector<Step> pending_steps_;
  std::unique_ptr<StatePath> path_;
  std::unordered_set<std::string> merged_;  // states and their movers that have been followed
  uint8_t process_ = kNoProcess;            // that began the path
  std::vector<Step> path_steps_;            // from the expanded state to the current one
  std::vector<Step> cut_steps_;             // statements on paths in SuccessorBatch::endless_paths, once each
  size_t steps_known_cut_ = 0;              // how many of path_steps_ are among them
  std::vector<size_t> path_step_counts_;    // how many of them lead up to each state of path_, inclusive
};

}  // namespace cmc
