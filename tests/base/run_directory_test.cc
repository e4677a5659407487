#include "base/files/run_directory.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "tests/catch.h"

namespace cmc {
namespace {

namespace fs = std::filesystem;

struct Parent {
  Parent() {
    std::string name = (fs::temp_directory_path() / "run-directory-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Parent() { fs::remove_all(path); }
  RunDirectory create(bool keep = false) const {
    Result<RunDirectory> created = RunDirectory::create(path.string(), keep);
    REQUIRE(created.ok());
    return std::move(created).value();
  }
  // A directory as a run leaves it that was killed.
  fs::path leave(const std::string& name, const std::string& lock) const {
    fs::create_directories(path / name / "pages");
    std::ofstream(path / name / "pages" / "0") << "content";
    std::ofstream(path / name / "lock") << lock;
    return path / name;
  }
  fs::path path;
};

constexpr const char* kLockText = "locked by the cmc process 4711\n";

TEST_CASE("run directory: it goes with its object") {
  const Parent parent;
  fs::path path;
  {
    const RunDirectory directory = parent.create();
    path = directory.path();
    CHECK(fs::exists(path / "lock"));
    std::ofstream(path / "pages") << "content";
  }
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("run directory: the directory of a run that lives, and one that is kept, stay") {
  const Parent parent;
  const RunDirectory first = parent.create();
  const RunDirectory second = parent.create();
  fs::path kept;
  {
    const RunDirectory directory = parent.create(true);
    kept = directory.path();
  }
  const RunDirectory last = parent.create();
  CHECK(fs::exists(first.path()));
  CHECK(fs::exists(second.path()));
  CHECK(fs::exists(kept));
}

TEST_CASE("run directory: directories of dead runs are removed, what others made is not") {
  const Parent parent;
  const fs::path dead = parent.leave("cmc-aaaaaa", kLockText);
  const fs::path cut = parent.leave("cmc-bbbbbb", kLockText);  // its removal was cut off
  fs::remove_all(cut / "pages");
  const fs::path longer = parent.leave("cmc-aaaaaaa", kLockText);
  const fs::path foreign = parent.leave("cmc-cccccc", "the lock of another program\n");
  const fs::path unlocked = parent.leave("cmc-dddddd", kLockText);
  fs::remove(unlocked / "lock");
  const fs::path linked = parent.leave("cmc-eeeeee", "");
  fs::remove(linked / "lock");
  std::ofstream(parent.path / "text") << kLockText;
  fs::create_symlink(parent.path / "text", linked / "lock");
  const fs::path target = parent.leave("elsewhere", kLockText);
  fs::create_directory_symlink(target, parent.path / "cmc-ffffff");
  std::ofstream(parent.path / "cmc-gggggg") << "a file";
  const fs::path pipe = parent.path / "cmc-hhhhhh";
  fs::create_directories(pipe);
  REQUIRE(mkfifo((pipe / "lock").c_str(), 0600) == 0);

  const RunDirectory directory = parent.create();
  CHECK_FALSE(fs::exists(dead));
  CHECK_FALSE(fs::exists(cut));
  for (const fs::path& each : {longer, foreign, unlocked, linked, target, parent.path / "cmc-ffffff",
                               parent.path / "cmc-gggggg", pipe, fs::path(directory.path())}) {
    INFO(each.string());
    CHECK(fs::exists(each));
  }
}

TEST_CASE("run directory: folders that were made for a run stay") {
  const Parent parent;
  const auto create = [&](const char* below, bool keep) {
    return std::move(RunDirectory::create((parent.path / below).string(), keep)).value();
  };
  for (const char* below : {"a/b/c", "a/b/c/"}) {
    { const RunDirectory directory = create(below, false); }
    CHECK(fs::is_empty(parent.path));
  }
  // Not those in which something else is by then, nor those that were there.
  fs::create_directories(parent.path / "there");
  {
    const RunDirectory first = create("a/b", false);
    const RunDirectory second = create("a/b", true);
    const RunDirectory third = create("there/c", false);
  }
  CHECK(fs::exists(parent.path / "a/b"));
  CHECK(fs::is_empty(parent.path / "there"));
}

TEST_CASE("run directory: an empty TMPDIR names a folder") {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "", 1);
  CHECK(temporary_folder() == "/tmp");
  CHECK(RunDirectory::create("", false).ok());
  setenv("TMPDIR", "/no/such/folder", 1);
  CHECK(!RunDirectory::create("", false).ok());
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
  CHECK(!fs::exists("/no/such"));
}

TEST_CASE("run directory: one that cannot be made is an error") {
  CHECK_FALSE(RunDirectory::create("/dev/null/nowhere", false).ok());
}

}  // namespace
}  // namespace cmc
