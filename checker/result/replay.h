#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "checker/generator/generator.h"
#include "checker/result/result.h"

// Following a path of basic steps with a statement-level generator: how counterexamples are verified and shown.

namespace cmc {

// One step of a replay, while it is being followed.
struct ReplayEvent {
  uint64_t index = 0;  // from 0
  Step step;
  ByteView before;
  ByteView after;                    // empty: a run-time error cut the step, which then is the last one
  std::vector<RuntimeError> errors;  // of this step
  bool complete = true;              // false: it is one step of the generator together with the next one
};

// What is known of the state in which a path ends.
struct ReplayEnd {
  Bytes state;
  bool cut = false;                  // the last step did not complete; `state` is the one before it
  bool blocked = false;              // no process can move
  bool invalid_end = false;          // blocked, and some process is not at a valid end
  std::vector<RuntimeError> errors;  // that lie in the state itself
};

// Follows `path` from the initial state; each step must be executable where it stands. The generator must be one that
// hands out single basic steps. Fails with "step 17: ...".
[[nodiscard]] Result<ReplayEnd> replay_path(SuccessorGenerator& statements, std::span<const Step> path,
                                            const std::function<void(const ReplayEvent&)>& on_step);

// The same with everything kept. Either all steps of the path are there, or `failure` says why not.
struct ReplayedStep {
  Step step;
  Bytes state;  // after the step; empty if an error cut it
  std::vector<RuntimeError> errors;
};
struct Replay {
  Bytes initial;
  std::vector<ReplayedStep> steps;
  ReplayEnd end;
  std::string failure;  // empty: none
};
[[nodiscard]] Replay replay(SuccessorGenerator& statements, std::span<const Step> path);

// What a run that never ends needs to be a counterexample (loop_check.h).
struct LoopRules {
  const Model* model = nullptr;  // of which `reference` makes the product
  Fairness fairness = Fairness::kNone;
};

// Replays one error's path and looks whether it ends in that error: a text if not. REQUIRES: rules for an error with
// a loop.
[[nodiscard]] std::string verify_error(const FoundError& error, SuccessorGenerator& reference, LoopRules rules = {});

// Asks `fault_of` why the path of an error does not show it; it may replace the path. Empty: it does. Errors with a
// fault are taken out, and a reason says why: so the verdict is neither "violated" because of them nor "holds". If
// CMC contradicts itself and no error is left that was confirmed, those without a path are taken out, too.
void keep_confirmed(SearchResult& result, const std::function<std::string(FoundError&)>& fault_of);

// The same with verify_error(). To be called before a result is shown to anyone.
void verify_errors(SearchResult& result, SuccessorGenerator& reference, LoopRules rules = {});

}  // namespace cmc
