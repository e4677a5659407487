#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "checker/check/request.h"
#include "checker/guards/oracle_decider.h"
#include "ir/model.h"

namespace cmc {

// The decider of the model's solver guards, as the request says; `oracle` is null if the model has none.
struct Decider {
  std::unique_ptr<SystemClock> clock = nullptr;
  std::unique_ptr<guards::OracleDecider> oracle = nullptr;

  [[nodiscard]] GuardDecider* get() const { return oracle.get(); }
  // For the user: about the file of answers; empty: nothing.
  [[nodiscard]] std::string warning() const {
    return oracle == nullptr || oracle->warning().empty() ? "" : "warning: " + oracle->warning();
  }
};

// `model` lives longer. Error: a file or the solver cannot be used.
[[nodiscard]] Result<Decider> make_decider(const CheckRequest& request, const Model& model);

}  // namespace cmc
