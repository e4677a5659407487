#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "storage/files/file_system.h"

namespace cmc {

using FileContent = std::optional<std::string>;  // none: the file is not there

// What transactions need of a folder beside the files of a store: names, whole contents, and when both are on stable
// storage. The seam at which tests put faults. Thread-safe.
class FolderFiles {
 public:
  explicit FolderFiles(std::unique_ptr<FileSystem> files = make_posix_file_system()) : files_(std::move(files)) {}
  virtual ~FolderFiles() = default;
  FolderFiles(const FolderFiles&) = delete;
  FolderFiles& operator=(const FolderFiles&) = delete;

  [[nodiscard]] Result<std::unique_ptr<File>> open(const std::string& path, FileSystem::Open how) {
    return files_->open(path, how, FileAccess::kBuffered);
  }
  [[nodiscard]] Status remove(const std::string& path) { return files_->remove(path); }
  [[nodiscard]] virtual Result<FileContent> read(const std::string& path);
  // The content of a file, whoever has written it, is on stable storage, with its length. After an error nothing may
  // be assumed about what was written since the last one.
  [[nodiscard]] virtual Status sync(const std::string& path);
  [[nodiscard]] virtual Status sync_directory(const std::string& directory);
  // Within one directory; replaces `to`. Whoever opens `to` meanwhile finds the old file or the new one.
  [[nodiscard]] virtual Status rename(const std::string& from, const std::string& to);

  // The names in the directory, sorted.
  [[nodiscard]] static Result<std::vector<std::string>> list(const std::string& directory);
  [[nodiscard]] static Result<bool> exists(const std::string& path);

 private:
  std::unique_ptr<FileSystem> files_;
};

}  // namespace cmc
