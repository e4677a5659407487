#include "base/files/run_directory.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cmc {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "cmc-";
constexpr std::string_view kRandomPart = "XXXXXX";
constexpr const char* kLockName = "lock";
constexpr const char* kNewLockName = "lock.new";
constexpr int kMostTries = 10;
constexpr std::string_view kLockText = "locked by the cmc process ";

Error cannot_create(const fs::path& path, const std::string& why) {
  return Error{fmt::format("cannot create a directory in '{}': {}", path.string(), why)};
}

// The file gets its name when it is locked, so that nobody finds it unlocked while its process lives. Without support
// by the file system there is no such file.
FileLock lock_directory(const fs::path& directory) {
  FileLock lock;
  const fs::path unnamed = directory / kNewLockName;
  const int file = ::open(unnamed.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return lock;
  const std::string text = fmt::format("{}{}\n", kLockText, ::getpid());
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (lock.take(file) != FileLock::Outcome::kHeld || !written ||
      ::rename(unnamed.c_str(), (directory / kLockName).c_str()) != 0) {
    ::unlink(unnamed.c_str());
  }
  return lock;
}

bool is_own(const struct stat& status, mode_t type) {
  return (status.st_mode & S_IFMT) == type && status.st_uid == ::geteuid();
}

bool has_lock_text(int file) {
  char begin[kLockText.size()];
  return ::pread(file, begin, sizeof begin, 0) == static_cast<ssize_t>(sizeof begin) &&
         std::string_view(begin, sizeof begin) == kLockText;
}

// Locks the directory of a run that has ended. False: it is none, its run lives, or somebody else removes it.
bool take_dead_lock(const fs::path& directory, FileLock& lock) {
  const fs::path path = directory / kLockName;
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  if (lock.take(file) != FileLock::Outcome::kHeld) return false;
  // Another process may have held the lock, removed the directory and released it after the file was opened here.
  struct stat opened {};
  struct stat named {};
  return ::fstat(file, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 && is_own(opened, S_IFREG) &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino && has_lock_text(file);
}

// The lock goes last: a removal that is cut off is taken up by the next run.
void remove_directory(const fs::path& directory) {
  std::error_code ignored;
  for (fs::directory_iterator entry(directory, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    if (entry->path().filename() == kLockName) continue;
    std::error_code skipped;
    fs::remove_all(entry->path(), skipped);
  }
  fs::remove_all(directory, ignored);
}

void remove_dead_directories(const fs::path& parent) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.size() == kPrefix.size() + kRandomPart.size() && name.starts_with(kPrefix))
      found.push_back(entry->path());
  }
  for (const fs::path& directory : found) {
    struct stat status {};
    FileLock lock;
    if (::lstat(directory.c_str(), &status) == 0 && is_own(status, S_IFDIR) && take_dead_lock(directory, lock)) {
      remove_directory(directory);
    }
  }
}

// The folder and those above it that do not exist, the innermost first.
std::vector<std::string> missing_folders(const fs::path& folder) {
  std::vector<std::string> missing;
  std::error_code error;
  for (fs::path each = folder; !each.empty() && !fs::exists(each, error) && !error; each = each.parent_path()) {
    if (each.has_filename()) missing.push_back(each.string());  // not so behind a slash at the end
  }
  return missing;
}

void remove_if_empty(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    if (::rmdir(folder.c_str()) != 0) return;
  }
}

}  // namespace

std::string temporary_folder() {
  const char* const folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

Result<RunDirectory> RunDirectory::create(const std::string& parent, bool keep) {
  const fs::path base = parent.empty() ? temporary_folder() : parent;
  std::vector<std::string> made;
  std::string path;
  for (int tries = 1;; ++tries) {
    std::error_code error;
    if (const auto missing = missing_folders(base); !missing.empty() && !parent.empty()) {
      made = missing;
      fs::create_directories(base, error);
    }
    remove_dead_directories(base);
    path = (base / fmt::format("{}{}", kPrefix, kRandomPart)).string();
    if (!error && mkdtemp(path.data()) != nullptr) break;
    const int code = error ? error.value() : errno;
    if (code == ENOENT && tries < kMostTries && !parent.empty())
      continue;  // another run has removed what it had made
    remove_if_empty(made);
    return cannot_create(base, std::strerror(code));
  }
  RunDirectory directory(std::move(path), keep);
  if (keep) return directory;
  directory.made_ = std::move(made);
  directory.lock_ = lock_directory(directory.path_);
  return directory;
}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : path_(std::move(other.path_)),
      keep_(other.keep_),
      made_(std::move(other.made_)),
      lock_(std::move(other.lock_)) {
  other.path_.clear();
}

RunDirectory::~RunDirectory() {
  if (path_.empty() || keep_) return;
  remove_directory(path_);
  remove_if_empty(made_);
}

}  // namespace cmc
