#include "checker/report/logs/time_panels.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "checker/result/progress.h"

namespace cmc {
namespace {

constexpr double kLeft = 0.135;  // of the width: where the axes of all panels begin
constexpr double kRight = 0.965;
constexpr double kTop = 0.875;  // of the height, from below: where the panels begin and end
constexpr double kBottom = 0.075;
constexpr double kGap = 0.055;  // between panels: room for a legend
constexpr size_t kMaxBands = 2000;
constexpr double kTicsInView = 8;
constexpr double kMostTics = 5000;  // of an axis of which a part is in view
constexpr const char* kNoFigures = "no figures";
constexpr const char* kBandColors[] = {"#fdeeda", "#e3eefc", "#e6f5ea", "#f7e3f0", "#f2f2d5", "#eaeaea"};

// The rows of a series as columns of numbers: time first, then the lines.
std::string data_block(const std::string& name, const std::vector<TimeSeriesRow>& rows,
                       const std::vector<PlotLine>& lines) {
  std::string text = fmt::format("${} << END\n", name);
  const TimeSeriesRow* before = nullptr;
  for (const TimeSeriesRow& row : rows) {
    if (before != nullptr && is_gap(*before, row)) text += '\n';  // which interrupts the curve
    before = &row;
    text += fmt::format("{:.3f}", row.seconds);
    for (const PlotLine& line : lines) text += fmt::format(" {:.10g}", line.value(row));
    text += '\n';
  }
  return text + "END\n";
}

// The partitions of a look-up have one color.
std::string without_number(const std::string& phase) {
  return phase.starts_with("looking up partition ") ? "looking up partitions" : phase;
}

}  // namespace

double highest_value(const std::vector<TimeSeriesRow>& rows, const std::vector<PlotLine>& lines) {
  double most = 0;
  for (const TimeSeriesRow& row : rows) {
    for (const PlotLine& line : lines) most = std::max(most, line.value(row));
  }
  return most;
}

TimePanels::TimePanels(const std::vector<TimeSeriesRow>& rows, std::string_view title, unsigned panels)
    : rows_(rows), panels_(panels), unit_(time_unit(rows.back().seconds)) {
  const double begin = rows.front().seconds;
  const double seconds = std::max(rows.back().seconds, begin + 0.001);
  const double tics = std::min(kMostTics, kTicsInView * seconds / (seconds - begin));
  times_ = linear_tics(seconds, unit_.scale, static_cast<unsigned>(tics));
  text_ = fmt::format(
      "set multiplot\n"
      "set label 1 {} at screen {},0.975 left noenhanced font ',15' textcolor rgb '{}'\n"
      "set lmargin at screen {}\nset rmargin at screen {}\n"
      "set xrange [{:.10g}:{:.10g}]\n",
      plot_quote(title), kLeft, kPlotText, kLeft, kRight, begin, seconds);
  find_bands();
  draw_bands();
}

void TimePanels::add(const std::vector<PlotLine>& lines, const Tics& tics, std::string_view axis) {
  const double slot = (kTop - kBottom + kGap) / panels_;
  const double top = kTop - drawn_ * slot;
  const double bottom = top - slot + kGap;
  const bool first = drawn_ == 0;
  const bool last = drawn_ + 1 == panels_;
  const std::string name = fmt::format("panel{}", drawn_++);
  data_ += data_block(name, rows_, lines);
  text_ += fmt::format("set tmargin at screen {:.4f}\nset bmargin at screen {:.4f}\n", top, bottom);
  text_ += fmt::format("set yrange [0:{:.10g}]\nset ytics {}\n", tics.end, tics.list);
  text_ += fmt::format("set label 2 {} at screen 0.016,{:.4f} center rotate noenhanced textcolor rgb '{}'\n",
                       plot_quote(axis), (top + bottom) / 2, kPlotText);
  // The legend is above the axes, where no curve can be.
  text_ += fmt::format("set key at screen {},{:.4f} right bottom horizontal samplen 2.5 width 1\n", kRight,
                       first ? 0.927 : top + 0.006);
  text_ += fmt::format("set xtics {}\n", last ? times_.list : times_.unlabelled);
  if (first) draw_events();
  if (last) {
    text_ += fmt::format("set xlabel {} offset 0,0.5 textcolor rgb '{}'\n",
                         plot_quote(fmt::format("time ({})", unit_.name)), kPlotText);
  }
  std::string plots;
  for (size_t i = 0; i < lines.size(); ++i) {
    const PlotLine& line = lines[i];
    if (line.filled) {
      plots += fmt::format(
          "${} using 1:{} with filledcurves x1 fillstyle transparent solid 0.15 noborder fillcolor rgb '{}' "
          "notitle, ",
          name, i + 2, line.color);
    }
    plots += fmt::format("${} using 1:{} with lines linewidth 2 linecolor rgb '{}' title {}, ", name, i + 2,
                         line.color, plot_quote(line.title));
  }
  if (first) plots += band_legend();
  text_ += "plot " + plots.substr(0, plots.size() - 2) + "\nunset label\nunset arrow\n";
}

Plot TimePanels::finish(std::string name, unsigned height) const {
  CHECK(drawn_ == panels_);
  return {std::move(name), 1000, height, data_, text_ + "unset multiplot\n"};
}

void TimePanels::find_bands() {
  for (size_t i = 0; i + 1 < rows_.size(); ++i) {
    const std::string phase = is_gap(rows_[i], rows_[i + 1]) ? kNoFigures : without_number(rows_[i].phase);
    if (phase.empty() || phase == StoreProgress().phase || phase == "end") continue;
    if (!bands_.empty() && bands_.back().phase == phase && bands_.back().end == rows_[i].seconds) {
      bands_.back().end = rows_[i + 1].seconds;
    } else {
      bands_.push_back({rows_[i].seconds, rows_[i + 1].seconds, phase});
    }
  }
  if (bands_.size() > kMaxBands) bands_.clear();
}

void TimePanels::draw_bands() {
  size_t number = 1;
  for (const Band& band : bands_) {
    const char* color = kBandColors[std::min(colors_.size(), std::size(kBandColors) - 1)];
    const auto [found, is_new] = colors_.try_emplace(band.phase, color);
    if (is_new) order_.push_back(band.phase);
    text_ += fmt::format(
        "set object {} rectangle from first {:.3f}, graph 0 to first {:.3f}, graph 1 behind fillstyle solid 1 "
        "noborder "
        "fillcolor rgb '{}'\n",
        number++, band.begin, band.end, found->second);
  }
}

std::string TimePanels::band_legend() const {
  std::string text;
  for (const std::string& phase : order_) {
    text += fmt::format(
        "keyentry with boxes fillstyle solid 1 border linecolor rgb '#bbbbbb' fillcolor rgb '{}' title {}, ",
        colors_.at(phase), plot_quote(phase));
  }
  return text;
}

// When something happened for the first time: a dotted line with a few words above it, each at a height of its own.
void TimePanels::draw_events() {
  using Row = TimeSeriesRow;
  struct Event {
    const char* text;
    bool (*has_happened)(const Row& row, const Row& before);
  };
  static constexpr Event kEvents[] = {
      {"begins again", [](const Row& row, const Row& before) { return row.visited < before.visited; }},
      {"reclaiming starts", [](const Row& row, const Row&) { return row.reclaimed > 0; }},
      {"first look-up on disk", [](const Row& row, const Row&) { return row.pages_read > 0; }}};
  unsigned number = 1;
  for (const Event& event : kEvents) {
    const Row* before = &rows_.front();
    const auto row = std::ranges::find_if(
        rows_, [&](const Row& each) { return event.has_happened(each, *std::exchange(before, &each)); });
    if (row == rows_.end()) continue;
    if (row == rows_.begin()) continue;  // it had happened before
    const double begin = rows_.front().seconds;
    const bool late = row->seconds - begin > 0.75 * (rows_.back().seconds - begin);
    text_ += fmt::format(
        "set arrow {0} from first {1:.3f}, graph 0 to first {1:.3f}, graph 1 nohead dashtype 3 linewidth 1.5 "
        "linecolor rgb '#555555'\n"
        "set label {2} {3} at first {1:.3f}, graph 1 offset 0,{4:.1f} {5} font ',10' textcolor rgb '#555555'\n",
        number, row->seconds, number + 10, plot_quote(event.text), 0.5 + 0.9 * (number - 1), late ? "right" : "left");
    ++number;
  }
}

}  // namespace cmc
