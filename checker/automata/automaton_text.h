#pragma once

#include <cstdint>
#include <string>

#include "checker/automata/automaton.h"
#include "ir/model.h"

namespace cmc::automata {

enum class Format : uint8_t {
  kNever,  // a never claim, which SPIN understands
  kHoa,    // Hanoi omega-automata, version 1
  kDot,    // a graph for Graphviz
};

// `title` says what the automaton is about, in one line.
[[nodiscard]] std::string automaton_text(const Model& model, const Automaton& automaton, const std::string& name,
                                         const std::string& title, Format format);

}  // namespace cmc::automata
