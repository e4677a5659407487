#include "checker/vm/generator.h"

#include "checker/generator/stepper.h"
#include "checker/vm/machine.h"

namespace cmc {

static_assert(Machine<vm::VmMachine>);

std::unique_ptr<SuccessorGenerator> make_vm_generator(const Model& model, GuardDecider* decider) {
  return std::make_unique<Stepper<vm::VmMachine>>(model, decider);
}

}  // namespace cmc
