#include <algorithm>

#include <fmt/format.h>

#include "checker/report/profile/profile_report.h"

namespace cmc {
namespace {

constexpr size_t kMostBars = 20;
constexpr size_t kMostText = 44;  // characters
// The legend has the width of the picture: below long labels the plot itself is too narrow for all parts in one row.
constexpr double kBottomPixels = 100;
constexpr double kKeyPixels = 24;  // above the note

std::string label_of(const ProfileReport::Statement& row) {
  return fmt::format("{}   {}:{}", cut_in_middle(printable(row.text), kMostText), printable(row.proctype), row.line);
}

}  // namespace

// A bar for each of the costliest statements, divided into the parts of its cost.
Plot profile_plot(const ProfileReport& report) {
  const double total = std::max(report.profile.cost.total(), 1e-9);
  const size_t bars = std::min(kMostBars, report.statements.size());
  double longest = 0;
  std::string labels;
  Plot plot;
  plot.name = "profile";
  plot.note = report.command;
  plot.width = 1100;
  plot.height = static_cast<unsigned>(165 + 26 * std::max<size_t>(bars, 4));
  for (size_t part = 0; part < std::size(kProfileCosts); ++part) {
    plot.data += fmt::format("$part{} << END\n", part);
    for (size_t i = 0; i < bars; ++i) {
      double begin = 0;
      for (size_t before = 0; before < part; ++before) {
        begin += report.statements[i].cost.*kProfileCosts[before].seconds;
      }
      const double end = begin + report.statements[i].cost.*kProfileCosts[part].seconds;
      plot.data += fmt::format("{} {:.6f} {:.6f}\n", i, 100 * begin / total, 100 * end / total);
    }
    plot.data += "END\n";
  }
  plot.data += "$ends << END\n";
  for (size_t i = 0; i < bars; ++i) {
    const double share = 100 * report.statements[i].cost.total() / total;
    longest = std::max(longest, share);
    plot.data += fmt::format("{} {:.6f} {}\n", i, share, plot_data_quote(fmt::format("{:.1f} %", share)));
    labels += fmt::format("{}{} {}", i == 0 ? "" : ", ", plot_tic_quote(label_of(report.statements[i])), i);
  }
  plot.data += "END\n";
  const Tics scale = linear_tics(std::max(longest * 1.12, 1.0));
  plot.body = fmt::format(
      "set title {} noenhanced font ',15' textcolor rgb '{}' offset 0,0.5\n"
      "set xlabel 'percent of the CPU time of the search' textcolor rgb '{}'\n"
      "set xrange [0:{:.10g}]\nset yrange [{}.6:-0.6]\nset xtics {}\nset ytics noenhanced scale 0 font ',11' ({})\n"
      "unset grid\nset grid xtics linetype 1 linecolor rgb '#e4e4e4' linewidth 0.8\n"
      "set bmargin at screen {:.4f}\nset key at screen 0.5, {:.4f} center bottom horizontal maxrows 1\n",
      plot_quote(fmt::format("{}: where the time goes ({} states, {})",
                             report.model_file.substr(report.model_file.rfind('/') + 1),
                             format_count(report.states_stored), format_seconds(report.cpu_seconds))),
      kPlotText, kPlotText, scale.end, bars == 0 ? 0 : bars - 1, scale.list, labels, kBottomPixels / plot.height,
      kKeyPixels / plot.height);
  plot.body += "plot ";
  for (size_t part = 0; part < std::size(kProfileCosts); ++part) {
    std::string name = kProfileCosts[part].name;
    std::ranges::replace(name, '_', '-');
    plot.body += fmt::format(
        "$part{} using 2:1:2:3:($1-0.36):($1+0.36) with boxxyerror fillstyle solid 1 noborder fillcolor rgb '{}' "
        "title {}, ",
        part, kPlotColors[part], plot_quote(name));
  }
  plot.body += fmt::format("$ends using 2:1:3 with labels left offset 0.6,0 noenhanced textcolor rgb '{}' notitle\n",
                           kPlotText);
  return plot;
}

}  // namespace cmc
