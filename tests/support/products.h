#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/generator/product_generator.h"
#include "checker/result/options.h"
#include "checker/result/result.h"
#include "ir/model.h"

// Helpers for tests of products with never claims (Model::claim).

namespace cmc::test {

// The steps of a product, and the steps of single processes from a generator of the system.
class ProductWithProcesses final : public SuccessorGenerator {
 public:
  ProductWithProcesses(std::unique_ptr<SuccessorGenerator> product, std::unique_ptr<SuccessorGenerator> system)
      : product_(std::move(product)), system_(std::move(system)) {}
  void initial(SuccessorBatch& out) override { product_->initial(out); }
  void successors(ByteView state, SuccessorBatch& out) override { product_->successors(state, out); }
  bool process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace,
                          SuccessorBatch& out) override {
    return system_->process_successors(state, pid, timeout, trace, out);
  }

 private:
  std::unique_ptr<SuccessorGenerator> product_;
  std::unique_ptr<SuccessorGenerator> system_;
};

// Of a search for accepting cycles of a random graph.
inline SearchOptions cycle_options(Fairness fairness) {
  SearchOptions options;
  options.check_end_states = false;
  options.memo_bytes = 1 << 20;
  options.find_cycles = true;
  options.fairness = fairness;
  return options;
}

// Whether the claim or a process is at an accepting location.
inline bool accepts(const Model& model, ByteView state) {
  const auto accepting = [&](const Proctype& proctype, size_t frame) {
    return proctype.locations[load<LocationId>(state.data() + frame + kFrameLocation)].accepting;
  };
  if (accepting(model.claims[model.claim.claim], model.claim.offset)) return true;
  size_t frame = model.global_bytes;
  for (uint8_t pid = 0; pid < load<uint8_t>(state.data() + model.process_count_offset()); ++pid) {
    const Proctype& proctype = model.proctypes[load<uint8_t>(state.data() + frame)];
    if (accepting(proctype, frame)) return true;
    frame += proctype.frame_bytes;
  }
  return false;
}

// A product as SPIN's verifier has it behind a blocked system. States that differ only in whether the system is known
// to be blocked are the same, and go on as the one that a depth-first search enters first: the simple engine does
// that with hidden variables, so the mark moves in front of the hidden ones. And a move of the claim by an atomic
// sequence of two or more steps leads to no state of its own there: the claim moves again at once. If a process uses
// `timeout`, steps are handed out as often as the verifier counts them (times_of).
class StutterOfSpin final : public SuccessorGenerator {
 public:
  StutterOfSpin(std::unique_ptr<SuccessorGenerator> product, const Model& model)
      : product_(std::move(product)),
        model_(model),
        mark_(model.claim.offset + kFrameProctype),
        location_(model.claim.offset + kFrameLocation),
        asks_for_timeout_(model.uses_timeout && !claim_traits(model).uses_timeout) {}

  // The model of the states that this generator hands out.
  static Model model_of(Model model) {
    ++model.hidden_bytes;
    ++model.global_bytes;
    ++model.claim.offset;
    return model;
  }

  void initial(SuccessorBatch& out) override {
    SuccessorBatch batch;
    product_->initial(batch);
    for (const SuccessorBatch::Entry& entry : batch.entries) hand_out(batch.state(entry), {}, out);
    add_errors(batch, {}, out);
  }
  void successors(ByteView state, SuccessorBatch& out) override {
    expand(inner_state(state), {}, 1, 0, out);
    false_cycle_ =
        false_cycle_ ||
        (state[0] != std::byte{0} && !out.entries.empty() && accepts(model_, ByteView(state).subspan(1))) ||
        stutters_from_accepting(state, out);
  }
  bool process_successors(ByteView state, uint8_t pid, bool timeout, TouchTrace* trace,
                          SuccessorBatch& out) override {
    const Bytes inner = inner_state(state);
    return inner[mark_] == std::byte{0} && product_->process_successors(inner, pid, timeout, trace, out);
  }
  // Whether a depth-first search came to an accepting state behind a blocked one, or in which the system is blocked,
  // and went on from there: if a process uses `timeout`, the verifier's second search takes that for a cycle. It
  // tries to go on with timeout = 0, and does not take what it found then from its stack before it tries again
  // with 1.
  [[nodiscard]] bool false_cycle() const { return false_cycle_; }

