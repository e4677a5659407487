#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/generator/wrappers/checked.h"
#include "checker/reference/reference.h"
#include "checker/vm/generator.h"
#include "ir/scalar.h"
#include "ir/validate.h"

#include "tests/catch.h"

namespace cmc::test {

// A generator with the batches of single calls, for tests of single steps.
class Explorer {
 public:
  // The VM, compared with the reference interpreter at every call.
  explicit Explorer(const Model& model)
      : Explorer(model, make_checked_generator(make_vm_generator(model), make_reference_generator(model),
                                               [](const std::string& difference) { FAIL_CHECK(difference); })) {}
  Explorer(const Model& model, std::unique_ptr<SuccessorGenerator> generator)
      : model_(model), generator_(std::move(generator)) {}

  [[nodiscard]] Bytes initial() {
    SuccessorBatch out;
    generator_->initial(out);
    return out.entries.empty() ? Bytes{} : copy(out, 0);
  }
  [[nodiscard]] SuccessorBatch initial_batch() {
    SuccessorBatch out;
    generator_->initial(out);
    return out;
  }
  [[nodiscard]] SuccessorBatch expand(const Bytes& state) {
    SuccessorBatch out;
    generator_->successors(state, out);
    return out;
  }
  [[nodiscard]] static Bytes copy(const SuccessorBatch& batch, size_t i) {
    const ByteView view = batch.state(batch.entries.at(i));
    return {view.begin(), view.end()};
  }
  // The only successor.
  [[nodiscard]] Bytes next(const Bytes& state) {
    const SuccessorBatch batch = expand(state);
    return batch.entries.size() == 1 && batch.errors.empty() ? copy(batch, 0) : Bytes{};
  }

  [[nodiscard]] uint32_t frame(const Bytes& state, uint32_t pid) const {
    uint32_t offset = model_.global_bytes;
    for (uint32_t i = 0; i < pid; ++i) {
      offset += model_.proctypes[load<uint8_t>(state.data() + offset + kFrameProctype)].frame_bytes;
    }
    return offset;
  }
  [[nodiscard]] LocationId location(const Bytes& state, uint32_t pid) const {
    return load<LocationId>(state.data() + frame(state, pid) + kFrameLocation);
  }
  [[nodiscard]] uint32_t processes(const Bytes& state) const {
    return load<uint8_t>(state.data() + model_.process_count_offset());
  }
  [[nodiscard]] uint32_t holder(const Bytes& state) const {
    return load<uint8_t>(state.data() + model_.atomic_holder_offset());
  }
  [[nodiscard]] int32_t value(const Bytes& state, const VariableReference& reference, uint32_t pid = 0) const {
    const uint32_t base = reference.space == Space::kGlobal ? 0 : frame(state, pid);
    return load_scalar(reference.type, state.data() + base + reference.offset);
  }

  struct Counts {
    size_t states = 0;
    size_t transitions = 0;
    size_t blocked = 0;
    size_t invalid_ends = 0;
    std::multiset<RuntimeErrorKind> errors;
  };
  [[nodiscard]] Counts explore(size_t limit = 1'000'000) {
    Counts counts;
    std::set<Bytes> seen{initial()};
    std::vector<Bytes> open{initial()};
    SuccessorBatch batch;
    while (!open.empty() && seen.size() < limit) {
      const Bytes state = std::move(open.back());
      open.pop_back();
      batch.clear();
      generator_->successors(state, batch);
      counts.transitions += batch.entries.size();
      counts.blocked += batch.blocked;
      counts.invalid_ends += batch.invalid_end;
      for (const RuntimeError& error : batch.errors) counts.errors.insert(error.kind);
      for (size_t i = 0; i < batch.entries.size(); ++i) {
        Bytes successor = copy(batch, i);
        if (seen.insert(successor).second) open.push_back(std::move(successor));
      }
    }
    counts.states = seen.size();
    return counts;
  }

 private:
  const Model& model_;
  std::unique_ptr<SuccessorGenerator> generator_;
};

}  // namespace cmc::test
