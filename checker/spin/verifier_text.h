#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "checker/spin/arguments.h"

// What SPIN's verifier prints, from a result of `cmc check` (cmc.result/1): the lines that programs read, in its
// form.

namespace cmc::spin {

// An error and the trail that was written for it.
struct WrittenError {
  std::string text;  // "assertion violated (x==1)"
  uint64_t depth = 0;
  std::string trail_file;  // empty: none
};

[[nodiscard]] std::string error_text(const nlohmann::json& error);

// `claim`: its name; empty: none runs. `kind`: of the claim's property, "ltl" or "never claim".
struct VerifierRun {
  std::string claim;
  bool is_formula = false;
  std::vector<WrittenError> errors;
};

[[nodiscard]] std::string verifier_text(const nlohmann::json& result, const VerifierArguments& arguments,
                                        const VerifierRun& run);

}  // namespace cmc::spin
