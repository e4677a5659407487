#pragma once

#include <string>

#include "checker/spin/arguments.h"

namespace cmc::spin {

// The text of pan.c, as `spin -a` leaves one: a C program that hands its compile-time switches and its arguments to
// `program` (an absolute path of cmc), which verifies the model.
[[nodiscard]] std::string verifier_source(const std::string& program, const SpinArguments& arguments);

// A script for the shell that does the same: what `spin -run` leaves as pan, with the switches of that run.
[[nodiscard]] std::string verifier_script(const std::string& program, const SpinArguments& arguments);

}  // namespace cmc::spin
