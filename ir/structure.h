#pragma once

#include <cstdint>
#include <vector>

#include "ir/model.h"

namespace cmc {

// What an expression is made of, as numbers: of equal keys the values are equal in every state.
using StructureKey = std::vector<uint32_t>;

void append_structure(const Model& model, ExpressionId id, StructureKey& key);

}  // namespace cmc
