#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "checker/trace/trace.h"
#include "ir/model.h"

namespace cmc {

// Which steps are shown: those that have to do with one of some names. A name is a process ("user[0]"), all processes
// of a proctype ("user"), a channel or a variable, with all its elements and fields ("flag"), with one ("flag[0]"),
// or in one process only ("user[0].n"). A step has to do with a process that takes part, begins or ends in it, with a
// variable that it changes, and with a channel whose contents it changes or through which its message goes.
class StepFilter {
 public:
  explicit StepFilter(std::vector<std::string> names) : names_(std::move(names)) {}

  [[nodiscard]] bool shows(const TraceStep& step) const;

 private:
  [[nodiscard]] bool concerns(const std::string& name, const TraceStep& step) const;

  std::vector<std::string> names_;
};

// Error: the model has nothing of that name; it says what there is.
[[nodiscard]] Status check_step_filter(const Model& model, const std::vector<std::string>& names);

}  // namespace cmc
