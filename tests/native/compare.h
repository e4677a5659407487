#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "checker/native/library.h"
#include "ir/model.h"

namespace cmc::test {

// What native code finds from the initial state on, compared with the VM and with the reference interpreter.
struct NativeExploration {
  uint64_t states = 0;
  uint64_t errors = 0;
  std::vector<std::string> differences;  // at most 5
};

// In each state: all successors are those of the VM and of the reference interpreter; those of each process, with
// timeout and without, are the VM's and the same with a trace and without; what the traces note is the same, in the
// same order; likewise the moves of the claim, if one runs.
[[nodiscard]] NativeExploration explore_native(const Model& model, std::shared_ptr<const native::Library> code,
                                               uint64_t max_states);

}  // namespace cmc::test
