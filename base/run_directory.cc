#include "base/run_directory.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

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
  if (lock.take(file) != FileLock::Outcome::kHeld || !written) {
    ::unlink(unnamed.c_str());
  } else if (::rename(unnamed.c_str(), (directory / kLockName).c_str()) != 0) {
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

}  // namespace

Result<RunDirectory> RunDirectory::create(const std::string& parent, bool keep) {
  std::error_code error;
  const fs::path base = parent.empty() ? fs::temp_directory_path(error) : fs::path(parent);
  if (!error) fs::create_directories(base, error);
  if (error) return cannot_create(base, error.message());
  remove_dead_directories(base);
  std::string path = (base / fmt::format("{}{}", kPrefix, kRandomPart)).string();
  if (mkdtemp(path.data()) == nullptr) return cannot_create(base, std::strerror(errno));
  RunDirectory directory(std::move(path), keep);
  if (!keep) directory.lock_ = lock_directory(directory.path_);
  return directory;
}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : path_(std::move(other.path_)), keep_(other.keep_), lock_(std::move(other.lock_)) {
  other.path_.clear();
}

RunDirectory::~RunDirectory() {
  if (!path_.empty() && !keep_) remove_directory(path_);
}

}  // namespace cmc
