#pragma once

namespace cmc {

// The same as in CMakeLists.txt; tests/structure holds them together.
inline constexpr const char* kVersion = "0.2.0";

}  // namespace cmc
