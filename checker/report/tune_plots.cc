#include "checker/report/tune_plots.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/units.h"
#include "checker/report/style.h"

namespace cmc {
namespace {

struct Measure {
  const char* file;
  const char* title;
  std::optional<double> (*value)(const TuneRun&);
};

std::optional<double> widened(const std::optional<uint64_t>& value) {
  return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

constexpr Measure kMeasures[] = {
    {"time", "Time", [](const TuneRun& run) { return std::optional<double>(run.wall_seconds); }},
    {"memory", "Memory at the peak", [](const TuneRun& run) { return widened(run.memory_bytes); }},
    {"pages-read", "Pages read", [](const TuneRun& run) { return widened(run.pages_read); }},
    {"cache-failures", "Cache failures", [](const TuneRun& run) { return widened(run.cache_failures); }},
};

// A run that failed says nothing about a measure.
std::optional<double> value_of(const TuneRun& run, const Measure& measure) {
  return run.failure.empty() ? measure.value(run) : std::nullopt;
}

struct Range {
  double low = 0;
  double high = 0;
};

// None: no run tells, or all say 0.
std::optional<Range> range_of(const TuneTable& table, const Measure& measure) {
  std::optional<Range> range;
  for (const TuneRun& run : table.runs) {
    const std::optional<double> value = value_of(run, measure);
    if (!value) continue;
    if (!range) range = Range{*value, *value};
    range->low = std::min(range->low, *value);
    range->high = std::max(range->high, *value);
  }
  return range && range->high > 0 ? range : std::nullopt;
}

// In what unit a measure is shown.
PlotUnit unit_of(const Measure& measure, double most) {
  const std::string_view file = measure.file;
  if (file == "time") return time_unit(most);
  if (file == "memory") return memory_unit(most);
  return {"", 1};
}

std::string axis_title(const Measure& measure, const PlotUnit& unit) {
  return *unit.name == '\0' ? measure.title : fmt::format("{} ({})", measure.title, unit.name);
}

std::string short_number(double value) {
  if (value > 1e18) return fmt::format("{:.3g}", value);  // beyond 64 bits
  if (value == 0 || value >= 100) return format_count(static_cast<uint64_t>(std::llround(value)));
  return fmt::format("{:.{}f}", value, value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

std::string model_name(const TuneTable& table) { return table.model_file.substr(table.model_file.rfind('/') + 1); }

std::string title_text(const TuneTable& table, const Measure& measure, const PlotUnit& unit) {
  return fmt::format("set title {} noenhanced font ',15' textcolor rgb '{}' offset 0,0.5\n",
                     plot_quote(fmt::format("{}: {}", model_name(table), axis_title(measure, unit))), kPlotText);
}

size_t index_of(const TuneSetting& setting, const std::string& value) {
  return static_cast<size_t>(std::ranges::find(setting.values, value) - setting.values.begin());
}

std::string value_tics(const TuneSetting& setting) {
  std::string list;
  for (size_t i = 0; i < setting.values.size(); ++i) {
    list += fmt::format("{}{} {}", i == 0 ? "" : ", ", plot_tic_quote(setting.values[i]), i);
  }
  return "(" + list + ")";
}

// A cell per run with its value; one whose run failed is grey.
Plot heat_map(const TuneTable& table, const Measure& measure, const Range& range, const TuneSetting& down,
              const TuneSetting& across) {
  const PlotUnit unit = unit_of(measure, range.high);
  // Colours tell large differences from small ones: the scale never spans less than half of the largest value.
  const double low = std::min(range.low, 0.5 * range.high) / unit.scale;
  const double high = range.high / unit.scale;
  const double middle = low + 0.55 * (high - low);
  std::string cells = "$cells << END\n";
  std::string failed = "$failed << END\n";
  bool any_failed = false;
  for (const TuneRun& run : table.runs) {
    const size_t x = index_of(across, run.values[1]);
    const size_t y = index_of(down, run.values[0]);
    if (const std::optional<double> value = value_of(run, measure)) {
      const double shown = *value / unit.scale;
      cells += fmt::format("{} {} {:.10g} {}\n", x, y, shown, plot_data_quote(short_number(shown)));
    } else {
      failed += fmt::format("{} {}\n", x, y);
      any_failed = true;
    }
  }
  Plot plot;
  plot.name = measure.file;
  const size_t columns = across.values.size();
  const size_t rows = down.values.size();
  plot.width = static_cast<unsigned>(std::clamp<size_t>(330 + 75 * columns, 560, 1800));
  plot.height = static_cast<unsigned>(std::clamp<size_t>(190 + 48 * rows, 340, 1500));
  plot.data = cells + "END\n" + failed + "END\n";
  plot.body = title_text(table, measure, unit);
  plot.body += fmt::format(
      "set palette defined (0 '#f7fcf0', 0.25 '#ccebc5', 0.5 '#7bccc4', 0.75 '#2b8cbe', 1 '#084081')\n"
      "set cbrange [{:.10g}:{:.10g}]\nset colorbox\nset cbtics ({} {:.10g}, {} {:.10g})\n"
      "unset grid\nset border 0\nset tics scale 0\nunset key\n"
      "set xrange [-0.5:{}.5]\nset yrange [-0.5:{}.5]\n"
      "set xtics noenhanced {}\nset ytics noenhanced {}\n"
      "set xlabel {} noenhanced textcolor rgb '{}'\nset ylabel {} noenhanced textcolor rgb '{}'\n",
      low, high, plot_quote(short_number(low)), low, plot_quote(short_number(high)), high, columns - 1, rows - 1,
      value_tics(across), value_tics(down), plot_quote(across.label), kPlotText, plot_quote(down.label), kPlotText);
  plot.body += fmt::format(
      "plot $cells using 1:2:($1-0.48):($1+0.48):($2-0.46):($2+0.46):3 with boxxyerror fillstyle solid 1 noborder "
      "fillcolor palette, "
      "'' using 1:2:($3<={0:.10g} ? strcol(4) : '') with labels noenhanced textcolor rgb '#222222', "
      "'' using 1:2:($3>{0:.10g} ? strcol(4) : '') with labels noenhanced textcolor rgb '#ffffff'",
      middle);
  if (any_failed) {
    plot.body +=
        ", $failed using 1:2:($1-0.48):($1+0.48):($2-0.46):($2+0.46) with boxxyerror fillstyle solid 1 noborder "
        "fillcolor rgb '#dddddd', "
        "'' using 1:2:('failed') with labels textcolor rgb '#777777'";
  }
  plot.body += "\n";
  return plot;
}

// The values as numbers, for an axis that is true to them; none: they are words.
std::optional<std::vector<double>> numbers_of(const TuneSetting& setting) {
  std::vector<double> numbers;
  for (const std::string& value : setting.values) {
    const Result<uint64_t> size = parse_size(value);
    if (size.ok()) {
      numbers.push_back(static_cast<double>(size.value()));
    } else if (value == "0") {
      numbers.push_back(0);
    } else {
      return std::nullopt;
    }
  }
  return numbers;
}

Plot line_plot(const TuneTable& table, const Measure& measure, const Range& range, const TuneSetting& setting) {
  const PlotUnit unit = unit_of(measure, range.high);
  std::optional<std::vector<double>> numbers = numbers_of(setting);
  // Values that double, say, are as far from each other as those that go up by one; so large ranges stand side by
  // side.
  if (numbers) {
    const auto [least, most] = std::ranges::minmax(*numbers);
    if (most > 16 * std::max(least, 1.0)) numbers.reset();
  }
  const auto place = [&](size_t i) { return numbers ? (*numbers)[i] : static_cast<double>(i); };
  std::string tics;
  double first = place(0);
  double last = first;
  for (size_t i = 0; i < setting.values.size(); ++i) {
    tics += fmt::format("{}{} {:.10g}", i == 0 ? "" : ", ", plot_tic_quote(setting.values[i]), place(i));
    first = std::min(first, place(i));
    last = std::max(last, place(i));
  }
  std::vector<std::pair<double, double>> points;
  for (const TuneRun& run : table.runs) {
    const std::optional<double> value = value_of(run, measure);
    if (value) points.emplace_back(place(index_of(setting, run.values[0])), *value / unit.scale);
  }
  std::ranges::sort(points);
  Plot plot;
  plot.name = measure.file;
  plot.width = 800;
  plot.height = 500;
  plot.data = "$points << END\n";
  for (const auto& [x, y] : points) {
    plot.data += fmt::format("{:.10g} {:.10g} {}\n", x, y, plot_data_quote(short_number(y)));
  }
  plot.data += "END\n";
  const Tics scale = linear_tics(range.high / unit.scale * 1.08);
  const double margin = std::max((last - first) * 0.06, 0.3);
  plot.body = title_text(table, measure, unit);
  plot.body += fmt::format(
      "unset key\nset style textbox opaque noborder margins 0.5,0.5 fillcolor rgb '#ffffff'\n"
      "set xrange [{:.10g}:{:.10g}]\nset yrange [0:{:.10g}]\nset ytics {}\nset xtics noenhanced ({})\n"
      "set xlabel {} noenhanced textcolor rgb '{}'\nset ylabel {} textcolor rgb '{}'\n"
      "plot $points using 1:2 with linespoints linewidth 2 pointtype 7 pointsize 1.1 linecolor rgb '{}', "
      "'' using 1:2:3 with labels boxed offset 0,1 noenhanced textcolor rgb '{}'\n",
      first - margin, last + margin, scale.end, scale.list, tics, plot_quote(setting.label), kPlotText,
      plot_quote(axis_title(measure, unit)), kPlotText, kPlotColors[0], kPlotText);
  return plot;
}

}  // namespace

std::vector<Plot> tune_plots(const TuneTable& table) {
  std::vector<const TuneSetting*> lists;
  for (const TuneSetting& setting : table.settings) {
    if (setting.is_list()) lists.push_back(&setting);
  }
  std::vector<Plot> plots;
  if (lists.empty() || lists.size() > 2) return plots;
  for (const Measure& measure : kMeasures) {
    const std::optional<Range> range = range_of(table, measure);
    if (!range) continue;
    plots.push_back(lists.size() == 1 ? line_plot(table, measure, *range, *lists[0])
                                      : heat_map(table, measure, *range, *lists[0], *lists[1]));
  }
  return plots;
}

}  // namespace cmc
