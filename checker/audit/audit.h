#pragma once

#include <cstdint>

#include "checker/audit/certificate.h"
#include "checker/audit/model_text.h"
#include "checker/audit/pan_generator.h"
#include "checker/audit/refusal.h"

namespace cmc::audit {

struct Options {
  uint32_t threads = 1;
  uint64_t memory_bytes = 0;  // 0: no limit
  uint64_t sample = 0;        // states that are looked at; 0: all
  uint64_t seed = 1;
  const PanOracle* oracle = nullptr;  // that says which successors there are; null: the reference interpreter
  uint64_t slice_keys = 0;            // for tests: successors are looked up so many at a time, as if memory was short
};

// What was found out of a certificate that was not refused.
struct Findings {
  uint64_t states = 0;
  uint64_t transitions = 0;    // of the states that were looked at
  bool all_reachable = false;  // (C4) was checked, too; else the number of states is an upper bound
  uint64_t passes = 0;         // through the states, to look successors up; 0: all states fit into memory
};

// Checks (A) of keys, (B), (C1) to (C3), (E) unless there is an oracle, and (C4) if all states fit into memory.
[[nodiscard]] Verdict audit(const Task& task, const Certificate& certificate, const Options& options,
                            Findings& findings);

}  // namespace cmc::audit
