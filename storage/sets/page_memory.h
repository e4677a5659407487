#pragma once

#include <cstddef>
#include <utility>

namespace cmc {

// Zeroed memory that can grow. More than kMostOnHeap comes straight from the system and grows in place as long as the
// addresses that were reserved for it last (reserving costs nothing, unless the process has a limit of addresses).
// Whole pages, or on the heap whole cache lines: size() is what there really is. From 2 MB on huge pages are asked
// for. Throws std::bad_alloc.
class PageMemory {
 public:
  static constexpr size_t kMostOnHeap = 64 * 1024;

  PageMemory() = default;
  PageMemory(size_t bytes, size_t reserved_bytes);
  PageMemory(PageMemory&& other) noexcept { swap(other); }
  PageMemory& operator=(PageMemory&& other) noexcept {
    PageMemory taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~PageMemory();

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] size_t size() const { return size_; }

  // To at least `bytes`, with the content kept and zeroes behind it. May move. What is new is there at once: a page
  // that is read before it is written is mapped twice, and the second time interrupts all other threads (a tenth of
  // the CPU time of two).
  void grow(size_t bytes);

  void swap(PageMemory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(reserved_, other.reserved_);
  }

 private:
  [[nodiscard]] bool is_on_heap() const;
  void use_huge_pages(size_t old_size) const;  // for what is new

  void* data_ = nullptr;
  size_t size_ = 0;
  size_t reserved_ = 0;
};

}  // namespace cmc
