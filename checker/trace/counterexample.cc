#include "checker/trace/counterexample.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/properties/formula_check.h"
#include "checker/reference/reference.h"
#include "checker/report/report.h"
#include "checker/trace/explain.h"
#include "checker/trace/recorder.h"
#include "ir/print.h"

namespace cmc {
namespace {

constexpr const char* kLoopMark = "<<<< loop starts here >>>>";
constexpr const char* kBlockedMark = "the system stays here for ever";

// Keeps the truth of the atoms, and says what changes.
class AtomTexts {
 public:
  explicit AtomTexts(const WatchedAtoms& atoms) : atoms_(atoms) {}

  std::vector<std::string> first(ByteView state) {
    std::vector<std::string> parts;
    if (atoms_.texts.empty()) return parts;
    truth_ = atoms_.values(state);
    for (size_t i = 0; truth_ && i < truth_->size(); ++i) {
      parts.push_back(fmt::format("{} {}", atoms_.texts[i], (*truth_)[i]));
    }
    return parts;
  }

  // "(x==3) becomes true": what the step changes.
  std::vector<std::string> changed(ByteView after) {
    if (atoms_.texts.empty() || after.empty()) return {};
    std::optional<std::vector<bool>> truth = atoms_.values(after);
    std::vector<std::string> changes;
    for (size_t i = 0; truth && truth_ && i < truth->size(); ++i) {
      if ((*truth)[i] == (*truth_)[i]) continue;
      changes.push_back(fmt::format("{} becomes {}", atoms_.texts[i], (*truth)[i]));
    }
    if (truth) truth_ = std::move(truth);
    return changes;
  }

 private:
  const WatchedAtoms& atoms_;
  std::optional<std::vector<bool>> truth_;
};

class Follower {
 public:
  Follower(const Model& model, const FoundError& error, SuccessorGenerator& statements, uint64_t shown_last,
           const WatchedAtoms& atoms, TraceListener* listener)
      : error_(error),
        total_(describe_counterexample(error).steps),
        ends_claim_(error.kind == ErrorKind{{}, RuntimeErrorKind::kClaimEnd}),
        watches_claim_(ends_claim_ && formula_of_claim(model) == nullptr),
        first_shown_(shown_last > 0 && shown_last < total_ ? total_ - shown_last + 1 : 1),
        listener_(listener),
        atoms_(atoms),
        recorder_(model),
        explainer_(model, statements) {}

  void step(const ReplayEvent& event) {
    const bool of_claim = event.step.pid == kNoProcess;
    const bool begins_loop = event.index == error_.loop_start;
    if (begins_loop) begin_loop(event.before);
    const RunStep run{of_claim ? 0 : steps_ + 1, event.step, event.before, event.after, event.errors};
    if (of_claim && watches_claim_) explainer_.claim_step(run);
    explainer_.step(run);
    if (listener_ != nullptr && steps_ + 1 >= first_shown_) {
      start(event.before);
      TraceStep recorded = recorder_.record(run);
      recorded.begins_loop = begins_loop;
      recorded.remarks = atoms_.changed(event.after);
      listener_->on_step(std::move(recorded));
    }
    if (!of_claim) ++steps_;
  }

  // The replay of another path of the same steps would use the generator of this one: it has ended.
  TraceEnd finish(const Model& model, const ReplayEnd& end) {
    if (listener_ != nullptr) start(end.state);
    if (error_.loop_start != FoundError::kNoLoop && loop_start_ == 0) begin_loop(end.state);
    TraceEnd result{decode_state(model, end.state), loop_start_, {}};
    if (loop_start_ > 0) {
      result.explanation = explainer_.loop(end.state);
    } else if (error_.kind.is_invalid_end_state()) {
      result.explanation = explainer_.deadlock(end.state);
    } else if (ends_claim_) {
      result.explanation = explainer_.claim_end(end.state);
    } else {
      result.explanation = explainer_.failure();
    }
    return result;
  }

 private:
  void start(ByteView state) {
    if (started_) return;
    started_ = true;
    recorder_.start(state);
    listener_->on_start(recorder_.state(), steps_, atoms_.first(state));
  }

  void begin_loop(ByteView state) {
    loop_start_ = steps_ + 1;
    explainer_.begin_loop(state);
  }

  const FoundError& error_;
  const uint64_t total_;
  const bool ends_claim_;
  const bool watches_claim_;  // the user wrote it: there is no formula to explain
  const uint64_t first_shown_;
  TraceListener* listener_;
  AtomTexts atoms_;
  TraceRecorder recorder_;
  Explainer explainer_;
  bool started_ = false;
  uint64_t steps_ = 0;  // of processes, so far
  uint64_t loop_start_ = 0;
};

class TraceKeeper final : public TraceListener {
 public:
  explicit TraceKeeper(Trace& trace) : trace_(trace) {}
  void on_start(const StateImage& state, uint64_t left_out, const std::vector<std::string>& atoms) override {
    trace_.initial = state;
    trace_.left_out = left_out;
    trace_.atoms = atoms;
  }
  void on_step(TraceStep step) override { trace_.steps.push_back(std::move(step)); }

