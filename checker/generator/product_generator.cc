#include "checker/generator/product_generator.h"

#include <algorithm>
#include <utility>

#include "ir/effects.h"

namespace cmc {

namespace {

class ProductGenerator final : public SuccessorGenerator {
 public:
  ProductGenerator(std::unique_ptr<SuccessorGenerator> inner, const Model& model)
      : inner_(std::move(inner)),
        model_(model),
        traits_(claim_traits(model)),
        frame_(model.claim.offset),
        frame_bytes_(model.claims[model.claim.claim].frame_bytes) {}

  void initial(SuccessorBatch& out) override { inner_->initial(out); }
  bool process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace,
                          SuccessorBatch& out) override {
    return inner_->process_successors(state, pid, timeout, trace, out);
  }
  void claim_moves(ByteView state, bool timeout, TouchTrace* trace, SuccessorBatch& out) override {
    inner_->claim_moves(state, timeout, trace, out);
  }
  void watch(EdgeTrace* trace) override { inner_->watch(trace); }
  void resume(SuccessorBatch& out) override { inner_->resume(out); }  // of process_successors()
  [[nodiscard]] bool has_halves() const override { return inner_->has_halves(); }
  void half(ByteView state, uint8_t pid, bool timeout, const RendezvousMessage* message, TouchTrace* trace,
            Half& out) override {
    inner_->half(state, pid, timeout, message, trace, out);
  }

  void successors(ByteView state, SuccessorBatch& out) override {
    system_steps(state, system_, out);
    if (out.stopped) return append_errors(system_, {}, out);  // nobody wants more
    if (is_blocked(state)) return go_on_blocked(state, out);
    const bool timeout = system_.blocked || (!system_.steps.empty() && system_.steps.front().timeout);
    if (load<uint8_t>(state.data() + model_.atomic_holder_offset()) != kNoProcess && !system_.holder_released) {
      return append_system(system_, nullptr, {}, true, out);
    }
    const bool forced = !move_claim(state, timeout, claim_);  // timeout = 1 although the system can move
    if (forced) {
      inner_->claim_moves(state, true, nullptr, claim_);
      steps_at_timeout(state, system_, out);
    }
    append_errors(claim_, {}, out);
    bool errors = true;  // of the system: once
    for (const SuccessorBatch::Entry& move : claim_.entries) {
      const ByteView moved = claim_.state(move);
      const std::span<const Step> path = claim_.path(move);
      if (traits_.writes && forced) steps_at_timeout(moved, behind_, out);
      if (traits_.writes && !forced) system_steps(moved, behind_, out);
      const SuccessorBatch& steps = traits_.writes ? behind_ : system_;
      if (steps.blocked) {
        stutter(moved, path, out);
      } else {
        append_system(steps, moved.data() + frame_, path, errors || traits_.writes, out);
      }
      errors = false;
    }
  }

 private:
  [[nodiscard]] bool is_blocked(ByteView state) const {
    return load<uint8_t>(state.data() + frame_ + kFrameProctype) != 0;
  }
  void system_steps(ByteView state, SuccessorBatch& steps, SuccessorBatch& out) {
    steps.clear();
    steps.limits.should_stop = out.limits.should_stop;
    inner_->successors(state, steps);
    out.endless_atomic |= steps.endless_atomic;
    out.long_atomic |= steps.long_atomic;
    out.stopped |= steps.stopped;
    out.holder_released |= steps.holder_released;
  }
  // False: the claim cannot move and is to be tried with timeout = 1.
  bool move_claim(ByteView state, bool timeout, SuccessorBatch& moves) {
    moves.clear();
    inner_->claim_moves(state, timeout, nullptr, moves);
    return timeout || !traits_.is_tried_at_timeout || !moves.entries.empty() || !moves.errors.empty();
  }
  // What the processes can do if `timeout` is 1, although some of them can move.
  void steps_at_timeout(ByteView state, SuccessorBatch& steps, SuccessorBatch& out) {
    steps.clear();
    const uint32_t count = load<uint8_t>(state.data() + model_.process_count_offset());
    for (uint32_t pid = count; pid-- > 0;) {
      own_.clear();
      own_.limits.should_stop = out.limits.should_stop;
      inner_->process_successors(state, static_cast<uint8_t>(pid), true, nullptr, own_);
      out.stopped |= own_.stopped;
      append_errors(own_, {}, steps);
      append_system(own_, nullptr, {}, false, steps);
    }
    steps.blocked = steps.entries.empty() && steps.errors.empty();
  }

