#include "storage/page_memory.h"

#include <cstdint>
#include <new>
#include <sys/mman.h>

namespace cmc {

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kHugePage = size_t{2} << 20;

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

PageMemory::PageMemory(size_t bytes) {
  const bool huge = bytes >= kHugePage;
  const size_t size = round_up(bytes, kPage);
  // Room to move the beginning to the border of a huge page; what is left over is given back.
  const size_t mapped = huge ? size + kHugePage - kPage : size;
  void* const memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  char* begin = static_cast<char*>(memory);
  if (huge) {
    char* const aligned = begin + (round_up(reinterpret_cast<uintptr_t>(begin), kHugePage) -
                                   reinterpret_cast<uintptr_t>(begin));
    if (aligned > begin) munmap(begin, static_cast<size_t>(aligned - begin));
    const size_t rest = mapped - static_cast<size_t>(aligned - begin) - size;
    if (rest > 0) munmap(aligned + size, rest);
    madvise(aligned, size, MADV_HUGEPAGE);
    begin = aligned;
  }
  data_ = begin;
  size_ = size;
}

PageMemory::~PageMemory() {
  if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace cmc
