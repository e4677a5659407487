#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

// Faults that a worker commits on request, for tests: what a crashing, hanging, or lying solver would do.

namespace cmc::solver {

enum class Fault : uint8_t {
  kNone,
  kSegfault,
  kAbort,
  kExit,
  kBusyLoop,
  kSleep,
  kStop,         // SIGSTOP for itself
  kOutOfMemory,  // allocates until nothing is left
  kGarbage,      // the reply is random bytes
  kTruncated,
  kWrongChecksum,
  kWrongId,
  kWrongEpoch,
  kWrongVersion,
  kDouble,        // the reply comes twice
  kLate,          // the reply comes after 0.3 s
  kMissing,       // no reply at all
  kForget,        // forgets all constraints, and answers NEED_PREPARE
  kWrongAnswer,   // sat becomes unsat, a witness becomes another one
  kHelloVersion,  // greets with another version
  kDieAtStart,
};

struct FaultName {
  Fault fault;
  std::string_view name;
  bool at_query;  // committed at a query, not at the start
};
[[nodiscard]] std::string_view name_of(Fault fault);
[[nodiscard]] const FaultName* fault_table();
[[nodiscard]] size_t fault_count();

struct ChaosPlan {
  Fault fault = Fault::kNone;
  uint64_t query = 1;  // at this one, counted from 1
  bool every = false;  // and at all its multiples

  [[nodiscard]] Fault at(uint64_t number) const {
    return number == query || (every && number % query == 0) ? fault : Fault::kNone;
  }
};

// "abort", "abort:10", "abort:10:every".
[[nodiscard]] Result<ChaosPlan> parse_chaos(std::string_view text);

// Commits a fault that does not concern the reply; returns for the others (and after kSleep).
void commit(Fault fault);

}  // namespace cmc::solver
