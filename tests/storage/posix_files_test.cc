#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "storage/files/file_system.h"

#include "tests/catch.h"

namespace cmc {
namespace {

// A directory that goes with the object.
class Directory {
 public:
  Directory() {
    std::string name = (std::filesystem::temp_directory_path() / "cmc-files-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST_CASE("files: what is written is read, buffered and direct") {
  const Directory directory;
  const auto files = make_posix_file_system();
  for (const FileAccess access : {FileAccess::kBuffered, FileAccess::kDirect}) {
    const std::string path = directory.path() + "/file";
    auto opened = files->open(path, FileSystem::Open::kCreate, access);
    if (!opened.ok()) {
      REQUIRE(access == FileAccess::kDirect);  // not every file system has it
      REQUIRE_THAT(opened.error(), Catch::Contains("direct I/O"));
      continue;
    }
    const std::unique_ptr<File> file = std::move(opened).value();
    AlignedBuffer buffer(3 * kFileBlock);
    for (size_t i = 0; i < buffer.size(); ++i) buffer.data()[i] = static_cast<std::byte>(i * 7 >> 3);
    REQUIRE(file->write(0, buffer.first(2 * kFileBlock)).ok());
    REQUIRE(file->write(2 * kFileBlock, buffer.first(3 * kFileBlock)).ok());
    REQUIRE(std::filesystem::file_size(path) == 5 * kFileBlock);
    file->read_ahead(0, kFileBlock);
    AlignedBuffer back(3 * kFileBlock);
    REQUIRE(file->read(2 * kFileBlock, back.first(3 * kFileBlock)).ok());
    REQUIRE(std::equal(back.data(), back.data() + back.size(), buffer.data()));
    const Status behind = file->read(3 * kFileBlock, back.first(3 * kFileBlock));
    REQUIRE_FALSE(behind.ok());
    REQUIRE_THAT(behind.error(), Catch::Contains(path));
    REQUIRE(file->truncate(kFileBlock).ok());
    REQUIRE(std::filesystem::file_size(path) == kFileBlock);
    REQUIRE(file->close().ok());
    REQUIRE(files->remove(path).ok());
  }
}

TEST_CASE("files: errors name the file") {
  const Directory directory;
  const auto files = make_posix_file_system();
  const std::string none = directory.path() + "/none";
  REQUIRE_THAT(files->open(none, FileSystem::Open::kExisting, FileAccess::kBuffered).error(), Catch::Contains(none));
  REQUIRE_THAT(files->open(none + "/x", FileSystem::Open::kCreate, FileAccess::kBuffered).error(),
               Catch::Contains(none));
  REQUIRE_THAT(files->remove(none).error(), Catch::Contains(none));
}

TEST_CASE("files: a full disk is an error") {
  const auto files = make_posix_file_system();
  auto full = files->open("/dev/full", FileSystem::Open::kExisting, FileAccess::kBuffered);
  if (!full.ok()) return;
  const Bytes bytes(10);
  const Status status = std::move(full).value()->write(0, bytes);
  REQUIRE_FALSE(status.ok());
  REQUIRE_THAT(status.error(), Catch::Contains("No space"));
}

}  // namespace
}  // namespace cmc
