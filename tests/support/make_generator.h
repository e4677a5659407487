#pragma once

#include <memory>

#include "checker/generator/wrappers/spin_steps.h"
#include "checker/vm/generator.h"

namespace cmc::test {

// The steps of SPIN's verifier, by the VM.
inline std::unique_ptr<SuccessorGenerator> make_generator(const Model& model) {
  return close_atomic_chains(make_vm_generator(model), model);
}

}  // namespace cmc::test
