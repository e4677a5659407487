#include "tests/native/compare.h"

#include <algorithm>
#include <functional>
#include <set>

#include "checker/generator/touch_trace.h"
#include "checker/generator/wrappers/checked.h"
#include "checker/keyspace/components.h"
#include "checker/native/generator.h"
#include "checker/reference/reference.h"
#include "checker/vm/generator.h"

namespace cmc::test {

namespace {

class Comparer {
 public:
  Comparer(const Model& model, std::shared_ptr<const native::Library> code)
      : model_(model),
        native_(make_native_generator(model, std::move(code))),
        vm_(make_vm_generator(model)),
        reference_(make_reference_generator(model)),
        components_(model),
        native_trace_(components_.pieces()),
        vm_trace_(components_.pieces()) {}

  NativeExploration explore(uint64_t max_states) {
    SuccessorBatch batch;
    native_->initial(batch);
    expected_.clear();
    reference_->initial(expected_);
    note("initial state", describe_difference(batch, expected_));
    add(batch, max_states);
    for (size_t i = 0; i < states_.size() && found_.differences.size() < 5; ++i) {
      const Bytes state = states_[i];
      expand(state, batch);
      add(batch, max_states);
    }
    found_.states = states_.size();
    return std::move(found_);
  }

 private:
  void expand(const Bytes& state, SuccessorBatch& batch) {
    batch.clear();
    native_->successors(state, batch);
    expected_.clear();
    vm_->successors(state, expected_);
    note("successors", describe_difference(batch, expected_));
    found_batch_.clear();
    reference_->successors(state, found_batch_);
    // Where the VM differs, other tests say so.
    if (describe_difference(expected_, found_batch_).empty()) {
      note("successors", describe_difference(batch, found_batch_));
    }
    const uint32_t processes = load<uint8_t>(state.data() + model_.process_count_offset());
    for (const bool timeout : {false, true}) {
      for (uint32_t pid = 0; pid < processes; ++pid) {
        compare("process " + std::to_string(pid), [&](SuccessorGenerator& generator, TouchTrace* trace, auto& out) {
          return generator.process_successors(state, static_cast<uint8_t>(pid), timeout, trace, out);
        });
      }
      for (uint32_t pid = 0; pid < processes; ++pid) compare_edges(state, static_cast<uint8_t>(pid), timeout);
      if (!model_.claim.exists()) continue;
      compare("claim", [&](SuccessorGenerator& generator, TouchTrace* trace, auto& out) {
        generator.claim_moves(state, timeout, trace, out);
        return true;
      });
    }
  }

  using Ask = std::function<bool(SuccessorGenerator&, TouchTrace*, SuccessorBatch&)>;
  void compare(const std::string& what, const Ask& ask) {
    expected_.clear();
    vm_trace_.clear();
    const bool moves = ask(*vm_, &vm_trace_, expected_);
    for (const bool traced : {false, true}) {
      found_batch_.clear();
      native_trace_.clear();
      const bool found = ask(*native_, traced ? &native_trace_ : nullptr, found_batch_);
      note(what, describe_difference(found_batch_, expected_));
      if (found != moves) note(what, "moves or not");
    }
    if (!std::ranges::equal(native_trace_.touched(), vm_trace_.touched())) note(what, "touches differ");
  }

  // Both say the same about edges, and together these are the steps of the process.
  void compare_edges(const Bytes& state, uint8_t pid, bool timeout) {
    const std::string what = "edges of process " + std::to_string(pid);
    std::vector<uint32_t> edges;
    std::vector<uint32_t> found;
    const bool separable = vm_->executable_edges(state, pid, timeout, edges);
    if (native_->executable_edges(state, pid, timeout, found) != separable) note(what, "to be told apart or not");
    if (!separable) return;
    if (edges != found) return note(what, "others");
    SuccessorBatch whole;
    const bool moves = vm_->process_successors(state, pid, timeout, nullptr, whole);
    if (moves != !edges.empty()) note(what, "moves or not");
    std::vector<Bytes> expected;
    for (const SuccessorBatch::Entry& entry : whole.entries) expected.push_back(copy(whole.state(entry)));
    std::vector<Bytes> together;
    size_t errors = 0;
    for (const uint32_t edge : edges) {
      compare("edge " + std::to_string(edge), [&](SuccessorGenerator& generator, TouchTrace* trace, auto& out) {
        return generator.edge_successors(state, pid, timeout, edge, trace, out);
      });
      for (const SuccessorBatch::Entry& entry : expected_.entries) together.push_back(copy(expected_.state(entry)));
      errors += expected_.errors.size();
    }
    if (together != expected || errors != whole.errors.size())
      note(what, "together they are not the process's steps");
  }
  static Bytes copy(ByteView view) { return {view.begin(), view.end()}; }

  void note(const std::string& what, const std::string& difference) {
    if (!difference.empty() && found_.differences.size() < 5) found_.differences.push_back(what + ": " + difference);
  }

  void add(const SuccessorBatch& batch, uint64_t max_states) {
    found_.errors += batch.errors.size();
    for (const SuccessorBatch::Entry& entry : batch.entries) {
      const ByteView state = batch.state(entry);
      if (states_.size() >= max_states) return;
      if (seen_.insert(Bytes(state.begin() + model_.hidden_bytes, state.end())).second) {
        states_.emplace_back(state.begin(), state.end());
      }
    }
  }

  const Model& model_;
  std::unique_ptr<SuccessorGenerator> native_;
  std::unique_ptr<SuccessorGenerator> vm_;
  std::unique_ptr<SuccessorGenerator> reference_;
  const Components components_;
  TouchTrace native_trace_;
  TouchTrace vm_trace_;
  SuccessorBatch expected_;
  SuccessorBatch found_batch_;
  std::set<Bytes> seen_;
  std::vector<Bytes> states_;
  NativeExploration found_;
};

}  // namespace

NativeExploration explore_native(const Model& model, std::shared_ptr<const native::Library> code,
                                 uint64_t max_states) {
  return Comparer(model, std::move(code)).explore(max_states);
}

}  // namespace cmc::test
