#pragma once

#include "ir/model.h"

namespace cmc::test {

// models/peterson/peterson.pml for `processes` processes, built by hand.
[[nodiscard]] Model peterson(int32_t processes);

}  // namespace cmc::test
