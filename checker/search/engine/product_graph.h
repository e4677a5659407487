#pragma once

#include <cstdint>
#include <vector>

#include "checker/keys/claim_regions.h"
#include "checker/keys/key_generator.h"
#include "checker/search/engine/cycle_graph.h"

namespace cmc {

// How many processes can be told apart under weak fairness: a set for each, and one for acceptance.
inline constexpr uint32_t kMostFairProcesses = kMostAcceptanceSets - 1;
inline constexpr const char* kTooManyFairProcesses = "weak fairness is decided for at most 63 processes";

// Whether the key of a step tells that a process took part in it: the frame of each one but the mover has changed. It
// does not if a handshake can lead the receiver back to where it was, or a process can change another one's priority.
[[nodiscard]] bool keys_tell_partners(const Model& model);

// A product as a graph of keys (CycleGraph): acceptance set 0 is that of the claim and the labels of processes. Under
// weak fairness set 1 + pid has the edges that the process takes part in, and those of nodes in which it cannot move
// or does not exist.
template <unsigned W>
class ProductGraph {
 public:
  using Node = Key<W>;

  // `processes`: how many there are at most, for weak fairness; 0: without. `steps` computes steps of the product
  // where keys do not tell partners.
  ProductGraph(KeyGenerator<W>& generator, KeySpace& space, SuccessorGenerator& steps, const ClaimRegions& regions,
               uint32_t processes)
      : generator_(generator),
        space_(space),
        steps_(steps),
        regions_(regions),
        processes_(processes),
        by_keys_(keys_tell_partners(space.components().model())) {
    CHECK(processes <= kMostFairProcesses);
    for (uint32_t pid = 0; pid < processes; ++pid) {
      const Layout::Field field = space.layout().field(space.components().pieces().frame(pid, 0));
      if (field.width == 0) continue;
      Frame& frame = frames_.emplace_back(Frame{{}, set_of(pid)});
      frame.mask[field.word] = field.mask();
    }
  }

  // Every node that is going to be expanded has been expanded before, so that no keys are too narrow.
  void set_explored() { explored_ = true; }
  [[nodiscard]] uint32_t sets() const { return 1 + processes_; }
  [[nodiscard]] bool in_region(const Node& node) { return regions_.may_accept(generator_.claim().location(node)); }
  template <class Sink>
  [[nodiscard]] bool expand(const Node& node, Sink&& sink) {
    const uint64_t acceptance = generator_.claim().accepting(node) ? 1 : 0;  // if the claim is to move
    if (processes_ > 0 && !by_keys_) return expand_by_steps(node, acceptance, sink);
    const auto using_memo = generator_.use_memo();
    edges_.clear();
    Marking marking{*this, acceptance, edges_};
    const Expanded expanded = explored_ ? generator_.expand_again(node, marking, flags_, [&] { edges_.clear(); })
                                        : generator_.expand(node, marking, flags_);
    if (expanded != Expanded::kAll) return false;
    const uint64_t kept = flags_.holder_moves ? ~uint64_t{1} : ~uint64_t{0};
    for (const MarkedEdge<W>& edge : edges_) sink(edge.target, edge.marks & kept);
    return true;
  }

  // A process was met that has no set of its own: cycles that were found may be unfair.
  [[nodiscard]] bool too_many_processes() const { return too_many_processes_; }
  // What else the last node that was expanded has.
  [[nodiscard]] const ExpansionFlags& flags() const { return flags_; }

