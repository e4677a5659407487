#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "checker/report/style/version.h"
#include "studies/latency/latency_report.h"

namespace cmc {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json row_json(const LatencyRow& row) {
  const latency::Cell& cell = *row.cell;
  Json json;
  json["channel"] = cell.kind->name;
  json["in_process"] = cell.kind->is_in_process;
  json["bytes"] = cell.bytes;
  json["placement"] = latency::name_of(cell.placement);
  json["main"] = cell.is_main;
  json["points"] = row.points.count;
  json["rtt_mean_ns"] = row.points.mean;
  json["low_ns"] = row.points.mean - row.points.half_width;
  json["high_ns"] = row.points.mean + row.points.half_width;
  json["rtt_std_ns"] = row.points.deviation;
  json["latency_ns"] = row.points.mean / 2;
  json["round_trips"] = cell.all_ns.total();
  json["p50_ns"] = cell.all_ns.quantile(0.5);
  json["p90_ns"] = cell.all_ns.quantile(0.9);
  json["p99_ns"] = cell.all_ns.quantile(0.99);
  json["p999_ns"] = cell.all_ns.quantile(0.999);
  json["max_ns"] = cell.all_ns.most();
  json["launch_means_ns"] = row.launch_means;
  json["launch_std_ns"] = or_null(row.launch_deviation);
  json["lag1"] = or_null(row.lag1);
  json["batch_half_width_ns"] = or_null(row.batch_half_width);
  json["involuntary_switches"] = cell.involuntary_switches;
  json["timer_ns"] = cell.timer_ns;
  Json histogram = Json::array();
  for (const latency::Histogram::Row& each : cell.all_ns.rows()) histogram.push_back({each.from, each.count});
  json["histogram"] = std::move(histogram);
  return json;
}

}  // namespace

std::string latency_json(const latency::Study& study, const latency::StudyOptions& options) {
  Json json;
  json["schema"] = "cmc.latency/1";
  json["version"] = kVersion;
  json["peer"] = options.peer ? Json(fmt::format("{}:{}", options.peer->host, options.peer->port)) : Json(nullptr);
  json["processors"] = study.processors;
  json["load_before"] = study.load_before;
  json["load_after"] = study.load_after;
  json["seconds"] = study.seconds;
  json["interrupted"] = study.is_interrupted;
  json["rounds"] = options.rounds;
  json["samples"] = options.samples;
  json["launches"] = options.launches;
  const std::vector<LatencyRow> rows = latency_rows(study);
  json["channels"] = Json::array();
  for (const LatencyRow& row : rows) json["channels"].push_back(row_json(row));
  json["failures"] = Json::array();
  for (const latency::Cell& cell : study.cells) {
    if (cell.error.empty()) continue;
    json["failures"].push_back({{"channel", cell.kind->name},
                                {"bytes", cell.bytes},
                                {"placement", latency::name_of(cell.placement)},
                                {"error", cell.error}});
  }
  json["relations"] = Json::array();
  for (const LatencyRelation& relation : latency_relations(rows)) {
    json["relations"].push_back({{"text", relation.text}, {"holds", or_null(relation.holds)}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace cmc
