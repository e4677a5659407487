#pragma once

#include <memory>
#include <string>

#include "checker/audit/model_text.h"
#include "checker/audit/pan_generator.h"
#include "checker/audit/refusal.h"
#include "checker/audit/state_vectors.h"
#include "checker/generator/generator.h"

namespace cmc::audit {

// From the key of a state to the keys of its successors, by way of the reference interpreter or of SPIN's verifier,
// and (C3). One a thread.
class Expander {
 public:
  // They live longer. `oracle`: instead of the interpreter; may be null.
  Expander(const Task& task, const StateVectors& vectors, const PanOracle* oracle);

  // The key of the initial state. (C1) is left to the caller.
  [[nodiscard]] Verdict initial(uint64_t* key);

  // Calls found(number) with each successor's number, whose key is in key(). Found returns false to end it.
  template <class Found>
  [[nodiscard]] Verdict expand(const uint64_t* key, Found&& found) {
    if (Verdict refusal = begin(key)) return refusal;
    transitions_ += batch_.entries.size();
    for (size_t i = 0; i < batch_.entries.size(); ++i) {
      if (Verdict refusal = pack(i)) return refusal;
      if (!found(i)) return std::nullopt;
    }
    return std::nullopt;
  }
  [[nodiscard]] const uint64_t* key() const { return key_.data(); }
  // (C2): this successor of the state that was expanded last is not in the certificate.
  [[nodiscard]] Refusal not_there(size_t number) const;
  // The state with this key, for people.
  [[nodiscard]] std::string describe(const uint64_t* key);

  [[nodiscard]] uint64_t transitions() const { return transitions_; }

 private:
  [[nodiscard]] Verdict begin(const uint64_t* key);
  [[nodiscard]] Verdict pack(size_t number);
  [[nodiscard]] Verdict errors() const;
  [[nodiscard]] std::string state_text() const;
  [[nodiscard]] std::string steps_text(std::span<const Step> steps) const;

  const Task& task_;
  const StateVectors& vectors_;
  const std::unique_ptr<SuccessorGenerator> interpreter_;  // of the initial state in any case
  const std::unique_ptr<SuccessorGenerator> oracle_;       // null: there is none
  SuccessorBatch batch_;
  StateVectors::State state_;
  std::array<uint64_t, 16> key_{};
  uint64_t transitions_ = 0;
};

}  // namespace cmc::audit
