#include "checker/properties/formula_claim.h"

#include "ir/product.h"

namespace cmc {
uint32_t add_formula_claim(Model& model, const Property&) { return add_true_claim(model); }
}  // namespace cmc
