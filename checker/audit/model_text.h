#pragma once

#include "checker/audit/certificate.h"
#include "checker/reference/reference.h"
#include "ir/model.h"

namespace cmc::audit {

// What is to be audited: the model of the certificate's texts, compiled anew, and what its arguments say of the
// search.
struct Task {
  Model model;
  ReferenceSteps steps = ReferenceSteps::kSpin;
  bool checks_end_states = true;
};

[[nodiscard]] Verdict compile(const Certificate& certificate, Task& task);

}  // namespace cmc::audit
