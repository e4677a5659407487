#include "storage/files/async_files.h"

#include <condition_variable>
#include <mutex>
#include <random>
#include <vector>

#include "tests/support/memory_files.h"

#include "tests/catch.h"

namespace cmc {
namespace {

std::unique_ptr<AsyncFiles> async(FileSystem& files) {
  Result<std::unique_ptr<AsyncFiles>> created = AsyncFiles::create(files);
  REQUIRE(created.ok());
  return std::move(created).value();
}

std::unique_ptr<File> opened(FileSystem& files, const std::string& path,
                             FileSystem::Open how = FileSystem::Open::kCreate) {
  auto file = files.open(path, how, FileAccess::kBuffered);
  REQUIRE(file.ok());
  return std::move(file).value();
}

// Files whose writes wait until they are let go.
class HeldFiles final : public FileSystem {
 public:
  explicit HeldFiles(FileSystem& files) : files_(files) {}
  Result<std::unique_ptr<File>> open(const std::string& path, Open how, FileAccess access) override {
    auto file = files_.open(path, how, access);
    return std::unique_ptr<File>(std::make_unique<HeldFile>(*this, std::move(file).value()));
  }
  Status remove(const std::string& path) override { return files_.remove(path); }
  void let_go() {
    const std::lock_guard lock(mutex_);
    free_ = true;
    changed_.notify_all();
  }

 private:
  class HeldFile final : public ForwardingFile {
   public:
    HeldFile(HeldFiles& owner, std::unique_ptr<File> file) : ForwardingFile(std::move(file)), owner_(owner) {}
    Status write(uint64_t offset, ByteView bytes) override {
      std::unique_lock lock(owner_.mutex_);
      owner_.changed_.wait(lock, [&] { return owner_.free_; });
      return file_->write(offset, bytes);
    }

   private:
    HeldFiles& owner_;
  };

  FileSystem& files_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool free_ = false;
};

TEST_CASE("async files: who writes does not wait, who reads then does") {
  MemoryFileSystem memory;
  HeldFiles held(memory);
  const auto files = async(held);
  const std::unique_ptr<File> file = opened(*files, "a");
  REQUIRE(file->write(0, Bytes(1000, std::byte{3})).ok());
  CHECK(memory.total_bytes() == 0);
  CHECK(files->memory_bytes() >= 1000);
  held.let_go();
  Bytes back(500);
  REQUIRE(file->read(500, back).ok());
  CHECK(back == Bytes(500, std::byte{3}));
  CHECK(memory.total_bytes() == 1000);
  REQUIRE(file->close().ok());
}

TEST_CASE("async files: a file that goes waits for its write, and gives its memory back") {
  MemoryFileSystem memory;
  HeldFiles held(memory);
  const auto files = async(held);
  std::unique_ptr<File> file = opened(*files, "a");
  REQUIRE(file->write(0, Bytes(100)).ok());
  held.let_go();
  file.reset();
  CHECK(memory.total_bytes() == 100);
  CHECK(files->memory_bytes() == 0);
}

// Several files, each with a copy of what it should have.
TEST_CASE("async files: any sequence of calls does what it does without the thread") {
  MemoryFileSystem memory;
  const auto files = async(memory);
  std::mt19937 random(11);  // NOLINT: the same every time
  struct Each {
    std::unique_ptr<File> file;
    Bytes content;
  };
  std::vector<Each> all(3);
  for (size_t i = 0; i < all.size(); ++i) all[i].file = opened(*files, "f" + std::to_string(i));
  for (int i = 0; i < 20000; ++i) {
    Each& each = all[random() % all.size()];
    const uint64_t offset = random() % (each.content.size() + 1);
    const uint64_t size = 1 + random() % 300;
    switch (random() % 6) {
      case 0:
      case 1: {
        const Bytes bytes(size, static_cast<std::byte>(random()));
        REQUIRE(each.file->write(offset, bytes).ok());
        each.content.resize(std::max<size_t>(each.content.size(), offset + size));
        std::copy(bytes.begin(), bytes.end(), each.content.begin() + static_cast<ptrdiff_t>(offset));
        break;
      }
      case 2: each.file->read_ahead(offset, size); [[fallthrough]];
      case 3: {
        Bytes back(random() % 2 == 0 ? size : 1 + size / 2);
        const bool there = offset + back.size() <= each.content.size();
        REQUIRE(each.file->read(offset, back).ok() == there);
        if (there)
          REQUIRE(std::equal(back.begin(), back.end(), each.content.begin() + static_cast<ptrdiff_t>(offset)));
        break;
      }
      case 4: each.file->read_ahead(offset, size); break;  // nobody reads it
      default:
        if (random() % 20 > 0) break;
        REQUIRE(each.file->truncate(offset).ok());
        each.content.resize(offset);
    }
  }
  for (Each& each : all) REQUIRE(each.file->close().ok());
}

TEST_CASE("async files: what was read ahead is not used once it is out of date") {
  MemoryFileSystem memory;
  const auto files = async(memory);
  const std::unique_ptr<File> file = opened(*files, "a");
  REQUIRE(file->write(0, Bytes(100, std::byte{1})).ok());
  file->read_ahead(0, 100);
  REQUIRE(file->write(0, Bytes(100, std::byte{2})).ok());
  Bytes back(100);
  REQUIRE(file->read(0, back).ok());
  CHECK(back == Bytes(100, std::byte{2}));
  file->read_ahead(0, 100);
  REQUIRE(file->truncate(50).ok());
  CHECK_FALSE(file->read(0, back).ok());
}

TEST_CASE("async files: a write that failed is an error of every later call, at the latest of close") {
  for (const Fault fault : {Fault::kNoSpace, Fault::kInputOutput, Fault::kShortWrite}) {
    for (int call = 0; call < 4; ++call) {
      MemoryFileSystem memory;
      FaultyFiles faulty(memory, fault, 1);  // 0: open
      const auto files = async(faulty);
      const std::unique_ptr<File> file = opened(*files, "a");
      REQUIRE(file->write(0, Bytes(100)).ok());
      Bytes back(10);
      switch (call) {
        case 0: CHECK_FALSE(file->read(0, back).ok()); break;
        case 1: CHECK_FALSE(file->write(0, back).ok()); break;
        case 2: CHECK_FALSE(file->truncate(0).ok()); break;
        default: file->read_ahead(0, 10); CHECK_FALSE(file->read(0, back).ok());
      }
      const Status closed = file->close();
      REQUIRE_FALSE(closed.ok());
      CHECK_THAT(closed.error(), Catch::Contains("cannot write 'a'"));
    }
  }
}

TEST_CASE("async files: to read ahead in vain is no error, to read is") {
  MemoryFileSystem memory;
  FaultyFiles faulty(memory, Fault::kInputOutput, 2);  // open, write, read
  const auto files = async(faulty);
  const std::unique_ptr<File> file = opened(*files, "a");
  REQUIRE(file->write(0, Bytes(100, std::byte{9})).ok());
  file->read_ahead(0, 100);
  Bytes back(100);
  REQUIRE(file->read(0, back).ok());
  CHECK(back == Bytes(100, std::byte{9}));
  file->read_ahead(50, 100);
  CHECK_FALSE(file->read(50, back).ok());
}

}  // namespace
}  // namespace cmc
