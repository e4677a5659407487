#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "ir/model.h"
#include "solver-bridge/oracle/guard_oracle.h"

namespace cmc::guards {

enum class FindingKind : uint8_t {
  kNeverTrue,   // a guard; also one that asks for values, and never has a witness
  kAlwaysTrue,  // a guard
  kElseNeverTaken,
  kOverlap,     // two guards of a selection can be true at the same time
  kIncomplete,  // no guard of a selection need be true, and there is no else
};
inline constexpr FindingKind kFindingKinds[] = {FindingKind::kNeverTrue, FindingKind::kAlwaysTrue,
                                                FindingKind::kElseNeverTaken, FindingKind::kOverlap,
                                                FindingKind::kIncomplete};
[[nodiscard]] std::string_view name_of(FindingKind kind);  // "never-true"

struct Finding {
  struct Note {
    SourcePlace place;
    std::string message;
  };
  FindingKind kind = FindingKind::kNeverTrue;
  SourcePlace place;
  std::string message;
  std::vector<Note> notes;
};

struct LintOptions {
  // Both are normal in Promela: an overlap is non-determinism, an incomplete selection waits.
  bool overlaps = false;
  bool incomplete = false;
};

struct LintResult {
  std::vector<Finding> findings;  // by file, line and column
  uint64_t questions = 0;
  uint64_t undecided = 0;  // of them; none is a finding
};

// Looks for guards that are superfluous or dead: it asks a solver about each guard on its own. It assumes only the
// ranges of the variables' types, so a finding holds in every state, and no finding proves nothing. Undecided
// questions (channel operations, the solver's time limit) are no findings. A guard without variables is taken for a
// configuration switch of the model. A guard that an inline or a macro copies into the model is a finding only if
// every copy is one.
//
// Stops early when `interrupted` becomes true.
[[nodiscard]] LintResult lint(const Model& model, solver::GuardOracle& oracle, const LintOptions& options,
                              const std::atomic<bool>& interrupted);

}  // namespace cmc::guards
