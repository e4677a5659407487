#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/result/result.h"
#include "checker/suite/expectation.h"

// What a check found, as far as expectations speak of it.

namespace cmc::suite {

struct Outcome {
  // Of one error or reason; not remembered.
  struct Finding {
    std::string message;
    std::string file;  // empty: no place
    uint32_t line = 0;
  };

  Verdict verdict = Verdict::kIncomplete;
  std::vector<std::string> kinds;  // of the errors, as short_kind() names them; sorted
  uint64_t states = 0;
  uint64_t transitions = 0;
  uint64_t errors = 0;
  std::optional<std::set<uint32_t>> unreached;  // lines of the model with something unreached; not remembered
  std::optional<double> teeth;                  // percent of the mutants that its properties notice
  std::optional<bool> explained;                // whether the model has a run that explains the log
  std::optional<Finding> finding;               // the first one
  std::string cut;                              // by which limit of time or memory; empty: by none. Not remembered
};

// Of a JSON result (cmc.result/1), of mutants (cmc.mutation/1): a score is there if all were run, or of a log
// (cmc.conformance/1). None: it is none of them, or of a run that has not ended.
[[nodiscard]] std::optional<Outcome> parse_result(std::string_view json);

// The first error in the model's text, of what `cmc check --json` says instead of a result (cmc.diagnostics/1). None:
// it is no such text.
[[nodiscard]] std::optional<Outcome::Finding> parse_mistake(std::string_view json);

// In words; empty: the expectation is met. Kinds and figures are compared only if the verdict is the expected one.
[[nodiscard]] std::vector<std::string> differences(const Expectation& expectation, const Outcome& outcome);

// Outcomes on disk (cmc.verdict/1). Only what is decided is remembered, "holds" and "violated", and only for a
// verdict or a number of states. `key` says what was checked, and how.
[[nodiscard]] std::string remembered_json(const std::string& key, const Outcome& outcome);
// None: the text is damaged, or of another key.
[[nodiscard]] std::optional<Outcome> parse_remembered(std::string_view json, const std::string& key);

}  // namespace cmc::suite
