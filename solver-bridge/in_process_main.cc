#include <string>

#include "solver-bridge/oracle/in_process_oracle.h"
#include "solver-bridge/worker/z3_session.h"

// The module cmc-in-process.so (in_process_loader.h).

extern "C" cmc::solver::GuardOracle* cmc_make_in_process_oracle(uint32_t rlimit, const cmc::Clock& clock) {
  return new cmc::solver::InProcessOracle(rlimit, clock);
}

extern "C" const char* cmc_in_process_z3_version() {
  static const std::string version = cmc::solver::Z3Session::z3_version();
  return version.c_str();
}
