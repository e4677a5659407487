#include <filesystem>

#include <fmt/format.h>

#include "checker/suite/suite.h"

namespace cmc::suite {
namespace {

struct StatusRow {
  Case::Status status;
  const char* name;
  const char* word;  // in the table
  Tone tone;
};

constexpr StatusRow kStatus[] = {{Case::Status::kPassed, "passed", "ok", Tone::kGood},
                                 {Case::Status::kFailed, "failed", "FAILED", Tone::kBad},
                                 {Case::Status::kError, "error", "ERROR", Tone::kBad},
                                 {Case::Status::kLeftOut, "left out", "-", Tone::kFaint},
                                 {Case::Status::kOpen, "open", "open", Tone::kDoubtful}};

const StatusRow& row_of(Case::Status status) { return *std::ranges::find(kStatus, status, &StatusRow::status); }

}  // namespace

std::vector<std::string> Case::paths() const {
  std::vector<std::string> all{model};
  const std::filesystem::path folder = std::filesystem::path(model).parent_path();
  for (const std::string& log : expectation ? expectation->logs : std::vector<std::string>()) {
    all.push_back((folder / log).string());
  }
  return all;
}

size_t Suite::count(Case::Status status) const {
  return static_cast<size_t>(std::ranges::count(cases, status, &Case::status));
}

const char* status_name(Case::Status status) { return row_of(status).name; }

std::string case_text(const Case& each, const Palette& palette) {
  const StatusRow& row = row_of(each.status);
  const bool ran = each.status == Case::Status::kPassed || each.status == Case::Status::kFailed;
  const std::string time = each.remembered ? "known" : ran ? fmt::format("{:.2f} s", each.seconds) : "";
  std::string text = fmt::format("{} {:>9}  {}", palette.paint(row.tone, pad_right(row.word, 6)), time,
                                 palette.paint(Tone::kPlace, printable(each.model)));
  if (!each.text.empty()) text += "  " + printable(each.text);
  text += '\n';
  for (const std::string& message : each.messages) {
    const std::string place = each.line > 0 ? fmt::format("  [{}:{}]", printable(each.model), each.line) : "";
    text += fmt::format("         {}{}\n", printable(message), place);
  }
  return text;
}

std::string summary_text(const Suite& suite, const Palette& palette) {
  std::vector<std::string> models;
  size_t cases = 0;
  for (const Case& each : suite.cases) {
    if (!each.is_expectation()) continue;
    ++cases;
    models.push_back(each.model);
  }
  std::ranges::sort(models);
  models.erase(std::unique(models.begin(), models.end()), models.end());
  const size_t failed = suite.count(Case::Status::kFailed);
  const size_t errors = suite.count(Case::Status::kError);
  const Tone tone = failed + errors > 0 ? Tone::kBad : Tone::kGood;
  std::string counts = palette.paint(tone, fmt::format("{} passed, {} failed, {}", suite.count(Case::Status::kPassed),
                                                       failed, plural(errors, "error")));
  if (const size_t left = suite.count(Case::Status::kLeftOut); left > 0)
    counts += fmt::format(", {} left out (slow)", left);
  if (const size_t open = suite.count(Case::Status::kOpen); open > 0) counts += fmt::format(", {} not run", open);
  const auto known = std::ranges::count(suite.cases, true, &Case::remembered);
  if (known > 0) counts += fmt::format("; {} known from the cache", known);
  return fmt::format("{} in {}: {}; {}\n", plural(cases, "case"), plural(models.size(), "model"), counts,
                     format_seconds(suite.seconds));
}

}  // namespace cmc::suite
