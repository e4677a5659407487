#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"

namespace cmc {

enum class FileAccess : uint8_t { kBuffered, kDirect };

// A file of the store: the seam at which tests put files in memory and faults. Every error names the file. Not
// thread-safe. With FileAccess::kDirect, offsets, sizes and addresses are multiples of kFileBlock (AlignedBuffer).
class File {
 public:
  virtual ~File() = default;  // closes; an error of that is lost: call close() where it matters

  // All of the buffer; an end of the file before that is an error.
  [[nodiscard]] virtual Status read(uint64_t offset, std::span<std::byte> buffer) = 0;
  [[nodiscard]] virtual Status write(uint64_t offset, ByteView bytes) = 0;
  [[nodiscard]] virtual Status truncate(uint64_t size) = 0;
  [[nodiscard]] virtual Status close() = 0;
  // Will be read soon. A hint only.
  virtual void read_ahead(uint64_t /*offset*/, uint64_t /*bytes*/) {}
  [[nodiscard]] const std::string& path() const { return path_; }

 protected:
  explicit File(std::string path) : path_(std::move(path)) {}

 private:
  std::string path_;
};

// Thread-safe.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  enum class Open : uint8_t { kCreate, kExisting };  // kCreate: an existing file becomes empty

  [[nodiscard]] virtual Result<std::unique_ptr<File>> open(const std::string& path, Open how, FileAccess access) = 0;
  [[nodiscard]] virtual Status remove(const std::string& path) = 0;
};

// That of the machine.
[[nodiscard]] std::unique_ptr<FileSystem> make_posix_file_system();

inline constexpr size_t kFileBlock = 4096;  // of direct I/O

// Memory that direct I/O accepts. Not zeroed.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t bytes);

  [[nodiscard]] std::byte* data() const { return data_.get(); }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] std::span<std::byte> first(size_t bytes) const { return {data_.get(), bytes}; }
  // To at least `bytes`; the content is lost if it was smaller.
  void reserve(size_t bytes) {
    if (bytes > size_) *this = AlignedBuffer(bytes);
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Free> data_;
  size_t size_ = 0;
};

}  // namespace cmc
