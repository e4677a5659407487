#pragma once

#include <memory>

#include "checker/generator/generator.h"
#include "checker/generator/guard_decider.h"

// The fast generator: bytecode (instruction.h) run by VmMachine, driven by the Stepper. `model` must be valid
// (validate.h) and outlive the generator, as must `decider`, who decides its solver guards; null: few tuples are
// tried.
//
// Measured (bench_vm): 16 million successors per CPU second on Peterson's protocol with 4 processes, of which the
// interpreter loop has a quarter; 6 to 15 million on models with channels.

namespace cmc {

[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_vm_generator(const Model& model,
                                                                    GuardDecider* decider = nullptr);

}  // namespace cmc
