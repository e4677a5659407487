#include "checker/report/logs/log_plots.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "base/units.h"
#include "checker/report/logs/time_panels.h"
#include "checker/report/style/version.h"

namespace cmc {
namespace {

using Rows = std::vector<TimeSeriesRow>;
std::function<double(const TimeSeriesRow&)> member(uint64_t TimeSeriesRow::*field) {
  return [field](const TimeSeriesRow& row) { return static_cast<double>(row.*field); };
}

// A file's name without what every log ends in.
std::string_view stem(std::string_view name) {
  for (const std::string_view suffix : {".log", ".json"}) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

// What a plot of one log says it was made of.
std::string note_of(const NamedLog& log) {
  return log.log.command.empty() ? fmt::format("{} (cmc {})", log.file, kVersion) : log.log.command;
}
std::string note_of(std::span<const NamedLog> logs) {
  if (logs.size() == 1) return note_of(logs.front());
  std::vector<std::string> files;
  for (const NamedLog& each : logs) files.push_back(each.file);
  return fmt::format("cmc {} log {}", kVersion, fmt::join(files, " "));
}

Plot states_plot(const std::string& name, const Rows& rows) {
  TimePanels panels(rows, fmt::format("{}: states over time", name), 3);
  const std::vector<PlotLine> visited = {{"visited states", kPlotColors[0], member(&TimeSeriesRow::visited), true}};
  panels.add(visited, linear_tics(highest_value(rows, visited)), "states");
  std::vector<PlotLine> waiting = {{"open states", kPlotColors[2], member(&TimeSeriesRow::open)}};
  if (highest_value(rows, {{"", "", member(&TimeSeriesRow::candidates)}}) > 0) {
    waiting.push_back({"candidates", kPlotColors[1], member(&TimeSeriesRow::candidates)});
  }
  panels.add(waiting, linear_tics(highest_value(rows, waiting)), "states");
  const std::vector<PlotLine> memory = {
      {"resident memory", kPlotColors[4], member(&TimeSeriesRow::resident_bytes), true}};
  const double bytes = highest_value(rows, memory);
  const PlotUnit unit = memory_unit(bytes);
  panels.add(memory, linear_tics(bytes, unit.scale), unit.name);
  return panels.finish(plot_file_name(stem(name)) + "-states", 900);
}

// Pages, and how many a second: differences of neighbouring rows.
Plot pages_plot(const std::string& name, const Rows& rows) {
  TimePanels panels(rows, fmt::format("{}: pages over time", name), 2);
  const std::vector<PlotLine> pages = {{"pages read", kPlotColors[1], member(&TimeSeriesRow::pages_read)},
                                       {"pages written", kPlotColors[0], member(&TimeSeriesRow::pages_written)}};
  panels.add(pages, linear_tics(highest_value(rows, pages)), "pages");
  const auto rate = [&](uint64_t TimeSeriesRow::*field) {
    return [&rows, field](const TimeSeriesRow& row) {
      const auto index = static_cast<size_t>(&row - rows.data());
      if (index == 0) return 0.0;
      const TimeSeriesRow& before = rows[index - 1];
      const double seconds = row.seconds - before.seconds;
      return seconds > 0 && row.*field >= before.*field ? static_cast<double>(row.*field - before.*field) / seconds
                                                        : 0.0;
    };
  };
  const std::vector<PlotLine> rates = {
      {"pages read per second", kPlotColors[1], rate(&TimeSeriesRow::pages_read)},
      {"pages written per second", kPlotColors[0], rate(&TimeSeriesRow::pages_written)}};
  panels.add(rates, linear_tics(highest_value(rows, rates)), "pages per second");
  return panels.finish(plot_file_name(stem(name)) + "-pages", 800);
}

// Sizes differ by orders of magnitude in frequency, so the axis is logarithmic; boxes begin below 1, so that 1 is
// seen.
Plot sizes_plot(const std::string& name, const SearchLog& log) {
  const auto& sizes = log.statistics.state_sizes;
  uint64_t most = 1;
  for (const auto& [size, count] : sizes) most = std::max(most, count);
  const Tics tics = logarithmic_tics(static_cast<double>(most));
  const bool each_named = sizes.size() <= 24;
  std::string data = "$sizes << END\n";
  size_t number = 0;
  for (const auto& [size, count] : sizes) {
    data += fmt::format("{} {} {} {}\n", each_named ? number++ : size, count, size, format_count(count));
  }
  data += "END\n";
  std::string body = fmt::format("set title {} noenhanced font ',15' textcolor rgb '{}' offset 0,0.5\n",
                                 plot_quote(fmt::format("{}: created states by their size", name)), kPlotText);
  body += fmt::format("set logscale y\nset yrange [0.7:{:.0f}]\nset ytics {}\n", tics.end * 2, tics.list);
  body += fmt::format(
      "set ylabel 'created states' textcolor rgb '{0}'\n"
      "set xlabel 'size of the state vector (bytes)' textcolor rgb '{0}'\n",
      kPlotText);
  body += fmt::format("unset key\n{}", kRoomForNote);
  if (each_named) {
    body += fmt::format("set xrange [-0.7:{}]\nset boxwidth 0.7\n", static_cast<double>(sizes.size()) - 0.3);
    body += fmt::format(
        "plot $sizes using 1:2:xtic(3) with boxes fillstyle solid 0.85 noborder linecolor rgb '{}', "
        "'' using 1:2:4 with labels offset 0,0.7 noenhanced font ',{}' textcolor rgb '{}'\n",
        kPlotColors[0], sizes.size() > 14 ? 8 : 10, kPlotText);
  } else {
    body += "set xtics autofreq\n";
    body += fmt::format("plot $sizes using 1:2 with impulses linewidth 2 linecolor rgb '{}'\n", kPlotColors[0]);
  }
  return {plot_file_name(stem(name)) + "-sizes", 1000, 560, data, body};
}

struct Share {
  const char* title;
  const char* color;
  uint64_t (*count)(const StoreFigures&);
};
constexpr Share kSharesDrawn[] = {
    {"Bloom filter: new", "#0072B2", [](const StoreFigures& s) { return s.bloom_resolved; }},
    {"lossy table: known", "#56B4E9", [](const StoreFigures& s) { return s.turns > 0 ? 0 : s.lossy_resolved; }},
    {"met lately", "#CC79A7", [](const StoreFigures& s) { return s.turns > 0 ? s.lossy_resolved : 0; }},
    {"already a candidate", "#F0E442", [](const StoreFigures& s) { return s.duplicate_candidates; }},
    {"in memory: known", "#E69F00", [](const StoreFigures& s) { return s.seen_in_memory; }},
    {"disk: known", "#D55E00", [](const StoreFigures& s) { return s.seen_on_pages(); }},
    {"disk: new after all", "#009E73", [](const StoreFigures& s) { return s.reopened; }},
};

// A bar per log, 100 % wide: by whom the offers were decided.
Plot decisions_plot(std::span<const NamedLog> logs, const std::vector<std::string>& names) {
  std::string data = "$shares << END\n";
  size_t bars = 0;
  for (size_t i = 0; i < logs.size(); ++i) {
    if (!logs[i].log.statistics.store) continue;
    const StoreFigures& store = *logs[i].log.statistics.store;
    data += std::to_string(bars++);
    double sum = 0;
    for (const Share& share : kSharesDrawn) sum += static_cast<double>(share.count(store));
    for (const Share& share : kSharesDrawn) {
      data += fmt::format(" {:.6f}", sum > 0 ? 100 * static_cast<double>(share.count(store)) / sum : 0);
    }
    data += ' ' + plot_data_quote(names[i]) + '\n';
  }
  data += "END\n";
  std::string body = fmt::format(
      "set title 'Who decided whether a state was new' font ',15' textcolor rgb '{}' offset 0,0.5\n", kPlotText);
  body += fmt::format("set yrange [{}:-0.6]\nset xrange [0:100]\nset xtics 10\n", static_cast<double>(bars) - 0.4);
  body +=
      fmt::format("set xlabel 'share of all successors, and the initial state (%)' textcolor rgb '{}'\n", kPlotText);
  body += "set grid noytics\nset grid xtics linetype 1 linecolor rgb '#e4e4e4' linewidth 0.8\n";
  const auto height = static_cast<unsigned>(280 + 60 * bars);
  body += fmt::format(
      "set ytics () noenhanced\nset bmargin at screen {:.4f}\nset key at screen 0.55,{:.4f} center bottom horizontal "
      "samplen 1.5 width 1 maxrows 2\n",
      150.0 / height, 28.0 / height);
  std::string plots;
  for (size_t i = 0; i < std::size(kSharesDrawn); ++i) {
    std::string before = "0";
    for (size_t k = 0; k < i; ++k) before += fmt::format("+${}", k + 2);
    bool drawn = false;
    for (const NamedLog& each : logs) {
      const std::optional<StoreFigures>& store = each.log.statistics.store;
      drawn |= store && kSharesDrawn[i].count(*store) > 0;
    }
    if (!drawn) continue;
    plots += fmt::format(
        "$shares using ({0}):1:({0}):({0}+${1}):($1-0.3):($1+0.3):ytic(strcol({2})) "
        "with boxxyerror fillstyle solid 0.9 noborder linecolor rgb '{3}' title '{4}', ",
        before, i + 2, std::size(kSharesDrawn) + 2, kSharesDrawn[i].color, kSharesDrawn[i].title);
  }
  body += "plot " + plots.substr(0, plots.size() - 2) + "\n";
  return {"decisions", 1000, height, data, body};
}

Plot disk_plot(std::span<const NamedLog> logs, const std::vector<std::string>& names) {
  std::string data = "$pages << END\n";
  double most = 0;
  size_t groups = 0;
  for (size_t i = 0; i < logs.size(); ++i) {
    if (!logs[i].log.statistics.store) continue;
    const StoreFigures& store = *logs[i].log.statistics.store;
    data += fmt::format("{} {} {} {} {} {}\n", groups++, store.pages_written, store.pages_read,
                        plot_data_quote(names[i]), format_count(store.pages_written), format_count(store.pages_read));
    most = std::max(most, static_cast<double>(std::max(store.pages_read, store.pages_written)));
  }
  data += "END\n";
  const Tics tics = linear_tics(most);
  std::string body =
      fmt::format("set title 'Pages written and read' font ',15' textcolor rgb '{}' offset 0,0.5\n", kPlotText);
  body += fmt::format("set yrange [0:{:.10g}]\nset ytics {}\nset ylabel 'pages' textcolor rgb '{}'\n",
                      std::max(tics.end, 1.08 * most), tics.list, kPlotText);
  body += fmt::format(
      "set xrange [-0.6:{}]\nset xtics noenhanced\nset boxwidth 0.36\nset bmargin at screen 0.19\n"
      "set key at screen 0.55,0.055 center bottom horizontal samplen 1.5\n",
      static_cast<double>(groups) - 0.4);
  body += fmt::format(
      "set style fill solid 0.9 noborder\n"
      "plot $pages using ($1-0.19):2 with boxes linecolor rgb '{0}' title 'pages written', "
      "'' using ($1+0.19):3 with boxes linecolor rgb '{1}' title 'pages read', "
      "'' using 1:(0):xtic(strcol(4)) with points pointtype 0 notitle, "
      "'' using ($1-0.19):2:5 with labels offset 0,0.7 textcolor rgb '{2}' notitle, "
      "'' using ($1+0.19):3:6 with labels offset 0,0.7 textcolor rgb '{2}' notitle\n",
      kPlotColors[0], kPlotColors[1], kPlotText);
  return {"pages", static_cast<unsigned>(std::max<size_t>(640, 200 + 200 * groups)), 520, data, body};
}

}  // namespace

std::vector<Plot> log_plots(std::span<const NamedLog> logs) {
  std::vector<Plot> plots;
  const std::vector<std::string> names = short_names(logs);
  bool any_store = false;
  for (size_t i = 0; i < logs.size(); ++i) {
    const NamedLog& each = logs[i];
    if (each.series && each.series->size() > 1) {
      plots.push_back(states_plot(names[i], *each.series));
      plots.back().note = note_of(each);
      const auto has_pages = [](const TimeSeriesRow& row) { return row.pages_written > 0 || row.pages_read > 0; };
      const bool pages = std::ranges::any_of(*each.series, has_pages);
      if (pages) plots.push_back(pages_plot(names[i], *each.series));
      plots.back().note = note_of(each);
    }
    if (!each.log.statistics.state_sizes.empty()) {
      plots.push_back(sizes_plot(names[i], each.log));
      plots.back().note = note_of(each);
    }
    any_store |= each.log.statistics.store.has_value();
  }
  if (any_store) {
    for (Plot plot : {decisions_plot(logs, names), disk_plot(logs, names)}) {
      plot.note = note_of(logs);
      plots.push_back(std::move(plot));
    }
  }
  return plots;
}

}  // namespace cmc
