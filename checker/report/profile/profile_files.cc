#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "checker/report/profile/profile_report.h"
#include "checker/report/style/version.h"

// What programs read of a profile.

namespace cmc {
namespace {

using Json = nlohmann::ordered_json;

Json counts_json(const Profile::Counts& counts, bool knows_first_reached) {
  Json json;
  for (const ProfileCount& column : kProfileCounts) json[column.name] = counts.*column.value;
  if (!knows_first_reached) json["first_reached"] = nullptr;
  return json;
}

Json cost_json(const Profile::Cost& cost) {
  Json json;
  for (const ProfileCost& part : kProfileCosts) json[part.name] = cost.*part.seconds;
  json["total"] = cost.total();
  return json;
}

Json statement_json(const ProfileReport::Statement& row, bool knows_first_reached) {
  Json json;
  json["proctype"] = row.proctype;
  json["file"] = row.file.empty() ? Json(nullptr) : Json(row.file);
  json["line"] = row.file.empty() ? Json(nullptr) : Json(row.line);
  json["states"] = row.states;
  json["text"] = row.text;
  json.update(counts_json(row, knows_first_reached));
  json["seconds"] = cost_json(row.cost);
  json["samples"] = row.samples;
  json["selection_nanoseconds"] = row.selection_nanoseconds;
  json["execution_nanoseconds"] = row.execution_nanoseconds;
  json["copied_bytes"] = row.copied_bytes;
  json["changed_bytes"] = row.changed_bytes;
  return json;
}

std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'; }

}  // namespace

std::string profile_json(const ProfileReport& report) {
  const Profile& profile = report.profile;
  const bool knows = profile.knows_first_reached;
  Json json;
  json["schema"] = "cmc.profile/1";
  json["version"] = kVersion;
  json["model"] = {{"file", report.model_file}, {"hash", report.model_sha1}};
  json["property"] = report.property;
  json["steps"] = report.steps;
  json["reductions"] = report.reductions;
  json["threads"] = report.threads;
  json["states_stored"] = report.states_stored;
  json["transitions"] = report.transitions;
  json["cpu_seconds"] = report.cpu_seconds;
  json["seconds"] = cost_json(profile.cost);
  json["counts"] = counts_json(profile.counts, knows);
  json["look_ups"] = profile.asked;
  json["computations"] = profile.computations;
  json["timing"] = {{"samples", profile.samples},
                    {"clock_nanoseconds", profile.clock_nanoseconds},
                    {"interruptions", profile.interruptions},
                    {"interrupted_seconds", profile.interrupted_seconds}};
  json["statements"] = Json::array();
  for (const ProfileReport::Statement& row : report.statements)
    json["statements"].push_back(statement_json(row, knows));
  json["processes"] = Json::array();
  for (const ProfileReport::Process& row : report.processes) {
    Json process = {{"proctype", row.proctype}};
    process.update(counts_json(row, knows));
    process["seconds"] = cost_json(row.cost);
    json["processes"].push_back(std::move(process));
  }
  json["components"] = Json::array();
  for (const KeyFigures::Component& component : report.components) {
    json["components"].push_back(
        {{"name", component.name}, {"contents", component.contents}, {"bits", component.bits}});
  }
  return dump(json);
}

std::string profile_csv(const ProfileReport& report) {
  std::string csv = "proctype,file,line,text";
  for (const ProfileCount& column : kProfileCounts) csv += fmt::format(",{}", column.name);
  for (const ProfileCost& part : kProfileCosts) csv += fmt::format(",{}_seconds", part.name);
  csv += ",samples,selection_nanoseconds,execution_nanoseconds,copied_bytes,changed_bytes\n";
  for (const ProfileReport::Statement& row : report.statements) {
    csv += fmt::format("{},{},{},{}", csv_quote(row.proctype), csv_quote(row.file), row.line, csv_quote(row.text));
    for (const ProfileCount& column : kProfileCounts) {
      const bool known = report.profile.knows_first_reached || column.value != &Profile::Counts::first_reached;
      csv += known ? fmt::format(",{}", row.*column.value) : ",";
    }
    for (const ProfileCost& part : kProfileCosts) csv += fmt::format(",{:.9f}", row.cost.*part.seconds);
    csv += fmt::format(",{},{:.1f},{:.1f},{:.1f},{:.1f}\n", row.samples, row.selection_nanoseconds,
                       row.execution_nanoseconds, row.copied_bytes, row.changed_bytes);
  }
  return csv;
}

std::string profile_trace(const ProfileReport& report) {
  Json events = Json::array();
  const auto add = [&](const Profile::Span& span, const char* part, int64_t begin, int64_t nanoseconds) {
    const ProfileReport::Statement& row = report.statements[report.statement_of[span.edge]];
    events.push_back({{"name", fmt::format("{}:{} {}", row.proctype, row.line, row.text)},
                      {"cat", part},
                      {"ph", "X"},
                      {"ts", static_cast<double>(begin) / 1000},
                      {"dur", static_cast<double>(nanoseconds) / 1000},
                      {"pid", 1},
                      {"tid", span.worker},
                      {"args", {{"file", row.file}, {"part", part}}}});
  };
  for (uint32_t i = 0; i < report.threads; ++i) {
    events.push_back({{"name", "thread_name"},
                      {"ph", "M"},
                      {"pid", 1},
                      {"tid", i},
                      {"args", {{"name", fmt::format("worker {}", i)}}}});
  }
  for (const Profile::Span& span : report.profile.spans) {
    add(span, "selection", span.begin, span.selection);
    if (span.execution > 0) add(span, "execution", span.begin + span.selection, span.execution);
  }
  Json json;
  json["displayTimeUnit"] = "ns";
  json["otherData"] = {{"model", report.model_file}, {"version", kVersion}};
  json["traceEvents"] = std::move(events);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace cmc
