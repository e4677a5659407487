#pragma once

#include <cstdint>
#include <string>

namespace cmc {

// What the files in a directory take on its file system, in bytes; folders in it are not looked into. Files that come
// or go meanwhile may count or not. 0: there is no such directory.
[[nodiscard]] uint64_t folder_bytes(const std::string& directory);

// How much a file system can still take, and what it has in all, in bytes.
struct DiskSpace {
  uint64_t free = 0;
  uint64_t total = 0;
};

// Of the file system of `path`. Both 0: that cannot be found out.
[[nodiscard]] DiskSpace disk_space(const std::string& path);

}  // namespace cmc
