#pragma once

#include <string>

namespace cmc::native {

// The texts of interface.h and prelude.c, with which each source begins. CMake makes the file that defines them.
[[nodiscard]] std::string interface_text();
[[nodiscard]] std::string prelude_text();

}  // namespace cmc::native
