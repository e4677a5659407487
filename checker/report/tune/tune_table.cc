#include "checker/report/tune/tune_table.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_error.h"
#include "base/units.h"
#include "checker/report/logs/search_log.h"
#include "checker/report/style/style.h"
#include "checker/report/style/version.h"

namespace cmc {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kRunSchema = "cmc.tune.run/1";
constexpr auto kReplace = Json::error_handler_t::replace;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json sample_fields(const TuneSample& sample) {
  Json json;
  json["cpu_seconds"] = sample.cpu_seconds;
  json["wall_seconds"] = sample.wall_seconds;
  json["memory_bytes"] = sample.memory_bytes;
  json["pages_read"] = or_null(sample.pages_read);
  json["pages_written"] = or_null(sample.pages_written);
  json["cache_failures"] = or_null(sample.cache_failures);
  json["bytes_written"] = or_null(sample.bytes_written);
  json["disk_bytes"] = or_null(sample.disk_bytes);
  json["disk_wait_seconds"] = or_null(sample.disk_wait_seconds);
  return json;
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
  json.update(sample_fields(run));
  json["samples"] = Json::array();
  for (const TuneSample& sample : run.samples) json["samples"].push_back(sample_fields(sample));
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

std::string csv_number(const std::optional<uint64_t>& value) { return value ? std::to_string(*value) : ""; }

TuneSample read_sample(const Json& json) {
  TuneSample sample;
  sample.cpu_seconds = seconds(json, "cpu_seconds");
  sample.wall_seconds = seconds(json, "wall_seconds");
  sample.memory_bytes = json.at("memory_bytes").get<uint64_t>();
  sample.pages_read = optional_number(json, "pages_read");
  sample.pages_written = optional_number(json, "pages_written");
  sample.cache_failures = optional_number(json, "cache_failures");
  sample.bytes_written = optional_number(json, "bytes_written");
  sample.disk_bytes = optional_number(json, "disk_bytes");
  sample.disk_wait_seconds = optional_seconds(json, "disk_wait_seconds");
  return sample;
}

// Of a run that was read from an old record, or failed, there is one.
std::vector<TuneSample> samples_of(const TuneRun& run) {
  return run.samples.empty() ? std::vector<TuneSample>{run} : run.samples;
}

// "N=3, steps=path": the values that make this run answer another question than others. Empty: nothing does.
std::string question_of(const TuneTable& table, const TuneRun& run) {
  std::string text;
  size_t list = 0;
  for (const TuneSetting& setting : table.settings) {
    if (!setting.is_list()) continue;
    const std::string& value = run.values.at(list++);
    if (!setting.changes_question) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", setting.label, value);
  }
  return text;
}

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
    static_cast<TuneSample&>(run) = read_sample(json);
    if (json.contains("samples")) {
      for (const Json& sample : json["samples"]) run.samples.push_back(read_sample(sample));
    }
    return run;
  } catch (const Json::exception& error) {
    return Error{fmt::format("this is no record of a run of cmc tune: {}", json_error_text(error.what()))};
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
    // Runs are compared by what a whole search took; a property that nobody decides does not matter.
    if (!json.at("exhaustive").get<bool>()) {
      const Json& reasons = json.at("reasons");
      read.failure = reasons.empty() ? "the search ended at an error" : reasons.front().at("text").get<std::string>();
    }
    if (json.contains("log") && json["log"].contains("store")) {
      const Json& store = json["log"]["store"];
      read.pages_read = optional_number(store, "pages_read");
      read.pages_written = optional_number(store, "pages_written");
      read.cache_failures = optional_number(store, "cache_failures");
      read.bytes_written = optional_number(store, "bytes_written");
      read.disk_bytes = optional_number(store, "disk_bytes_peak");
      read.disk_wait_seconds = optional_seconds(json["log"], "disk_wait_seconds");
    }
    run = std::move(read);
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

void TuneRun::keep_sample() {
  samples.push_back(*this);
  static_cast<TuneSample&>(*this) = median_of(samples);
}

std::vector<TuneBest> best_runs(const TuneTable& table, TuneMeasure measure) {
  std::vector<TuneBest> all;
  const auto median = [&](const TuneRun& run) { return spread_of(samples_of(run), measure).median; };
  for (const TuneRun& run : table.runs) {
    if (!run.failure.empty()) continue;
    const std::string question = question_of(table, run);
    auto found = std::ranges::find(all, question, &TuneBest::question);
    if (found == all.end()) found = all.insert(all.end(), {question, &run, {}});
    if (median(run) < median(*found->run)) found->run = &run;
  }
  for (const TuneRun& run : table.runs) {
    if (!run.failure.empty()) continue;
    TuneBest& best = *std::ranges::find(all, question_of(table, run), &TuneBest::question);
    if (&run == best.run) continue;
    if (overlap(spread_of(samples_of(run), measure), spread_of(samples_of(*best.run), measure)))
      best.equal.push_back(&run);
  }
  return all;
}

std::string combination_text(const std::vector<TuneSetting>& settings, const TuneRun& run) {
  std::string text;
  size_t list = 0;
  for (const TuneSetting& setting : settings) {
    if (!setting.is_list()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", setting.label, run.values.at(list++));
  }
  return printable(text);
}

std::string arguments_text(const std::vector<std::string>& arguments) {
  return arguments.empty() ? "(no options)" : printable(fmt::format("{}", fmt::join(arguments, " ")));
}

namespace {

struct StoreColumn {
  const char* title;
  std::optional<uint64_t> TuneSample::*field;
  bool is_size = false;
};

std::vector<StoreColumn> store_columns(const TuneTable& table) {
  std::vector<StoreColumn> columns;
  for (const StoreColumn& column : {StoreColumn{"disk, at most", &TuneSample::disk_bytes, true},
                                    {"written", &TuneSample::bytes_written, true},
                                    {"pages written", &TuneSample::pages_written},
                                    {"pages read", &TuneSample::pages_read},
                                    {"cache failures", &TuneSample::cache_failures}}) {
    if (std::ranges::any_of(table.runs, [&](const TuneRun& run) { return (run.*column.field).has_value(); })) {
      columns.push_back(column);
    }
  }
  return columns;
}

// "holds  <- best"
std::string verdict_text(const TuneRun& run, const std::vector<TuneBest>& bests) {
  std::string text = run.verdict.empty() ? "failed" : run.verdict;
  if (!run.failure.empty()) text += ": " + printable(run.failure);
  for (const TuneBest& best : bests) {
    if (best.run == &run) text += "  <- best";
    if (std::ranges::find(best.equal, &run) != best.equal.end()) text += "  = best";
  }
  return text;
}

std::string best_text(const TuneBest& best, TuneMeasure measure) {
  const TuneSpread spread = spread_of(samples_of(*best.run), measure);
  std::string text = fmt::format("best by {}{}{}: {} ({}", name_in(kTuneMeasureNames, measure),
                                 best.question.empty() ? "" : " with ", printable(best.question),
                                 arguments_text(best.run->arguments), measured_text(spread.median, measure));
  if (best.run->samples.size() > 1) {
    text += fmt::format(", the middle half of {} runs from {} to {}", best.run->samples.size(),
                        measured_text(spread.low, measure), measured_text(spread.high, measure));
  }
  text += ")\n";
  constexpr size_t kMost = 5;
  for (size_t i = 0; i < std::min(kMost, best.equal.size()); ++i) {
    text += fmt::format("  equal, as far as these runs tell: {}\n", arguments_text(best.equal[i]->arguments));
  }
  if (best.equal.size() > kMost) text += fmt::format("  and {} more\n", best.equal.size() - kMost);
  return text;
}

bool reached_disk(const TuneRun& run) { return run.pages_written.value_or(0) > 0; }

bool is_about_disk(const TuneTable& table) {
  const auto varies = [](const TuneSetting& setting) { return setting.is_list() && setting.is_about_disk; };
  return table.measure == TuneMeasure::kDisk || table.measure == TuneMeasure::kPages ||
         std::ranges::any_of(table.settings, varies);
}

// What is about the disk does nothing in a search that fits into memory.
std::string disk_note(const TuneTable& table) {
  const bool any_complete = std::ranges::any_of(table.runs, [](const TuneRun& run) { return run.failure.empty(); });
  if (!is_about_disk(table) || !any_complete || std::ranges::any_of(table.runs, reached_disk)) return "";
  uint64_t states = 0;
  for (const TuneRun& run : table.runs) states = std::max(states, run.states);
  return fmt::format(
      "note: no run reached the disk ({} fit into memory), so nothing here says which setting of the disk store is "
      "better; --reductions none or a larger -D makes more states, --memory 32M leaves less room for them\n",
      plural(states, "state"));
}

// Most of so short a time goes into the start of the program.
std::string start_note(const TuneTable& table) {
  constexpr double kShortSeconds = 0.1;
  const auto is_long = [](const TuneRun& run) { return run.failure.empty() && run.wall_seconds >= kShortSeconds; };
  const bool by_time = table.measure == TuneMeasure::kTime || table.measure == TuneMeasure::kCpu;
  if (!by_time || table.runs.empty() || std::ranges::any_of(table.runs, is_long)) return "";
  return "note: no run takes 0.1 s, most of which is the start of the program; --reductions none or a larger -D "
         "gives the searches more to do\n";
}

// What keeps the figures from saying what they seem to say.
std::string notes_text(const TuneTable& table) {
  std::string text;
  std::set<std::string> verdicts;
  bool once = false;
  for (const TuneRun& run : table.runs) {
    if (!run.failure.empty()) continue;
    verdicts.insert(run.verdict);
    once = once || run.samples.size() == 1;
  }
  text += disk_note(table);
  text += start_note(table);
  if (verdicts.size() > 1) text += "note: the complete runs do not have the same verdict\n";
  if (once && table.runs.size() > 1) {
    text += "note: single runs show no spread; use --runs 5\n";
  }
  if (table.runs.size() < table.planned) {
    text += fmt::format("note: {} of {} have ended\n", table.runs.size(), plural(table.planned, "combination"));
  }
  return text;
}

}  // namespace

std::string tune_text(const TuneTable& table) {
  const std::vector<StoreColumn> columns = store_columns(table);
  const bool repeated = std::ranges::any_of(table.runs, [](const TuneRun& run) { return run.samples.size() > 1; });
  std::vector<std::string> head;
  for (const TuneSetting& setting : table.settings) {
    if (setting.is_list()) head.push_back(printable(setting.label));
  }
  head.emplace_back("states");
  if (repeated) head.emplace_back("runs");
  for (const char* title : {"time", "CPU time"}) {
    head.emplace_back(title);
    if (repeated) head.emplace_back("");
  }
  head.emplace_back("memory");
  for (const StoreColumn& column : columns) head.emplace_back(column.title);
  const bool waits =
      std::ranges::any_of(table.runs, [](const TuneRun& run) { return run.disk_wait_seconds.has_value(); });
  if (waits) head.emplace_back("disk wait");
  head.emplace_back("verdict");
  std::vector<std::vector<std::string>> rows = {head};
  const std::vector<TuneBest> bests = best_runs(table, table.measure);
  for (const TuneRun& run : table.runs) {
    std::vector<std::string> row;
    for (const std::string& value : run.values) row.push_back(printable(value));
    row.push_back(run.verdict.empty() ? "-" : format_count(run.states));
    if (repeated) row.push_back(std::to_string(run.samples.size()));
    row.push_back(format_seconds(run.wall_seconds));
    if (repeated) row.push_back(spread_text(run.samples, TuneMeasure::kTime));
    row.push_back(format_seconds(run.cpu_seconds));
    if (repeated) row.push_back(spread_text(run.samples, TuneMeasure::kCpu));
    row.push_back(format_size(run.memory_bytes));
    for (const StoreColumn& column : columns) {
      const std::optional<uint64_t>& value = run.*column.field;
      row.push_back(!value ? "-" : column.is_size ? format_size(*value) : format_count(*value));
    }
    if (waits) row.push_back(run.disk_wait_seconds ? format_seconds(*run.disk_wait_seconds) : "-");
    row.push_back(verdict_text(run, bests));
    rows.push_back(std::move(row));
  }
  std::string text = aligned(rows) + '\n' + notes_text(table);
  if (bests.empty()) return text + "best: none, for no run is complete\n";
  const bool by_disk = table.measure == TuneMeasure::kDisk || table.measure == TuneMeasure::kPages;
  if (by_disk && std::ranges::none_of(table.runs, reached_disk))
    return text +
           fmt::format("best by {}: none, for no run reached the disk\n", name_in(kTuneMeasureNames, table.measure));
  for (const TuneBest& best : bests) text += best_text(best, table.measure);
  return text;
}

std::string tune_csv(const TuneTable& table) {
  std::string text = "id";
  for (const TuneSetting& setting : table.settings) {
    if (setting.is_list()) text += ',' + csv_cell(setting.label);
  }
  text +=
      ",arguments,verdict,failure,states,transitions,cpu_seconds,wall_seconds,memory_bytes,pages_read,pages_written,"
      "cache_failures,bytes_written,disk_bytes_peak,disk_wait_seconds,runs,cpu_low,cpu_high,wall_low,wall_high\n";
  for (const TuneRun& run : table.runs) {
    text += run.id;
    for (const std::string& value : run.values) text += ',' + csv_cell(value);
    text += fmt::format(",{},{},{},{},{},{:.6g},{:.6g},{},{},{},{},{},{},{}\n",
                        csv_cell(fmt::format("{}", fmt::join(run.arguments, " "))), run.verdict,
                        csv_cell(run.failure), run.states, run.transitions, run.cpu_seconds, run.wall_seconds,
                        run.memory_bytes, csv_number(run.pages_read), csv_number(run.pages_written),
                        csv_number(run.cache_failures), csv_number(run.bytes_written), csv_number(run.disk_bytes),
                        run.disk_wait_seconds ? fmt::format("{:.6g}", *run.disk_wait_seconds) : "");
    const TuneSpread cpu = spread_of(samples_of(run), TuneMeasure::kCpu);
    const TuneSpread wall = spread_of(samples_of(run), TuneMeasure::kTime);
    text.back() = ',';
    text += fmt::format("{},{:.6g},{:.6g},{:.6g},{:.6g}\n", samples_of(run).size(), cpu.low, cpu.high, wall.low,
                        wall.high);
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
  const std::vector<TuneBest> bests = best_runs(table, table.measure);
  json["measure"] = name_in(kTuneMeasureNames, table.measure);
  json["best"] = bests.size() == 1 ? Json(bests.front().run->id) : Json(nullptr);
  json["bests"] = Json::array();
  for (const TuneBest& best : bests) {
    Json equal = Json::array();
    for (const TuneRun* run : best.equal) equal.push_back(run->id);
    json["bests"].push_back({{"question", best.question}, {"id", best.run->id}, {"equal", equal}});
  }
  return json.dump(2, ' ', false, kReplace) + "\n";
}

}  // namespace cmc
