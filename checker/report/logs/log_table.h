#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checker/report/logs/search_log.h"
#include "checker/report/logs/time_series.h"

// Logs beside each other, for people and programs. All three forms show the figures of one list.

namespace cmc {

struct NamedLog {
  std::string file;
  SearchLog log;
  std::optional<std::vector<TimeSeriesRow>> series;  // of FILE.csv, if there is one
  // The first and the last row of the time that is looked at, unless that is all of it.
  std::optional<std::pair<TimeSeriesRow, TimeSeriesRow>> span = std::nullopt;
};

// Terms as rows, logs as columns, of two logs their difference; below it what happened in the spans, the identities
// and remarks.
[[nodiscard]] std::string logs_text(std::span<const NamedLog> logs);

// Schema cmc.log/1 (README.md), with a newline behind it.
[[nodiscard]] std::string logs_json(std::span<const NamedLog> logs);

// A line of names, then a line per log. What a log does not tell is empty.
[[nodiscard]] std::string logs_csv(std::span<const NamedLog> logs);

// The name of the file without its folders, unless two of them have the same.
[[nodiscard]] std::vector<std::string> short_names(std::span<const NamedLog> logs);

}  // namespace cmc
