#pragma once

#include <cstdint>
#include <string>

#include "checker/automata/automaton.h"
#include "ir/model.h"

namespace cmc::automata {

// Appends a claim whose runs are those of the automaton, and returns its number. The automaton's atoms are
// expressions of the model. State i is location i+1; each edge is a condition; no edge leads to the end.
[[nodiscard]] uint32_t add_claim(Model& model, const Automaton& automaton, const std::string& name,
                                 SourcePlace place);

// SPIN's name of a state: T0_init, accept_S2, accept_all (which accepts every word).
[[nodiscard]] std::string state_label(const Automaton& automaton, uint32_t state);

}  // namespace cmc::automata
