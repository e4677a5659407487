#pragma once

#include <span>

#include "base/bytes.h"
#include "checker/search/control.h"

namespace cmc {

// Reports an accepting cycle of a product as an error with its path. `states`: those along the path, each a successor
// of the one before in `product`; the last one is states[loop] again. The lasso that is reported may be a shorter
// one.
void report_lasso(SearchControl& control, SuccessorGenerator& product, const Model& model,
                  std::span<const Bytes> states, size_t loop);

}  // namespace cmc
