#include "storage/files/metered_files.h"

#include <chrono>
#include <string>
#include <thread>

#include "tests/support/memory_files.h"

#include "tests/catch.h"

namespace cmc {
namespace {

constexpr auto kDelay = std::chrono::milliseconds(20);

// Files that are removed slowly.
class SlowFiles final : public FileSystem {
 public:
  explicit SlowFiles(FileSystem& files) : files_(files) {}
  Result<std::unique_ptr<File>> open(const std::string& path, Open how, FileAccess access) override {
    return files_.open(path, how, access);
  }
  Status remove(const std::string& path) override {
    std::this_thread::sleep_for(kDelay);
    return files_.remove(path);
  }

 private:
  FileSystem& files_;
};

TEST_CASE("metered files: the wait is that of calls, and of nothing else") {
  MemoryFileSystem memory;
  SlowFiles slow(memory);
  MeteredFiles files(slow);
  CHECK(files.wait_seconds() == 0);
  std::this_thread::sleep_for(kDelay);
  CHECK(files.wait_seconds() == 0);
  CHECK_FALSE(files.remove("a").ok());
  CHECK_FALSE(files.remove("b").ok());
  CHECK(files.wait_seconds() >= 2 * std::chrono::duration<double>(kDelay).count());
}

TEST_CASE("metered files: everything is passed on, errors too") {
  MemoryFileSystem memory;
  MeteredFiles files(memory);
  auto opened = files.open("d/a", FileSystem::Open::kCreate, FileAccess::kBuffered);
  REQUIRE(opened.ok());
  std::unique_ptr<File> file = std::move(opened).value();
  CHECK(file->path() == "d/a");
  const Bytes content(100, std::byte{7});
  REQUIRE(file->write(0, content).ok());
  REQUIRE(file->truncate(50).ok());
  Bytes back(50);
  file->read_ahead(0, 50);
  REQUIRE(file->read(0, back).ok());
  CHECK(back == Bytes(50, std::byte{7}));
  CHECK_FALSE(file->read(1, back).ok());
  REQUIRE(file->close().ok());
  const double before = files.wait_seconds();
  CHECK(before > 0);
  file.reset();
  CHECK(files.wait_seconds() > before);
  REQUIRE(files.remove("d/a").ok());
  CHECK_FALSE(files.remove("d/a").ok());
  CHECK_FALSE(files.open("d/a", FileSystem::Open::kExisting, FileAccess::kBuffered).ok());
}

}  // namespace
}  // namespace cmc
