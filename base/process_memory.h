#pragma once

#include <cstdint>

// How much memory this process uses, and how it gives memory back to the system.

namespace cmc {

// Memory of this process that is or was in RAM; 0 if the system does not tell.
[[nodiscard]] uint64_t resident_bytes();
[[nodiscard]] uint64_t peak_resident_bytes();

// Gives what has been freed back to the system; what is large and freed later goes back at once (without that, glibc
// keeps blocks of up to 32 MB after the first one).
void release_freed();

// Takes the program's code out of this process's memory (it stays in the system's page cache): what is used comes
// back by and by, what was for the beginning only does not.
void release_code();

}  // namespace cmc
