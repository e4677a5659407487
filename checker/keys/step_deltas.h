#pragma once

#include <algorithm>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/keys/step_memo.h"
#include "checker/keyspace/key_space.h"

namespace cmc {

// The idea of keys in one line: a delta leads to the key of the successor.
template <unsigned W>
[[nodiscard]] bool is_key_of(const KeySpace& space, const Key<W>& key, ByteView state) {
  Bytes unpacked;
  space.unpack(key.data(), unpacked);
  const auto hidden = space.components().model().hidden_bytes;
  return std::ranges::equal(ByteView(unpacked).subspan(hidden), state.subspan(hidden));
}

// Appends what the successors in a batch change in the key of `state`, and adds to `flags` (Steps::Flag) what the
// batch says beside them. `control`: the field of the control component. False: a number does not fit its field.
template <unsigned W>
[[nodiscard]] bool append_deltas(KeySpace& space, const Key<W>& key, ByteView state, const SuccessorBatch& batch,
                                 const KeySpace::Touched& touched, const FieldReader& control,
                                 std::vector<Key<W>>& deltas, uint32_t& flags) {
  const size_t begin = deltas.size();
  deltas.resize(begin + batch.entries.size());
  bool fits = true;
  for (size_t i = 0; i < batch.entries.size(); ++i) {
    Key<W>& delta = deltas[begin + i];
    const ByteView successor = batch.state(batch.entries[i]);
    fits &= space.difference(key.data(), state, successor, touched, delta.data());
    if (control(delta.data()) != 0) flags |= Steps<W>::kChangesControl;
    DCHECK(!fits || is_key_of(space, key ^ delta, successor));
  }
  if (!batch.errors.empty()) flags |= Steps<W>::kNeedsGenerator;
  if (batch.endless_atomic) flags |= Steps<W>::kEndlessAtomic;
  if (batch.long_atomic) flags |= Steps<W>::kLongAtomic;
  return fits;
}

// Whether some guard was not decided: nothing about the values that were looked at.
[[nodiscard]] inline bool has_undecided_guard(const SuccessorBatch& batch) {
  return std::ranges::any_of(batch.errors, [](const RuntimeError& error) {
    return error.kind == RuntimeErrorKind::kUndecidedGuard || error.kind == RuntimeErrorKind::kPendingGuard;
  });
}

}  // namespace cmc
