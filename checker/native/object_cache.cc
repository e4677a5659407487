#include "checker/native/object_cache.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha1.h"
#include "checker/native/object_file.h"

namespace cmc::native {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".so";
constexpr std::string_view kTemporary = ".new-";
constexpr size_t kSha1Digits = 40;
constexpr double kSecondsOfTemporary = 3600;  // then its process is dead

Error cannot_use(const std::string& folder, const std::string& why) {
  return Error{fmt::format("native code is not kept in '{}': {}", folder, why)};
}

bool is_own(const struct stat& status, mode_t type, mode_t forbidden) {
  return (status.st_mode & S_IFMT) == type && status.st_uid == ::geteuid() && (status.st_mode & forbidden) == 0;
}

bool is_own_folder(const std::string& path, mode_t forbidden) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && is_own(status, S_IFDIR, forbidden);
}

bool is_own_file(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && is_own(status, S_IFREG, 0077);
}

}  // namespace

std::string ObjectCache::users_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/cmc/native";
  const char* const home = std::getenv("HOME");
  return home != nullptr && home[0] == '/' ? std::string(home) + "/.cache/cmc/native" : "";
}

Result<ObjectCache> ObjectCache::open(const std::string& folder, uint64_t most_bytes) {
  if (folder.empty()) return Error{"native code is not kept: there is no home directory"};
  std::error_code error;
  const fs::path parent = fs::path(folder).parent_path();
  fs::create_directories(parent.parent_path(), error);
  for (const fs::path& each : {parent, fs::path(folder)}) {
    if (::mkdir(each.c_str(), 0700) != 0 && errno != EEXIST) return cannot_use(folder, std::strerror(errno));
  }
  if (!is_own_folder(parent, 0022) || !is_own_folder(folder, 0077)) {
    return cannot_use(folder, "it, or the folder above, belongs to somebody else or is open to others");
  }
  return ObjectCache(folder, most_bytes);
}

std::optional<std::string> ObjectCache::find(const std::string& key) const {
  const std::string path = path_of(key);
  if (!is_own_file(path)) return std::nullopt;
  const Result<std::string> content = read_file(path);
  if (!content.ok() || content.value().size() < kSha1Digits) return std::nullopt;
  const std::string_view object = std::string_view(content.value()).substr(0, content.value().size() - kSha1Digits);
  if (sha1_hex(object) != content.value().substr(object.size()) || !check_object(object).ok()) return std::nullopt;
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // it was used now
  return path;
}

Status ObjectCache::add(const std::string& key, const std::string& object) const {
  std::string temporary = folder_ + '/' + key + std::string(kTemporary) + "XXXXXX";
  const int file = ::mkostemp(temporary.data(), O_CLOEXEC);  // mode 0600
  if (file < 0) return cannot_use(folder_, std::strerror(errno));
  const std::string content = object + sha1_hex(object);
  int code = 0;
  for (size_t written = 0; code == 0 && written < content.size();) {
    const ssize_t count = ::write(file, content.data() + written, content.size() - written);
    if (count > 0) written += static_cast<size_t>(count);
    if (count < 0 && errno != EINTR) code = errno;
  }
  if (::close(file) != 0 && code == 0) code = errno;
  if (code == 0 && ::rename(temporary.c_str(), path_of(key).c_str()) != 0) code = errno;
  if (code != 0) {
    ::unlink(temporary.c_str());
    return cannot_use(folder_, std::strerror(code));
  }
  limit_size();
  return Success{};
}

void ObjectCache::remove(const std::string& key) const { ::unlink(path_of(key).c_str()); }

void ObjectCache::limit_size() const {
  struct Kept {
    fs::path path;
    uint64_t bytes;
    fs::file_time_type used;
  };
  std::vector<Kept> all;
  uint64_t bytes = 0;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code skipped;
    const std::string name = entry->path().filename().string();
    const Kept kept{entry->path(), entry->file_size(skipped), entry->last_write_time(skipped)};
    if (skipped) continue;
    if (name.find(kTemporary) != std::string::npos) {
      if (now - kept.used > std::chrono::duration<double>(kSecondsOfTemporary)) fs::remove(kept.path, skipped);
    } else if (name.ends_with(kSuffix)) {
      bytes += kept.bytes;
      all.push_back(kept);
    }
  }
  std::ranges::sort(all, {}, &Kept::used);
  for (size_t i = 0; i + 1 < all.size() && bytes > most_bytes_; ++i) {  // the newest one stays
    fs::remove(all[i].path, error);
    bytes -= all[i].bytes;
  }
}

}  // namespace cmc::native
