#pragma once

#include <memory>
#include <optional>
#include <string>

#include "checker/check/observer.h"
#include "checker/cli/commands.h"
#include "checker/report/logs/time_series.h"
#include "checker/report/progress.h"

namespace cmc {

// A check that somebody watches: the progress line or lines, the time series, what SIGUSR1 asks for, and notes on
// standard error, as the options say.
class CheckWatch : public CheckObserver {
 public:
  explicit CheckWatch(const Session& session) : options_(session.options) {}
  // The first search is to be written there; null: none is.
  void record(TimeSeriesWriter* series) { series_ = series; }

  void on_note(Importance importance, const std::string& text) override;
  [[nodiscard]] std::unique_ptr<SearchObserver> on_search(const SearchStart& start) override;
  void on_search_end(const SearchStart& start, const SearchResult& result) override;
  // In the progress line if there is one, until a shorter counterexample is found; else as a line of standard error
  // that stays.
  void on_violation(const std::string& label, const std::string& title, double most_seconds) override;
  void on_violation_end() override { line_.reset(); }
  [[noreturn]] void on_wrong_plugin(const std::string& difference) override;

 private:
  const Options& options_;
  TimeSeriesWriter* series_ = nullptr;
  std::optional<ProgressLine> line_;  // of on_violation()
};

}  // namespace cmc
