#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/units.h"
#include "checker/mutate/mutation_report.h"
#include "checker/trace/views/markup.h"

namespace cmc::mutate {
namespace {

using Case = MutationReport::Case;

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --ground: #f6f7f9; --panel: #fff; --ink: #1c2430; --soft: #667085; --line: #e2e6ec;
  --bad: #b42318; --bad-ground: #fdecea; --half-ground: #fff4e0; --good: #18794e; --good-ground: #e9f7ef;
  --mono: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
@media (prefers-color-scheme: dark) { :root { --ground: #10141b; --panel: #171c25; --ink: #e4e8ef; --soft: #98a3b5;
  --line: #283040; --bad: #ff8078; --bad-ground: #3a1d1e; --half-ground: #362b14; --good: #6fd39b; --good-ground: #15291f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1100px; padding: 16px; background: var(--ground); color: var(--ink);
  font: 14px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 18px; margin: 0; overflow-wrap: anywhere; } h2 { font-size: 15px; margin: 22px 0 6px; overflow-wrap: anywhere; }
.score { font-size: 30px; font-weight: 650; } .soft, .key { color: var(--soft); } .bad { color: var(--bad); } .good { color: var(--good); }
.counts { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 4px 0; } .key span { padding: 0 6px; border-radius: 4px; margin-right: 6px; }
.source { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; overflow-x: auto; font: 12.5px/1.55 var(--mono); }
.row, summary { display: flex; white-space: pre; min-width: max-content; padding-right: 12px; }
summary { cursor: pointer; list-style: none; } summary:focus-visible { outline: 2px solid #2563eb; outline-offset: -2px; }
.number { width: 4.2em; text-align: right; padding-right: 1em; color: var(--soft); user-select: none; flex: none; }
.tally { width: 5.2em; flex: none; color: var(--soft); user-select: none; }
.all > summary, .all-key { background: var(--bad-ground); } .some > summary, .some-key { background: var(--half-ground); }
.none > summary, .none-key { background: var(--good-ground); }
.mutants { padding: 4px 12px 10px 4.2em; border-bottom: 1px solid var(--line); white-space: normal; }
.mutants p { margin: 6px 0 0; overflow-wrap: anywhere; } ol { margin: 2px 0 4px; padding-left: 2.4em; overflow-wrap: anywhere; }
@media (max-width: 640px) { body { padding: 10px; } .number { width: 3em; padding-right: .6em; } .tally { width: 4em; } .mutants { padding-left: 1em; max-width: calc(100vw - 24px); } }
)css";

// Mutants of the model on a line decide its colour; those of properties are shown with it.
struct Line {
  std::vector<const Case*> cases;
  size_t killed = 0;
  size_t survived = 0;
};

std::string case_html(const MutationReport& report, const Case& each) {
  const auto& [mutant, judgement] = each;
  const bool says_nothing = judgement.verdict == Verdict::kSurvived;
  const char* const tone = says_nothing ? "bad" : judgement.verdict == Verdict::kKilled ? "good" : "soft";
  std::string text = fmt::format("<p>#{} {}: {}<br><b class=\"{}\">{}</b>", mutant.number, info(mutant.op).name,
                                 escaped_markup(short_text(report.text_of(mutant), mutant)), tone,
                                 name_in(kVerdictNames, judgement.verdict));
  if (!judgement.property.empty()) text += fmt::format(" by {}", escaped_markup(judgement.property));
  if (!mutant.property.empty()) text += fmt::format(" (of {})", escaped_markup(mutant.property));
  if (!judgement.message.empty()) text += fmt::format(": {}", escaped_markup(judgement.message));
  text += "</p>\n";
  if (judgement.run.empty()) return text;
  text += fmt::format("<details><summary class=\"soft\">a shortest run that only the {} has</summary><ol>\n",
                      judgement.run_of_model ? "model" : "mutant");
  for (const std::string& step : judgement.run) text += fmt::format("<li>{}</li>\n", escaped_markup(step));
  return text + "</ol></details>\n";
}

std::string line_html(const MutationReport& report, uint32_t number, std::string_view source, const Line& line) {
  const size_t counted = line.killed + line.survived;
  const std::string tally = counted > 0 ? fmt::format("{}/{}", line.survived, counted) : "";
  const std::string row =
      fmt::format("<span class=\"number\">{}</span><span class=\"tally\">{}</span><span>{}</span>", number, tally,
                  escaped_markup(source));
  if (line.cases.empty()) return fmt::format("<div class=\"row\">{}</div>\n", row);
  const char* const tone = counted == 0 ? "other" : line.survived == 0 ? "none" : line.killed == 0 ? "all" : "some";
  std::string text = fmt::format("<details class=\"{}\"><summary>{}</summary><div class=\"mutants\">\n", tone, row);
  for (const Case* each : line.cases) text += case_html(report, *each);
  return text + "</div></details>\n";
}

std::string file_html(const MutationReport& report, uint32_t file, std::map<uint32_t, Line>& lines) {
  std::string text = fmt::format("<h2>{}</h2>\n<div class=\"source\">\n", escaped_markup(report.files[file].first));
  uint32_t number = 0;
  for (const std::string_view source : lines_of(report.files[file].second)) {
    ++number;
    text += line_html(report, number, replaced(source, '\t', "    "), lines[number]);
  }
  return text + "</div>\n";
}

std::string head_html(const MutationReport& report) {
  const std::optional<double> score = report.score();
  std::string text =
      fmt::format("<h1>Would the properties of {} notice a mistake?</h1>\n", escaped_markup(report.file));
  text += score ? fmt::format(
                      "<div><span class=\"score\">{:.0f}%</span> of the mutants that do something else are "
                      "killed</div>\n",
                      std::floor(*score))
                : std::string("<div class=\"score\">no score</div>\n");
  text += "<div class=\"counts\">";
  for (const auto& [name, verdict] : kVerdictNames) {
    if (const size_t count = report.count(Group::kModel, verdict); count > 0)
      text += fmt::format("<span>{} {}</span>", format_count(count), name);
  }
  text += "</div>\n<div class=\"soft\">properties that hold:";
  for (const Baseline::Property& each : report.baseline.properties)
    text += fmt::format(" {} ({} states)", escaped_markup(each.name), format_count(each.states));
  text += "</div>\n";
  for (const std::string& each : report.baseline.left_out)
    text += fmt::format("<div class=\"soft\">left out: {}</div>\n", escaped_markup(each));
  if (!report.cut.empty())
    text += fmt::format("<div class=\"bad\">incomplete: {}</div>\n", escaped_markup(report.cut));
  const size_t empty = report.count(Group::kProperty, Verdict::kSurvived);
  if (empty > 0) text += fmt::format("<div class=\"bad\">parts of properties that say nothing: {}</div>\n", empty);
  return text +
         "<p class=\"key\"><span class=\"all-key\">all survive</span><span class=\"some-key\">some "
         "survive</span><span class=\"none-key\">none survives</span>Click a line to see its mutants.</p>\n";
}

}  // namespace

std::string report_html(const MutationReport& report) {
  std::map<uint32_t, std::map<uint32_t, Line>> files;
  files[0];
  for (const Case& each : report.cases) {
    Line& line = files[each.mutant.place.file][each.mutant.place.line];
    line.cases.push_back(&each);
    if (info(each.mutant.op).group != Group::kModel) continue;
    if (each.judgement.verdict == Verdict::kKilled) ++line.killed;
    if (each.judgement.verdict == Verdict::kSurvived) ++line.survived;
  }
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'\"><title>cmc mutate: {}</title><style>{}</style></head>\n<body>\n",
      escaped_markup(report.file), kStyle);
  text += head_html(report);
  for (auto& [file, lines] : files) text += file_html(report, file, lines);
  return text + "</body></html>\n";
}

}  // namespace cmc::mutate
