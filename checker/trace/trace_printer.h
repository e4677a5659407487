#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checker/report/style/style.h"
#include "checker/trace/step_filter.h"
#include "checker/trace/trace.h"
#include "ir/model.h"

// Prints a run, step by step, for people.

namespace cmc {

enum class TraceStyle : uint8_t {
  kDiff,     // one line per step, with the values that changed
  kFull,     // the same, and the whole state behind each step
  kColumns,  // one column per process, as in message sequence charts
};

struct TraceOptions {
  TraceStyle style = TraceStyle::kDiff;
  bool show_printed = false;      // what the model prints
  bool fold = true;               // runs of local steps of one process become one line; not with kFull
  size_t width = 0;               // characters of a line; 0: no limit
  std::vector<std::string> only;  // names of processes, variables, channels; empty: every step is shown
};

class TracePrinter {
 public:
  using Sink = std::function<void(std::string_view)>;
  TracePrinter(const Model& model, TraceOptions options, const Palette& palette, Sink sink);

  // The state before the first step; `left_out` steps are in front of it.
  void start(const StateImage& state, uint64_t left_out);
  // One that is not `shown` is followed only.
  void step(const TraceStep& step, bool shown = true);
  // A line between two steps.
  void mark(std::string_view text);

  // Prints what the style holds back until the end, or folding until the next step.
  void flush();
  // flush(), then the whole state.
  void finish(const StateImage& final_state, std::string_view heading = "final state:");
  void explain(const Explanation& explanation);

 private:
  struct Row {  // kColumns
    uint64_t first = 0;
    uint64_t last = 0;
    std::map<uint8_t, std::string> cells;
    std::string note;      // on lines of its own below
    bool is_mark = false;  // `note` is all
  };

  void show(const TraceStep& step);
  void show_folded();
  void show_skipped();
  void release();
  void print_line(const TraceStep& step);
  [[nodiscard]] std::string notes_of(const TraceStep& step) const;
  [[nodiscard]] std::string line(const std::string& number, const StepText::Actor& actor, const std::string& place,
                                 const std::string& statement, const std::vector<std::string>& details) const;
  void name_column(const StepText::Actor& actor);
  void add_row(const TraceStep& step);
  void print_rows();
  void print_lanes();
  void print_row(const Row& row, const std::map<uint8_t, size_t>& widths);
  [[nodiscard]] std::map<uint8_t, size_t> column_widths() const;

  const Model& model_;
  TraceOptions options_;
  const Palette& palette_;
  Sink sink_;
  StepFilter filter_;
  size_t process_width_ = 0;
  size_t place_width_ = 0;
  StateImage state_;               // behind the last step, with kFull
  std::vector<TraceStep> folded_;  // local steps of one process that were not printed yet
  uint64_t skipped_ = 0;           // steps that the filter left out since the last line
  std::map<uint8_t, std::string> column_names_;
  std::vector<Row> rows_;
};

// The whole state, several lines, each indented and of at most `width` characters (0: about 100 where it can be).
[[nodiscard]] std::string state_text(const Model& model, const StateImage& image, size_t indent, size_t width = 0);

}  // namespace cmc
