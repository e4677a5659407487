#include "studies/transactions/whole_file.h"

#include <fmt/format.h>

#include "base/hash.h"

namespace cmc {

namespace {

Status write_new_file(FolderFiles& files, const std::string& path, const std::string& content, bool sync) {
  CMC_TRY(const std::unique_ptr<File> file, files.open(path, FileSystem::Open::kCreate));
  if (const Status written = write_and_compare(*file, 0, content); !written.ok()) return written;
  if (sync) {
    if (const Status synced = files.sync(path); !synced.ok()) return synced;
  }
  return file->close();
}

}  // namespace

FileVersion version_of(const FileContent& content) {
  if (!content) return {};
  return {true, content->size(), hash_bytes(std::as_bytes(std::span(*content)))};
}

Status write_and_compare(File& file, uint64_t offset, const std::string& bytes) {
  if (const Status written = file.write(offset, std::as_bytes(std::span(bytes))); !written.ok()) return written;
  std::string again(bytes.size(), '\0');
  if (const Status read = file.read(offset, std::as_writable_bytes(std::span(again))); !read.ok()) return read;
  if (again == bytes) return Success{};
  return Error{fmt::format("cannot write '{}': what is read is not what was written", file.path())};
}

Status replace_whole_file(FolderFiles& files, const std::string& path, const std::string& temporary,
                          const FileContent& content, bool sync) {
  if (!content) {
    CMC_TRY(const bool exists, FolderFiles::exists(path));
    return exists ? files.remove(path) : Success{};
  }
  if (const Status written = write_new_file(files, temporary, *content, sync); !written.ok()) return written;
  return files.rename(temporary, path);
}

}  // namespace cmc
