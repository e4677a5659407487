#include "checker/cli/watch.h"

#include <cstdlib>

#include <fmt/format.h>

#include "base/process_memory.h"
#include "checker/cli/signals.h"
#include "checker/report/style/style.h"

namespace cmc {
namespace {

bool shows_line(const Options& options) {
  if (options.output.progress_json) return false;
  const bool wanted = is_terminal(stderr) && options.output.verbosity != Verbosity::kQuiet;
  return options.output.progress == When::kAlways || (options.output.progress == When::kAuto && wanted);
}

// All that looks on: several observers as one.
class Watch final : public SearchObserver {
 public:
  Watch(const Options& options, const SearchStart& start, TimeSeriesWriter* series)
      : options_(options), label_(start.label), meter_(start.in_levels) {
    if (shows_line(options_)) line_.emplace(stderr, is_terminal(stderr), terminal_columns(), label_, start.in_levels);
    if (options_.output.progress_json) lines_.emplace(stderr, label_, start.in_levels);
    if (series != nullptr) recorder_.emplace(*series);
  }

  void on_progress(const Progress& progress) override {
    const Pulse& pulse = meter_.update(progress);
    if (line_) line_->on_progress(progress);
    if (lines_) lines_->on_progress(progress);
    if (recorder_) recorder_->on_progress(progress);
    if (!take_report_request()) return;
    if (line_) line_->erase();
    complain(progress_report(progress, pulse, label_));
  }

  void on_wait() override {
    if (line_) line_->erase();
  }

  void on_restart(uint64_t states) override {
    if (lines_) return lines_->on_restart(states);
    if (options_.output.verbosity == Verbosity::kQuiet) return;
    if (line_) line_->erase();
    complain(
        fmt::format("memory is scarce after {}; the search begins again with the disk", plural(states, "state")));
  }

 private:
  const Options& options_;
  std::string label_;
  PulseMeter meter_;
  std::optional<ProgressLine> line_;
  std::optional<ProgressLines> lines_;
  std::optional<TimeSeriesRecorder> recorder_;
};

// The first row of a series is the initial state, its last one the end; between them come what the search tells.
void begin_series(TimeSeriesWriter& series) {
  Progress start;
  start.states = 1;
  start.open_states = 1;
  series.add(series_row(start, resident_bytes()));
}

void finish_series(TimeSeriesWriter& series, const SearchResult& result) {
  Progress end;
  end.phase = "end";
  end.states = result.states_stored;
  end.transitions = result.transitions;
  end.elapsed_seconds = result.wall_seconds;
  if (result.statistics.store) {
    const StoreFigures& store = *result.statistics.store;
    end.lossy_entries = store.lossy_left;
    end.lossy_capacity = store.lossy_capacity;
    end.reclaimed = store.reclaimed;
    end.pages_written = store.pages_written;
    end.pages_read = store.pages_read;
  }
  series.add(series_row(end, resident_bytes()));
}

}  // namespace

void CheckWatch::on_note(Importance importance, const std::string& text) {
  const bool shown = importance == Importance::kWarning || options_.output.verbosity == Verbosity::kVerbose ||
                     (importance == Importance::kNote && options_.output.verbosity != Verbosity::kQuiet);
  if (shown) complain(text);
}

std::unique_ptr<SearchObserver> CheckWatch::on_search(const SearchStart& start) {
  TimeSeriesWriter* const series = start.first ? series_ : nullptr;
  if (series != nullptr) begin_series(*series);
  return std::make_unique<Watch>(options_, start, series);
}

void CheckWatch::on_search_end(const SearchStart& start, const SearchResult& result) {
  if (start.first && series_ != nullptr) finish_series(*series_, result);
}

void CheckWatch::on_violation(const std::string& label, const std::string& title, double most_seconds) {
  const std::string text = fmt::format("an error was found: {}; looking for a shorter counterexample, {} at most",
                                       title, format_seconds(most_seconds));
  if (shows_line(options_)) {
    line_.emplace(stderr, is_terminal(stderr), terminal_columns(), label);
    line_->show(text);
  } else if (options_.output.verbosity != Verbosity::kQuiet && !options_.output.progress_json) {
    complain(label.empty() ? text : fmt::format("{}: {}", label, text));
  }
}

void CheckWatch::on_wrong_plugin(const std::string& difference) {
  complain(difference);
  std::_Exit(kExitUsage);
}

}  // namespace cmc
