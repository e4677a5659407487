#include "base/files/disk_space.h"

#include <filesystem>

#include <sys/stat.h>

namespace cmc {

namespace fs = std::filesystem;

uint64_t folder_bytes(const std::string& directory) {
  constexpr uint64_t kBlockBytes = 512;  // of stat, whatever the file system's are
  uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator each(directory, error), end; !error && each != end; each.increment(error)) {
    struct stat file {};
    if (::lstat(each->path().c_str(), &file) == 0 && S_ISREG(file.st_mode))
      total += static_cast<uint64_t>(file.st_blocks) * kBlockBytes;
  }
  return total;
}

DiskSpace disk_space(const std::string& path) {
  std::error_code error;
  const fs::space_info space = fs::space(path, error);
  return error ? DiskSpace() : DiskSpace{space.available, space.capacity};
}

}  // namespace cmc
