#pragma once

#include "checker/generator/edge_table.h"
#include "checker/generator/edge_trace.h"

namespace cmc {

// The state that a Stepper expands, and the batch to which its parts append steps, states and errors.
struct BatchWriter {
  BatchWriter(const Model& of_model, const EdgeTable& of_edges) : model(of_model), table(of_edges) {
    prepare_index(model, index);
  }

  const Model& model;
  const EdgeTable& table;
  SuccessorBatch* out = nullptr;
  EdgeTrace* edge_trace = nullptr;  // for a profile
  std::vector<Fault> faults;        // noted, not yet reported
  StateIndex index;

  // The returned view is of nobody yet. Null: nothing will be appended.
  View begin(ByteView state, SuccessorBatch* batch, bool timeout = false, TouchTrace* trace = nullptr) {
    out = batch;
    faults.clear();
    build_index(model, state.data(), index);
    DCHECK(state_bytes() == state.size());
    return {.state = state.data(),
            .index = &index,
            .message = &kNoMessage,
            .faults = &faults,
            .trace = trace,
            .timeout = timeout};
  }
  [[nodiscard]] uint32_t state_bytes() const { return index.frames[index.process_count]; }

  static Step step_of(const View& view, const FastEdge& edge) {
    return {.pid = view.pid,
            .location = load<LocationId>(view.frame + kFrameLocation),
            .edge = edge.number,
            .timeout = view.timeout};
  }
  // Returns where the path of this one step begins.
  uint32_t add_path(const Step& step) {
    const uint32_t begin = static_cast<uint32_t>(out->steps.size());
    out->steps.push_back(step);
    return begin;
  }
  void write_header(std::byte* state, uint8_t holder, uint8_t last) const {
    store(state + model.atomic_holder_offset(), holder);
    store(state + model.last_offset(), model.uses_last ? last : uint8_t{0});
  }
  // The bytes from `begin` on are a state, to which the steps from `path_begin` on lead.
  void add_entry(size_t begin, uint32_t path_begin) {
    DCHECK(begin < out->bytes.size() && path_begin <= out->steps.size());
    out->entries.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(out->bytes.size() - begin),
                            path_begin, static_cast<uint32_t>(out->steps.size()) - path_begin});
  }

  void check_determinism(const View& view, const FastEdge& edge) const {
    // As SPIN's verifier, which looks at basic statements only: not at jumps, skip, else and d_steps.
    const bool checked = edge.kind != StatementKind::kElse && edge.kind != StatementKind::kSkip &&
                         edge.kind != StatementKind::kAtomicBlock;
    if (view.earlier && checked && table.proctype_of(view).deterministic)
      view.fault(RuntimeErrorKind::kNondeterminism);
  }
  // Reports the noted faults, if any, as errors at the end of the path that begins at steps[path_begin].
  void report_faults(uint32_t path_begin, const View& view) {
    if (faults.empty()) [[likely]]
      return;
    report(faults, path_begin, view);
    faults.clear();
  }
  void report(const std::vector<Fault>& noted, uint32_t path_begin, const View& view) const;
  // The edge counts as executable, but has no successor.
  void fail(const View& view, const FastEdge& edge);

  void note_selected() const {
    if (edge_trace != nullptr) [[unlikely]]
      edge_trace->selected();
  }
  void note_executed(const View& before, ByteView after) const {
    if (edge_trace != nullptr && !after.empty()) [[unlikely]]
      edge_trace->executed({before.state, before.index->frames[before.index->process_count]}, after);
  }
};

}  // namespace cmc
