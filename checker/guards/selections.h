#pragma once

#include <vector>

#include "ir/model.h"

namespace cmc::guards {

// A place where a process chooses between statements, or waits for a single one: a location, or a node of a d_step's
// body.
struct Selection {
  const Proctype* proctype = nullptr;
  SourcePlace place;
  std::vector<StatementId> options;  // in their order, which decides what `else` means
};

// All selections that the control flow can reach, each once. Edges of `unless` escapes are left out: they are the
// edges of the escape's own location, too.
[[nodiscard]] std::vector<Selection> selections(const Model& model);

}  // namespace cmc::guards
