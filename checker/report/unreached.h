#pragma once

#include <vector>

#include "ir/model.h"

namespace cmc {

struct UnreachedStatement {
  LocationId state = 0;
  const Statement* statement = nullptr;
};

// The statements of a proctype that no run has reached, by the rules of SPIN's verifier:
//  - `else`, `skip` and jumps that are no first statement of an option, and what is inside a d_step are never listed;
//  - the first statement of an option or of an atomic sequence is listed at the location of the whole selection or
//    sequence, whose edges are copies of it; of a selection every option is listed;
//  - a selection that another one begins with is listed there, too, if it is a loop;
//  - an option whose first statement is never executable (`false`) is not listed;
//  - the first statement of an `unless` escape is not listed;
//  - a selection counts as reached if what is behind its last guard does: it was reached, or is never listed.
// `reached` is by location.
[[nodiscard]] std::vector<UnreachedStatement> unreached_statements(const Model& model, const Proctype& proctype,
                                                                   const std::vector<bool>& reached);

// How SPIN's verifier names the statement in its list.
[[nodiscard]] std::string unreached_text(const Statement& statement);

}  // namespace cmc
