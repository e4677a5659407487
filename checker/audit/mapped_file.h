#pragma once

#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"

namespace cmc::audit {

// The content of a file, mapped into memory: the system reads what is looked at, and counts none of it as the
// process's own.
class MappedFile {
 public:
  [[nodiscard]] static Result<MappedFile> open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&& other) = delete;
  ~MappedFile();

  [[nodiscard]] ByteView bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  MappedFile(void* data, size_t size) : data_(data), size_(size) {}

  void* data_;  // null: an empty file
  size_t size_;
};

}  // namespace cmc::audit
