#include "base/process_memory.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace cmc {

namespace {

// To open the file takes five times as long as to read it, so it stays open. A process that was forked opens its own:
// the other one is about its parent. Negative: there is none.
int statm_of_this_process() {
  static std::atomic<uint64_t> opened{0};  // the process, and its descriptor
  const uint64_t process = static_cast<uint32_t>(::getpid());
  uint64_t known = opened.load(std::memory_order_relaxed);
  if (known >> 32 == process) return static_cast<int>(known & 0x7fffffff);
  const int descriptor = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return descriptor;
  if (opened.compare_exchange_strong(known, process << 32 | static_cast<uint64_t>(descriptor))) return descriptor;
  ::close(descriptor);  // another thread was faster
  return static_cast<int>(known & 0x7fffffff);
}

}  // namespace

uint64_t resident_bytes() {
  std::array<char, 128> text{};
  if (::pread(statm_of_this_process(), text.data(), text.size() - 1, 0) <= 0) return 0;
  char* rest = text.data();
  std::strtoull(rest, &rest, 10);  // all pages, then those in RAM
  return std::strtoull(rest, nullptr, 10) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
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

void share_one_heap() { mallopt(M_ARENA_MAX, 1); }

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
