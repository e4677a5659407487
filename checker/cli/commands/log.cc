#include <filesystem>

#include <fmt/format.h>

#include "base/files/file.h"
#include "checker/cli/commands.h"
#include "checker/cli/draw.h"
#include "checker/cli/output_files.h"
#include "checker/cli/signals.h"
#include "checker/report/logs/log_json.h"
#include "checker/report/logs/log_plots.h"
#include "checker/report/logs/log_table.h"

namespace cmc {
namespace {

// A series is an addition: without one, or with one that is damaged, the log itself is shown nevertheless.
std::optional<std::vector<TimeSeriesRow>> read_series(const std::string& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const Result<std::string> text = read_file(path);
  if (!text.ok()) {
    complain(text.error());
    return std::nullopt;
  }
  Result<std::vector<TimeSeriesRow>> series = parse_time_series(text.value());
  if (!series.ok()) {
    complain(fmt::format("{}: {}", path, series.error()));
    return std::nullopt;
  }
  return std::move(series).value();
}

// How far a search has come that is running, or was killed.
void take_latest_figures(NamedLog& named) {
  if (!named.series || named.series->empty()) return;
  const TimeSeriesRow& latest = named.series->back();
  named.log.visited = latest.visited;
  named.log.created = latest.created;
  named.log.seconds = latest.seconds;
}

Result<std::vector<NamedLog>> read_logs(const std::vector<std::string>& files) {
  std::vector<NamedLog> logs;
  for (const std::string& file : files) {
    CMC_TRY(const std::string text, read_file(file));
    Result<SearchLog> log = parse_any_log(text);
    if (!log.ok()) return Error{fmt::format("{}: {}", file, log.error())};
    logs.push_back({file, std::move(log).value(), read_series(file + kSeriesSuffix)});
    if (logs.back().log.running) take_latest_figures(logs.back());
  }
  return logs;
}

// Of each series only the rows of the span are left. Error: there are none.
Status cut_to_span(const LogOptions& options, std::vector<NamedLog>& logs) {
  for (NamedLog& each : logs) {
    if (!each.series) {
      return Error{
          fmt::format("there is no '{}{}', which would say how the search went over time", each.file, kSeriesSuffix)};
    }
    each.series = rows_between(*each.series, options.from_seconds, options.to_seconds);
    if (each.series->size() < 2)
      return Error{fmt::format("'{}{}' has no two rows in that time", each.file, kSeriesSuffix)};
    each.span = {each.series->front(), each.series->back()};
  }
  return Success{};
}

}  // namespace

int run_log(const Session& session) {
  const LogOptions& options = session.options.log;
  if (const Status other = check_outputs_against(session.options, options.files); !other.ok())
    return refuse(other.error());
  Result<std::vector<NamedLog>> read = read_logs(options.files);
  if (!read.ok()) return refuse(read.error());
  std::vector<NamedLog> logs = std::move(read).value();
  if (options.from_seconds > 0 || options.to_seconds > 0) {
    if (const Status cut = cut_to_span(options, logs); !cut.ok()) return refuse(cut.error());
  }
  if (!print_result(session, options.csv ? logs_csv(logs) : logs_text(logs), logs_json(logs))) return kExitUsage;
  if (!options.plot.empty()) {
    const std::vector<Plot> plots = log_plots(logs);
    if (const Status drawn = draw_plots(plots, options.plot, session.interrupted); !drawn.ok()) {
      complain(drawn.error());
      return session.interrupted ? interrupted_exit_code() : kExitUsage;
    }
    complain(fmt::format("drew {} into {} (SVG, PNG, PDF, and the scripts for gnuplot)", plural(plots.size(), "plot"),
                         options.plot));
  }
  for (const NamedLog& each : logs) {
    if (!check_identities(each.log).empty()) return kExitViolated;
  }
  return kExitHolds;
}

}  // namespace cmc
