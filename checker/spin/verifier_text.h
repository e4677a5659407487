#pragma once

#include <string>
#include <vector>

#include "checker/properties/decide.h"
#include "checker/report/report.h"
#include "checker/spin/arguments.h"

// What SPIN's verifier prints, from the results of a check: the lines that programs read, in its form.

namespace cmc::spin {

// An error and the trail that was written for it.
struct WrittenError {
  std::string text;  // "assertion violated (x==1)"
  uint64_t depth = 0;
  std::string trail_file;  // empty: none
};

// What the verifier says about an error of a search.
[[nodiscard]] std::string error_text(const PropertyResult& property, const FoundError& error);

struct VerifierRun {
  std::string claim;  // its name; empty: none runs
  size_t claims = 0;  // that the model has
  bool looks_for_cycles = false;
  std::vector<WrittenError> errors;
  uint64_t error_count = 0;  // with those that are not listed
};

[[nodiscard]] std::string verifier_text(const Report& report, const VerifierArguments& arguments,
                                        const VerifierRun& run);

// What SPIN's parser says about the formulas of a model: a line for each.
[[nodiscard]] std::string formulas_text(const Model& model);

// What `spin -a` says about a model with several claims: which one runs if nobody names one. Empty: it has not.
[[nodiscard]] std::string claims_text(const Model& model, const std::string& file);

}  // namespace cmc::spin
