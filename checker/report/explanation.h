#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Why a counterexample ends as it does: what checker/trace finds out, for reports.

namespace cmc {

// A process, and what it waits for, or why it never moves in a loop.
struct ExplainedProcess {
  uint32_t pid = 0;
  std::string process;             // "user[1]"
  std::string file;                // where it is; empty: unknown
  uint32_t line = 0;               //
  uint64_t since = 0;              // number of the step that brought it there; 0: it was there from the start
  std::vector<std::string> waits;  // for each of these; one is enough
};

struct Explanation {
  std::vector<std::string> lines;           // sentences for a person
  std::vector<ExplainedProcess> processes;  // of a deadlock: the stuck ones; of a loop: those that never move
};

}  // namespace cmc
