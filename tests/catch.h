// Catch2, version 2 or 3, for tests that include headers of CMC: to be included behind all of them. In what follows
// CHECK is Catch2's; what the headers contain keeps CMC's. Not `#pragma once`: where files are compiled as one text,
// each begins with CMC's CHECK again (CMakeLists.txt here).

#include "tests/catch2.h"

#undef CHECK
#define CHECK(...) INTERNAL_CATCH_TEST("CHECK", Catch::ResultDisposition::ContinueOnFailure, __VA_ARGS__)
