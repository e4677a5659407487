#pragma once

#include <memory>

#include "checker/generator/generator.h"

// The fast generator: bytecode (instruction.h) run by VmMachine, driven by the same Stepper as the reference interpreter.
// `model` must be valid (validate.h) and outlive the generator.

namespace cmc {

[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_vm_generator(const Model& model);

}  // namespace cmc
