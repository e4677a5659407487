#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "checker/report/style.h"
#include "checker/report/trace_printer.h"
#include "checker/search/options.h"
#include "checker/search/replay.h"

// Shows a counterexample: a path, and the loop at its end if it goes on for ever.

namespace cmc {

// Expressions whose truth is shown where it changes: the atoms of a formula.
struct WatchedAtoms {
  std::vector<std::string> texts;
  // By atom; none: they cannot be evaluated in this state.
  std::function<std::optional<std::vector<bool>>(ByteView state)> values;
};

// Those of the formula that `product` was made for; none if it was made for something else.
[[nodiscard]] WatchedAtoms watched_atoms(const Model& product);

struct CounterexampleOptions {
  TraceOptions trace;  // its total_steps are counted here
  Fairness fairness = Fairness::kNone;
  WatchedAtoms atoms;
};

// "acceptance cycle, 12 steps, the last 4 of them for ever, weak fairness"
[[nodiscard]] std::string counterexample_title(const FoundError& error, Fairness fairness);

// Replays the path of an error of `model` and prints each step that is one of the model, and with TraceStyle::kFull
// the moves of the claim; then the state that it leads to. Error: "step 17: ...", it is no path of the model.
[[nodiscard]] Result<ReplayEnd> print_counterexample(const Model& model, const FoundError& error,
                                                     SuccessorGenerator& statements,
                                                     const CounterexampleOptions& options, const Palette& palette,
                                                     const TracePrinter::Sink& sink);

}  // namespace cmc
