#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "checker/generator/generator.h"
#include "checker/report/report.h"
#include "checker/trace/step_text.h"

// Trail files: a counterexample on disk, JSON, schema cmc.trail/1 (README.md). The texts in it are for people; what
// counts are the pids, locations and edge numbers, and each of them is checked against the model when the trail is
// replayed.

namespace cmc {

struct Trail {
  // A text of more than kLongText bytes is in `texts`, once, and empty here.
  static constexpr size_t kLongText = 80;
  struct Entry {
    Step step;
    StepText text;
    std::optional<size_t> long_text;     // its number in `texts`
    std::optional<size_t> partner_text;  // likewise, of the receiver of a rendezvous
  };
  std::string model_file;
  std::string model_sha1;
  std::vector<std::string> preprocessor;  // "-DN=3", "-UX", "-Ifolder" as on the command line
  bool escapes_like_java = false;         // -J
  std::vector<std::string> formulas;      // --ltl
  std::string steps;                      // "spin" or "statement": what `depth` counts
  Fairness fairness = Fairness::kNone;    // which runs counted
  Report::ErrorEntry error;               // with the property that it violates: safety, if the trail names none
  size_t loop_start = FoundError::kNoLoop;
  std::vector<Entry> path;
  std::vector<std::string> texts;

  void add(const Step& step, StepText text);

 private:
  std::optional<size_t> keep_if_long(std::string& text);

  std::map<std::string, size_t> numbers_;  // of texts
};

[[nodiscard]] std::string trail_json(const Trail& trail);

// Accepts any text: what is no trail yields an error that says what is wrong and where. Texts for people may be
// missing. Memory: a few times the size of the text.
[[nodiscard]] Result<Trail> parse_trail(std::string_view text);

}  // namespace cmc
