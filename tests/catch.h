#pragma once

// Catch2 for tests that include headers of CMC: to be included behind all of them. In what follows CHECK is Catch2's;
// what the headers contain keeps CMC's.

#undef CHECK
#include <catch2/catch.hpp>
