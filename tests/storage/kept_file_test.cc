#include "storage/files/kept_file.h"

#include <string>
#include <utility>
#include <vector>

#include "tests/support/memory_files.h"

#include "tests/catch.h"

namespace cmc {
namespace {

std::unique_ptr<File> file_in(MemoryFileSystem& files) {
  return files.open("a", FileSystem::Open::kCreate, FileAccess::kBuffered).value();
}

TEST_CASE("kept files: one is there until it is taken") {
  MemoryFileSystem files;
  KeptFile kept;
  CHECK(kept.take() == nullptr);
  kept.keep(file_in(files));
  KeptFile moved = std::move(kept);
  CHECK(kept.take() == nullptr);
  CHECK(moved.take() != nullptr);
  CHECK(moved.take() == nullptr);
}

TEST_CASE("kept files: there are no more than a process may have, and closed ones make room") {
  MemoryFileSystem files;
  std::vector<KeptFile> all(300);
  for (KeptFile& kept : all) kept.keep(file_in(files));
  KeptFile more;
  more.keep(file_in(files));
  CHECK(more.take() == nullptr);
  all.pop_back();
  more.keep(file_in(files));
  CHECK(more.take() == nullptr);  // the last of 300 was closed before
  all.erase(all.begin());
  more.keep(file_in(files));
  CHECK(more.take() != nullptr);
}

// A search with caches and one thread has up to 17 files open beside them.
TEST_CASE("kept files: a process that may have few files open has them for what cannot do without") {
  for (const long few : {0L, 20L, 64L}) CHECK(KeptFile::most_of(few) == 0);
  CHECK(KeptFile::most_of(128) == 16);
  CHECK(KeptFile::most_of(1024) == 240);
  for (const long many : {1L << 20, -1L}) CHECK(KeptFile::most_of(many) == 256);
}

}  // namespace
}  // namespace cmc
