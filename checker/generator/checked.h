#pragma once

#include <functional>
#include <memory>
#include <string>

#include "checker/generator/generator.h"

// Runs two generators side by side and compares everything that they say: states, order, steps, errors, flags. Hands
// out what the subject says.

namespace cmc {

// The first difference between two batches, in words; empty if there is none.
[[nodiscard]] std::string describe_difference(const SuccessorBatch& subject, const SuccessorBatch& reference);

// `report` is called at every call whose batches differ. Without it, a difference is printed to stderr and is an
// internal error.
[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_checked_generator(
    std::unique_ptr<SuccessorGenerator> subject, std::unique_ptr<SuccessorGenerator> reference,
    std::function<void(const std::string&)> report = {});

}  // namespace cmc
