#pragma once

#include "base/bytes.h"
#include "checker/generator/generator.h"
#include "checker/keyspace/symmetry.h"
#include "checker/result/control.h"

namespace cmc {

// A run of the model through the classes of states of which `representatives` are, from `initial` on: each
// representative is that of a successor of the one before. The run goes from state to state as the model does, so its
// processes keep their pids, and the last state need not be a representative: `pids` lead to it. States are compared
// behind their first `hidden_bytes` bytes.
[[nodiscard]] PathToState run_through(SuccessorGenerator& generator, const Symmetry& symmetry, ByteView initial,
                                      const StateSequence& representatives, uint32_t hidden_bytes);

}  // namespace cmc
