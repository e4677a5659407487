#pragma once

#include <atomic>
#include <optional>

#include "checker/check/model_file.h"
#include "checker/cli/options/options.h"
#include "checker/cli/output.h"
#include "checker/spin/arguments.h"

namespace cmc {

// The options of a command of CMC for the same model.
[[nodiscard]] Options spin_options(const spin::SpinArguments& arguments);

// The model with what the arguments add to it. None: there was an error, which was told as SPIN tells it, on standard
// output.
[[nodiscard]] std::optional<LoadedModel> load_for_spin(const spin::SpinArguments& arguments, Output& output);

// `spin -run`, and what a pan.c of `cmc spin -a` does: checks, prints the result as SPIN's verifier does, and writes
// SPIN's trails into the current folder. Returns 0, or 1 if it could not be done.
[[nodiscard]] int run_verifier(const spin::SpinArguments& arguments, Output& output,
                               const std::atomic<bool>& interrupted);

}  // namespace cmc
