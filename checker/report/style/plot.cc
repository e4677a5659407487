#include "checker/report/style/plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "checker/report/style/style.h"

namespace cmc {
namespace {

constexpr double kPixelsPerInch = 96;

std::string tic_label(double value, double step) {
  if (value > 1e18) return fmt::format("{:.3g}", value);  // beyond 64 bits
  if (step >= 1) return format_count(static_cast<uint64_t>(std::llround(value)));
  return fmt::format("{:.{}f}", value, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
}

}  // namespace

std::string plot_quote(std::string_view text) {
  static constexpr Escape kEscapes[] = {{'\'', "''"}};
  return "'" + escaped(text, kEscapes, " ") + "'";
}

std::string plot_tic_quote(std::string_view text) { return plot_quote(replaced(text, '%', "%%")); }

std::string plot_data_quote(std::string_view text) {
  static constexpr Escape kEscapes[] = {{'"', " "}, {'\\', " "}};
  return '"' + escaped(text, kEscapes, " ") + '"';
}

std::string plot_file_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.';
    name += plain ? c : '_';
  }
  if (name.empty() || name.front() == '.' || name.front() == '-') name.insert(0, 1, '_');
  return name;
}

namespace {

// At the lower left; too long a note loses its middle.
std::string note_label(const Plot& plot) {
  constexpr double kPixelsPerLetter = 6.4;
  constexpr double kPixelsAbove = 10;
  const auto most = static_cast<size_t>(plot.width / kPixelsPerLetter);
  return fmt::format("set label 99 {} at screen 0.008,{:.5f} left noenhanced font ',8' textcolor rgb '#777777'\n",
                     plot_data_quote(cut_in_middle(plot.note, most)), kPixelsAbove / plot.height);
}

}  // namespace

std::string plot_script(const Plot& plot) {
  // The SVG has no "dynamic" size, so that text stays as large as it is meant to be.
  return fmt::format(
      "# Drawn by: gnuplot {0}.gp\n"
      "{6}"
      "set encoding utf8\n"
      "do for [format in 'svg png pdf'] {{\n"
      "reset\n"
      "if (format eq 'svg') {{\n"
      "  set terminal svg size {1},{2} enhanced font 'DejaVu Sans,13' background '#ffffff'\n"
      "}}\n"
      "if (format eq 'pdf') {{\n"
      "  set terminal pdfcairo size {7:.2f},{8:.2f} enhanced font 'DejaVu Sans,10.5' background '#ffffff'\n"
      "}}\n"
      "if (format eq 'png') {{\n"
      "  set terminal pngcairo size {1},{2} enhanced font 'DejaVu Sans,10.5' background '#ffffff'\n"
      "}}\n"
      "set output {3}.'.'.format\n"
      "set border 3 linecolor rgb '#888888'\n"
      "set tics nomirror out textcolor rgb '{4}'\n"
      "set grid ytics linetype 1 linecolor rgb '#e4e4e4' linewidth 0.8\n"
      "set key noenhanced reverse Left textcolor rgb '{4}'\n"
      "{9}{5}"
      "unset output\n"
      "}}\n",
      plot.name, plot.width, plot.height, plot_quote(plot.name), kPlotText, plot.body, plot.data,
      plot.width / kPixelsPerInch, plot.height / kPixelsPerInch, plot.note.empty() ? "" : note_label(plot));
}

Tics linear_tics(double most, double scale, unsigned wanted) {
  const double range = std::max(most / scale, 1e-9);
  const double rough = range / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * 0.999) {
      step = factor * power;
      break;
    }
  }
  Tics tics;
  const auto count = static_cast<unsigned>(std::ceil(range / step - 1e-6));
  std::string list;
  std::string unlabelled;
  for (unsigned i = 0; i <= count; ++i) {
    unlabelled += fmt::format("{}'' {:.10g}", i == 0 ? "" : ", ", i * step * scale);
    list += fmt::format("{}'{}' {:.10g}", i == 0 ? "" : ", ", tic_label(i * step, step), i * step * scale);
  }
  tics.end = count * step * scale;
  tics.list = "(" + list + ")";
  tics.unlabelled = "(" + unlabelled + ")";
  return tics;
}

Tics logarithmic_tics(double most) {
  Tics tics;
  std::string list;
  tics.end = 1;
  for (;;) {
    list += fmt::format("{}'{}' {:.0f}", list.empty() ? "" : ", ", format_count(static_cast<uint64_t>(tics.end)),
                        tics.end);
    if (tics.end >= most || tics.end >= 1e18) break;
    tics.end *= 10;
  }
  tics.list = "(" + list + ")";
  return tics;
}

PlotUnit time_unit(double seconds) {
  if (seconds < 300) return {"seconds", 1};
  if (seconds < 3 * 3600) return {"minutes", 60};
  return {"hours", 3600};
}

PlotUnit memory_unit(double bytes) {
  if (bytes < 4096) return {"bytes", 1};
  if (bytes < 4096.0 * 1024) return {"KB", 1024};
  if (bytes < 4096.0 * 1024 * 1024) return {"MB", 1024.0 * 1024};
  return {"GB", 1024.0 * 1024 * 1024};
}

}  // namespace cmc
