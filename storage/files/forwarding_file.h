#pragma once

#include <memory>
#include <utility>

#include "storage/files/file_system.h"

namespace cmc {

// Passes calls on to another file, for classes that do something else with a few of them.
class ForwardingFile : public File {
 public:
  explicit ForwardingFile(std::unique_ptr<File> file) : File(file->path()), file_(std::move(file)) {}

  [[nodiscard]] Status read(uint64_t offset, std::span<std::byte> buffer) override {
    return file_->read(offset, buffer);
  }
  [[nodiscard]] Status write(uint64_t offset, ByteView bytes) override { return file_->write(offset, bytes); }
  [[nodiscard]] Status truncate(uint64_t size) override { return file_->truncate(size); }
  [[nodiscard]] Status close() override { return file_->close(); }
  void read_ahead(uint64_t offset, uint64_t bytes) override { file_->read_ahead(offset, bytes); }

 protected:
  std::unique_ptr<File> file_;
};

}  // namespace cmc
