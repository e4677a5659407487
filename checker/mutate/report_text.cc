#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/units.h"
#include "checker/mutate/mutation_report.h"

namespace cmc::mutate {
namespace {

using Case = MutationReport::Case;

constexpr const char* kMeanings[] = {
    "a property is violated",      "no property noticed", "nobody could notice: it does the same",
    "the model never comes there", "it does not compile", "not decided within 10 times the model's states and time",
    "the run ended before"};

std::string place_text(const MutationReport& report, const SourcePlace& place) {
  const std::string line = fmt::format("line {}", place.line);
  return place.file == 0 ? line : fmt::format("{} {}", printable(report.files[place.file].first), line);
}

std::string counts_text(const MutationReport& report, Group group, const Palette& palette) {
  std::string text;
  for (const auto& [name, verdict] : kVerdictNames) {
    const size_t count = report.count(group, verdict);
    if (count == 0) continue;
    std::string line = fmt::format("  {:>5}  {}", format_count(count), name);
    if (verdict == Verdict::kKilled) {
      std::map<std::string, size_t> killers;
      for (const Case& each : report.cases) {
        const bool counts = info(each.mutant.op).group == group && each.judgement.verdict == verdict;
        if (counts) ++killers[each.judgement.property];
      }
      std::vector<std::string> parts;
      for (const auto& [property, kills] : killers) parts.push_back(fmt::format("{} {}", property, kills));
      line += fmt::format(": by {}", fmt::join(parts, ", "));
    } else {
      line += fmt::format(": {}", kMeanings[static_cast<size_t>(verdict)]);
    }
    const std::string shown = printable(line);
    const bool counts = verdict == Verdict::kKilled || verdict == Verdict::kSurvived;
    text += (counts ? palette.paint(verdict == Verdict::kKilled ? Tone::kGood : Tone::kBad, shown) : shown) + "\n";
  }
  return text;
}

std::string case_line(const MutationReport& report, const Case& each) {
  return fmt::format("#{} {}: {}", each.mutant.number, info(each.mutant.op).name,
                     printable(short_text(report.text_of(each.mutant), each.mutant)));
}

// "  line 28: 3 of 5 survive", and which.
std::string survivors_text(const MutationReport& report, Group group) {
  struct Line {
    size_t counted = 0;
    std::vector<const Case*> survivors;
  };
  std::map<std::pair<uint32_t, uint32_t>, Line> lines;  // by file and line
  for (const Case& each : report.cases) {
    const Verdict verdict = each.judgement.verdict;
    if (info(each.mutant.op).group != group || (verdict != Verdict::kKilled && verdict != Verdict::kSurvived))
      continue;
    Line& line = lines[{each.mutant.place.file, each.mutant.place.line}];
    ++line.counted;
    if (verdict == Verdict::kSurvived) line.survivors.push_back(&each);
  }
  std::string text;
  for (const auto& [place, line] : lines) {
    if (line.survivors.empty()) continue;
    text += fmt::format("  {}: {} of {} survive\n", place_text(report, line.survivors.front()->mutant.place),
                        line.survivors.size(), line.counted);
    for (const Case* each : line.survivors) text += fmt::format("    {}\n", case_line(report, *each));
  }
  return text;
}

// Assertions of the model's text by line, as far as they killed mutants.
std::string assertions_text(const MutationReport& report) {
  std::map<std::pair<uint32_t, uint32_t>, std::pair<size_t, size_t>> lines;  // mutants that it killed, alone
  for (const Case& each : report.cases) {
    const SourcePlace& place = each.judgement.assertion;
    if (place.line == 0) continue;
    auto& [killed, alone] = lines[{place.file, place.line}];
    ++killed;
    alone += each.judgement.alone ? 1 : 0;
  }
  std::string text;
  for (const auto& [at, kills] : lines) {
    const std::string place = place_text(report, {at.first, at.second, 0});
    text += fmt::format("  {}: killed {}, {} of them alone\n", place, kills.first, kills.second);
  }
  return text.empty() ? "" : "\nassertions (alone: without it, nothing would have noticed)\n" + text;
}

std::string vacuity_text(const MutationReport& report, const Palette& palette) {
  std::string text;
  size_t parts = 0;
  for (const Case& each : report.cases) {
    if (info(each.mutant.op).group != Group::kProperty) continue;
    ++parts;
    if (each.judgement.verdict != Verdict::kSurvived) continue;
    text += fmt::format("  {}, {}: {}\n", place_text(report, each.mutant.place), printable(each.mutant.property),
                        case_line(report, each));
  }
  if (parts == 0) return "";
  const std::string head = fmt::format("\n{} of properties: ", plural(parts, "part"));
  if (text.empty()) return head + palette.paint(Tone::kGood, "each says something") + "\n";
  return head +
         palette.paint(Tone::kBad,
                       "these say nothing (the property holds although it asks for more, or the opposite)") +
         "\n" + text;
}

}  // namespace

size_t MutationReport::count(Group group, Verdict verdict) const {
  return static_cast<size_t>(std::ranges::count_if(cases, [&](const Case& each) {
    return info(each.mutant.op).group == group && each.judgement.verdict == verdict;
  }));
}

std::optional<double> MutationReport::score() const {
  const size_t killed = count(Group::kModel, Verdict::kKilled);
  const size_t all_counted = killed + count(Group::kModel, Verdict::kSurvived);
  if (all_counted == 0) return std::nullopt;
  return 100.0 * static_cast<double>(killed) / static_cast<double>(all_counted);
}

std::string report_text(const MutationReport& report, const Palette& palette) {
  std::string text = fmt::format("{}: {} in {}", printable(report.file), plural(report.cases.size(), "mutant"),
                                 format_seconds(report.seconds));
  if (report.cases.size() < report.all) text += fmt::format(" (of {})", format_count(report.all));
  text += "\nproperties that hold:";
  for (const Baseline::Property& each : report.baseline.properties)
    text += fmt::format(" {} ({})", printable(each.name), plural(each.states, "state"));
  text += "\n";
  for (const std::string& each : report.baseline.left_out) text += fmt::format("left out: {}\n", printable(each));
  const bool has_model =
      std::ranges::any_of(report.cases, [](const Case& each) { return info(each.mutant.op).group == Group::kModel; });
  if (has_model) text += "\nmutants of the model\n" + counts_text(report, Group::kModel, palette);
  const std::string survivors = survivors_text(report, Group::kModel);
  if (!survivors.empty()) text += "\nsurvivors (cmc mutate --show N: the change, and what it does)\n" + survivors;
  const std::string faults = counts_text(report, Group::kFault, palette);
  if (!faults.empty()) text += "\nfaults\n" + faults + survivors_text(report, Group::kFault);
  text += assertions_text(report);
  text += vacuity_text(report, palette);
  if (const std::optional<double> score = report.score()) {
    const size_t killed = report.count(Group::kModel, Verdict::kKilled);
    const size_t survived = report.count(Group::kModel, Verdict::kSurvived);
    text += fmt::format("\nscore: {:.0f}% ({} of {} are killed)\n", std::floor(*score), killed, killed + survived);
  } else {
    text += "\nno score: no mutant was killed or survived\n";
  }
  if (!report.cut.empty()) text += palette.paint(Tone::kDoubtful, fmt::format("incomplete: {}", report.cut)) + "\n";
  return text;
}

std::string case_text(const MutationReport& report, const Case& each, const Palette& palette) {
  const Judgement& judgement = each.judgement;
  std::string text;
  const std::string change = diff(report.text_of(each.mutant), each.mutant, report.file_of(each.mutant));
  for (const std::string_view shown : lines_of(change)) {
    const std::string line = printable(replaced(shown, '\t', "    "));
    const bool changed = line.starts_with('-') || line.starts_with('+');
    text += (changed ? palette.paint(line[0] == '-' ? Tone::kBad : Tone::kGood, line) : line) + "\n";
  }
  const char* const verdict = kVerdictNames[static_cast<size_t>(judgement.verdict)].name;
  text += fmt::format("\n{}: {}", verdict, kMeanings[static_cast<size_t>(judgement.verdict)]);
  if (!judgement.property.empty()) text += fmt::format(" ({})", printable(judgement.property));
  if (!judgement.message.empty()) text += fmt::format("\n{}", printable(judgement.message));
  if (judgement.line > 0) text += fmt::format(" (line {})", judgement.line);
  text += "\n";
  if (judgement.run.empty()) return text;
  text += fmt::format("\na shortest run that only the {} has; the last step is the difference:\n",
                      judgement.run_of_model ? "model" : "mutant");
  for (size_t i = 0; i < judgement.run.size(); ++i)
    text += fmt::format("  {:>3}  {}\n", i + 1, printable(judgement.run[i]));
  return text;
}

}  // namespace cmc::mutate
