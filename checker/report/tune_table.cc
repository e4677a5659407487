#include "checker/report/tune_table.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "checker/report/search_log.h"
#include "checker/report/style.h"
#include "checker/report/version.h"

namespace cmc {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kRunSchema = "cmc.tune.run/1";
constexpr auto kReplace = Json::error_handler_t::replace;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json run_fields(const TuneRun& run) {
  Json json;
  json["id"] = run.id;
  json["arguments"] = run.arguments;
  json["values"] = run.values;
  json["verdict"] = run.verdict;
  json["failure"] = run.failure;
  json["states"] = run.states;
  json["transitions"] = run.transitions;
  json["cpu_seconds"] = run.cpu_seconds;
  json["wall_seconds"] = run.wall_seconds;
  json["memory_bytes"] = run.memory_bytes;
  json["pages_read"] = or_null(run.pages_read);
  json["pages_written"] = or_null(run.pages_written);
  json["cache_failures"] = or_null(run.cache_failures);
  json["disk_bytes"] = or_null(run.disk_bytes);
  json["disk_wait_seconds"] = or_null(run.disk_wait_seconds);
  return json;
}

std::optional<uint64_t> optional_number(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::nullopt;
  return found->get<uint64_t>();
}

// A value that is no time counts as 0.
double seconds(const Json& object, const char* name) {
  const double value = object.at(name).get<double>();
  return value >= 0 && value <= kMaxLogSeconds ? value : 0;
}

std::optional<double> optional_seconds(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::nullopt;
  return seconds(object, name);
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_number(const std::optional<uint64_t>& value) { return value ? std::to_string(*value) : ""; }

double measure_of(const TuneRun& run, TuneMeasure measure) {
  return measure == TuneMeasure::kTime ? run.wall_seconds : static_cast<double>(run.memory_bytes);
}

const char* measure_name(TuneMeasure measure) { return measure == TuneMeasure::kTime ? "time" : "memory"; }

// Columns, each as wide as its widest cell; the first ones, the values, are text, and so is the last one.
std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      line += std::string(widths[i] - display_width(row[i]), ' ') + row[i] + "  ";
    }
    text += line + row.back() + '\n';
  }
  return text;
}

}  // namespace

std::string tune_run_json(const TuneRun& run) {
  Json json;
  json["schema"] = kRunSchema;
  json.update(run_fields(run));
  return json.dump(2, ' ', false, kReplace) + "\n";
}

Result<TuneRun> parse_tune_run(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != kRunSchema) return Error{"this is no record of a run of cmc tune"};
    TuneRun run;
    run.id = json.at("id").get<std::string>();
    run.arguments = json.at("arguments").get<std::vector<std::string>>();
    run.values = json.at("values").get<std::vector<std::string>>();
    run.verdict = json.at("verdict").get<std::string>();
    run.failure = json.at("failure").get<std::string>();
    run.states = json.at("states").get<uint64_t>();
    run.transitions = json.at("transitions").get<uint64_t>();
    run.cpu_seconds = seconds(json, "cpu_seconds");
    run.wall_seconds = seconds(json, "wall_seconds");
    run.memory_bytes = json.at("memory_bytes").get<uint64_t>();
    run.pages_read = optional_number(json, "pages_read");
    run.pages_written = optional_number(json, "pages_written");
    run.cache_failures = optional_number(json, "cache_failures");
    run.disk_bytes = optional_number(json, "disk_bytes");
    run.disk_wait_seconds = optional_seconds(json, "disk_wait_seconds");
    return run;
  } catch (const Json::exception& error) {
    return Error{fmt::format("this is no record of a run of cmc tune: {}", error.what())};
  }
}

bool read_result(std::string_view text, TuneRun& run) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != "cmc.result/1") return false;
    TuneRun read = run;
    read.verdict = json.at("verdict").get<std::string>();
    read.states = json.at("states_stored").get<uint64_t>();
    read.transitions = json.at("transitions").get<uint64_t>();
    read.cpu_seconds = seconds(json, "cpu_seconds");
    read.wall_seconds = seconds(json, "wall_seconds");
    read.memory_bytes = json.at("memory_peak_bytes").get<uint64_t>();
    // Runs are compared by what it took to explore all states; a property that nobody decides does not matter.
    if (!json.at("all_states").get<bool>()) {
      const Json& reasons = json.at("reasons");
      read.failure = reasons.empty() ? "the search ended at an error" : reasons.front().at("text").get<std::string>();
    }
    if (json.contains("log") && json["log"].contains("store")) {
      const Json& store = json["log"]["store"];
      read.pages_read = optional_number(store, "pages_read");
      read.pages_written = optional_number(store, "pages_written");
      read.cache_failures = optional_number(store, "cache_failures");
      read.disk_bytes = optional_number(store, "disk_bytes");
      read.disk_wait_seconds = optional_seconds(json["log"], "disk_wait_seconds");
    }
    run = std::move(read);
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

const TuneRun* best_run(const TuneTable& table) {
  const TuneRun* best = nullptr;
  for (const TuneRun& run : table.runs) {
    if (!run.failure.empty()) continue;
    if (best == nullptr || measure_of(run, table.measure) < measure_of(*best, table.measure)) best = &run;
  }
  return best;
}

