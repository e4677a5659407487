#pragma once

#include <set>
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

// The kind of "error" of a run that ends in none.
inline constexpr const char* kNoError = "none";

inline constexpr size_t kMostTrailBytes = size_t{1} << 30;  // of a file, which may have no end (/dev/zero)

class Trail {
 public:
  Trail() = default;
  Trail(Trail&&) = default;  // texts stay where they are
  Trail& operator=(Trail&&) = default;

  std::string model_file;
  std::string model_sha1;
  std::vector<std::string> preprocessor;  // "-DN=3", "-UX", "-Ifolder" as on the command line
  bool escapes_like_java = false;         // -J
  std::vector<std::string> formulas;      // --ltl
  std::string steps;                      // "spin" or "statement": what `depth` counts
  Fairness fairness = Fairness::kNone;    // which runs counted
  Report::ErrorEntry error;               // with the property that it violates: safety, if the trail names none
  size_t loop_start = FoundError::kNoLoop;

  void add(const Step& step, StepText text);
  [[nodiscard]] const std::vector<Step>& path() const { return path_; }
  [[nodiscard]] const StepText& text_of(size_t step) const { return *texts_[step]; }

 private:
  std::vector<Step> path_;
  std::set<StepText> distinct_;         // each text once: a path of many thousand steps has a few
  std::vector<const StepText*> texts_;  // by step
};

[[nodiscard]] std::string trail_json(const Trail& trail);

// Accepts any text: what is no trail yields an error that says what is wrong and where. Texts for people may be
// missing. Memory: a few times the size of the text.
[[nodiscard]] Result<Trail> parse_trail(std::string_view text);

}  // namespace cmc