 private:
  void expand(ByteView state, const std::vector<Step>& path, uint64_t times, uint32_t depth, SuccessorBatch& out) {
    constexpr uint32_t kDeepest = 100;
    constexpr uint64_t kOftenest = 1 << 12;
    endless_ = endless_ || depth > kDeepest || times > kOftenest;
    if (endless_) return;
    SuccessorBatch batch;
    if (load<uint8_t>(state.data() + model_.process_count_offset()) == 0) end_claim(state, path, out);
    product_->successors(state, batch);
    add_errors(batch, path, out);
    for (const SuccessorBatch::Entry& entry : batch.entries) {
      std::vector<Step> longer = path;
      const std::span<const Step> steps = std::span(batch.steps).subspan(entry.path_begin, entry.path_count);
      longer.insert(longer.end(), steps.begin(), steps.end());
      const uint64_t all_times = asks_for_timeout_ ? times * times_of(state, steps, batch) : times;
      if (is_unseen(batch.state(entry), longer)) {
        expand(batch.state(entry), longer, all_times, depth + 1, out);
      } else {
        for (uint64_t i = 0; i < all_times; ++i) hand_out(batch.state(entry), longer, out);
      }
    }
  }
  // Whether `move` of the claim is how `steps` begin, with whatever `timeout`.
  static bool begins(std::span<const Step> steps, std::span<const Step> move) {
    const auto same = [](const Step& one, const Step& other) {
      return one.pid == other.pid && one.location == other.location && one.edge == other.edge;
    };
    return steps.size() >= move.size() && std::ranges::equal(steps.first(move.size()), move, same);
  }
  // How many steps at the beginning are one move of the claim.
  [[nodiscard]] size_t length_of_move(std::span<const Step> steps) const {
    const Proctype& claim = model_.claims[model_.claim.claim];
    size_t length = 0;
    for (bool ends = false; !ends && length < steps.size() && steps[length].pid == kNoProcess; ++length) {
      ends = !claim.locations[steps[length].location].edges[steps[length].edge].atomic;
    }
    return length;
  }
  // How often the verifier comes to the end of `steps`. `batch`: the steps of the product from `state`. Where the
  // system turns out to be blocked behind the claim's last step, it goes back to the place in front of that step and
  // tries all from there again with timeout = 1: once more what it has tried before. In the middle of an atomic
  // sequence of the claim, there is a place in front of each step.
  [[nodiscard]] uint64_t times_of(ByteView state, std::span<const Step> steps, const SuccessorBatch& batch) {
    const size_t length = length_of_move(steps);
    if (length == 0) return 1;
    const bool marked = state[mark_] != std::byte{0};
    const auto waits = [&](std::span<const Step> move) {  // for timeout, behind this move of the claim
      const auto goes_on = [&](const auto& path) {
        const std::span<const Step> all = std::span(batch.steps).subspan(path.path_begin, path.path_count);
        return all.size() > move.size() && begins(all, move) && all[move.size()].pid != kNoProcess &&
               !all[move.size()].timeout;
      };
      return marked || (std::ranges::none_of(batch.entries, goes_on) && std::ranges::none_of(batch.errors, goes_on));
    };
    SuccessorBatch moves;
    product_->claim_moves(state, true, nullptr, moves);
    uint64_t times = 1;
    Bytes behind;
    for (size_t at = 0; at < length; ++at) {
      bool again = false;  // from the place in front of steps[at]
      for (const SuccessorBatch::Entry& entry : moves.entries) {
        const std::span<const Step> move = std::span(moves.steps).subspan(entry.path_begin, entry.path_count);
        if (move.size() <= at || !begins(move, steps.first(at))) continue;
        again = again || (move.size() == at + 1 && !(marked && at == 0) && waits(move));
        if (move.size() == length && begins(steps, move)) {
          const ByteView moved = moves.state(entry);
          behind.assign(moved.begin(), moved.end());
        }
      }
      if (again && (at + 1 < length || !waits(steps.first(length)))) times *= 2;
    }
    const std::span<const Step> rest = steps.subspan(length);
    if (rest.empty() || rest.front().pid != kNoProcess || behind.empty()) return times;
    behind[mark_] = std::byte{1};
    return times * times_of(behind, rest, batch);
  }
  // A move of the claim leads to an accepting state in which the system is blocked, and the claim moves again.
  [[nodiscard]] bool stutters_from_accepting(ByteView state, const SuccessorBatch& out) const {
    Bytes middle(state.begin() + 1, state.end());
    return std::ranges::any_of(out.entries, [&](const SuccessorBatch::Entry& entry) {
      for (uint32_t i = 1; i < entry.path_count; ++i) {
        const Step& step = out.steps[entry.path_begin + i];
        if (step.pid != kNoProcess || out.steps[entry.path_begin + i - 1].pid != kNoProcess) continue;
        store(middle.data() + location_, step.location);
        if (accepts(model_, middle)) return true;
      }
      return false;
    });
  }
  void end_claim(ByteView state, const std::vector<Step>& path, SuccessorBatch& out) {
    const auto hand_out_ended = [&](ByteView from) {
      Bytes ended(from.begin(), from.end());
      if (load<LocationId>(ended.data() + location_) != model_.claims[model_.claim.claim].end) return;
      store(ended.data() + location_, LocationId{0});
      ended[mark_] = std::byte{0};
      hand_out(ended, path, out);
    };
    if (state[mark_] != std::byte{0}) return hand_out_ended(state);
    SuccessorBatch batch;
    product_->claim_moves(state, true, nullptr, batch);
    for (const SuccessorBatch::Entry& entry : batch.entries) hand_out_ended(batch.state(entry));
  }
  [[nodiscard]] bool is_unseen(ByteView state, const std::vector<Step>& path) const {
    if (state[mark_] == std::byte{0} || path.size() < 2) return false;
    const Step& before_last = path[path.size() - 2];
    const Proctype& claim = model_.claims[model_.claim.claim];
    return before_last.pid == kNoProcess && claim.locations[before_last.location].edges[before_last.edge].atomic;
  }
  [[nodiscard]] Bytes inner_state(ByteView state) const {
    Bytes inner(state.begin() + 1, state.end());
    inner[mark_] = state[0];
    return inner;
  }
  static uint32_t append(const std::vector<Step>& steps, SuccessorBatch& out) {
    const auto begin = static_cast<uint32_t>(out.steps.size());
    out.steps.insert(out.steps.end(), steps.begin(), steps.end());
    return begin;
  }
  void hand_out(ByteView state, const std::vector<Step>& path, SuccessorBatch& out) const {
    SuccessorBatch::Entry& entry = out.entries.emplace_back();
    entry.offset = static_cast<uint32_t>(out.bytes.size());
    entry.size = static_cast<uint32_t>(state.size() + 1);
    entry.path_begin = append(path, out);
    entry.path_count = static_cast<uint32_t>(path.size());
    out.bytes.push_back(state[mark_]);
    out.bytes.insert(out.bytes.end(), state.begin(), state.end());
    out.bytes[entry.offset + 1 + mark_] = std::byte{0};
  }
  static void add_errors(const SuccessorBatch& batch, const std::vector<Step>& path, SuccessorBatch& out) {
    for (RuntimeError error : batch.errors) {
      std::vector<Step> longer = path;
      const auto first = batch.steps.begin() + error.path_begin;
      longer.insert(longer.end(), first, first + error.path_count);
      error.path_begin = append(longer, out);
      error.path_count = static_cast<uint32_t>(longer.size());
      out.errors.push_back(std::move(error));
    }
  }