std::string arguments_text(const std::vector<std::string>& arguments) {
  return arguments.empty() ? "(no options)" : printable(fmt::format("{}", fmt::join(arguments, " ")));
}

std::string tune_text(const TuneTable& table) {
  const auto any = [&](std::optional<uint64_t> TuneRun::*field) {
    return std::ranges::any_of(table.runs, [&](const TuneRun& run) { return (run.*field).has_value(); });
  };
  struct Optional {
    const char* title;
    std::optional<uint64_t> TuneRun::*field;
  };
  std::vector<Optional> optional;
  for (const Optional& column : {Optional{"pages written", &TuneRun::pages_written},
                                 {"pages read", &TuneRun::pages_read},
                                 {"cache failures", &TuneRun::cache_failures}}) {
    if (any(column.field)) optional.push_back(column);
  }
  std::vector<std::string> head;
  for (const TuneSetting& setting : table.settings) {
    if (setting.is_list()) head.push_back(printable(setting.label));
  }
  head.insert(head.end(), {"states", "time", "CPU time", "memory"});
  for (const Optional& column : optional) head.emplace_back(column.title);
  const bool waits =
      std::ranges::any_of(table.runs, [](const TuneRun& run) { return run.disk_wait_seconds.has_value(); });
  if (waits) head.emplace_back("disk wait");
  head.emplace_back("verdict");
  std::vector<std::vector<std::string>> rows = {head};
  const TuneRun* best = best_run(table);
  for (const TuneRun& run : table.runs) {
    std::vector<std::string> row;
    for (const std::string& value : run.values) row.push_back(printable(value));
    const bool ran = !run.verdict.empty();
    row.insert(row.end(), {ran ? format_count(run.states) : "-", format_seconds(run.wall_seconds),
                           format_seconds(run.cpu_seconds), format_size(run.memory_bytes)});
    for (const Optional& column : optional) {
      const std::optional<uint64_t>& value = run.*column.field;
      row.push_back(value ? format_count(*value) : "-");
    }
    if (waits) row.push_back(run.disk_wait_seconds ? format_seconds(*run.disk_wait_seconds) : "-");
    std::string verdict = ran ? run.verdict : "failed";
    if (!run.failure.empty()) verdict += ": " + printable(run.failure);
    if (&run == best) verdict += "  <- best";
    row.push_back(std::move(verdict));
    rows.push_back(std::move(row));
  }
  std::string text = aligned(rows) + '\n';

  std::set<std::string> verdicts;
  for (const TuneRun& run : table.runs) {
    if (run.failure.empty()) verdicts.insert(run.verdict);
  }
  if (verdicts.size() > 1) text += "note: the complete runs do not have the same verdict\n";
  if (table.runs.size() < table.planned) {
    text += fmt::format("note: {} of {} have ended\n", table.runs.size(), plural(table.planned, "run"));
  }
  if (best == nullptr) return text + "best: none, for no run is complete\n";
  return text + fmt::format("best by {}: {} ({} by the clock, {})\n", measure_name(table.measure),
                            arguments_text(best->arguments), format_seconds(best->wall_seconds),
                            format_size(best->memory_bytes));
}

std::string tune_csv(const TuneTable& table) {
  std::string text = "id";
  for (const TuneSetting& setting : table.settings) {
    if (setting.is_list()) text += ',' + csv_cell(setting.label);
  }
  text +=
      ",arguments,verdict,failure,states,transitions,cpu_seconds,wall_seconds,memory_bytes,pages_read,pages_written,"
      "cache_failures,disk_bytes,disk_wait_seconds\n";
  for (const TuneRun& run : table.runs) {
    text += run.id;
    for (const std::string& value : run.values) text += ',' + csv_cell(value);
    text += fmt::format(",{},{},{},{},{},{:.6g},{:.6g},{},{},{},{},{},{}\n",
                        csv_cell(fmt::format("{}", fmt::join(run.arguments, " "))), run.verdict,
                        csv_cell(run.failure), run.states, run.transitions, run.cpu_seconds, run.wall_seconds,
                        run.memory_bytes, csv_number(run.pages_read), csv_number(run.pages_written),
                        csv_number(run.cache_failures), csv_number(run.disk_bytes),
                        run.disk_wait_seconds ? fmt::format("{:.6g}", *run.disk_wait_seconds) : "");
  }
  return text;
}

std::string tune_json(const TuneTable& table) {
  Json json;
  json["schema"] = "cmc.tune/1";
  json["version"] = kVersion;
  json["model"] = {{"file", table.model_file}, {"hash", table.model_sha1}};
  json["settings"] = Json::array();
  for (const TuneSetting& setting : table.settings) {
    json["settings"].push_back({{"label", setting.label}, {"option", setting.option}, {"values", setting.values}});
  }
  json["runs_planned"] = table.planned;
  json["runs"] = Json::array();
  for (const TuneRun& run : table.runs) json["runs"].push_back(run_fields(run));
  const TuneRun* best = best_run(table);
  json["measure"] = measure_name(table.measure);
  json["best"] = best == nullptr ? Json(nullptr) : Json(best->id);
  return json.dump(2, ' ', false, kReplace) + "\n";
}

}  // namespace cmc
