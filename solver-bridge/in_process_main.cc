#include "solver-bridge/in_process_oracle.h"

// The module cmc-in-process.so (in_process_loader.h).

extern "C" cmc::solver::GuardOracle* cmc_make_in_process_oracle(uint32_t rlimit, const cmc::Clock& clock) {
  return new cmc::solver::InProcessOracle(rlimit, clock);
}
