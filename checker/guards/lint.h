#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "ir/model.h"
#include "solver-bridge/guard_oracle.h"

namespace cmc::guards {

enum class FindingKind : uint8_t {
  kNeverTrue,   // a guard; also one that asks for values, and never has a witness
  kAlwaysTrue,  // a guard
  kElseNeverTaken,
  kOverlap,     // two guards of a selection can be true at the same time
  kIncomplete,  // no guard of a selection need be true, and there is no else
};
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
  // Both are normal in Promela: the one is non-determinism, the other waiting.
  bool overlaps = false;
  bool incomplete = false;
};

struct LintResult {
  std::vector<Finding> findings;  // by file, line and column
  uint64_t questions = 0;
  uint64_t undecided = 0;  // of them; none is a finding
};

// Looks for guards that are superfluous or dead, by asking a solver about every guard by itself. The ranges of the
// variables' types are all that is assumed, so a finding holds in every state; that there is none says nothing. What
// cannot be decided (channel operations, the solver's time) is no finding. A guard without variables is taken for a
// switch of the model. What an inline or a macro brings into the model several times is a finding if it is one each
// time.
//
// Stops early when `interrupted` becomes true.
[[nodiscard]] LintResult lint(const Model& model, solver::GuardOracle& oracle, const LintOptions& options,
                              const std::atomic<bool>& interrupted);

}  // namespace cmc::guards
