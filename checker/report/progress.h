#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "checker/report/estimate.h"
#include "checker/result/progress.h"

namespace cmc {

// What several looks at a search tell: how fast it is, and how large it will be.
struct Pulse {
  double states_per_second = 0;        // over about the last second
  double pages_read_per_second = 0;    // the same
  std::optional<StateEstimate> total;  // none: unknown
  // At the present rate. None: unknown.
  struct SecondsLeft {
    double low = 0;
    double high = 0;
  };
  std::optional<SecondsLeft> seconds_left = {};
  // What the search will have on disk, if its states take as much there as they do now. None: unknown.
  struct DiskBytes {
    uint64_t low = 0;
    uint64_t high = 0;
  };
  std::optional<DiskBytes> disk = {};
};

class PulseMeter {
 public:
  // `in_levels`: the search goes level by level.
  explicit PulseMeter(bool in_levels) : estimator_(in_levels) {}

  const Pulse& update(const Progress& progress);

 private:
  void update_rates(const Progress& progress);

  StateEstimator estimator_;
  Pulse pulse_;
  double since_seconds_ = 0;
  uint64_t since_states_ = 0;
  uint64_t since_pages_ = 0;
};

// "1,234,567 states (of 1.9M to 2.6M, 0.8 s to 1.7 s left), 40,000 open, 812,000 states/s, depth 4,711, 120.3 MB, 3
// s", cut to `columns` characters. In front of it the phase, if it is another one than searching; with files on
// disk behind it their size, and with a store candidates, how full the lossy table is, and pages.
[[nodiscard]] std::string progress_text(const Progress& progress, const Pulse& pulse, size_t columns);

// One line of JSON, schema cmc.progress/1 (docs/long-runs.md). `label`: what is searched for; may be empty.
[[nodiscard]] std::string progress_json(const Progress& progress, const Pulse& pulse, const std::string& label);

// The report so far, for who asks while the search runs: lines of text.
[[nodiscard]] std::string progress_report(const Progress& progress, const Pulse& pulse, const std::string& label);

// Shows where a search is: on a terminal one line that is written over and erased at the end, elsewhere a line every
// ten seconds.
class ProgressLine final : public SearchObserver {
 public:
  // `label`, unless empty, stands in front: "ltl_0: ".
  ProgressLine(std::FILE* stream, bool terminal, size_t columns, const std::string& label = "",
               bool in_levels = false)
      : stream_(stream),
        terminal_(terminal),
        columns_(columns),
        label_(label.empty() ? "" : label + ": "),
        meter_(in_levels) {}
  ~ProgressLine() override { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void on_progress(const Progress& progress) override;
  // Shows a text instead of figures, on a terminal only.
  void show(std::string_view text);
  void erase();

 private:
  void write(std::string_view text);

  std::FILE* stream_;
  bool terminal_;
  size_t columns_;
  std::string label_;
  bool visible_ = false;
  double last_line_seconds_ = 0;
  PulseMeter meter_;
};

// Writes a line of JSON each second, and one at the first look.
class ProgressLines final : public SearchObserver {
 public:
  ProgressLines(std::FILE* stream, std::string label, bool in_levels)
      : stream_(stream), label_(std::move(label)), meter_(in_levels) {}

  void on_progress(const Progress& progress) override;
  void on_restart(uint64_t states) override;

 private:
  std::FILE* stream_;
  std::string label_;
  PulseMeter meter_;
  std::optional<double> last_seconds_;
};

}  // namespace cmc
