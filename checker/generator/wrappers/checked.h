#pragma once

#include <functional>
#include <memory>
#include <string>

#include "checker/generator/generator.h"

// Runs two generators side by side and compares everything that they say: states, order, steps, errors, flags. Hands
// out what the subject says.

namespace cmc {

// Compares the portions of a batch, one after the other, with a batch that is whole, or that was `stopped`: then only
// as much is compared as is there. `expected` must outlive the comparison.
class BatchComparison {
 public:
  explicit BatchComparison(const SuccessorBatch& expected) : expected_(expected) {}

  // The first difference, in words; empty if there is none. After a portion without `more` nothing may be missing.
  [[nodiscard]] std::string add(const SuccessorBatch& portion);

 private:
  [[nodiscard]] std::string compare_entries(const SuccessorBatch& portion);
  [[nodiscard]] std::string compare_errors(const SuccessorBatch& portion);
  [[nodiscard]] std::string compare_end() const;

  const SuccessorBatch& expected_;
  size_t entries_ = 0;  // compared so far
  size_t errors_ = 0;
  bool endless_atomic_ = false;  // said by some portion
  bool holder_released_ = false;
  bool blocked_ = false;
  bool invalid_end_ = false;
};

// The first difference between two whole batches, in words; empty if there is none.
[[nodiscard]] std::string describe_difference(const SuccessorBatch& subject, const SuccessorBatch& reference);

// What the two are compared in, beside their batches.
enum class Compared : uint8_t { kBatches, kTouches };

// `report` is called at every call whose batches differ. Without it, a difference is printed to stderr and is an
// internal error. The subject may hand out portions; the reference must not. kTouches: both note the same components
// in the same order; the reference is one that can.
[[nodiscard]] std::unique_ptr<SuccessorGenerator> make_checked_generator(
    std::unique_ptr<SuccessorGenerator> subject, std::unique_ptr<SuccessorGenerator> reference,
    std::function<void(const std::string&)> report = {}, Compared compared = Compared::kBatches);

}  // namespace cmc
