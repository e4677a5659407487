#pragma once

#include <cstdint>

// How much memory this process uses, and how it gives memory back to the system.

namespace cmc {

// Memory of this process that is or was in RAM; 0 if the system does not report it.
[[nodiscard]] uint64_t resident_bytes();
[[nodiscard]] uint64_t peak_resident_bytes();

// Gives freed memory back to the system. From then on, large blocks go back as soon as they are freed (otherwise
// glibc keeps blocks of up to 32 MB after the first one).
void release_freed();

// Threads that begin from now on have no heaps of their own, each of which keeps freed memory. For threads that do
// not allocate at the same time.
void share_one_heap();

// Takes the program's code out of this process's memory (it stays in the system's page cache). Code that is used is
// faulted in again; code that only the start needed is not.
void release_code();

}  // namespace cmc
