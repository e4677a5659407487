#include "base/process_memory.h"

#include <fstream>
#include <sstream>
#include <string>

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace cmc {

uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t total_pages = 0;
  uint64_t resident_pages = 0;
  if (!(statm >> total_pages >> resident_pages)) return 0;
  return resident_pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Not getrusage: its maximum is inherited from the program that started this one.
uint64_t peak_resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    uint64_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

void release_freed() {
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  malloc_trim(0);
}

// Nobody writes to pages that can be executed, so they are as in the file.
void release_code() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t inode = 0;
    char dash = 0;
    std::string access;
    std::string skipped;
    fields >> std::hex >> begin >> dash >> end >> access >> skipped >> skipped >> std::dec >> inode;
    if (fields && access == "r-xp" && inode != 0) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
}

}  // namespace cmc