 private:
  struct Frame {
    Key<W> mask;  // the bits of piece 0
    uint64_t set = 0;
  };
  // A sink of KeyGenerator::expand().
  struct Marking {
    void add(const Key<W>& from, const Steps<W>& steps) {
      // The claim alone moves: no process can.
      for (const Key<W>& delta : steps.deltas) edges.push_back({from ^ delta, acceptance | graph.all_processes()});
    }
    void add_system(const Key<W>& from, const SystemSteps<W>& steps, bool others_known) {
      uint64_t idle = others_known ? graph.all_processes() : 0;
      for (const StepPart& part : steps.parts) {
        idle &= ~graph.set_of(part.pid);
        graph.note(part.pid);
      }
      for (const uint8_t pid : steps.movers) {
        idle &= ~graph.set_of(pid);
        graph.note(pid);
      }
      size_t i = 0;
      for (const StepPart& part : steps.parts) {
        const uint64_t marks = acceptance | idle | graph.set_of(part.pid);
        for (; i < part.end; ++i) {
          const Key<W>& delta = steps.deltas[i];
          edges.push_back({from ^ delta, marks | graph.partners(delta)});
        }
      }
    }
    ProductGraph& graph;
    uint64_t acceptance;
    std::vector<MarkedEdge<W>>& edges;
  };
  [[nodiscard]] uint64_t set_of(uint32_t pid) const { return pid < processes_ ? uint64_t{2} << pid : 0; }
  void note(uint32_t pid) { too_many_processes_ |= processes_ > 0 && pid >= processes_; }
  [[nodiscard]] uint64_t all_processes() const {
    return processes_ == 0 ? 0 : all_marks(1 + processes_) & ~uint64_t{1};
  }
  [[nodiscard]] uint64_t partners(const Key<W>& delta) const {
    uint64_t marks = 0;
    for (const Frame& frame : frames_) {
      if (!(delta & frame.mask).is_zero()) marks |= frame.set;
    }
    return marks;
  }

  template <class Sink>
  [[nodiscard]] bool expand_by_steps(const Node& node, uint64_t acceptance, Sink&& sink);

  KeyGenerator<W>& generator_;
  KeySpace& space_;
  SuccessorGenerator& steps_;
  const ClaimRegions& regions_;
  const uint32_t processes_;
  const bool by_keys_;
  std::vector<Frame> frames_;  // of processes whose frames have changed
  std::vector<MarkedEdge<W>> edges_;
  ExpansionFlags flags_;
  bool too_many_processes_ = false;
  bool explored_ = false;
  Bytes state_;
  SuccessorBatch batch_;
  SuccessorBatch moves_;
};

// The generator says which processes take part in a step.
template <unsigned W>
template <class Sink>
bool ProductGraph<W>::expand_by_steps(const Node& node, uint64_t acceptance, Sink&& sink) {
  space_.unpack(node.data(), state_);
  batch_.clear();
  steps_.successors(state_, batch_);
  if (batch_.stopped || batch_.more) return false;
  flags_ = {};
  flags_.needs_generator = !batch_.errors.empty();
  flags_.endless_atomic = batch_.endless_atomic;
  flags_.long_atomic = batch_.long_atomic;
  flags_.special = flags_.needs_generator || flags_.endless_atomic || flags_.long_atomic;
  const Model& model = space_.components().model();
  const bool claim_stands =
      load<uint8_t>(state_.data() + model.atomic_holder_offset()) != kNoProcess && !batch_.holder_released;
  uint64_t idle = claim_stands ? 0 : all_processes();
  if (claim_stands) acceptance = 0;
  const uint32_t count = load<uint8_t>(state_.data() + model.process_count_offset());
  if (count > 0) note(count - 1);
  const bool timeout = std::ranges::any_of(batch_.steps, [](const Step& step) { return step.timeout; });
  const bool alone = std::ranges::all_of(batch_.steps, [](const Step& step) { return step.pid == kNoProcess; });
  for (uint32_t pid = 0; pid < count && pid < processes_ && !alone; ++pid) {
    moves_.clear();
    const bool moves = steps_.process_successors(state_, static_cast<uint8_t>(pid), timeout, nullptr, moves_);
    if (moves) idle &= ~(uint64_t{2} << pid);
  }
  for (const SuccessorBatch::Entry& entry : batch_.entries) {
    uint64_t marks = acceptance | idle;
    for (uint32_t i = 0; i < entry.path_count; ++i) {
      const Step& step = batch_.steps[entry.path_begin + i];
      marks |= set_of(step.pid) | set_of(step.partner);
    }
    Key<W> delta{};
    if (!space_.difference(node.data(), state_, batch_.state(entry), KeySpace::kAll, delta.data())) return false;
    sink(node ^ delta, marks);
  }
  return true;
}

}  // namespace cmc
