#pragma once

#include <memory>

#include "checker/generator/generator.h"
#include "ir/model.h"

namespace cmc {

// The product of a system and its never claim (Model::claim), as SPIN's verifier has it. `inner` makes the steps of
// the system and the moves of the claim. Of what this generator hands out:
//
//   successors()   steps of the product: a move of the claim, then a step of the system. In the middle of an atomic
//                  sequence the claim stands still. If the system is blocked, the claim moves twice, and from then on
//                  alone; the states behind that have kFrameProctype of the claim's frame set to 1.
//   initial(), process_successors(), claim_moves()   those of `inner`
//
// No batch is `blocked` or has an `invalid_end`: a claim says nothing about the ends of the system. An error of the
// system is an error only if the claim can move before it.
[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_product_generator(std::unique_ptr<SuccessorGenerator> inner,
                                                                         const Model& model);

// Whether the claim or a process is at an accepting location in a state of the product.
[[nodiscard]] bool is_accepting(const Model& model, ByteView state);

// What a search has to know of the claim that runs.
struct ClaimTraits {
  bool uses_timeout = false;  // a guard reads it
  // If it cannot move, it is tried with timeout = 1, even if the system can move: SPIN's verifier does so if a
  // process or a formula of the model mentions `timeout`, too (ETIM in pan.c).
  bool is_tried_at_timeout = false;
  bool uses_non_progress = false;  // a guard reads np_
  bool writes = false;             // it changes variables of the system
};
[[nodiscard]] ClaimTraits claim_traits(const Model& model);

}  // namespace cmc