  // The claim moves alone, behind `path`.
  void stutter(ByteView state, std::span<const Step> path, SuccessorBatch& out) {
    marked_.assign(state.begin(), state.end());
    store(marked_.data() + frame_ + kFrameProctype, uint8_t{1});
    move_claim(marked_, true, stuttering_);
    append_errors(stuttering_, path, out);
    for (const SuccessorBatch::Entry& move : stuttering_.entries) {
      const uint32_t path_begin = append_path(path, stuttering_.path(move), out);
      append_state(stuttering_.state(move), path_begin, out);
    }
  }
  // A marked state. Only a claim that changes the system can have made it able to move; then it moves.
  void go_on_blocked(ByteView state, SuccessorBatch& out) {
    if (system_.blocked) return stutter(state, {}, out);
    marked_.assign(state.begin(), state.end());
    store(marked_.data() + frame_ + kFrameProctype, uint8_t{0});
    append_system(system_, marked_.data() + frame_, {}, true, out);
  }
  // Steps of the system behind a move of the claim, which left `frame`; null: it stood still.
  void append_system(const SuccessorBatch& steps, const std::byte* frame, std::span<const Step> path, bool errors,
                     SuccessorBatch& out) {
    if (errors) append_errors(steps, path, out);
    for (const SuccessorBatch::Entry& entry : steps.entries) {
      const uint32_t path_begin = append_path(path, steps.path(entry), out);
      append_state(steps.state(entry), path_begin, out);
      if (frame != nullptr) std::copy_n(frame, frame_bytes_, out.bytes.data() + out.entries.back().offset + frame_);
    }
    for (const SuccessorBatch::Path& endless : steps.endless_paths) {
      const uint32_t begin = append_path(path, std::span(steps.steps).subspan(endless.begin, endless.count), out);
      out.endless_paths.push_back({begin, static_cast<uint32_t>(out.steps.size()) - begin});
    }
  }
  static void append_errors(const SuccessorBatch& batch, std::span<const Step> path, SuccessorBatch& out) {
    for (const RuntimeError& error : batch.errors) {
      RuntimeError& copy = out.errors.emplace_back(error);
      copy.path_begin = append_path(path, batch.path(error), out);
      copy.path_count = static_cast<uint32_t>(out.steps.size()) - copy.path_begin;
    }
  }
  static uint32_t append_path(std::span<const Step> first, std::span<const Step> second, SuccessorBatch& out) {
    const uint32_t begin = static_cast<uint32_t>(out.steps.size());
    out.steps.insert(out.steps.end(), first.begin(), first.end());
    out.steps.insert(out.steps.end(), second.begin(), second.end());
    return begin;
  }
  static void append_state(ByteView state, uint32_t path_begin, SuccessorBatch& out) {
    SuccessorBatch::Entry& entry = out.entries.emplace_back();
    entry.offset = static_cast<uint32_t>(out.bytes.size());
    entry.size = static_cast<uint32_t>(state.size());
    entry.path_begin = path_begin;
    entry.path_count = static_cast<uint32_t>(out.steps.size()) - path_begin;
    out.bytes.insert(out.bytes.end(), state.begin(), state.end());
  }

  const std::unique_ptr<SuccessorGenerator> inner_;
  const Model& model_;
  const ClaimTraits traits_;
  const uint32_t frame_;  // of the claim, in the state vector
  const uint32_t frame_bytes_;
  SuccessorBatch system_;
  SuccessorBatch claim_;
  SuccessorBatch own_;         // steps of one process
  SuccessorBatch behind_;      // steps of the system behind a move of the claim that changes it
  Bytes marked_;               // a state with the mark of a blocked system, or without
  SuccessorBatch stuttering_;  // moves of the claim while the system is blocked
};

}  // namespace

std::unique_ptr<SuccessorGenerator> make_product_generator(std::unique_ptr<SuccessorGenerator> inner,
                                                           const Model& model) {
  return std::make_unique<ProductGenerator>(std::move(inner), model);
}

bool is_accepting(const Model& model, ByteView state) {
  const auto accepts = [&](const Proctype& proctype, size_t frame) {
    return proctype.locations[load<LocationId>(state.data() + frame + kFrameLocation)].accepting;
  };
  if (accepts(model.claims[model.claim.claim], model.claim.offset)) return true;
  for (size_t frame = model.global_bytes; frame < state.size();) {
    const Proctype& proctype = model.proctypes[load<ProctypeId>(state.data() + frame + kFrameProctype)];
    if (accepts(proctype, frame)) return true;
    frame += proctype.frame_bytes;
  }
  return false;
}

ClaimTraits claim_traits(const Model& model) {
  ClaimTraits traits;
  for (const Location& location : model.claims[model.claim.claim].locations) {
    for (const Edge& edge : location.edges) {
      const Statement& statement = model.statements[edge.statement];
      for_each_expression(model, statement, [&](const Expression& e) {
        traits.uses_timeout |= e.op == Operator::kTimeout;
        traits.uses_non_progress |= e.op == Operator::kNonProgress;
      });
      for_each_written(model, statement,
                       [&](const VariableReference& target) { traits.writes |= target.space == Space::kGlobal; });
      for_each_statement(model, statement, [&](const Statement& each) {
        traits.writes |= each.kind == StatementKind::kSend || each.kind == StatementKind::kReceive ||
                         each.kind == StatementKind::kSetPriority;
      });
    }
  }
  traits.is_tried_at_timeout = traits.uses_timeout && model.uses_timeout;
  return traits;
}

}  // namespace cmc
