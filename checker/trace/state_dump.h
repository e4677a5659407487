#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "checker/generator/generator.h"
#include "ir/model.h"

namespace cmc {

// The first states of a model, breadth first, as text: of each the bytes of its state vector and its values. Bytes
// that are not as in the state before are marked. A summary says what makes state vectors compress well: how many
// bytes are 0, and in how many a state differs from the one before.
//
// `generator` decides what a step is; `title` names the model. There are fewer than `most_states` if the model has
// fewer, or if a limit is reached, which the last line says. The text comes in pieces; `write` returns false if it
// wants no more.
void dump_states(const Model& model, SuccessorGenerator& generator, uint64_t most_states, const std::string& title,
                 Limits& limits, const std::function<bool(std::string_view)>& write);

}  // namespace cmc
