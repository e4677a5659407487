#pragma once

#include <optional>
#include <string>
#include <vector>

#include "studies/latency/study.h"

// What cmc-latency measured, as a text, as JSON (cmc.latency/1) and as CSV. Times are of round trips and in
// nanoseconds, unless a name says otherwise.

namespace cmc {

// The figures of a cell with points.
struct LatencyRow {
  const latency::Cell* cell = nullptr;
  latency::Summary points;
  std::vector<double> launch_means;
  std::optional<double> launch_deviation;  // of the means; none: one launch
  std::optional<double> lag1;
  std::optional<double> batch_half_width;
};
[[nodiscard]] std::vector<LatencyRow> latency_rows(const latency::Study& study);

// What held in the study of 2025 that the method comes from, and whether it does here.
struct LatencyRelation {
  std::string text;           // with the figures
  std::optional<bool> holds;  // none: not measured
};
[[nodiscard]] std::vector<LatencyRelation> latency_relations(const std::vector<LatencyRow>& rows);

[[nodiscard]] std::string latency_text(const latency::Study& study, const latency::StudyOptions& options);
[[nodiscard]] std::string latency_json(const latency::Study& study, const latency::StudyOptions& options);
[[nodiscard]] std::string latency_table_csv(const latency::Study& study);
[[nodiscard]] std::string latency_points_csv(const latency::Study& study);

}  // namespace cmc
