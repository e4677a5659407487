#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/files/file_system.h"

// What passes calls on to other files, for classes that do something else with a few of them.

namespace cmc {

class ForwardingFile : public File {
 public:
  explicit ForwardingFile(std::unique_ptr<File> file) : File(file->path()), file_(std::move(file)) {}

  [[nodiscard]] Status read(uint64_t offset, std::span<std::byte> buffer) override {
    return file_->read(offset, buffer);
  }
  [[nodiscard]] Status write(uint64_t offset, ByteView bytes) override { return file_->write(offset, bytes); }
  [[nodiscard]] Status sync() override { return file_->sync(); }
  [[nodiscard]] Status truncate(uint64_t size) override { return file_->truncate(size); }
  [[nodiscard]] Status close() override { return file_->close(); }
  [[nodiscard]] Result<uint64_t> size() override { return file_->size(); }
  void read_ahead(uint64_t offset, uint64_t bytes) override { file_->read_ahead(offset, bytes); }

 protected:
  std::unique_ptr<File> file_;
};

class ForwardingFiles : public FileSystem {
 public:
  explicit ForwardingFiles(FileSystem& files) : files_(files) {}

  [[nodiscard]] Result<std::unique_ptr<File>> open(const std::string& path, Open how, FileAccess access) override {
    return files_.open(path, how, access);
  }
  [[nodiscard]] Status remove(const std::string& path) override { return files_.remove(path); }
  [[nodiscard]] Result<std::vector<std::string>> list(const std::string& directory) override {
    return files_.list(directory);
  }
  [[nodiscard]] Status sync_directory(const std::string& directory) override {
    return files_.sync_directory(directory);
  }
  [[nodiscard]] Result<bool> exists(const std::string& path) override { return files_.exists(path); }
  [[nodiscard]] Status rename(const std::string& from, const std::string& to) override {
    return files_.rename(from, to);
  }

 protected:
  FileSystem& files_;
};

}  // namespace cmc