 private:
  Trace& trace_;
};

}  // namespace

WatchedAtoms watched_atoms(const Model& product) {
  const Property* const property = formula_of_claim(product);
  if (property == nullptr) return {};
  const std::vector<ExpressionId> atoms = atoms_of(product, property->formula);
  WatchedAtoms watched;
  for (const ExpressionId atom : atoms) watched.texts.push_back(expression_text(product, nullptr, atom));
  watched.values = [&product, atoms](ByteView state) -> std::optional<std::vector<bool>> {
    const auto values = evaluate_expressions(product, state, kNoProcess, atoms);
    if (!values) return std::nullopt;
    std::vector<bool> truth;
    for (const int32_t value : *values) truth.push_back(value != 0);
    return truth;
  };
  return watched;
}

std::string counterexample_title(const FoundError& error, Fairness fairness) {
  const Report::Counterexample shape = describe_counterexample(error);
  std::string title = fmt::format("{}, {}", printable(error.message), plural(shape.steps, "step"));
  if (shape.has_loop && shape.loop_steps == 0) title += ", then the system is blocked";
  if (shape.loop_steps > 0) {
    title += shape.loop_steps == shape.steps
                 ? ", all of them for ever"
                 : fmt::format(", the last {} of them for ever", format_count(shape.loop_steps));
  }
  if (shape.has_loop && fairness == Fairness::kWeak) title += ", weakly fair";
  return title;
}

Result<TraceEnd> follow_counterexample(const Model& model, const FoundError& error, SuccessorGenerator& statements,
                                       uint64_t shown_last, const WatchedAtoms& atoms, TraceListener* listener) {
  Follower follower(model, error, statements, shown_last, atoms, listener);
  const Result<ReplayEnd> end =
      replay_path(statements, error.path, [&](const ReplayEvent& event) { follower.step(event); });
  if (!end.ok()) return Error{end.error()};
  if (end.value().state.empty()) return TraceEnd{};  // an initializer fails
  return follower.finish(model, end.value());
}

Result<Trace> make_trace(const Model& model, const FoundError& error, SuccessorGenerator& statements,
                         uint64_t shown_last, const WatchedAtoms& atoms) {
  Trace trace;
  TraceKeeper keeper(trace);
  CMC_TRY(TraceEnd end, follow_counterexample(model, error, statements, shown_last, atoms, &keeper));
  trace.error = describe_error(model, error);
  trace.final_state = std::move(end.state);
  trace.loop_start = end.loop_start;
  trace.explanation = std::move(end.explanation);
  return trace;
}

void CounterexamplePrinter::on_start(const StateImage& state, uint64_t left_out,
                                     const std::vector<std::string>& atoms) {
  last_ = left_out;
  printer_.start(state, left_out);
  if (!atoms.empty()) printer_.mark(fmt::format("at first: {}", fmt::join(atoms, ", ")));
}

void CounterexamplePrinter::on_step(TraceStep step) {
  if (step.begins_loop) begin_loop();
  if (!step.of_claim()) last_ = step.number;
  printer_.step(step, !step.of_claim() || style_ == TraceStyle::kFull || !step.errors.empty());
}

void CounterexamplePrinter::begin_loop() {
  if (!in_loop_) printer_.mark(kLoopMark);
  in_loop_ = true;
}

void CounterexamplePrinter::finish(const TraceEnd& end) {
  const bool blocked = end.loop_start > last_;
  if (blocked) begin_loop();
  if (blocked) printer_.mark(kBlockedMark);
  printer_.finish(end.state,
                  end.loop_start > 0 && !blocked ? "state at the start and at the end of the loop:" : "final state:");
  printer_.explain(end.explanation);
}

void print_trace(const Trace& trace, TracePrinter& printer, TraceStyle style, uint64_t shown_last) {
  const auto is_counted = [](const TraceStep& step) { return !step.of_claim(); };
  const uint64_t last = trace.left_out + static_cast<uint64_t>(std::ranges::count_if(trace.steps, is_counted));
  const uint64_t left_out =
      shown_last > 0 && shown_last < last ? std::max(trace.left_out, last - shown_last) : trace.left_out;
  CounterexamplePrinter listener(printer, style);
  StateImage state = trace.initial;
  size_t first = 0;
  for (uint64_t number = trace.left_out; number < left_out; ++first) {
    apply(trace.steps[first], state);
    if (!trace.steps[first].of_claim()) ++number;
  }
  listener.on_start(state, left_out, first == 0 ? trace.atoms : std::vector<std::string>());
  for (size_t i = first; i < trace.steps.size(); ++i) listener.on_step(trace.steps[i]);
  listener.finish({trace.final_state, trace.loop_start, trace.explanation});
}

}  // namespace cmc
