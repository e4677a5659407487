#include <cerrno>
#include <cstdlib>
#include <new>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/check.h"
#include "base/files/file.h"
#include "storage/files/file_system.h"

namespace cmc {

namespace {

bool is_aligned(const std::byte* memory, uint64_t offset, size_t bytes) {
  return (reinterpret_cast<uintptr_t>(memory) | offset | bytes) % kFileBlock == 0;
}

class PosixFile final : public File {
 public:
  PosixFile(std::string path, int descriptor, FileAccess access)
      : File(std::move(path)), descriptor_(descriptor), access_(access) {}
  ~PosixFile() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;

  Status read(uint64_t offset, std::span<std::byte> buffer) override {
    CHECK(access_ == FileAccess::kBuffered || is_aligned(buffer.data(), offset, buffer.size()));
    while (!buffer.empty()) {
      const ssize_t count = ::pread(descriptor_, buffer.data(), buffer.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return system_error("read", path(), errno);
      if (count == 0) return Error{fmt::format("cannot read '{}': it ends at {}, too early", path(), offset)};
      offset += static_cast<uint64_t>(count);
      buffer = buffer.subspan(static_cast<size_t>(count));
    }
    return Success{};
  }

  Status write(uint64_t offset, ByteView bytes) override {
    CHECK(access_ == FileAccess::kBuffered || is_aligned(bytes.data(), offset, bytes.size()));
    while (!bytes.empty()) {
      const ssize_t count = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return system_error("write", path(), errno);
      offset += static_cast<uint64_t>(count);
      bytes = bytes.subspan(static_cast<size_t>(count));
    }
    return Success{};
  }

  Status truncate(uint64_t size) override {
    int result = 0;
    do {
      result = ::ftruncate(descriptor_, static_cast<off_t>(size));
    } while (result != 0 && errno == EINTR);
    if (result != 0) return system_error("truncate", path(), errno);
    return Success{};
  }
  Status close() override {
    const int descriptor = std::exchange(descriptor_, -1);
    if (descriptor >= 0 && ::close(descriptor) != 0) return system_error("close", path(), errno);
    return Success{};
  }
  void read_ahead(uint64_t offset, uint64_t bytes) override {
    if (access_ == FileAccess::kDirect) return;
    ::posix_fadvise(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);
  }

 private:
  int descriptor_;
  const FileAccess access_;
};

class PosixFileSystem final : public FileSystem {
 public:
  Result<std::unique_ptr<File>> open(const std::string& path, Open how, FileAccess access) override {
    int flags = O_RDWR | O_CLOEXEC;
    if (how == Open::kCreate) flags |= O_CREAT | O_TRUNC;
    if (access == FileAccess::kDirect) flags |= O_DIRECT;
    const int descriptor = ::open(path.c_str(), flags, 0666);
    if (descriptor < 0 && errno == EINVAL && access == FileAccess::kDirect) {
      return Error{fmt::format("cannot open '{}': its file system has no direct I/O", path)};
    }
    if (descriptor < 0) return system_error(how == Open::kCreate ? "create" : "open", path, errno);
    return std::unique_ptr<File>(std::make_unique<PosixFile>(path, descriptor, access));
  }
  Status remove(const std::string& path) override {
    if (::unlink(path.c_str()) != 0) return system_error("remove", path, errno);
    return Success{};
  }
};

}  // namespace

std::unique_ptr<FileSystem> make_posix_file_system() { return std::make_unique<PosixFileSystem>(); }

AlignedBuffer::AlignedBuffer(size_t bytes) : size_((bytes + kFileBlock - 1) / kFileBlock * kFileBlock) {
  if (size_ == 0) return;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(kFileBlock, size_)));
  if (data_ == nullptr) throw std::bad_alloc();
}

void AlignedBuffer::Free::operator()(std::byte* memory) const { std::free(memory); }

}  // namespace cmc
