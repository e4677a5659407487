#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "checker/result/options.h"
#include "checker/result/replay.h"
#include "checker/trace/trace.h"
#include "checker/trace/trace_printer.h"

// A counterexample: a path, and the loop at its end if it goes on for ever. It is followed once, which yields the
// steps of a trace and the explanation.

namespace cmc {

// Expressions whose truth is shown where it changes: the atoms of a formula.
struct WatchedAtoms {
  std::vector<std::string> texts;
  // By atom; none: they cannot be evaluated in this state.
  std::function<std::optional<std::vector<bool>>(ByteView state)> values;
};

// Those of the formula that `product` was made for; none if it was made for something else.
[[nodiscard]] WatchedAtoms watched_atoms(const Model& product);

// "acceptance cycle, 12 steps, the last 4 of them for ever, weak fairness"
[[nodiscard]] std::string counterexample_title(const FoundError& error, Fairness fairness);

// Who is told of the steps while the path is followed.
class TraceListener {
 public:
  virtual ~TraceListener() = default;
  // The state before the first step that is told; `left_out` steps are not. `atoms`: "(x==3) false".
  virtual void on_start(const StateImage& state, uint64_t left_out, const std::vector<std::string>& atoms) = 0;
  virtual void on_step(TraceStep step) = 0;
};

struct TraceEnd {
  StateImage state;
  uint64_t loop_start = 0;  // as Trace::loop_start
  Explanation explanation;
};

// Replays the path of an error of `model` and tells of its last `shown_last` steps (0: all); the moves of the claim
// are among them. `listener` may be null. Error: "step 17: ...", it is no path of the model.
[[nodiscard]] Result<TraceEnd> follow_counterexample(const Model& model, const FoundError& error,
                                                     SuccessorGenerator& statements, uint64_t shown_last,
                                                     const WatchedAtoms& atoms, TraceListener* listener);

// The same, kept. `error` describes the one whose path this is.
[[nodiscard]] Result<Trace> make_trace(const Model& model, const FoundError& error, SuccessorGenerator& statements,
                                       uint64_t shown_last, const WatchedAtoms& atoms);

// Prints what it is told; then, with finish(), the state at the end and the explanation.
class CounterexamplePrinter final : public TraceListener {
 public:
  CounterexamplePrinter(TracePrinter& printer, TraceStyle style) : printer_(printer), style_(style) {}
  void on_start(const StateImage& state, uint64_t left_out, const std::vector<std::string>& atoms) override;
  void on_step(TraceStep step) override;
  void finish(const TraceEnd& end);

 private:
  void begin_loop();

  TracePrinter& printer_;
  TraceStyle style_;
  bool in_loop_ = false;
  uint64_t last_ = 0;  // number of the last step
};

// Prints the last `shown_last` steps of a trace that was kept (0: all of them).
void print_trace(const Trace& trace, TracePrinter& printer, TraceStyle style, uint64_t shown_last);

}  // namespace cmc
