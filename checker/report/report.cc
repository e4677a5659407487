#include "checker/report/report.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/check.h"
#include "checker/report/unreached.h"
#include "checker/result/switches.h"
#include "ir/print.h"

namespace cmc {
namespace {

// In the order in which each was found first.
std::vector<Report::ErrorGroup> group(const std::vector<Report::ErrorEntry>& errors) {
  std::vector<Report::ErrorGroup> groups;
  std::map<std::tuple<std::string, std::string, std::string, std::string, uint32_t>, size_t> index;
  for (const Report::ErrorEntry& error : errors) {
    const auto [found, is_new] =
        index.try_emplace({error.property, error.kind, error.message, error.file, error.line}, groups.size());
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
        {file_of(model, place), place.line, unreached.state, unreached_text(*unreached.statement)});
  }
  return coverage;
}

void add_property(const Model& model, const PropertyResult& each, Report& report) {
  const SearchResult& result = each.result;
  Report::PropertyRow row{each.entry.name,
                          property_kind_name(each.entry.kind),
                          file_of(model, each.entry.place),
                          each.entry.place.line,
                          result.verdict(),
                          each.fairness,
                          result.states_stored,
                          result.transitions,
                          result.wall_seconds,
                          result.reasons,
                          each.warnings,
                          std::nullopt,
                          result.shortening};
  if (const FoundError* const error = shortest_counterexample(result)) {
    row.counterexample = describe_counterexample(*error);
  }
  report.properties.push_back(std::move(row));
  for (const FoundError& error : result.errors) {
    report.errors.push_back(describe_error(model, error));
    report.errors.back().property = each.entry.name;
  }
  report.error_count += result.error_count;
  report.complete = report.complete && result.complete();
  report.interrupted = report.interrupted || result.interrupted;
  report.memory_peak_bytes = std::max(report.memory_peak_bytes, result.memory_peak_bytes);
  report.cpu_seconds += result.cpu_seconds;
  report.wall_seconds += result.wall_seconds;
}

// Each once, with the names of the properties that it is about unless it is about all of them.
std::vector<Reason> all_reasons(std::span<const PropertyResult> results) {
  std::vector<std::pair<Reason, std::vector<std::string>>> named;
  for (const PropertyResult& each : results) {
    for (const Reason& reason : each.result.reasons) {
      const auto is_it = [&](const auto& known) {
        return known.first.kind == reason.kind && known.first.text == reason.text;
      };
      auto known = std::ranges::find_if(named, is_it);
      if (known == named.end()) known = named.insert(named.end(), {reason, {}});
      known->second.push_back(each.entry.name);
    }
  }
  std::vector<Reason> reasons;
  for (auto& [reason, names] : named) {
    if (names.size() < results.size()) reason.text = fmt::format("{}: {}", fmt::join(names, ", "), reason.text);
    reasons.push_back(std::move(reason));
  }
  return reasons;
}

}  // namespace

Report::ErrorEntry describe_error(const Model& model, const FoundError& error) {
  const char* const kind = error_kind_name(error.kind);
  return {kind,
          error.message.empty() ? kind : error.message,
          file_of(model, error.place),
          error.place.line,
          error.has_path ? describe_counterexample(error).steps : error.depth,
          error.has_path || !error.kind.is_cycle(),
          ""};
}

const FoundError* shortest_counterexample(const SearchResult& result) {
  const FoundError* shortest = nullptr;
  for (const FoundError& error : result.errors) {
    if (error.has_path && (shortest == nullptr || error.path.size() < shortest->path.size())) shortest = &error;
  }
  return shortest;
}

Report::Counterexample describe_counterexample(const FoundError& error) {
  const auto is_shown = [](const Step& step) { return step.pid != kNoProcess; };
  Report::Counterexample counterexample;
  counterexample.steps = static_cast<uint64_t>(std::ranges::count_if(error.path, is_shown));
  counterexample.switches = count_switches(error.path);
  counterexample.has_loop = error.loop_start != FoundError::kNoLoop;
  if (counterexample.has_loop) {
    const std::span<const Step> loop = std::span(error.path).subspan(error.loop_start);
    counterexample.loop_steps = static_cast<uint64_t>(std::ranges::count_if(loop, is_shown));
  }
  return counterexample;
}

Report make_report(const Model& model, std::span<const PropertyResult> results, RunDescription run) {
  CHECK(!results.empty());
  Report report;
  report.run = std::move(run);
  report.verdict = worst_verdict(results);
  report.complete = true;
  for (const PropertyResult& each : results) add_property(model, each, report);
  report.reasons = all_reasons(results);
  report.groups = group(report.errors);
  const SearchResult& result = results.front().result;
  report.exhaustive = result.all_states();
  report.order = result.order;
  report.states_stored = result.states_stored;
  report.states_matched = result.states_matched;
  report.transitions = result.transitions;
  report.depth_reached = result.depth_reached;
  report.states_before_store = result.states_before_store;
  report.keys = result.keys;
  report.ranks = result.ranks;
  if (report.keys) {
    for (const HindranceText& each : report.keys->hindrances)
      report.hindrances.push_back(
          {file_of(model, each.place), each.place.line, each.proctype, each.text, each.count});
  }
  report.statistics = result.statistics;
  report.state_bytes_max = result.state_bytes_max;
  const SourcePlace& endless = result.locations.endless_atomic;
  report.endless_atomic = {result.endless_atomic, file_of(model, endless), endless.line};
  for (size_t i = 0; i < model.proctypes.size(); ++i) {
    static const std::vector<bool> kNone;
    const auto& reached = result.locations.reached;
    report.coverage.push_back(coverage_of(model, model.proctypes[i], i < reached.size() ? reached[i] : kNone));
  }
  for (size_t i = 0; i < report.run.guards.size(); ++i) {
    const SolverGuard& guard = model.guards[i];
    if (report.run.guards[i].questions == 0) continue;
    report.guards.push_back({report.run.guards[i], file_of(model, guard.place), guard.place.line, guard.text});
  }
  std::ranges::stable_sort(report.guards, std::ranges::greater{},
                           [](const Report::Guard& guard) { return guard.seconds; });
  return report;
}

bool names_properties(const Report& report) {
  return report.properties.size() > 1 || report.properties.front().kind != property_kind_name(PropertyKind::kSafety);
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
