#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "checker/search/options.h"
#include "ir/model.h"

namespace cmc {

// Which atoms of a formula are true in a reachable state, of those that look at one variable, location or channel.
class AtomWatcher final : public StateWatcher {
 public:
  // `product`: with the claim of the formula; it stays.
  AtomWatcher(const Model& product, uint32_t formula);
  void on_state(ByteView state) override;
  // Those that have never been true; empty: no state was looked at.
  [[nodiscard]] std::vector<ExpressionId> never_true() const;

 private:
  const Model& product_;
  std::atomic<bool> looked_{false};
  std::atomic<bool> done_{false};  // all were true
  mutable std::mutex mutex_;       // of the next one
  std::vector<ExpressionId> missing_;
};

}  // namespace cmc
