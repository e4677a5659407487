#include "checker/report/counterexample.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "checker/properties/formula_check.h"
#include "checker/reference/reference.h"
#include "checker/report/report.h"
#include "ir/print.h"

namespace cmc {
namespace {

constexpr const char* kLoopMark = "<<<< loop starts here >>>>";
constexpr const char* kBlockedMark = "the system stays here for ever";

class CounterexamplePrinter {
 public:
  CounterexamplePrinter(const Model& model, const FoundError& error, const CounterexampleOptions& options,
                        const Palette& palette, const TracePrinter::Sink& sink)
      : model_(model),
        error_(error),
        options_(options),
        shape_(describe_counterexample(error)),
        sink_(sink),
        printer_(model, with_total(options.trace, shape_.steps), palette, sink) {}

  void step(const ReplayEvent& event) {
    if (event.index == 0) show_atoms(event.before);
    if (event.index == error_.loop_start) begin_loop(event.before);
    const bool of_claim = event.step.pid == kNoProcess;
    if (of_claim && options_.trace.style != TraceStyle::kFull && event.errors.empty()) return;
    printer_.step({steps_, event.step, event.before, event.after, event.errors, changed_atoms(event.after)});
    if (of_claim) return;
    ++steps_;
    idle_.erase(event.step.pid);
    idle_.erase(event.step.partner);
  }

  void finish(const ReplayEnd& end) {
    if (!shape_.has_loop) return printer_.finish(end.state);
    if (error_.loop_start >= error_.path.size()) begin_loop(end.state);
    if (shape_.loop_steps == 0) printer_.mark(kBlockedMark);
    printer_.flush();
    if (shape_.loop_steps > 0) show_idle_processes(end.state);
    printer_.finish(end.state,
                    shape_.loop_steps == 0 ? "final state:" : "state at the start and at the end of the loop:");
  }

  void flush() { printer_.flush(); }

 private:
  static TraceOptions with_total(TraceOptions options, uint64_t total) {
    options.total_steps = total;
    return options;
  }

  void show_atoms(ByteView state) {
    if (options_.atoms.texts.empty()) return;
    truth_ = options_.atoms.values(state);
    if (!truth_) return;
    std::vector<std::string> parts;
    for (size_t i = 0; i < truth_->size(); ++i) {
      parts.push_back(fmt::format("{} {}", options_.atoms.texts[i], (*truth_)[i]));
    }
    printer_.mark(fmt::format("at first: {}", fmt::join(parts, ", ")));
  }

  // "(x==3) becomes true": what the step changes.
  std::vector<std::string> changed_atoms(ByteView after) {
    if (options_.atoms.texts.empty() || after.empty()) return {};
    std::optional<std::vector<bool>> truth = options_.atoms.values(after);
    std::vector<std::string> changes;
    for (size_t i = 0; truth && truth_ && i < truth->size(); ++i) {
      if ((*truth)[i] == (*truth_)[i]) continue;
      changes.push_back(fmt::format("{} becomes {}", options_.atoms.texts[i], (*truth)[i]));
    }
    if (truth) truth_ = std::move(truth);
    return changes;
  }

  void begin_loop(ByteView state) {
    printer_.mark(kLoopMark);
    for (const ProcessImage& process : decode_state(model_, state).processes) {
      const Proctype* const proctype = find_proctype(model_, state, static_cast<uint8_t>(process.pid));
      if (proctype != nullptr && process.location != proctype->end) idle_.insert(static_cast<uint8_t>(process.pid));
    }
  }

  void show_idle_processes(ByteView state) {
    if (idle_.empty()) return;
    std::vector<std::string> names;
    for (const uint8_t pid : idle_) {
      if (const Proctype* const proctype = find_proctype(model_, state, pid)) {
        names.push_back(fmt::format("{}[{}]", proctype->name, pid));
      }
    }
    sink_(fmt::format("\n{} in the loop: {}\n",
                      names.size() == 1 ? "one process never moves" : "processes that never move",
                      printable(fmt::format("{}", fmt::join(names, ", ")))));
  }

  const Model& model_;
  const FoundError& error_;
  const CounterexampleOptions& options_;
  const Report::Counterexample shape_;
  const TracePrinter::Sink& sink_;
  TracePrinter printer_;
  uint64_t steps_ = 0;                      // shown so far, claim moves not counted
  std::set<uint8_t> idle_;                  // of the loop's processes, those that have not moved in it
  std::optional<std::vector<bool>> truth_;  // of the atoms, as it was shown
};

}  // namespace

WatchedAtoms watched_atoms(const Model& product) {
  const auto property = std::ranges::find(product.properties, Property::Kind::kLtl, &Property::kind);
  if (property == product.properties.end()) return {};
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

Result<ReplayEnd> print_counterexample(const Model& model, const FoundError& error, SuccessorGenerator& statements,
                                       const CounterexampleOptions& options, const Palette& palette,
                                       const TracePrinter::Sink& sink) {
  CounterexamplePrinter printer(model, error, options, palette, sink);
  Result<ReplayEnd> end = replay_path(statements, error.path, [&](const ReplayEvent& event) { printer.step(event); });
  if (end.ok()) {
    printer.finish(end.value());
  } else {
    printer.flush();
  }
  return end;
}

}  // namespace cmc
