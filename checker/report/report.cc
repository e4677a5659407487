#include "checker/report/report.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "checker/report/unreached.h"

namespace cmc {
namespace {

std::string file_name(const Model& model, const SourcePlace& place) {
  return place.line > 0 && place.file < model.files.size() ? model.files[place.file] : std::string();
}

// In the order in which each was found first.
std::vector<Report::ErrorGroup> group(const std::vector<Report::ErrorEntry>& errors) {
  std::vector<Report::ErrorGroup> groups;
  std::map<std::tuple<std::string, std::string, std::string, uint32_t>, size_t> index;
  for (const Report::ErrorEntry& error : errors) {
    const auto [found, is_new] =
        index.try_emplace({error.kind, error.message, error.file, error.line}, groups.size());
    if (is_new) groups.push_back({error, 0});
    Report::ErrorGroup& its_group = groups[found->second];
    its_group.first.depth = std::min(its_group.first.depth, error.depth);
    ++its_group.count;
  }
  return groups;
}

Report::Coverage coverage_of(const Model& model, const Proctype& proctype, const std::vector<bool>& reached) {
  Report::Coverage coverage;
  coverage.proctype = proctype.name;
  coverage.is_init = proctype.is_init;
  coverage.states = static_cast<uint32_t>(std::max<size_t>(proctype.locations.size(), 1) - 1);
  LocationId latest = 0;
  for (const UnreachedStatement& unreached : unreached_statements(model, proctype, reached)) {
    const SourcePlace& place = unreached.statement->place;
    if (unreached.state != latest) ++coverage.unreached_states;
    latest = unreached.state;
    coverage.unreached.push_back(
        {file_name(model, place), place.line, unreached.state, unreached_text(*unreached.statement)});
  }
  return coverage;
}

}  // namespace

Report::ErrorEntry describe_error(const Model& model, const FoundError& error) {
  const char* const kind = error_kind_name(error.kind);
  return {kind, error.message.empty() ? kind : error.message, file_name(model, error.place), error.place.line,
          error.depth};
}

Report make_report(const Model& model, const SearchResult& result, RunDescription run) {
  Report report;
  report.run = std::move(run);
  report.verdict = result.verdict();
  report.complete = result.complete();
  report.all_states = result.all_states();
  report.order = result.order;
  report.interrupted = result.interrupted;
  report.reasons = result.reasons;
  for (const FoundError& error : result.errors) report.errors.push_back(describe_error(model, error));
  report.groups = group(report.errors);
  report.error_count = result.error_count;
  report.states_stored = result.states_stored;
  report.states_matched = result.states_matched;
  report.transitions = result.transitions;
  report.depth_reached = result.depth_reached;
  report.states_before_store = result.states_before_store;
  report.keys = result.keys;
  report.statistics = result.statistics;
  report.state_bytes_max = result.state_bytes_max;
  report.memory_peak_bytes = result.memory_peak_bytes;
  report.cpu_seconds = result.cpu_seconds;
  report.wall_seconds = result.wall_seconds;
  const SourcePlace& endless = result.locations.endless_atomic;
  report.endless_atomic = {result.endless_atomic, file_name(model, endless), endless.line};
  for (size_t i = 0; i < model.proctypes.size(); ++i) {
    static const std::vector<bool> kNone;
    const auto& reached = result.locations.reached;
    report.coverage.push_back(coverage_of(model, model.proctypes[i], i < reached.size() ? reached[i] : kNone));
  }
  for (size_t i = 0; i < report.run.guards.size(); ++i) {
    const SolverGuard& guard = model.guards[i];
    if (report.run.guards[i].questions == 0) continue;
    report.guards.push_back({report.run.guards[i], file_name(model, guard.place), guard.place.line, guard.text});
  }
  std::ranges::stable_sort(report.guards, std::ranges::greater{},
                           [](const Report::Guard& guard) { return guard.seconds; });
  return report;
}

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds: return "holds";
    case Verdict::kViolated: return "violated";
    case Verdict::kIncomplete: return "incomplete";
  }
  return "incomplete";
}

}  // namespace cmc
