#include "storage/sets/page_memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include <sys/mman.h>
#include <sys/resource.h>

namespace cmc {

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kLine = 64;  // of the cache
constexpr size_t kHugePage = size_t{2} << 20;
constexpr int kCollapse = 25;  // MADV_COLLAPSE, which older headers do not know

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

// How much of that is worth it: where addresses are counted (`ulimit -v`), others need them, too, such as the stacks
// of threads.
size_t reservation(size_t wanted, size_t used) {
  struct rlimit addresses {};
  const bool counted = getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY;
  return std::max(used, counted ? std::min(wanted, std::max(2 * used, kHugePage)) : wanted);
}

// Begins at the border of a huge page if it can hold one; null: there is none.
char* reserve(size_t bytes) {
  const size_t slack = bytes >= kHugePage ? kHugePage - kPage : 0;
  void* const memory =
      mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(memory);
  if (slack == 0) return begin;
  const uintptr_t address = reinterpret_cast<uintptr_t>(begin);
  const size_t before = round_up(address, kHugePage) - address;
  if (before > 0) munmap(begin, before);
  if (slack > before) munmap(begin + before + bytes, slack - before);
  return begin + before;
}

}  // namespace

PageMemory::PageMemory(size_t bytes, size_t reserved_bytes)
    : size_(round_up(bytes, bytes <= kMostOnHeap ? kLine : kPage)), reserved_(round_up(reserved_bytes, kPage)) {
  if (is_on_heap()) {
    data_ = std::aligned_alloc(kLine, size_);
    if (data_ == nullptr) throw std::bad_alloc();
    std::memset(data_, 0, size_);
    return;
  }
  reserved_ = reservation(reserved_, size_);
  data_ = reserve(reserved_);
  if (data_ == nullptr && reserved_ > size_) {
    reserved_ = size_;
    data_ = reserve(reserved_);
  }
  if (data_ == nullptr) throw std::bad_alloc();
  use_huge_pages(0);
}

// A few pages are, and nothing else: the system takes 5 us to give one and to get it back, and a search of some
// thousand states asks for hundreds.
bool PageMemory::is_on_heap() const { return size_ <= kMostOnHeap; }

void PageMemory::grow(size_t bytes) {
  if (bytes <= size_) return;
  bytes = round_up(bytes, kPage);
  if (is_on_heap() || bytes > reserved_) {
    PageMemory larger(bytes, bytes > reserved_ ? 4 * bytes : reserved_);
    if (size_ > 0) std::memcpy(larger.data_, data_, size_);
    swap(larger);
    return;
  }
  const size_t old = std::exchange(size_, bytes);
  use_huge_pages(old);
  madvise(static_cast<char*>(data_) + old, size_ - old,
          MADV_POPULATE_WRITE);  // Linux 5.14; where it fails, pages come one by one
}

// Not for the last part of a huge page: touching it would take the rest as well. When it has become whole, its small
// pages are put together, if the system can (Linux 6.1).
void PageMemory::use_huge_pages(size_t old_size) const {
  const size_t begin = old_size / kHugePage * kHugePage;
  const size_t end = size_ / kHugePage * kHugePage;
  if (begin == end) return;
  char* const first = static_cast<char*>(data_) + begin;
  madvise(first, end - begin, MADV_HUGEPAGE);
  if (old_size > begin) madvise(first, kHugePage, kCollapse);
}

PageMemory::~PageMemory() {
  if (is_on_heap()) {
    std::free(data_);
  } else if (data_ != nullptr) {
    munmap(data_, reserved_);
  }
}

}  // namespace cmc
