#include "checker/report/logs/log_json.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_error.h"
#include "base/text.h"
#include "checker/report/logs/log_lines.h"
#include "checker/report/logs/store_fields.h"
#include "checker/report/style/style.h"

namespace cmc {
namespace {

using Json = nlohmann::ordered_json;

// Thrown and caught in this file only.
struct MalformedJson {
  std::string message;
};

const Json& field(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || found == object.end()) throw MalformedJson{fmt::format("'{}' is missing", name)};
  return *found;
}

uint64_t whole(const Json& value, std::string_view name, uint64_t most = ~uint64_t{0}) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > most) {
    throw MalformedJson{fmt::format("'{}' is not a whole number from 0 to {}", name, most)};
  }
  return value.get<uint64_t>();
}

double time(const Json& value, std::string_view name) {
  if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= kMaxLogSeconds)) {
    throw MalformedJson{fmt::format("'{}' is no time", name)};
  }
  return value.get<double>();
}

uint64_t number(const Json& object, const char* name) { return whole(field(object, name), name); }

StoreFigures store_from(const Json& json) {
  StoreFigures figures;
  for (const StoreField& row : store_fields()) {
    if (row.is_later && json.is_object() && !json.contains(row.name)) continue;
    row.member.set(figures, whole(field(json, row.name), row.name, row.member.max()));
  }
  return figures;
}

SearchStatistics statistics_from(const Json& json, UsedOrder order) {
  SearchStatistics statistics;
  statistics.collected = true;
  statistics.single_successor = number(json, "single_successor");
  statistics.dead_ends = number(json, "dead_ends");
  if (json.contains("asleep_steps")) statistics.asleep_steps = number(json, "asleep_steps");
  if (order == UsedOrder::kDepthFirst) {
    statistics.dfs_problems = number(json, "dfs_problems");
    statistics.dfs_problems_real = number(json, "dfs_problems_real");
  }
  for (const auto& [key, value] : field(json, "state_sizes").items()) {
    const std::optional<uint32_t> size = parse_number<uint32_t>(key);
    if (!size) throw MalformedJson{"'state_sizes' has a key that is no size"};
    statistics.state_sizes[*size] = whole(value, "state_sizes");
  }
  if (const auto store = json.find("store"); store != json.end() && !store->is_null()) {
    statistics.store = store_from(*store);
  }
  if (const auto found = json.find("explicit_partitions"); found != json.end()) {
    statistics.explicit_partitions = whole(*found, "explicit_partitions");
  }
  if (const auto found = json.find("disk_wait_seconds"); found != json.end()) {
    statistics.disk_wait_seconds = time(*found, "disk_wait_seconds");
  }
  return statistics;
}

SearchLog log_from(const Json& json) {
  if (const Json& schema = field(json, "schema"); schema != "cmc.result/1") {
    throw MalformedJson{fmt::format("its schema is {}; 'cmc.result/1' was expected", schema.dump(-1, ' ', true))};
  }
  SearchLog log;
  const Json& complete = field(json, "complete");
  const Json& reasons = field(json, "reasons");
  if (!complete.is_boolean() || !reasons.is_array())
    throw MalformedJson{"'complete' or 'reasons' is of another type"};
  for (const Json& reason : reasons) {
    const Json& kind = field(reason, "kind");
    if (!kind.is_string()) throw MalformedJson{"a reason's 'kind' is not a string"};
    const auto& name = kind.get_ref<const std::string&>();
    if (std::ranges::find(log.reasons, name) == log.reasons.end()) log.reasons.push_back(name);
  }
  if (std::ranges::find(log.reasons, log_lines::kRunningReason) != log.reasons.end()) {
    log.running = true;
    return log;
  }
  log.complete = complete.get<bool>() && log.reasons.empty();
  if (!complete.get<bool>() && log.reasons.empty()) log.reasons.emplace_back("errors");
  if (const auto found = json.find("order"); found != json.end()) {
    const std::optional<UsedOrder> order =
        found->is_string() ? value_in(kUsedOrderNames, found->get_ref<const std::string&>()) : std::nullopt;
    if (!order) throw MalformedJson{"'order' is not one of: dfs, bfs, oldest-first, rounds"};
    log.order = *order;
  }
  if (const auto found = json.find("arguments"); found != json.end() && found->is_array()) {
    std::vector<std::string> arguments;
    for (const Json& each : *found) {
      if (!each.is_string()) throw MalformedJson{"'arguments' is of another type"};
      arguments.push_back(each.get<std::string>());
    }
    const auto version = json.find("version");
    const std::string its = version != json.end() && version->is_string() ? version->get<std::string>() : "";
    if (!arguments.empty()) log.command = command_text(its, arguments);
  }
  log.visited = number(json, "states_stored");
  log.created = number(json, "transitions");
  log.max_state_bytes = number(json, "state_bytes_max");
  const auto properties = json.find("properties");  // a log is that of the first search
  const bool has_searches = properties != json.end() && properties->is_array() && !properties->empty();
  log.seconds = time(field(has_searches ? properties->front() : json, "wall_seconds"), "wall_seconds");
  if (const auto found = json.find("log"); found != json.end() && !found->is_null()) {
    log.statistics = statistics_from(*found, log.order);
  }
  return log;
}

}  // namespace

nlohmann::ordered_json statistics_json(const SearchStatistics& statistics, UsedOrder order) {
  Json json;
  json["single_successor"] = statistics.single_successor;
  json["dead_ends"] = statistics.dead_ends;
  json["asleep_steps"] = statistics.asleep_steps;
  if (order == UsedOrder::kDepthFirst) {
    json["dfs_problems"] = statistics.dfs_problems;
    json["dfs_problems_real"] = statistics.dfs_problems_real;
  }
  json["state_sizes"] = Json::object();
  for (const auto& [size, count] : statistics.state_sizes) json["state_sizes"][std::to_string(size)] = count;
  if (statistics.expected_omissions) json["expected_omissions"] = *statistics.expected_omissions;
  if (statistics.explicit_partitions) json["explicit_partitions"] = *statistics.explicit_partitions;
  if (statistics.disk_wait_seconds) json["disk_wait_seconds"] = *statistics.disk_wait_seconds;
  if (statistics.store) {
    for (const StoreField& row : store_fields()) json["store"][row.name] = row.member.get(*statistics.store);
  }
  return json;
}

Result<SearchLog> parse_result_log(std::string_view text) {
  try {
    return log_from(Json::parse(text));
  } catch (const MalformedJson& malformed) {
    return Error{fmt::format("this is no result of CMC: {}", malformed.message)};
  } catch (const Json::exception& error) {
    return Error{
        fmt::format("this is no result of CMC: it is not well-formed JSON: {}", json_error_text(error.what()))};
  }
}

Result<SearchLog> parse_any_log(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && text[begin] == '{' ? parse_result_log(text) : parse_log(text);
}

}  // namespace cmc
