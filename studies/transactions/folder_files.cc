#include "studies/transactions/folder_files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "base/files/descriptor.h"
#include "base/files/file.h"

namespace cmc {

namespace {

namespace fs = std::filesystem;

Status flush(const std::string& path, int flags, int (*how)(int)) {
  const Descriptor file(::open(path.c_str(), flags | O_CLOEXEC));
  if (!file.valid() || how(file.number()) != 0) return system_error("flush", path, errno);
  return Success{};
}

}  // namespace

Result<FileContent> FolderFiles::read(const std::string& path) {
  constexpr int kAttempts = 10;  // it may come between the two questions
  for (int attempt = 1;; ++attempt) {
    Result<std::string> content = read_file(path);
    if (content.ok()) return FileContent(std::move(content).value());
    CMC_TRY(const bool there, exists(path));
    if (!there) return FileContent();
    if (attempt == kAttempts) return Error{content.error()};
  }
}

Status FolderFiles::sync(const std::string& path) { return flush(path, O_RDWR, ::fdatasync); }

Status FolderFiles::sync_directory(const std::string& directory) {
  return flush(directory, O_RDONLY | O_DIRECTORY, ::fsync);
}

Status FolderFiles::rename(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) return system_error("rename", from, errno);
  return Success{};
}

Result<std::vector<std::string>> FolderFiles::list(const std::string& directory) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(directory, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  if (error) return system_error("list", directory, error.value());
  std::sort(names.begin(), names.end());
  return names;
}

Result<bool> FolderFiles::exists(const std::string& path) {
  std::error_code error;
  const bool there = fs::exists(path, error);
  if (error) return system_error("look for", path, error.value());
  return there;
}

}  // namespace cmc
