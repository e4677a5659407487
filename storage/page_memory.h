#pragma once

#include <cstddef>
#include <utility>

namespace cmc {

// Zeroed memory straight from the system, rounded up to whole pages: size() is what there really is. From 2 MB on it begins
// at the border of a huge page, and huge pages are asked for. Throws std::bad_alloc.
class PageMemory {
 public:
  PageMemory() = default;
  explicit PageMemory(size_t bytes);
  PageMemory(PageMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PageMemory& operator=(PageMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PageMemory();

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace cmc
