#include "studies/latency/latency_report.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace cmc {
namespace {

using latency::Cell;
using latency::Study;

// The row that the study's table is about.
const LatencyRow* main_row(const std::vector<LatencyRow>& rows, std::string_view name) {
  const auto found = std::ranges::find_if(
      rows, [&](const LatencyRow& row) { return row.cell->is_main && name == row.cell->kind->name; });
  return found == rows.end() ? nullptr : &*found;
}

std::string or_dash(const std::optional<double>& value, int digits = 2) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

double median_us(const LatencyRow& row) { return static_cast<double>(row.cell->all_ns.quantile(0.5)) / 1000; }

// `factor` times the mean of `less` is at most that of `more`.
LatencyRelation compare(const std::vector<LatencyRow>& rows, const char* less, double factor, const char* more,
                        double ratio_of_2025) {
  const LatencyRow* first = main_row(rows, less);
  const LatencyRow* second = main_row(rows, more);
  const std::string wanted =
      factor == 1 ? fmt::format("{} <= {}", less, more) : fmt::format("{:g} x {} <= {}", factor, less, more);
  if (first == nullptr || second == nullptr) return {wanted + ": not measured", std::nullopt};
  const double ratio = second->points.mean / std::max(first->points.mean, 1e-9);
  return {fmt::format("{}: {:.2f} times (2025: {:.2f})", wanted, ratio, ratio_of_2025), ratio >= factor};
}

std::string heading(const Study& study, const latency::StudyOptions& options) {
  const std::string where =
      options.peer ? fmt::format("to {}:{}", options.peer->host, options.peer->port) : "between two parties here";
  return fmt::format(
      "round trips {}: {} processors; load {} before, {} after; {:.1f} s\n"
      "a data point is the shortest of {} round trips; times in ns\n",
      where, study.processors, study.load_before, study.load_after, study.seconds, options.samples);
}

std::string main_table(const std::vector<LatencyRow>& rows, const Cell& first) {
  std::string text = fmt::format("\n{} bytes, {}\n{:<18}{:>7}{:>13}{:>13}{:>13}{:>12}{:>13}\n", first.bytes,
                                 latency::name_of(first.placement), "channel", "points", "RTT mean", "95% low",
                                 "95% high", "RTT std", "latency");
  for (const LatencyRow& row : rows) {
    if (!row.cell->is_main) continue;
    const latency::Summary& points = row.points;
    text += fmt::format("{:<18}{:>7}{:>13.2f}{:>13.2f}{:>13.2f}{:>12.2f}{:>13.2f}\n", row.cell->kind->name,
                        points.count, points.mean, points.mean - points.half_width, points.mean + points.half_width,
                        points.deviation, points.mean / 2);
  }
  text += fmt::format("\n{:<18}{:>9}{:>9}{:>9}{:>10}{:>11}{:>11}{:>8}{:>10}{:>10}\n", "all round trips", "p50", "p90",
                      "p99", "p99.9", "max", "launches", "lag 1", "batches", "switches");
  for (const LatencyRow& row : rows) {
    if (!row.cell->is_main) continue;
    const latency::Histogram& all = row.cell->all_ns;
    text += fmt::format("{:<18}{:>9}{:>9}{:>9}{:>10}{:>11}{:>11}{:>8}{:>10}{:>10}\n", row.cell->kind->name,
                        all.quantile(0.5), all.quantile(0.9), all.quantile(0.99), all.quantile(0.999), all.most(),
                        or_dash(row.launch_deviation), or_dash(row.lag1), or_dash(row.batch_half_width),
                        row.cell->involuntary_switches);
  }
  return text +
         "launches: standard deviation of the launches' means. The interval 95% assumes that points are independent\n"
         "(lag 1: correlation with the next one); batches: +- from means of 20 batches, which need not be. "
         "switches:\n"
         "involuntary context switches.\n";
}

std::string other_table(const std::vector<LatencyRow>& rows) {
  std::string text;
  for (const LatencyRow& row : rows) {
    if (row.cell->is_main) continue;
    text += fmt::format("{:<18}{:>7}  {:<9}{:>11}{:>11}{:>12.2f}{:>8}\n", row.cell->kind->name, row.cell->bytes,
                        latency::name_of(row.cell->placement), row.cell->all_ns.quantile(0.5),
                        row.cell->all_ns.quantile(0.99), row.points.mean, row.points.count);
  }
  if (text.empty()) return text;
  return fmt::format("\n{:<18}{:>7}  {:<9}{:>11}{:>11}{:>12}{:>8}\n", "other cells", "bytes", "placement", "p50",
                     "p99", "RTT mean", "points") +
         text;
}

std::string failures(const Study& study) {
  std::string text;
  for (const Cell& cell : study.cells) {
    if (cell.error.empty()) continue;
    text += fmt::format("{}, {} bytes, {}: {}\n", cell.kind->name, cell.bytes, latency::name_of(cell.placement),
                        cell.error);
  }
  return text.empty() ? text : "\nnot measured, or not in each launch:\n" + text;
}

// The best between processes that does not cost a processor while the solver thinks.
const LatencyRow* best_for_questions(const std::vector<LatencyRow>& rows) {
  const LatencyRow* best = nullptr;
  for (const LatencyRow& row : rows) {
    const latency::ChannelKind& kind = *row.cell->kind;
    if (!row.cell->is_main || kind.is_in_process || kind.is_active) continue;
    if (best == nullptr || median_us(row) < median_us(*best)) best = &row;
  }
  return best;
}

std::string last_line(const std::vector<LatencyRow>& rows) {
  const LatencyRow* best = best_for_questions(rows);
  const LatencyRow* now = main_row(rows, "zmq ipc");
  const auto shown = [](const LatencyRow& row) {
    return fmt::format("{}, {:.1f} µs", row.cell->kind->name, median_us(row));
  };
  return fmt::format("for solver questions: {} (now: {})\n", best == nullptr ? "not measured" : shown(*best),
                     now == nullptr ? "zmq ipc, not measured" : shown(*now));
}

}  // namespace

