#include "checker/report/tune/tune_plots.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/units.h"
#include "checker/report/style/style.h"
#include "checker/report/style/version.h"

namespace cmc {
namespace {

struct Measure {
  const char* file;
  const char* title;
  std::optional<double> (*value)(const TuneSample&);
};

std::optional<double> widened(const std::optional<uint64_t>& value) {
  return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

constexpr Measure kMeasures[] = {
    {"time", "Time", [](const TuneSample& run) { return std::optional<double>(run.wall_seconds); }},
    {"cpu", "CPU time", [](const TuneSample& run) { return std::optional<double>(run.cpu_seconds); }},
    {"memory", "Memory at the peak", [](const TuneSample& run) { return widened(run.memory_bytes); }},
    {"disk", "Bytes on disk, at most", [](const TuneSample& run) { return widened(run.disk_bytes); }},
    {"pages-read", "Pages read", [](const TuneSample& run) { return widened(run.pages_read); }},
    {"cache-failures", "Cache failures", [](const TuneSample& run) { return widened(run.cache_failures); }},
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
  if (file == "time" || file == "cpu") return time_unit(most);
  if (file == "memory" || file == "disk") return memory_unit(most);
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

// The model and the options that all runs share.
std::string note_of(const TuneTable& table) {
  std::vector<std::string> arguments = {"check"};
  for (const TuneSetting& setting : table.settings) {
    if (setting.is_list()) continue;
    const std::string value = setting.values.empty() ? "" : setting.values.front();
    arguments.push_back(setting.joined ? setting.option + value : setting.option);
    if (!setting.joined && !value.empty()) arguments.push_back(value);
  }
  arguments.push_back(table.model_file);
  return command_text(kVersion, arguments);
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

// How values become colours: of all panels the same.
struct Colors {
  double low = 0;
  double high = 0;
  bool logarithmic = false;

  // Above it, numbers are white.
  [[nodiscard]] double dark_from() const {
    constexpr double kShare = 0.6;
    return logarithmic ? low * std::pow(high / low, kShare) : low + kShare * (high - low);
  }
};

Colors colors_of(const Range& range, double scale) {
  constexpr double kDecades = 100;  // what spans more is logarithmic, or all but the largest would look the same
  if (range.low > 0 && range.high > kDecades * range.low) return {range.low / scale, range.high / scale, true};
  // Colours tell large differences from small ones: the scale never spans less than half of the largest value.
  return {std::min(range.low, 0.5 * range.high) / scale, range.high / scale, false};
}

// Which runs are the best of what they search for, by this plot's measure. Cache failures have no best.
std::vector<const TuneRun*> marked_runs(const TuneTable& table, const Measure& measure) {
  static constexpr std::pair<std::string_view, TuneMeasure> kMarked[] = {{"time", TuneMeasure::kTime},
                                                                         {"cpu", TuneMeasure::kCpu},
                                                                         {"memory", TuneMeasure::kMemory},
                                                                         {"disk", TuneMeasure::kDisk}};
  std::vector<const TuneRun*> marked;
  const auto* found = std::ranges::find(kMarked, measure.file, &std::pair<std::string_view, TuneMeasure>::first);
  if (found == std::end(kMarked)) return marked;
  for (const TuneBest& best : best_runs(table, found->second)) marked.push_back(best.run);
  return marked;
}

// One map of cells: the runs with the given value of the first list, if there are three.
struct Panel {
  std::string title;  // empty: none
  std::vector<const TuneRun*> runs;
  std::string suffix;  // of its data blocks
};

size_t down_of(const TuneRun& run, const TuneSetting& down) {
  return index_of(down, run.values[run.values.size() - 2]);
}
size_t across_of(const TuneRun& run, const TuneSetting& across) { return index_of(across, run.values.back()); }

// "±3%": half of what the middle half of the samples spans, as a share of their median; empty: one sample, or no
// spread.
std::string spread_of_cell(const TuneRun& run, const Measure& measure) {
  std::vector<double> values;
  for (const TuneSample& sample : run.samples) {
    if (const std::optional<double> value = measure.value(sample)) values.push_back(*value);
  }
  if (values.size() < 2) return "";
  std::ranges::sort(values);
  const double median = values[values.size() / 2];
  const double spread = values[values.size() * 3 / 4] - values[values.size() / 4];
  return median > 0 && spread > 0 ? fmt::format("±{:.0f}%", std::ceil(50 * spread / median)) : "";
}

// A cell per run with its value; one whose run failed is grey.
std::string panel_data(const Panel& panel, const Measure& measure, const PlotUnit& unit, const TuneSetting& down,
                       const TuneSetting& across) {
  std::string cells = fmt::format("$cells{} << END\n", panel.suffix);
  std::string failed = fmt::format("$failed{} << END\n", panel.suffix);
  for (const TuneRun* run : panel.runs) {
    const size_t x = across_of(*run, across);
    const size_t y = down_of(*run, down);
    if (const std::optional<double> value = value_of(*run, measure)) {
      const double shown = *value / unit.scale;
      cells += fmt::format("{} {} {:.10g} {} {}\n", x, y, shown, plot_data_quote(short_number(shown)),
                           plot_data_quote(spread_of_cell(*run, measure)));
    } else {
      failed += fmt::format("{} {}\n", x, y);
    }
  }
  return cells + "END\n" + failed + "END\n";
}

// A frame around each of the best cells.
std::string panel_marks(const Panel& panel, const std::vector<const TuneRun*>& marked, const TuneSetting& down,
                        const TuneSetting& across) {
  std::string text = "unset object\n";
  for (const TuneRun* run : panel.runs) {
    if (std::ranges::find(marked, run) == marked.end()) continue;
    const double x = static_cast<double>(across_of(*run, across));
    const double y = static_cast<double>(down_of(*run, down));
    text += fmt::format(
        "set object rectangle from first {},{} to first {},{} front fillstyle empty border linecolor rgb '{}' "
        "linewidth 3\n",
        x - 0.46, y - 0.44, x + 0.46, y + 0.44, kPlotColors[1]);
  }
  return text;
}

std::string panel_plot(const Panel& panel, const Measure& measure, const Colors& colors) {
  std::string text;
  const auto none = [&](const TuneRun* run) { return !value_of(*run, measure).has_value(); };
  const auto failed = static_cast<size_t>(std::ranges::count_if(panel.runs, none));
  const auto add = [&](const std::string& what) { text += (text.empty() ? "plot " : ", ") + what; };
  if (failed < panel.runs.size()) {
    add(
        fmt::format("$cells{0} using 1:2:($1-0.48):($1+0.48):($2-0.46):($2+0.46):3 with boxxyerror fillstyle solid 1 "
                    "noborder fillcolor palette, "
                    "'' using 1:2:($3<={1:.10g} ? strcol(4) : '') with labels noenhanced textcolor rgb '#222222', "
                    "'' using 1:2:($3>{1:.10g} ? strcol(4) : '') with labels noenhanced textcolor rgb '#ffffff', "
                    "'' using 1:2:($3<={1:.10g} ? strcol(5) : '') with labels offset 0,-1 noenhanced font ',8' "
                    "textcolor rgb '#555555', "
                    "'' using 1:2:($3>{1:.10g} ? strcol(5) : '') with labels offset 0,-1 noenhanced font ',8' "
                    "textcolor rgb '#dddddd'",
                    panel.suffix, colors.dark_from()));
  }
  if (failed > 0) {
    add(
        fmt::format("$failed{} using 1:2:($1-0.48):($1+0.48):($2-0.46):($2+0.46) with boxxyerror fillstyle solid 1 "
                    "noborder fillcolor rgb '#dddddd', "
                    "'' using 1:2:('failed') with labels textcolor rgb '#777777'",
                    panel.suffix));
  }
  return text + "\n";
}

std::string map_style(const Colors& colors, const TuneSetting& down, const TuneSetting& across) {
  return fmt::format(
      "set palette defined (0 '#f7fcf0', 0.25 '#ccebc5', 0.5 '#7bccc4', 0.75 '#2b8cbe', 1 '#084081')\n"
      "{}set cbrange [{:.10g}:{:.10g}]\nset colorbox\nset cbtics ({} {:.10g}, {} {:.10g})\n"
      "unset grid\nset border 0\nset tics scale 0\nunset key\nset bmargin 4.8\n"
      "set xrange [-0.5:{}.5]\nset yrange [-0.5:{}.5]\n"
      "set xtics noenhanced {}\nset ytics noenhanced {}\n"
      "set xlabel {} noenhanced textcolor rgb '{}'\nset ylabel {} noenhanced textcolor rgb '{}'\n",
      colors.logarithmic ? "set logscale cb\nset cblabel 'logarithmic' textcolor rgb '#777777'\n" : "", colors.low,
      colors.high, plot_quote(short_number(colors.low)), colors.low, plot_quote(short_number(colors.high)),
      colors.high, across.values.size() - 1, down.values.size() - 1, value_tics(across), value_tics(down),
      plot_quote(across.label), kPlotText, plot_quote(down.label), kPlotText);
}

Plot heat_map(const TuneTable& table, const Measure& measure, const Range& range, const TuneSetting& down,
              const TuneSetting& across) {
  const PlotUnit unit = unit_of(measure, range.high);
  const Colors colors = colors_of(range, unit.scale);
  Panel panel;
  for (const TuneRun& run : table.runs) panel.runs.push_back(&run);
  Plot plot;
  plot.name = measure.file;
  plot.width = static_cast<unsigned>(std::clamp<size_t>(330 + 75 * across.values.size(), 560, 1800));
  plot.height = static_cast<unsigned>(std::clamp<size_t>(190 + 48 * down.values.size(), 340, 1500));
  plot.data = panel_data(panel, measure, unit, down, across);
  plot.body = title_text(table, measure, unit) + map_style(colors, down, across) +
              panel_marks(panel, marked_runs(table, measure), down, across) + panel_plot(panel, measure, colors);
  return plot;
}

// One map for each value of the first list, all with the same colours (Tufte's small multiples).
Plot heat_maps(const TuneTable& table, const Measure& measure, const Range& range,
               const std::vector<const TuneSetting*>& lists) {
  const TuneSetting& panels = *lists[0];
  const TuneSetting& down = *lists[1];
  const TuneSetting& across = *lists[2];
  const PlotUnit unit = unit_of(measure, range.high);
  const Colors colors = colors_of(range, unit.scale);
  const std::vector<const TuneRun*> marked = marked_runs(table, measure);
  const size_t count = panels.values.size();
  const auto columns = static_cast<size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  const size_t rows = (count + columns - 1) / columns;
  Plot plot;
  plot.name = measure.file;
  const size_t width = columns * std::clamp<size_t>(220 + 65 * across.values.size(), 320, 900);
  const size_t height = 60 + rows * std::clamp<size_t>(150 + 40 * down.values.size(), 240, 800);
  plot.width = static_cast<unsigned>(std::clamp<size_t>(width, 560, 3600));
  plot.height = static_cast<unsigned>(std::clamp<size_t>(height, 340, 3600));
  plot.body =
      fmt::format("set multiplot layout {},{} title {} noenhanced font ',15' textcolor rgb '{}'\n", rows, columns,
                  plot_quote(fmt::format("{}: {}", model_name(table), axis_title(measure, unit))), kPlotText) +
      map_style(colors, down, across);
  for (size_t i = 0; i < count; ++i) {
    Panel panel;
    panel.title = fmt::format("{} = {}", panels.label, panels.values[i]);
    panel.suffix = std::to_string(i);
    for (const TuneRun& run : table.runs) {
      if (index_of(panels, run.values[0]) == i) panel.runs.push_back(&run);
    }
    if (panel.runs.empty()) continue;
    plot.data += panel_data(panel, measure, unit, down, across);
    plot.body +=
        fmt::format("set title {} noenhanced font ',12' textcolor rgb '{}'\n", plot_quote(panel.title), kPlotText) +
        panel_marks(panel, marked, down, across) + panel_plot(panel, measure, colors);
  }
  plot.body += "unset multiplot\n";
  return plot;
}

// The values as numbers, for an axis that is true to them; none: they are words.
std::optional<std::vector<double>> numbers_of(const TuneSetting& setting) {
  std::vector<double> numbers;
  for (const std::string& value : setting.values) {
    const Result<uint64_t> size = parse_size(value);
    if (size.ok()) {
      numbers.push_back(static_cast<double>(size.value()));
    } else if (const Result<double> percent = parse_percent(value); percent.ok()) {
      numbers.push_back(percent.value());
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
  struct Point {
    double x;
    double y;
    double low;  // the least and the most that a run of this combination took
    double high;
    bool best;
  };
  const std::vector<const TuneRun*> marked = marked_runs(table, measure);
  std::vector<Point> points;
  for (const TuneRun& run : table.runs) {
    const std::optional<double> value = value_of(run, measure);
    if (!value) continue;
    const double y = *value / unit.scale;
    const bool best = std::ranges::find(marked, &run) != marked.end();
    Point point{place(index_of(setting, run.values[0])), y, y, y, best};
    for (const TuneSample& sample : run.samples) {
      const double each = measure.value(sample).value_or(*value) / unit.scale;
      point.low = std::min(point.low, each);
      point.high = std::max(point.high, each);
    }
    points.push_back(point);
  }
  std::ranges::sort(points, {}, &Point::x);
  Plot plot;
  plot.name = measure.file;
  plot.width = 800;
  plot.height = 500;
  plot.data = "$points << END\n";
  double highest = range.high / unit.scale;
  for (const Point& point : points) {
    plot.data += fmt::format("{:.10g} {:.10g} {} {:.10g} {:.10g} {}\n", point.x, point.y,
                             plot_data_quote(short_number(point.y)), point.low, point.high, point.best ? 1 : 0);
    highest = std::max(highest, point.high);
  }
  plot.data += "END\n";
  const Tics scale = linear_tics(highest * 1.08);
  const double margin = std::max((last - first) * 0.06, 0.3);
  plot.body = title_text(table, measure, unit) + kRoomForNote;
  plot.body += fmt::format(
      "unset key\nset style textbox opaque noborder margins 0.5,0.5 fillcolor rgb '#ffffff'\n"
      "set xrange [{:.10g}:{:.10g}]\nset yrange [0:{:.10g}]\nset ytics {}\nset xtics noenhanced ({})\n"
      "set xlabel {} noenhanced textcolor rgb '{}'\nset ylabel {} textcolor rgb '{}'\n"
      "plot $points using 1:2:4:5 with yerrorbars linewidth 1.2 pointtype 0 linecolor rgb '#888888', "
      "'' using 1:2 with linespoints linewidth 2 pointtype 7 pointsize 1.1 linecolor rgb '{}', "
      "'' using 1:($6>0 ? $2 : NaN) with points pointtype 6 pointsize 2.6 linewidth 2.5 linecolor rgb '{}', "
      "'' using 1:2:3 with labels boxed offset 0,1 noenhanced textcolor rgb '{}'\n",
      first - margin, last + margin, scale.end, scale.list, tics, plot_quote(setting.label), kPlotText,
      plot_quote(axis_title(measure, unit)), kPlotText, kPlotColors[0], kPlotColors[1], kPlotText);
  return plot;
}

}  // namespace

std::vector<Plot> tune_plots(const TuneTable& table) {
  std::vector<const TuneSetting*> lists;
  for (const TuneSetting& setting : table.settings) {
    if (setting.is_list()) lists.push_back(&setting);
  }
  std::vector<Plot> plots;
  if (lists.empty() || lists.size() > 3) return plots;
  for (const Measure& measure : kMeasures) {
    const std::optional<Range> range = range_of(table, measure);
    if (!range) continue;
    switch (lists.size()) {
      case 1: plots.push_back(line_plot(table, measure, *range, *lists[0])); break;
      case 2: plots.push_back(heat_map(table, measure, *range, *lists[0], *lists[1])); break;
      default: plots.push_back(heat_maps(table, measure, *range, lists)); break;
    }
    plots.back().note = note_of(table);
  }
  return plots;
}

}  // namespace cmc
