#pragma once

#include <memory>
#include <string>

#include "studies/transactions/folder_files.h"
#include "tests/support/memory_files.h"

namespace cmc::test {

// Passes everything on, but for one operation, as FaultyFiles.
class FaultyFolder final : public FolderFiles {
 public:
  FaultyFolder(FileSystem& files, Fault fault, uint64_t operation)
      : FaultyFolder(new FaultyFiles(files, fault, operation)) {}

  [[nodiscard]] uint64_t operations() const { return faults_.operations(); }
  [[nodiscard]] bool happened() const { return faults_.happened(); }

  Result<FileContent> read(const std::string& path) override {
    Result<FileContent> content = FolderFiles::read(path);
    if (!content.ok() || !content.value()) return content;
    const auto file = open(path, FileSystem::Open::kExisting);  // whose reads have faults
    if (!file.ok()) return Error{file.error()};
    std::string bytes(content.value()->size(), '\0');
    const Status read = file.value()->read(0, std::as_writable_bytes(std::span(bytes)));
    return read.ok() ? FileContent(std::move(bytes)) : Result<FileContent>(Error{read.error()});
  }
  Status sync(const std::string& path) override {
    return faults_.reports() ? faults_.error("flush", path) : FolderFiles::sync(path);
  }
  Status sync_directory(const std::string& directory) override {
    return faults_.reports() ? faults_.error("flush", directory) : FolderFiles::sync_directory(directory);
  }
  Status rename(const std::string& from, const std::string& to) override {
    return faults_.reports() ? faults_.error("rename", from) : FolderFiles::rename(from, to);
  }

 private:
  explicit FaultyFolder(FaultyFiles* files) : FolderFiles(std::unique_ptr<FileSystem>(files)), faults_(*files) {}

  FaultyFiles& faults_;
};

}  // namespace cmc::test