std::vector<LatencyRow> latency_rows(const Study& study) {
  std::vector<LatencyRow> rows;
  for (const Cell& cell : study.cells) {
    const std::vector<double> points = cell.points_ns();
    if (points.empty()) continue;
    LatencyRow& row = rows.emplace_back();
    row.cell = &cell;
    row.points = latency::summarise(points);
    for (const std::vector<double>& launch : cell.launches_ns) {
      row.launch_means.push_back(latency::summarise(launch).mean);
    }
    if (row.launch_means.size() > 1) row.launch_deviation = latency::summarise(row.launch_means).deviation;
    row.lag1 = latency::lag1_autocorrelation(points);
    row.batch_half_width = latency::batch_half_width_95(points);
  }
  return rows;
}

std::vector<LatencyRelation> latency_relations(const std::vector<LatencyRow>& rows) {
  return {compare(rows, "spin", 1, "semaphore", 11.48), compare(rows, "spin", 5, "semaphore", 11.48),
          compare(rows, "semaphore", 1, "tcp", 5.68),   compare(rows, "tcp", 1, "zmq-tcp", 4.20),
          compare(rows, "tcp", 2, "zmq-tcp", 4.20),     compare(rows, "zmq inproc", 1, "zmq ipc", 1.42)};
}

std::string latency_text(const Study& study, const latency::StudyOptions& options) {
  const std::vector<LatencyRow> rows = latency_rows(study);
  std::string text = heading(study, options);
  if (!study.cells.empty()) text += main_table(rows, study.cells.front());
  text += other_table(rows) + failures(study) + '\n';
  for (const LatencyRelation& relation : latency_relations(rows)) {
    const char* verdict = !relation.holds ? "" : *relation.holds ? "as in 2025" : "not here";
    if (relation.holds) text += fmt::format("{:<12}{}\n", verdict, relation.text);
  }
  return text + last_line(rows);
}

std::string latency_table_csv(const Study& study) {
  std::string text =
      "channel,bytes,placement,points,rtt_mean_ns,low_ns,high_ns,rtt_std_ns,latency_ns,p50_ns,p90_ns,p99_ns,p999_ns,"
      "max_ns,launch_std_ns,lag1,batch_half_width_ns,involuntary_switches\n";
  const auto or_empty = [](const std::optional<double>& value) { return value ? fmt::format("{:.4f}", *value) : ""; };
  for (const LatencyRow& row : latency_rows(study)) {
    const Cell& cell = *row.cell;
    const latency::Summary& points = row.points;
    text +=
        fmt::format("{},{},{},{},{:.2f},{:.2f},{:.2f},{:.2f},{:.2f},{},{},{},{},{},{},{},{},{}\n", cell.kind->name,
                    cell.bytes, latency::name_of(cell.placement), points.count, points.mean,
                    points.mean - points.half_width, points.mean + points.half_width, points.deviation,
                    points.mean / 2, cell.all_ns.quantile(0.5), cell.all_ns.quantile(0.9), cell.all_ns.quantile(0.99),
                    cell.all_ns.quantile(0.999), cell.all_ns.most(), or_empty(row.launch_deviation),
                    or_empty(row.lag1), or_empty(row.batch_half_width), cell.involuntary_switches);
  }
  return text;
}

std::string latency_points_csv(const Study& study) {
  std::string text = "channel,bytes,placement,launch,point,ns\n";
  for (const Cell& cell : study.cells) {
    for (size_t launch = 0; launch < cell.launches_ns.size(); ++launch) {
      for (size_t i = 0; i < cell.launches_ns[launch].size(); ++i) {
        text += fmt::format("{},{},{},{},{},{:.0f}\n", cell.kind->name, cell.bytes, latency::name_of(cell.placement),
                            launch + 1, i + 1, cell.launches_ns[launch][i]);
      }
    }
  }
  return text;
}

}  // namespace cmc
