#pragma once

#include <string>

#include "checker/audit/refusal.h"
#include "ir/model.h"

namespace cmc::audit {

// A program in C that is told states and answers with their successors, made of SPIN's verifier, which `spin -a -o1
// -o2 -o3` writes: its breadth-first search, which gets its states from standard input and tells what it finds there,
// too. States are state vectors of `model` (ir/model.h); the verifier's own are filled in by the names of the
// variables.
//
//   question   bytes of the vector (4), vector
//   answer     1: nobody can move, and somebody is not at a valid end; 2: there is an error; 4: not all is there (4)
//              bytes of the error (4), text; successors (4); each: bytes (4), vector
//
// `closes_chains`: atomic sequences are followed to where they end or block, as SPIN does it.
struct PanDriver {
  std::string verifier;  // pan.c, changed
  std::string program;   // which includes it
};
// `source`, `header`: pan.c and pan.h. Refused: the model has what is not carried over.
[[nodiscard]] Verdict make_pan_driver(const Model& model, bool closes_chains, std::string source,
                                      const std::string& header, PanDriver& driver);

}  // namespace cmc::audit
