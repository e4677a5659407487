#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "checker/result/options.h"
#include "ir/model.h"

namespace cmc {

// Which atoms of a formula are true in a reachable state, of those that look at one variable, location or channel.
class AtomWatcher final : public StateWatcher {
 public:
  // `product`: with the claim of the formula; it stays.
  AtomWatcher(const Model& product, uint32_t formula);
  void on_state(ByteView state) override;
  // Those that have never been true although the formula does not say so; empty: no state was looked at.
  [[nodiscard]] std::vector<ExpressionId> never_true();

 private:
  [[nodiscard]] bool is_settled(ByteView state, ExpressionId atom) const;
  void forget_ruled_out();

  // By then most atoms have been true that ever are; those that are left cost time in each state, and the formula
  // says of many of them that they are never true.
  static constexpr uint64_t kPatience = 1000;

  const Model& product_;
  const uint32_t formula_;
  std::atomic<bool> done_{false};  // nothing is missing
  std::mutex mutex_;               // of all below
  uint64_t states_ = 0;            // that were looked at
  std::vector<ExpressionId> missing_;
};

}  // namespace cmc
