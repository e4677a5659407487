#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/report/style/style.h"
#include "checker/suite/outcome.h"

// A run of `cmc test`: many models, each with its expectations. One object, from which every report is made, so that
// no two of them can disagree.

namespace cmc::suite {

struct Case {
  enum class Status : uint8_t {
    kOpen,     // has not run: the run was interrupted
    kPassed,   // what was expected
    kFailed,   // something else
    kError,    // no verdict: the model cannot be read, the line is not understood, the check crashed or was killed
    kLeftOut,  // marked slow
  };

  std::string model;
  uint32_t line = 0;  // of the expectation; 0: the model itself
  std::string text;   // of the expectation
  std::optional<Expectation> expectation;
  std::vector<std::string>
      arguments;  // behind `cmc check MODEL`, mutate or conform, as far as they decide what is found
  Status status = Status::kOpen;
  std::vector<std::string> messages;  // what differs, what went wrong
  std::optional<Outcome> outcome;
  std::optional<Outcome::Finding> mistake;  // the first error in the model's text
  bool remembered = false;                  // the outcome is that of an earlier run
  double seconds = 0;

  // The model, and the logs beside it: what the command is given last.
  [[nodiscard]] std::vector<std::string> paths() const;
  // Otherwise the model cannot be read, there is no such file, or it says nothing about what is expected.
  [[nodiscard]] bool is_expectation() const { return line > 0; }
};

struct Suite {
  std::vector<Case> cases;  // those of one model stand together
  double seconds = 0;
  bool interrupted = false;
  bool running = false;  // has not ended: what files say until the end

  [[nodiscard]] size_t count(Case::Status status) const;
};

[[nodiscard]] const char* status_name(Case::Status status);  // "passed", "failed", "error", "left out", "open"

// For people: a row, and what is wrong with it below; the last line. All end with a newline.
[[nodiscard]] std::string case_text(const Case& each, const Palette& palette);
[[nodiscard]] std::string summary_text(const Suite& suite, const Palette& palette);

// For programs. Texts of models may be in any encoding; these are valid UTF-8.
[[nodiscard]] std::string suite_json(const Suite& suite);       // cmc.test/1 (docs/testing.md)
[[nodiscard]] std::string junit_xml(const Suite& suite);        // a testsuite for each model
[[nodiscard]] std::string sarif_json(const Suite& suite);       // SARIF 2.1.0 (OASIS, 2020): what failed
[[nodiscard]] std::string github_annotation(const Case& each);  // workflow command ::error; empty: nothing is wrong

}  // namespace cmc::suite
