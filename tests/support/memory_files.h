#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "storage/files/file_system.h"

namespace cmc {

// Files that are in memory. Not thread-safe.
class MemoryFileSystem final : public FileSystem {
 public:
  using Content = std::shared_ptr<Bytes>;

  Result<std::unique_ptr<File>> open(const std::string& path, Open how, FileAccess) override {
    if (how == Open::kCreate) content_[path] = std::make_shared<Bytes>();
    const auto found = content_.find(path);
    if (found == content_.end()) return Error{fmt::format("cannot open '{}': there is none", path)};
    return std::unique_ptr<File>(std::make_unique<MemoryFile>(path, found->second));
  }
  Status remove(const std::string& path) override {
    if (content_.erase(path) == 0) return Error{fmt::format("cannot remove '{}': there is none", path)};
    return Success{};
  }

  [[nodiscard]] std::map<std::string, Content>& all() { return content_; }
  [[nodiscard]] uint64_t total_bytes() const {
    uint64_t total = 0;
    for (const auto& [path, content] : content_) total += content->size();
    return total;
  }

 private:
  class MemoryFile final : public File {
   public:
    MemoryFile(const std::string& path, Content content) : File(path), content_(std::move(content)) {}
    Status read(uint64_t offset, std::span<std::byte> buffer) override {
      if (offset > content_->size() || content_->size() - offset < buffer.size()) {
        return Error{fmt::format("cannot read '{}': it ends too early", path())};
      }
      std::copy_n(content_->begin() + static_cast<ptrdiff_t>(offset), buffer.size(), buffer.begin());
      return Success{};
    }
    Status write(uint64_t offset, ByteView bytes) override {
      content_->resize(std::max<size_t>(content_->size(), offset + bytes.size()));
      std::copy(bytes.begin(), bytes.end(), content_->begin() + static_cast<ptrdiff_t>(offset));
      return Success{};
    }
    Status truncate(uint64_t size) override {
      content_->resize(size);
      return Success{};
    }
    Status close() override { return Success{}; }

   private:
    Content content_;
  };

  std::map<std::string, Content> content_;
};

enum class Fault : uint8_t {
  // Reported.
  kNoSpace,
  kInputOutput,
  kShortWrite,  // half of it is written, then an error
  // Not reported.
  kTornWrite,  // half of it is written
  kLostWrite,
  kMisdirectedWrite,  // to where something else is
  kMisdirectedRead,
  kFlippedBit,  // in what is read
};
inline constexpr Fault kFaults[] = {Fault::kNoSpace,         Fault::kInputOutput, Fault::kShortWrite,
                                    Fault::kTornWrite,       Fault::kLostWrite,   Fault::kMisdirectedWrite,
                                    Fault::kMisdirectedRead, Fault::kFlippedBit};
inline bool is_reported(Fault fault) { return fault <= Fault::kShortWrite; }

// Passes everything on, but for one operation, which fails as it is told. Operations that the fault does not apply to
// succeed.
class FaultyFiles final : public FileSystem {
 public:
  FaultyFiles(FileSystem& files, Fault fault, uint64_t operation)
      : files_(files), fault_(fault), fails_at_(operation) {}

  [[nodiscard]] uint64_t operations() const { return operations_; }
  [[nodiscard]] bool happened() const { return happened_; }
  // Whether an operation that can only report a fault does so now.
  bool reports() {
    const bool is_now = now() && fault_ == Fault::kInputOutput;
    happened_ = happened_ || is_now;
    return is_now;
  }
  [[nodiscard]] Error error(const char* action, const std::string& path) const {
    return Error{fmt::format("cannot {} '{}': fault at operation {}", action, path, fails_at_)};
  }

  Result<std::unique_ptr<File>> open(const std::string& path, Open how, FileAccess access) override {
    if (reports()) return error("open", path);
    auto file = files_.open(path, how, access);
    if (!file.ok()) return Error{file.error()};
    opened_.insert(path);
    return std::unique_ptr<File>(std::make_unique<FaultyFile>(*this, std::move(file).value()));
  }
  Status remove(const std::string& path) override {
    if (reports()) return error("remove", path);
    return files_.remove(path);
  }

 private:
  class FaultyFile final : public File {
   public:
    FaultyFile(FaultyFiles& owner, std::unique_ptr<File> file)
        : File(file->path()), owner_(owner), file_(std::move(file)) {}

    Status read(uint64_t offset, std::span<std::byte> buffer) override {
      if (!owner_.now()) return file_->read(offset, buffer);
      switch (owner_.fault_) {
        case Fault::kInputOutput: return owner_.happens(), owner_.error("read", path());
        case Fault::kMisdirectedRead: return owner_.happens(), read_elsewhere(offset, buffer);
        case Fault::kFlippedBit: {
          owner_.happens();
          const Status status = file_->read(offset, buffer);
          buffer[buffer.size() / 2] ^= std::byte{4};
          return status;
        }
        default: return file_->read(offset, buffer);
      }
    }
    Status write(uint64_t offset, ByteView bytes) override {
      if (!owner_.now()) return file_->write(offset, bytes);
      switch (owner_.fault_) {
        case Fault::kNoSpace:
        case Fault::kInputOutput: return owner_.happens(), owner_.error("write", path());
        case Fault::kShortWrite:
        case Fault::kTornWrite: {
          owner_.happens();
          const Status status = file_->write(offset, bytes.first(bytes.size() / 2));
          return owner_.fault_ == Fault::kTornWrite ? status : owner_.error("write", path());
        }
        case Fault::kLostWrite: return owner_.happens(), Success{};
        case Fault::kMisdirectedWrite: return owner_.happens(), file_->write(offset > 0 ? 0 : offset + 512, bytes);
        default: return file_->write(offset, bytes);
      }
    }
    Status truncate(uint64_t size) override {
      return owner_.reports() ? owner_.error("truncate", path()) : file_->truncate(size);
    }
    Status close() override { return owner_.reports() ? owner_.error("close", path()) : file_->close(); }

   private:
    // From the same place in another file, if there is one that is long enough; else from 8 bytes further on.
    Status read_elsewhere(uint64_t offset, std::span<std::byte> buffer) {
      for (const std::string& other : owner_.opened_) {
        if (other == path()) continue;
        auto file = owner_.files_.open(other, Open::kExisting, FileAccess::kBuffered);
        if (file.ok() && std::move(file).value()->read(offset, buffer).ok()) return Success{};
      }
      const Status status = file_->read(offset, buffer);
      std::rotate(buffer.begin(), buffer.begin() + static_cast<ptrdiff_t>(std::min<size_t>(8, buffer.size())),
                  buffer.end());
      return status;
    }

    FaultyFiles& owner_;
    std::unique_ptr<File> file_;
  };

  bool now() { return operations_++ == fails_at_; }
  void happens() { happened_ = true; }

  FileSystem& files_;
  const Fault fault_;
  const uint64_t fails_at_;
  uint64_t operations_ = 0;
  bool happened_ = false;
  std::set<std::string> opened_;
};

}  // namespace cmc
