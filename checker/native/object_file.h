#pragma once

#include <string_view>

#include "base/result.h"

namespace cmc::native {

// Whether the dynamic loader can be given these bytes: a whole shared object for 64-bit machines. The loader dies of
// one that is cut off.
[[nodiscard]] Status check_object(std::string_view bytes);

}  // namespace cmc::native
