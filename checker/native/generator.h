#pragma once

#include <memory>

#include "checker/generator/generator.h"
#include "checker/generator/guard_decider.h"
#include "checker/native/build.h"

namespace cmc {

// The generator that runs a model's native code: the Stepper over a NativeMachine. The same batches, and the same
// notes of what is touched, as the VM's generator, at every call. REQUIRES: as make_vm_generator; `library` is the
// code of this model.
[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_native_generator(
    const Model& model, std::shared_ptr<const native::Library> library, GuardDecider* decider = nullptr);

// The VM's generator at first. When its steps have taken Build::kSecondsBeforeLooking, in all threads that share the
// build, it starts the build; when that has ended, and there is code, it goes on with that at the next call.
// REQUIRES: `build` is that of this model and outlives the generator.
[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_changing_generator(const Model& model, native::Build& build,
                                                                          GuardDecider* decider = nullptr);

}  // namespace cmc
