#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/model.h"

namespace cmc::test {

// What the VM finds from the initial state on. Every batch was compared with the reference interpreter's.
struct Exploration {
  uint64_t states = 0;
  uint64_t transitions = 0;
  uint64_t dead_ends = 0;
  std::map<std::string, uint64_t> errors;  // by runtime_error_name
  std::vector<std::string> differences;    // between VM and reference; at most 5
  bool complete = true;                    // false: the limit of states was hit
};

[[nodiscard]] Exploration explore(const Model& model, uint64_t max_states = 100'000);
// The same, with atomic sequences followed to their ends by both.
[[nodiscard]] Exploration explore_spin_steps(const Model& model, uint64_t max_states);

}  // namespace cmc::test
