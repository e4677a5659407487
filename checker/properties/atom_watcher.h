#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "checker/search/options.h"
#include "ir/model.h"

namespace cmc {

// Which atoms of a formula are true somewhere, of the states that its claim looked at.
class AtomWatcher final : public ClaimWatcher {
 public:
  // `product`: with the claim of the formula; it stays.
  AtomWatcher(const Model& product, uint32_t formula);
  void on_claim(ByteView state, bool timeout) override;
  // Those that have never been true; empty: the claim has not looked.
  [[nodiscard]] std::vector<ExpressionId> never_true() const;

 private:
  const Model& product_;
  std::atomic<bool> looked_{false};
  std::atomic<bool> done_{false};  // all were true
  mutable std::mutex mutex_;       // of the next one
  std::vector<ExpressionId> missing_;
};

}  // namespace cmc
