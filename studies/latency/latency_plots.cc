#include "studies/latency/latency_plots.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "checker/report/style/version.h"
#include "studies/latency/latency_report.h"

namespace cmc {
namespace {

constexpr size_t kColors = std::size(kPlotColors);

std::string title(const std::string& text) {
  return fmt::format("set title {} noenhanced font ',15' textcolor rgb '{}'\n", plot_quote(text), kPlotText);
}

std::string axis(char which, const char* text) {
  return fmt::format("set {}label '{}' textcolor rgb '{}'\n", which, text, kPlotText);
}

std::vector<const LatencyRow*> main_rows(const std::vector<LatencyRow>& rows) {
  std::vector<const LatencyRow*> mains;
  for (const LatencyRow& row : rows) {
    if (row.cell->is_main) mains.push_back(&row);
  }
  return mains;
}

// Points that are far out would squeeze all others: they are left out of the picture, and counted in its title.
double upper_end(std::vector<double> points) {
  std::ranges::sort(points);
  return points[(points.size() - 1) * 99 / 100] * 1.2 + 1;
}

Plot points_plot(const LatencyRow& row) {
  const std::vector<double> points = row.cell->points_ns();
  const double end = upper_end(points);
  const auto outside = std::ranges::count_if(points, [&](double point) { return point > end; });
  Plot plot;
  plot.name = plot_file_name(fmt::format("points-{}", row.cell->kind->name));
  plot.width = 1200;
  plot.height = 500;
  plot.data = "$points << END\n";
  for (size_t i = 0; i < points.size(); ++i) plot.data += fmt::format("{} {:.1f}\n", i + 1, points[i]);
  plot.data += "END\n";
  const double low = row.points.mean - row.points.half_width;
  const double high = row.points.mean + row.points.half_width;
  plot.body = fmt::format("set multiplot layout 1,2\nlow = {:.4f}; high = {:.4f}; mean = {:.4f}\n", low, high,
                          row.points.mean);
  plot.body += title(fmt::format("{}: shortest round trips{}", row.cell->kind->name,
                                 outside > 0 ? fmt::format(" ({} above {:.0f} ns)", outside, end) : ""));
  plot.body += axis('x', "point") + axis('y', "RTT / ns");
  plot.body += fmt::format(
      "set yrange [0:{0:.1f}]\n"
      "plot $points using 1:2 with points pointtype 7 pointsize 0.3 linecolor rgb '{1}' title 'points', "
      "mean linecolor rgb '{2}' title 'mean', low dashtype 2 linecolor rgb '{2}' title '95 % interval', "
      "high dashtype 2 linecolor rgb '{2}' notitle\n",
      end, kPlotColors[0], kPlotColors[1]);
  const double least = *std::ranges::min_element(points) * 0.95;
  const double width = std::max((end - least) / 60, 1e-3);
  plot.body += title("how often") + axis('x', "RTT / ns") + axis('y', "points");
  plot.body += fmt::format(
      "set yrange [0:*]\nset xrange [{0:.2f}:{1:.2f}]\nset boxwidth {2:.5f}\n"
      "set arrow from mean, graph 0 to mean, graph 1 nohead linecolor rgb '{4}'\n"
      "set arrow from low, graph 0 to low, graph 1 nohead dashtype 2 linecolor rgb '{4}'\n"
      "set arrow from high, graph 0 to high, graph 1 nohead dashtype 2 linecolor rgb '{4}'\n"
      "plot $points using ({2:.5f} * (floor($2 / {2:.5f}) + 0.5)):(1) smooth frequency with boxes fillstyle solid "
      "0.7 "
      "noborder linecolor rgb '{3}' notitle\nunset multiplot\n",
      least, end, width, kPlotColors[0], kPlotColors[1]);
  return plot;
}

Plot means_plot(const std::vector<const LatencyRow*>& rows) {
  Plot plot;
  plot.name = "means";
  plot.data = "$means << END\n";
  for (const LatencyRow* row : rows) {
    plot.data += fmt::format("{} {:.2f} {:.2f}\n", plot_data_quote(row->cell->kind->name), row->points.mean,
                             row->points.half_width);
  }
  plot.data += "END\n";
  plot.body = title("Mean of the shortest round trips") + axis('y', "RTT / ns");
  plot.body += fmt::format(
      "unset key\nset logscale y\nset yrange [10:*]\nset xtics noenhanced rotate by -30\nset style fill solid 0.8\n"
      "plot $means using 0:2:(0.7):xtic(1) with boxes linecolor rgb '{0}', "
      "'' using 0:2:3 with yerrorbars pointtype 0 linecolor rgb '{1}', "
      "'' using 0:2:(sprintf('%.0f', $2)) with labels offset 0,0.7 textcolor rgb '{1}'\n",
      kPlotColors[0], kPlotText);
  return plot;
}

// A line for each row: "x y" lines made by `lines`.
template <class Lines>
std::string line_blocks(const std::vector<const LatencyRow*>& rows, Plot& plot, Lines&& lines) {
  std::string drawn;
  for (size_t i = 0; i < rows.size(); ++i) {
    plot.data += fmt::format("$line{} << END\n{}END\n", i, lines(*rows[i]));
    drawn += fmt::format(
        "{}$line{} using 1:2 with linespoints pointtype {} pointsize 0.5 dashtype {} linecolor rgb '{}' "
        "title {}",
        i == 0 ? "plot " : ", ", i, i % 12 + 1, i / kColors + 1, kPlotColors[i % kColors],
        plot_quote(rows[i]->cell->kind->name));
  }
  return drawn + '\n';
}

Plot percentiles_plot(const std::vector<const LatencyRow*>& rows) {
  Plot plot;
  plot.name = "percentiles";
  plot.body =
      title("All round trips: how many are slower") + axis('x', "share that is slower") + axis('y', "RTT / ns");
  plot.body += "set logscale xy\nset xrange [1:1e-5] reverse\nset format x '%g'\nset key outside right\n";
  plot.body += line_blocks(rows, plot, [](const LatencyRow& row) {
    std::string lines;
    for (double slower = 1; slower >= 1e-5; slower /= 1.3) {
      if (slower * static_cast<double>(row.cell->all_ns.total()) < 1) break;
      lines += fmt::format("{:.8f} {}\n", slower, std::max<uint64_t>(row.cell->all_ns.quantile(1 - slower), 1));
    }
    return lines;
  });
  return plot;
}

// Channels whose sizes were varied.
Plot sizes_plot(const std::vector<LatencyRow>& all, const std::vector<const LatencyRow*>& mains) {
  Plot plot;
  plot.name = "sizes";
  plot.body = title("Median round trip by size") + axis('x', "bytes") + axis('y', "RTT / ns");
  plot.body += "set logscale x 2\nset logscale y\nset key outside right\n";
  plot.body += line_blocks(mains, plot, [&](const LatencyRow& main) {
    std::string lines;
    for (const LatencyRow& row : all) {
      const bool is_same = row.cell->kind == main.cell->kind && row.cell->placement == main.cell->placement;
      if (is_same) {
        lines += fmt::format("{} {}\n", row.cell->bytes, std::max<uint64_t>(row.cell->all_ns.quantile(0.5), 1));
      }
    }
    return lines;
  });
  return plot;
}

}  // namespace

std::vector<Plot> latency_plots(const latency::Study& study) {
  const std::vector<LatencyRow> rows = latency_rows(study);
  const std::vector<const LatencyRow*> mains = main_rows(rows);
  std::vector<Plot> plots;
  if (mains.empty()) return plots;
  for (const LatencyRow* row : mains) plots.push_back(points_plot(*row));
  plots.push_back(means_plot(mains));
  plots.push_back(percentiles_plot(mains));
  const bool has_sizes =
      std::ranges::any_of(rows, [&](const LatencyRow& row) { return row.cell->bytes != mains.front()->cell->bytes; });
  if (has_sizes) plots.push_back(sizes_plot(rows, mains));
  for (Plot& plot : plots) {
    plot.note = fmt::format("cmc-latency {}; {} bytes, {}; {} points; {}, load {}", kVersion,
                            mains.front()->cell->bytes, latency::name_of(mains.front()->cell->placement),
                            format_count(mains.front()->cell->points_ns().size()),
                            plural(study.processors, "processor"), study.load_before);
    plot.body.insert(0, kRoomForNote);
  }
  return plots;
}

}  // namespace cmc
