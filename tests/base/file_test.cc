#include "base/files/file.h"

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/catch.h"

namespace cmc {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("cmc_file_" + std::to_string(getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  size_t count() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

TEST_CASE("file: what was written is read, zero bytes and all") {
  const Folder folder;
  std::string content = "a\0b\n";
  content.resize(300000, '\0');
  REQUIRE(write_file_atomically(folder / "f", content).ok());
  CHECK(read_file(folder / "f").value() == content);
  REQUIRE(write_file_atomically(folder / "f", "short").ok());
  CHECK(read_file(folder / "f").value() == "short");
  CHECK(folder.count() == 1);  // no temporary file is left
}

TEST_CASE("file: a failed write says the name and leaves nothing behind") {
  const Folder folder;
  const Status status = write_file_atomically(folder / "missing/f", "x");
  REQUIRE(!status.ok());
  CHECK(status.error().find("missing/f") != std::string::npos);
  CHECK(status.error().find("No such file") != std::string::npos);
  CHECK(!read_file(folder / "f").ok());
  CHECK(folder.count() == 0);
}

TEST_CASE("file: a folder is no target and no source") {
  const Folder folder;
  fs::create_directory(folder / "d");
  CHECK(!write_file_atomically(folder / "d", "x").ok());
  CHECK(!read_file(folder / "d").ok());
  CHECK(fs::is_directory(folder / "d"));
}

TEST_CASE("file: a device is written to, not replaced") {
  REQUIRE(write_file_atomically("/dev/null", "x").ok());
  struct stat status {};
  REQUIRE(::stat("/dev/null", &status) == 0);
  CHECK(S_ISCHR(status.st_mode));
}

TEST_CASE("file: permissions and symbolic links survive a replacement") {
  const Folder folder;
  REQUIRE(write_file_atomically(folder / "f", "1").ok());
  REQUIRE(::chmod((folder / "f").c_str(), 0600) == 0);
  fs::create_symlink(folder / "f", folder / "link");
  REQUIRE(write_file_atomically(folder / "link", "2").ok());
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(read_file(folder / "f").value() == "2");
  struct stat status {};
  REQUIRE(::stat((folder / "f").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("file: a symbolic link to a file that is not there is replaced") {
  const Folder folder;
  fs::create_directory(folder / "d");
  fs::create_symlink("d/f", folder / "link");
  fs::create_symlink(folder / "link", folder / "link to link");
  REQUIRE(write_file_atomically(folder / "link to link", "1").ok());
  CHECK(fs::is_symlink(folder / "link to link"));
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(read_file(folder / "d/f").value() == "1");
  fs::create_symlink("round", folder / "round");
  CHECK(!write_file_atomically(folder / "round", "1").ok());
}

TEST_CASE("file: a new file has the permissions that open() gives") {
  const Folder folder;
  const mode_t before = ::umask(027);
  REQUIRE(write_file_atomically(folder / "f", "1").ok());
  ::umask(before);
  struct stat status {};
  REQUIRE(::stat((folder / "f").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
}

TEST_CASE("file: a descriptor that is named is written to, behind what is there") {
  const Folder folder;
  const int number = ::open((folder / "f").c_str(), O_RDWR | O_CREAT, 0600);
  REQUIRE(number >= 0);
  REQUIRE(::write(number, "1", 1) == 1);
  const std::string name = "/dev/fd/" + std::to_string(number);
  CHECK(descriptor_named(name) == number);
  CHECK(write_file_atomically(name, "2").ok());
  CHECK(read_file(folder / "f").value() == "12");
  CHECK(::close(number) == 0);
  CHECK_FALSE(write_file_atomically(name, "3").ok());
  CHECK(folder.count() == 1);
  CHECK(descriptor_named("/dev/stderr") == 2);
  for (const char* const file : {"", "1", "/dev/null", "/dev/fd", "/dev/fd/x", "/dev/fd/1x", "/tmp/1"})
    CHECK(descriptor_named(file) == std::nullopt);
}

TEST_CASE("file: a process that is killed while it writes leaves no other file") {
  const Folder folder;
  const std::string content(uint64_t{64} << 20, 'x');
  for (int i = 0; i < 5; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (;;) static_cast<void>(write_file_atomically(folder / "f", content));
    }
    ::usleep(static_cast<useconds_t>(5000 + 7000 * i));
    REQUIRE(kill(child, SIGKILL) == 0);
    REQUIRE(waitpid(child, nullptr, 0) == child);
  }
  CHECK(folder.count() <= 1);
}

}  // namespace
}  // namespace cmc
