#include "checker/explore/exports.h"

#include <algorithm>
#include <utility>

#include "checker/check/describe.h"
#include "checker/spin/trail.h"
#include "checker/trace/trail.h"
#include "checker/trace/views/lanes.h"
#include "checker/trace/views/page.h"

namespace cmc::explore {
namespace {

constexpr uint64_t kMostSteps = 100'000;  // of a page or a chart: the last ones

// What the run ends with, as the trails of checks name it.
Report::ErrorEntry error_of(const session::Session& run) {
  using End = session::Session::End;
  Report::ErrorEntry entry;
  entry.property = "safety";
  entry.depth = run.steps();
  entry.kind = kNoError;
  entry.message = "a run";
  if (run.end() == End::kInvalidEnd) entry.kind = entry.message = error_kind_name(ErrorKind::invalid_end_state());
  const auto is_error = [](const RuntimeError& error) { return error.kind != RuntimeErrorKind::kOverflowNote; };
  const auto error = std::ranges::find_if(run.errors(), is_error);
  if (run.end() == End::kError && error != run.errors().end() && !is_reason(error->kind)) {
    entry.kind = runtime_error_name(error->kind);
    entry.message = error->message;
  }
  return entry;
}

Trace trace_of(session::Session& run) {
  Trace trace = run.trace(kMostSteps);
  trace.outcome = run.end_text();
  trace.explanation = run.explain();
  return trace;
}

std::string trail_of(session::Walk& walk) {
  session::Session& run = walk.run();
  Trail trail;
  trail.model_file = walk.loaded().file;
  trail.model_sha1 = walk.loaded().sha1;
  trail.preprocessor = preprocessor_arguments(walk.loaded().request.preprocessor);
  trail.escapes_like_java = walk.loaded().request.escapes_like_java;
  trail.formulas = walk.loaded().request.formulas;
  trail.steps = "statement";
  trail.error = error_of(run);
  const uint64_t end = run.position();
  for (run.go_to(0); run.position() < end;) {
    const Bytes before(run.state().begin(), run.state().end());
    run.forward();
    for (const Step& step : run.last_choice()) trail.add(step, describe_step(walk.model(), before, step));
  }
  return trail_json(trail);
}

std::string page_of(session::Walk& walk) {
  const Trace trace = trace_of(walk.run());
  const Trace* const shown = &trace;
  const LoadedModel& loaded = walk.loaded();
  return trace_page(loaded.model, std::span(&shown, 1), {loaded.file, loaded.sha1}, source_texts(loaded));
}

}  // namespace

std::optional<Result<Export>> export_run(session::Walk& walk, const std::string& name) {
  const std::string plain = "text/plain; charset=utf-8";
  if (name == "run.trail") return Export{"application/json", name, trail_of(walk)};
  if (name == "run.html") return Export{"text/html; charset=utf-8", name, page_of(walk)};
  if (name == "run.mmd") return Export{plain, name, mermaid_chart(trace_of(walk.run()))};
  if (name != "run.spin.trail") return std::nullopt;
  const std::vector<Step> path = walk.run().path();
  Result<std::string> text = spin::trail_text(walk.model(), walk.run().statements(), path, spin::Trail::kNoLoop);
  if (!text.ok()) return Result<Export>(Error{text.error()});
  return Result<Export>(Export{plain, name, std::move(text).value()});
}

}  // namespace cmc::explore