  std::unique_ptr<SuccessorGenerator> product_;
  const Model& model_;
  const size_t mark_;      // of the claim's frame, in a state of the product
  const size_t location_;  // likewise
  const bool asks_for_timeout_;
  bool endless_ = false;  // the claim goes on so for ever: the verifier would not come back
  bool false_cycle_ = false;
};

// Follows a lasso in `product` and looks whether it is what it says: empty if so. Written apart from the searches.
inline std::string lasso_fault(SuccessorGenerator& product, const Model& model, const FoundError& error,
                               Fairness fairness) {
  if (!error.has_path || error.loop_start >= error.path.size()) return "no loop";
  SuccessorBatch batch;
  product.initial(batch);
  Bytes state(batch.bytes);
  Bytes loop;
  bool accepting = false;
  std::vector<bool> served(kMaxProcesses + 1);
  for (size_t at = 0; at < error.path.size();) {
    const bool in_loop = at >= error.loop_start;
    if (at == error.loop_start) loop = state;
    if (in_loop) {
      accepting = accepting || accepts(model, state);
      const bool blocked = load<uint8_t>(state.data() + model.claim.offset + kFrameProctype) != 0;
      const uint8_t count = load<uint8_t>(state.data() + model.process_count_offset());
      std::vector<bool> moves(kMaxProcesses + 1);
      for (const bool timeout : {false, true}) {
        if (std::ranges::find(moves, true) != moves.end()) break;
        for (uint8_t pid = 0; pid < count && !blocked; ++pid) {
          batch.clear();
          moves[pid] = product.process_successors(state, pid, timeout, nullptr, batch);
        }
      }
      for (uint8_t pid = 0; pid < kMaxProcesses; ++pid) served[pid] = served[pid] || !moves[pid];
    }
    batch.clear();
    product.successors(state, batch);
    const auto entry = std::ranges::find_if(batch.entries, [&](const SuccessorBatch::Entry& each) {
      return at + each.path_count <= error.path.size() &&
             std::equal(batch.steps.begin() + each.path_begin,
                        batch.steps.begin() + each.path_begin + each.path_count,
                        error.path.begin() + static_cast<std::ptrdiff_t>(at));
    });
    if (entry == batch.entries.end()) return "step " + std::to_string(at) + " does not exist";
    for (size_t i = 0; i < entry->path_count; ++i, ++at) {
      if (in_loop) served[error.path[at].pid] = served[error.path[at].partner] = true;
    }
    if (!in_loop && at > error.loop_start) return "the loop begins inside a step of the product";
    const ByteView next = batch.state(*entry);
    state.assign(next.begin(), next.end());
  }
  const auto from = static_cast<std::ptrdiff_t>(model.hidden_bytes);
  if (!std::equal(state.begin() + from, state.end(), loop.begin() + from, loop.end())) return "the loop is open";
  if (!accepting) return "the loop does not accept";
  for (uint8_t pid = 0; pid < kMaxProcesses && fairness == Fairness::kWeak; ++pid) {
    if (!served[pid]) return "the loop is not fair to process " + std::to_string(pid);
  }
  return "";
}

}  // namespace cmc::test
