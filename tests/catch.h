#pragma once

// Catch2, version 2 or 3, for tests that include headers of CMC: to be included behind all of them. In what follows
// CHECK is Catch2's; what the headers contain keeps CMC's.

#undef CHECK
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>

// As version 2 names them.
namespace Catch {
inline auto Contains(const std::string& text) { return Matchers::ContainsSubstring(text); }
using Matchers::StartsWith;
}  // namespace Catch
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
