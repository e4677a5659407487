#pragma once

#include <cstdint>
#include <string>

#include "studies/transactions/folder_files.h"

namespace cmc {

// Small files that are read and replaced as a whole.

// What a content is recognised by; never the clock, which can stand still or go back.
struct FileVersion {
  bool there = false;
  uint64_t length = 0;
  uint64_t hash = 0;  // XXH3, 64 bits

  friend bool operator==(const FileVersion&, const FileVersion&) = default;
};
[[nodiscard]] FileVersion version_of(const FileContent& content);

// Error: what is read then is something else.
[[nodiscard]] Status write_and_compare(File& file, uint64_t offset, const std::string& bytes);

// Whoever reads `path` meanwhile finds the old content or the new one. The content, which is read again to see
// whether it has arrived, is on stable storage before it gets its name, if `sync` says so; the name is when the
// directory is synced. `temporary`: another path in the same file system, which must not be used meanwhile. Without
// content: removes the file, if it is there.
[[nodiscard]] Status replace_whole_file(FolderFiles& files, const std::string& path, const std::string& temporary,
                                        const FileContent& content, bool sync);

}  // namespace cmc
