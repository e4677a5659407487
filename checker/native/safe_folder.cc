#include "checker/native/safe_folder.h"

#include <array>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/file.h"

namespace cmc::native {

namespace {

constexpr int kMostLinks = 40;  // as Linux allows

Error about(const std::string& path, const std::string& what) { return Error{fmt::format("'{}' {}", path, what)}; }

// The names in a path, the last one first.
std::vector<std::string> names_in(const std::filesystem::path& path) {
  std::vector<std::string> names;
  for (const std::filesystem::path& each : path.relative_path()) {
    if (!each.empty() && each != ".") names.insert(names.begin(), each.string());
  }
  return names;
}

class Walk {
 public:
  // Error: the root folder itself is not safe.
  Status begin() {
    folder_ = Descriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    path_ = "";
    struct stat status {};
    if (!folder_.valid() || ::fstat(folder_.number(), &status) != 0) return system_error("open", "/", errno);
    return check_safe("/", status);
  }

  Status enter(const std::string& path) {
    int links = 0;
    for (std::vector<std::string> names = names_in(path); !names.empty();) {
      const std::string name = std::move(names.back());
      names.pop_back();
      struct stat status {};
      CMC_TRY(Descriptor next, open_or_make(name, status));
      const std::string full = path_ + '/' + name;
      if (!S_ISLNK(status.st_mode)) {
        if (Status safe = check_safe(full, status); !safe.ok()) return safe;
        folder_ = std::move(next);
        path_ = full;
        continue;
      }
      if (!is_trusted(status.st_uid)) return about(full, "is a link of somebody else");
      if (++links > kMostLinks) return system_error("open", full, ELOOP);
      CMC_TRY(const std::string target, read_link(next, full));
      if (target.starts_with('/')) {
        if (Status begun = begin(); !begun.ok()) return begun;
      }
      for (std::string& each : names_in(target)) names.push_back(std::move(each));
    }
    return Success{};
  }

  // A folder of the user's own, and no link. `forbidden`: permissions of others.
  Status enter_own(const std::string& name, mode_t forbidden) {
    struct stat status {};
    CMC_TRY(Descriptor next, open_or_make(name, status));
    const std::string full = path_ + '/' + name;
    if (!S_ISDIR(status.st_mode)) return system_error("open", full, ENOTDIR);
    if (status.st_uid != ::geteuid()) return about(full, "belongs to somebody else");
    if ((status.st_mode & forbidden) != 0) return about(full, "is open to others");
    folder_ = std::move(next);
    path_ = full;
    return Success{};
  }

  [[nodiscard]] Descriptor take() { return std::move(folder_); }

 private:
  static bool is_trusted(uid_t owner) { return owner == 0 || owner == ::geteuid(); }

  static Status check_safe(const std::string& path, const struct stat& status) {
    if (!S_ISDIR(status.st_mode)) return system_error("open", path, ENOTDIR);
    if (!is_trusted(status.st_uid)) return about(path, "belongs to somebody else");
    const bool writable = (status.st_mode & 0022) != 0 && (status.st_mode & S_ISVTX) == 0;
    return writable ? Status(about(path, "is open to others")) : Status(Success{});
  }

  static Result<std::string> read_link(const Descriptor& link, const std::string& path) {
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlinkat(link.number(), "", target.data(), target.size());
    if (size <= 0) return system_error("open", path, size < 0 ? errno : ENOENT);
    return std::string(target.data(), static_cast<size_t>(size));
  }

  // What has this name in the folder, a link itself included.
  Result<Descriptor> open_or_make(const std::string& name, struct stat& status) const {
    constexpr int kFlags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
    Descriptor next(::openat(folder_.number(), name.c_str(), kFlags));
    if (!next.valid() && errno == ENOENT) {
      if (::mkdirat(folder_.number(), name.c_str(), 0700) != 0 && errno != EEXIST)
        return system_error("open", path_ + '/' + name, errno);
      next = Descriptor(::openat(folder_.number(), name.c_str(), kFlags));
    }
    if (!next.valid() || ::fstat(next.number(), &status) != 0) return system_error("open", path_ + '/' + name, errno);
    return next;
  }

  Descriptor folder_;
  std::string path_;  // of the folder, for messages
};

}  // namespace

Result<Descriptor> open_own_folder(const std::string& path) {
  const std::filesystem::path folder(path);
  const std::filesystem::path above = folder.parent_path();
  Walk walk;
  Status entered = walk.begin();
  if (entered.ok()) entered = walk.enter(above.parent_path().string());
  if (entered.ok()) entered = walk.enter_own(above.filename().string(), 0022);
  if (entered.ok()) entered = walk.enter_own(folder.filename().string(), 0077);
  if (!entered.ok()) return Error{entered.error()};
  return walk.take();
}

}  // namespace cmc::native
