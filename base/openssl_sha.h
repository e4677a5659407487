#pragma once

// The functions that OpenSSL 3 calls deprecated are the ones that bring nothing else into the program: those it
// recommends begin with loading every algorithm there is (3 MB, 2 ms).
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
