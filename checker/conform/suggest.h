#pragma once

#include <string>
#include <vector>

#include "ir/model.h"

namespace cmc::conform {

// A map to begin with: a rule for each thing that can be observed of the model. `lines`: of logs; where the name of
// an event fits a rule (the channel, variable or label, and what happens to it) the rule is about this event, with
// the names of its fields.
[[nodiscard]] std::string suggest_map(const Model& model, const std::vector<std::string>& lines);

}  // namespace cmc::conform
