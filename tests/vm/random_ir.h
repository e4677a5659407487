#pragma once

#include <cstdint>

#include "ir/model.h"

namespace cmc::test {

// A small random model: two proctypes with a few locations, edges of every kind of statement between them,
// expressions of every operator. Most of it makes no sense, which is the point: errors of all kinds occur.
[[nodiscard]] Model random_ir(uint32_t seed);

}  // namespace cmc::test
