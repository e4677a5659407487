#pragma once

#include <string>
#include <utility>
#include <vector>

#include "checker/audit/certificate.h"
#include "checker/reference/reference.h"
#include "ir/model.h"

namespace cmc::audit {

// What is to be audited: the model of the certificate's texts, compiled anew, and what its arguments say of the
// search.
struct Task {
  Model model;
  std::vector<std::pair<std::string, std::string>> texts;  // name and text of each file, as they were read
  ReferenceSteps steps = ReferenceSteps::kSpin;
  bool checks_end_states = true;
};

[[nodiscard]] Verdict compile(const Certificate& certificate, Task& task);

// Whether a model on disk, and what it includes with the arguments of the certificate, has these very texts.
[[nodiscard]] Verdict compare_with_file(const Certificate& certificate, const Task& task, const std::string& model);

}  // namespace cmc::audit
