#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checker/generator/generator.h"
#include "checker/report/step_text.h"
#include "checker/report/step_values.h"
#include "checker/report/style.h"
#include "ir/model.h"
#include "ir/state_printer.h"

// Prints a run, step by step, for people. It decodes the states before and behind every step, so it is slow (some
// thousand steps a second); `shown_last` keeps long counterexamples readable.

namespace cmc {

enum class TraceStyle : uint8_t {
  kDiff,     // one line per step, with the values that changed
  kFull,     // the same, and the whole state behind each step
  kColumns,  // one column per process, as in message sequence charts
};

struct TraceOptions {
  TraceStyle style = TraceStyle::kDiff;
  uint64_t shown_last = 0;    // of so many steps only the last ones are shown; 0: all
  uint64_t total_steps = 0;   // needed for shown_last; 0: not known
  bool show_printed = false;  // what the model prints
};

struct TraceStep {
  uint64_t index = 0;  // from 0; of a move of the claim, which has no number, that of the next step
  Step step;
  ByteView before;
  ByteView after;  // empty: an error cut the step
  std::span<const RuntimeError> errors;
  std::vector<std::string> remarks = {};  // shown behind what changed
};

class TracePrinter {
 public:
  using Sink = std::function<void(std::string_view)>;
  TracePrinter(const Model& model, TraceOptions options, const Palette& palette, Sink sink);

  void step(const TraceStep& step);
  // A line between two steps.
  void mark(std::string_view text);

  // Prints the text that the style holds back until the end.
  void flush();
  // flush(), then the whole state.
  void finish(ByteView final_state, std::string_view heading = "final state:");

 private:
  struct Row {  // kColumns
    uint64_t index = 0;
    std::map<uint8_t, std::string> cells;
    std::string note;      // on a line of its own below
    bool is_mark = false;  // `note` is all
  };

  void print_line(const TraceStep& step, const StepText& text, const StateImage& before, const StateImage& after);
  [[nodiscard]] std::string note_line(const std::string& text) const;
  [[nodiscard]] std::string error_line(const RuntimeError& error) const;
  void add_row(const TraceStep& step, const StepText& text, const StateImage& before, const StateImage& after);
  void print_rows();

  const Model& model_;
  TraceOptions options_;
  const Palette& palette_;
  Sink sink_;
  size_t process_width_ = 0;
  size_t place_width_ = 0;
  std::map<uint8_t, std::string> column_names_;
  std::vector<Row> rows_;
};

// "x: 0 -> 1", "P[2] starts", "P[2].n: 1", "q: [1] -> [1] [2]": what differs, in the order of the state vector.
// `without` is the name of a channel that is not mentioned.
[[nodiscard]] std::vector<std::string> describe_changes(const StateImage& before, const StateImage& after,
                                                        std::string_view without = "");

// The whole state, several lines, each indented.
[[nodiscard]] std::string state_text(const Model& model, const StateImage& image, size_t indent);

}  // namespace cmc
