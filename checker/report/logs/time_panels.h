#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checker/report/logs/time_series.h"
#include "checker/report/style/plot.h"

namespace cmc {

// A curve of a panel.
struct PlotLine {
  const char* title;
  const char* color;
  std::function<double(const TimeSeriesRow&)> value;
  bool filled = false;
};

[[nodiscard]] double highest_value(const std::vector<TimeSeriesRow>& rows, const std::vector<PlotLine>& lines);

// A plot of panels above each other with one time axis. Bands behind the curves are phases of the search; in the
// first panel it is marked when the search began again, when the caches were full, and when the disk was asked first.
class TimePanels {
 public:
  // REQUIRES: there are rows.
  TimePanels(const std::vector<TimeSeriesRow>& rows, std::string_view title, unsigned panels);

  void add(const std::vector<PlotLine>& lines, const Tics& tics, std::string_view axis);

  // After `panels` calls of add().
  [[nodiscard]] Plot finish(std::string name, unsigned height) const;

 private:
  // Time spans with the same phase; the usual one has none.
  struct Band {
    double begin;
    double end;
    std::string phase;
  };
  void find_bands();
  void draw_bands();
  [[nodiscard]] std::string band_legend() const;
  void draw_events();

  const std::vector<TimeSeriesRow>& rows_;
  unsigned panels_;
  PlotUnit unit_;
  Tics times_;
  unsigned drawn_ = 0;
  std::vector<Band> bands_;
  std::map<std::string, std::string> colors_;  // of phases
  std::vector<std::string> order_;             // of phases, as they came
  std::string data_;
  std::string text_;
};

}  // namespace cmc
