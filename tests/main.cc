#include "base/sanitizers.h"

// Version 3 of Catch2 brings a main function of its own.
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

#if CMC_ADDRESS_SANITIZER
// Of what is freed its heap keeps 256 MB by default, which is more than the memory limits of tests.
extern "C" const char* __asan_default_options();
const char* __asan_default_options() { return "quarantine_size_mb=16"; }
#endif
