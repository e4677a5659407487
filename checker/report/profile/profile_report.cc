#include "checker/report/profile/profile_report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "checker/report/style/version.h"
#include "ir/print.h"

namespace cmc {
namespace {

// The mean of two, with the weights.
void blend(double& mean, double weight, double other, double other_weight) {
  if (weight + other_weight > 0) mean = (mean * weight + other * other_weight) / (weight + other_weight);
}

void add(ProfileReport::Statement& row, const Profile::Edge& edge) {
  const auto samples = static_cast<double>(row.samples);
  const auto more = static_cast<double>(edge.samples);
  blend(row.selection_nanoseconds, samples, edge.selection_nanoseconds, more);
  blend(row.execution_nanoseconds, samples, edge.execution_nanoseconds, more);
  blend(row.copied_bytes, samples, edge.copied_bytes, more);
  blend(row.changed_bytes, samples, edge.changed_bytes, more);
  row += edge;
  row.cost += edge.cost;
  row.samples += edge.samples;
  if (std::ranges::find(row.states, edge.location) == row.states.end()) row.states.push_back(edge.location);
}

const Proctype& proctype_of(const Model& model, uint32_t index) {
  return index < model.proctypes.size() ? model.proctypes[index] : model.claims[model.claim.claim];
}

ProfileReport::Statement describe(const Model& model, const Proctype& proctype, const Edge& edge) {
  ProfileReport::Statement row;
  const Statement& statement = model.statements[edge.statement];
  row.proctype = proctype.name;
  row.text = statement.text;
  row.file = file_of(model, statement.place);
  row.line = statement.place.line;
  return row;
}

// Statements in the order of the text, and for each edge of the profile which one it is.
void add_statements(const Model& model, ProfileReport& report) {
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> places;  // by proctype and element
  for (const Profile::Edge& edge : report.profile.edges) {
    const Proctype& proctype = proctype_of(model, edge.proctype);
    const Edge& taken = proctype.locations[edge.location].edges[edge.edge];
    const auto [place, added] =
        places.try_emplace({edge.proctype, taken.element}, static_cast<uint32_t>(report.statements.size()));
    if (added) report.statements.push_back(describe(model, proctype, taken));
    report.statement_of.push_back(place->second);
    add(report.statements[place->second], edge);
  }
}

void add_processes(const Model& model, ProfileReport& report) {
  std::map<uint32_t, ProfileReport::Process> rows;
  for (const Profile::Edge& edge : report.profile.edges) {
    ProfileReport::Process& row = rows[edge.proctype];
    row.proctype = proctype_of(model, edge.proctype).name;
    row += edge;
    row.cost += edge.cost;
  }
  for (auto& [proctype, row] : rows) report.processes.push_back(std::move(row));
}

template <class Row>
bool costs_more(const Row& left, const Row& right) {
  return left.cost.total() > right.cost.total();
}

void sort_statements(ProfileReport& report) {
  std::vector<uint32_t> order(report.statements.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](uint32_t left, uint32_t right) {
    return costs_more(report.statements[left], report.statements[right]);
  });
  std::vector<ProfileReport::Statement> sorted;
  std::vector<uint32_t> places(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    places[order[i]] = i;
    sorted.push_back(std::move(report.statements[order[i]]));
  }
  report.statements = std::move(sorted);
  for (uint32_t& statement : report.statement_of) statement = places[statement];
}

}  // namespace

ProfileReport make_profile_report(const PropertyResult& property, const RunDescription& run) {
  const SearchResult& result = property.result;
  CHECK(result.profile);
  ProfileReport report;
  report.model_file = run.model_file;
  report.model_sha1 = run.model_sha1;
  report.command = command_text(kVersion, run.arguments);
  report.property = property.entry.name;
  report.steps = run.steps;
  report.reductions = run.reductions;
  report.states_stored = result.states_stored;
  report.transitions = result.transitions;
  report.cpu_seconds = result.cpu_seconds;
  report.profile = *result.profile;
  if (result.keys) {
    report.threads = result.keys->threads;
    report.components = result.keys->components;
  }
  add_statements(*property.product, report);
  add_processes(*property.product, report);
  sort_statements(report);
  std::ranges::stable_sort(report.processes, costs_more<ProfileReport::Process>);
  std::ranges::stable_sort(report.components,
                           [](const auto& left, const auto& right) { return left.contents > right.contents; });
  return report;
}

}  // namespace cmc
