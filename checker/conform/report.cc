#include "checker/conform/report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "checker/report/style/version.h"
#include "checker/result/replay.h"
#include "checker/trace/recorder.h"

namespace cmc::conform {
namespace {

using Json = nlohmann::ordered_json;

std::string line_text(const TextPlace& place, const std::string& text) {
  return fmt::format("{}:{}: {}", printable(place.file), place.line, text);
}

// The run with the lines of the log behind their steps.
void print_run(const Model& model, const ConformReport& report, const EventLog& log, SuccessorGenerator& statements,
               const ReportOptions& options, TracePrinter& printer) {
  const std::vector<Step> path = path_of(report.run);
  const uint64_t left_out =
      options.most_steps > 0 && path.size() > options.most_steps ? path.size() - options.most_steps : 0;
  TraceRecorder recorder(model);
  size_t at = 0;
  size_t steps = 0;                       // of run[at]
  const auto changes = [&](bool shown) {  // that are no step
    for (; at < report.run.size() && report.run[at].steps.empty(); ++at) {
      if (shown) printer.mark("  -- " + report.run[at].change);
    }
  };
  const auto on_step = [&](const ReplayEvent& event) {
    if (event.index < left_out) {
      changes(false);
    } else {
      if (event.index == left_out) {
        recorder.start(event.before);
        printer.start(recorder.state(), left_out);
      }
      changes(true);
      printer.step(recorder.record({event.index + 1, event.step, event.before, event.after, event.errors}));
    }
    if (++steps < report.run[at].steps.size()) return;
    steps = 0;
    const ConformSearch::Passed& passed = report.run[at++];
    if (event.index < left_out) return;
    for (const EventLog::Event& each : passed.events)
      printer.mark(fmt::format("  <- {}", line_text(log.place(each), log.class_of(each).text)));
    if (!passed.change.empty()) printer.mark("  -- " + passed.change);
  };
  (void)replay_path(statements, path, on_step).ok();
  changes(true);
  printer.flush();
}

std::string logs_text(const ConformReport& report) {
  if (report.files.size() > 3) return plural(report.files.size(), "log");
  std::string text;
  for (const std::string& each : report.files) text += (text.empty() ? "" : ", ") + printable(each);
  return text;
}

std::string failure_text(const ConformReport& report, const Palette& palette) {
  std::string text;
  if (report.wants_end) {
    text += fmt::format("{} all {} are explained, but no run is at a valid end behind them\n",
                        palette.paint(Tone::kBad, "not explained:"), plural(report.events, "event"));
  } else {
    text += fmt::format("{} {} of {} of {} are a run of the model, and no run goes on with\n",
                        palette.paint(Tone::kBad, "not explained:"), format_count(report.explained),
                        plural(report.events, "event"), logs_text(report));
  }
  for (const ConformReport::Line& each : report.next) text += fmt::format("  {}\n", line_text(each.place, each.text));
  if (report.alternatives.empty()) {
    text += "the model can do nothing there that is logged\n";
  } else {
    text += "what the model can do there:\n";
    for (const std::string& each : report.alternatives) text += fmt::format("  {}\n", each);
    if (!report.all_alternatives) text += "  and more\n";
  }
  if (report.change) {
    text += fmt::format("the whole log is a run with one change: {}\n", *report.change);
  } else {
    text += report.all_changes ? "no change of one event makes the whole log a run\n"
                               : "a change of one event that makes the whole log a run was not found\n";
  }
  return text;
}

Json place_json(const TextPlace& place) { return {{"file", place.file}, {"line", place.line}}; }

}  // namespace

const char* outcome_name(ConformReport::Outcome outcome) {
  switch (outcome) {
    case ConformReport::Outcome::kExplained: return "explained";
    case ConformReport::Outcome::kNotExplained: return "not explained";
    case ConformReport::Outcome::kIncomplete: break;
  }
  return "incomplete";
}

std::string report_text(const Model& model, const ConformReport& report, const EventLog& log,
                        SuccessorGenerator& statements, const ReportOptions& options, const Palette& palette) {
  std::string text;
  if (report.outcome == ConformReport::Outcome::kExplained) {
    text = fmt::format("{} {} of {} are a run of {}\n", palette.paint(Tone::kGood, "explained:"),
                       plural(report.events, "event"), logs_text(report),
                       report.run.empty() ? "the model" : plural(path_of(report.run).size(), "step"));
  } else if (report.outcome == ConformReport::Outcome::kIncomplete) {
    text =
        fmt::format("{} {}; {} of {} of {} are explained\n", palette.paint(Tone::kDoubtful, "incomplete:"),
                    report.reason, format_count(report.explained), plural(report.events, "event"), logs_text(report));
  } else {
    text = failure_text(report, palette);
  }
  if (!options.shows_run || report.run.empty()) return text;
  text += '\n';
  TracePrinter printer(model, options.trace, palette, [&](std::string_view line) { text += line; });
  print_run(model, report, log, statements, options, printer);
  return text;
}

std::string report_json(const LoadedModel& loaded, const std::vector<ConformReport>& reports,
                        const std::vector<std::string>& arguments, double seconds) {
  Json all = Json::array();
  for (const ConformReport& report : reports) {
    Json json = {{"verdict", outcome_name(report.outcome)}, {"files", report.files},   {"events", report.events},
                 {"explained", report.explained},           {"states", report.states}, {"pairs", report.pairs}};
    if (!report.reason.empty()) json["reason"] = report.reason;
    if (!report.run.empty() && report.outcome == ConformReport::Outcome::kExplained)
      json["steps"] = path_of(report.run).size();
    if (report.outcome == ConformReport::Outcome::kNotExplained) {
      json["next"] = Json::array();
      for (const auto& each : report.next) {
        json["next"].push_back(place_json(each.place));
        json["next"].back()["event"] = each.text;
      }
      json["wants_end"] = report.wants_end;
      json["alternatives"] = report.alternatives;
      json["all_alternatives"] = report.all_alternatives;
      json["change"] = report.change ? Json(*report.change) : Json();
      json["all_changes"] = report.all_changes;
    }
    all.push_back(std::move(json));
  }
  const Json json = {{"schema", "cmc.conformance/1"},
                     {"version", kVersion},
                     {"arguments", arguments},
                     {"model", {{"file", loaded.file}, {"sha1", loaded.sha1}}},
                     {"seconds", seconds},
                     {"logs", std::move(all)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cmc::conform
