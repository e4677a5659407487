#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/result/options.h"
#include "checker/result/result.h"
#include "checker/shorten/effort.h"
#include "storage/sets/chunked_array.h"
#include "storage/sets/state_set.h"

namespace cmc {

// Which of two steps of a product from one state comes first: the one of the lower process, then of the lower edge,
// then of the lower partner, edge of the partner, witness; if the processes do the same, the one of the lower edge of
// the claim. Negative: `a` does; 0: they are equal.
[[nodiscard]] int compare_steps(std::span<const Step> a, std::span<const Step> b);

// The states that single statements reach, numbered breadth first, and the first ways to them. The successors of a
// state are taken in the order of compare_steps(), so the way to a state is the least of the shortest ones in
// lexicographic order, and nothing depends on anything but the model.
//
// A state takes its vector and some 15 bytes; an edge, if edges are kept, 4 bytes.
class StatementGraph {
 public:
  using Id = StateSet::Id;
  // An error that a search with these options reports. The steps lead from the state `source` to it; none: it lies in
  // the state itself.
  struct Error {
    ErrorKind kind;
    std::string message;
    SourcePlace place;
    Id source = 0;
    std::vector<Step> steps;
  };

  // `statements` makes the single statements of `model`, with its claim if it has one. `keep_edges`: for cycles.
  StatementGraph(SuccessorGenerator& statements, const Model& model, const SearchOptions& options, bool keep_edges);

  // Makes `state` number 0. To be called once, first.
  void start(ByteView state);
  // Expands the next state. REQUIRES: expanded() < size().
  void expand_next(Effort& effort);
  // Expands the states of the next level, or those that are left of it.
  enum class LevelEnd : uint8_t {
    kWhole,  // all of them
    kError,  // up to one in which an error lies; only if `stops_at_error`
    kCut,    // the effort is spent, or there are too many states
  };
  [[nodiscard]] LevelEnd expand_level(Effort& effort, bool stops_at_error);

  [[nodiscard]] const StateSet& states() const { return set_; }
  [[nodiscard]] uint64_t size() const { return set_.size(); }
  [[nodiscard]] uint64_t expanded() const { return expanded_; }
  [[nodiscard]] uint64_t levels() const { return levels_.size() - 2; }  // that were expanded
  [[nodiscard]] uint64_t depth_of(Id id) const;
  // REQUIRES: the level was begun.
  [[nodiscard]] Id first_of_level(uint64_t level) const { return levels_[level]; }
  [[nodiscard]] uint64_t memory_bytes() const;

  // Errors in the order in which they were found; the caller may take them away. In one level those that lie in a
  // state are one step shorter than those of steps.
  std::vector<Error> errors_of_states;
  std::vector<Error> errors_of_steps;
  // Some steps are not known, because a solver guard was not decided or the model executes embedded C.
  [[nodiscard]] bool has_gaps() const { return has_gaps_; }

  // The steps from state 0.
  [[nodiscard]] std::vector<Step> path_to(Id id);

  // Edges of expanded states are numbered, state by state. REQUIRES: edges are kept.
  [[nodiscard]] uint64_t first_edge(Id source) const { return first_edges_[source]; }
  [[nodiscard]] uint64_t end_edge(Id source) const {
    return source + uint64_t{1} < first_edges_.size() ? first_edges_[source + uint64_t{1}] : targets_.size();
  }
  [[nodiscard]] uint64_t edges() const { return targets_.size(); }
  [[nodiscard]] Id target(uint64_t edge) const { return targets_[edge]; }
  // Expanded states in which the claim is to move and it, or a process, is at an accepting location; ascending.
  [[nodiscard]] const std::vector<Id>& accepting() const { return accepting_; }
  void append_steps(Id source, uint64_t edge, std::vector<Step>& steps);
  // Calls visit(edge, target, steps) for each edge of the state, in their order.
  void visit_edges(Id source, const std::function<void(uint64_t, Id, std::span<const Step>)>& visit);

 private:
  void generate(Id id);
  void note_errors(Id id);
  void note_error(const RuntimeError& error, Id id);
  [[nodiscard]] std::span<const Step> steps_of(uint32_t entry) const { return batch_.path(batch_.entries[entry]); }

  SuccessorGenerator& statements_;
  const Model& model_;
  const SearchOptions& options_;
  const bool keep_edges_;
  StateSet set_;
  ChunkedArray<Id> parents_;  // by state; that of number 0 is itself
  std::vector<Id> levels_;    // the first state of each level; the last one is not complete
  uint64_t expanded_ = 0;
  bool has_gaps_ = false;
  ChunkedArray<uint64_t> first_edges_;
  ChunkedArray<Id> targets_;
  std::vector<Id> accepting_;
  SuccessorBatch batch_;         // of the state that was generated last
  std::vector<uint32_t> order_;  // its entries, in order
};

}  // namespace cmc
