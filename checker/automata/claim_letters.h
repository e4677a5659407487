#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "ir/model.h"

namespace cmc::automata {

// A never claim as a Büchi automaton over few letters: a letter is a kind of states, in which the same conditions of
// the claim are true. A run is accepting iff it is in accepting states infinitely often. A final state stands for a
// violation that was found: the claim's end, an assertion of the claim that is false, a condition that cannot be
// evaluated; there every letter leads to it again. A run that cannot go on accepts nothing.
struct LetterAutomaton {
  struct State {
    bool accepting = false;
    bool final = false;
    std::vector<std::vector<uint32_t>> targets;  // by letter
  };
  size_t letters = 0;
  std::vector<State> states;  // [0] is the initial one
};

// The claim, with each of its moves a transition. Its atoms are taken to be independent of each other, so some
// letters may belong to no state. Error, a sentence: it is no such automaton, because a statement does more than to
// ask for the values of variables, channels and locations in a state, or it has too many different conditions.
[[nodiscard]] Result<LetterAutomaton> letters_of_claim(const Model& model, const Proctype& claim);

}  // namespace cmc::automata
