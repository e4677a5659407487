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

#include "base/files/file.h"
#include "base/sha1.h"
#include "checker/native/object_file.h"
#include "checker/native/safe_folder.h"

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

// So an object that lies under another key's name, that of another model or compiler, is not loaded.
std::string checksum(const std::string& key, std::string_view object) {
  std::string text = key;
  return sha1_hex(text.append(object));
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
  Result<Descriptor> opened = open_own_folder(folder);
  if (!opened.ok()) return cannot_use(folder, opened.error());
  return ObjectCache(folder, std::move(opened).value(), most_bytes);
}

// The file is opened once, and what was read of it is what is checked and returned.
std::optional<std::string> ObjectCache::find(const std::string& key) const {
  const Descriptor file(::open(path_of(key).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file.valid() || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (status.st_uid != ::geteuid() || (status.st_mode & 0077) != 0) return std::nullopt;
  Result<std::string> read = read_file(path_of_descriptor(file));
  if (!read.ok() || read.value().size() < kSha1Digits) return std::nullopt;
  std::string object = std::move(read).value();
  const std::string sha1 = object.substr(object.size() - kSha1Digits);
  object.resize(object.size() - kSha1Digits);
  if (checksum(key, object) != sha1 || !check_object(object).ok()) return std::nullopt;
  ::futimens(file.number(), nullptr);  // it was used now
  return object;
}

Status ObjectCache::add(const std::string& key, const std::string& object) const {
  std::string temporary = path() + '/' + key + std::string(kTemporary) + "XXXXXX";
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));  // mode 0600
  if (!file.valid()) return cannot_use(name_, std::strerror(errno));
  int code = write_all(file.number(), object + checksum(key, object));
  if (!file.close() && code == 0) code = errno;
  if (code == 0 && ::rename(temporary.c_str(), path_of(key).c_str()) != 0) code = errno;
  if (code != 0) {
    ::unlink(temporary.c_str());
    return cannot_use(name_, std::strerror(code));
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
  for (fs::directory_iterator entry(path(), error), end; !error && entry != end; entry.increment(error)) {
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
