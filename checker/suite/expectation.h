#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/result.h"
#include "checker/result/result.h"

// What a model says about itself: lines `expect:` in its text. docs/testing.md has their grammar; `cmc test` and the
// scripts under tests/ read them through this header only.

namespace cmc::suite {

// Figures of the whole state space. None: the line does not state it.
struct Figures {
  std::optional<uint64_t> states;
  std::optional<uint64_t> transitions;
  std::optional<uint64_t> errors;

  [[nodiscard]] bool any() const { return states || transitions || errors; }
};

// One expectation: what one run must find.
struct Expectation {
  enum class Claim : uint8_t {
    kVerdict,
    kStates,     // there are at least `number` states
    kReached,    // nothing on line `number` of the model is listed as unreached
    kTeeth,      // the properties notice `number` percent of the mutants
    kExplained,  // the model has a run that explains `logs`, or none
    kNotExplained,
  } claim = Claim::kVerdict;
  uint64_t number = 0;                // 0: of a claim without one
  std::vector<std::string> logs;      // as the line names them, beside the model
  Verdict verdict = Verdict::kHolds;  // of kVerdict
  std::vector<std::string> kinds;     // of errors, sorted; empty and violated: any
  std::vector<std::string> options;   // of `cmc check`, each one word: "-DN=3", "--steps=path"
  Figures figures;
  bool slow = false;
  bool solver = false;  // the scripts that compare with SPIN leave these two out
  bool only_cmc = false;

  [[nodiscard]] bool has_logs() const { return claim == Claim::kExplained || claim == Claim::kNotExplained; }
  // Which command decides it: check, mutate, conform.
  [[nodiscard]] const char* command() const;
  // What it is given, options about the whole state space first.
  [[nodiscard]] std::vector<std::string> arguments() const;
};
inline constexpr EnumName<Expectation::Claim> kClaimNames[] = {
    {"verdict", Expectation::Claim::kVerdict},     {"states", Expectation::Claim::kStates},
    {"reached", Expectation::Claim::kReached},     {"teeth", Expectation::Claim::kTeeth},
    {"explained", Expectation::Claim::kExplained}, {"not-explained", Expectation::Claim::kNotExplained}};

// A line `expect:` of a text. `expectation` is an error if the line cannot be understood.
struct ExpectLine {
  uint32_t line = 0;  // from 1
  std::string text;   // behind "expect:"
  Result<Expectation> expectation;
};

// Words behind "expect:". Error: what is wrong, and what could be meant.
[[nodiscard]] Result<Expectation> parse_expectation(std::string_view text);

// The lines of a text in their order. A line `expect: nothing` says that the text is no model to test: it stands for
// no expectation.
struct ExpectLines {
  bool nothing = false;
  std::vector<ExpectLine> lines;
};
[[nodiscard]] ExpectLines find_expectations(std::string_view model_text);

// An error's kind as expectations name it: "assertion", "end-state", "blocked-d_step"; from the JSON result's name.
[[nodiscard]] std::string short_kind(std::string_view json_kind);

}  // namespace cmc::suite
