#include "base/subprocess.h"

#include <chrono>
#include <csignal>
#include <filesystem>

#include "base/file.h"

#include "tests/catch.h"

namespace cmc {
namespace {

Subprocess started(const Subprocess::Command& command) {
  Result<Subprocess> process = Subprocess::start(command);
  if (!process.ok()) FAIL(process.error());
  return std::move(process).value();
}

// REQUIRES: it ends by itself.
Subprocess::End end_of(const Subprocess::Command& command) {
  Subprocess process = started(command);
  while (!process.wait(10)) {
  }
  return process.end();
}

TEST_CASE("an exit code, a signal or the output of a process is lost") {
  const std::string path = std::filesystem::temp_directory_path() / "cmc_subprocess_test.txt";
  const Subprocess::End end = end_of({{"sh", "-c", "echo out; echo \"$0\" >&2; cat; exit 7", "a b'c"}, path, path});
  CHECK(end.exit_code == 7);
  CHECK(end.signal == 0);
  CHECK(end.peak_resident_bytes > 100000);
  CHECK(read_file(path).value() == "out\na b'c\n");
  std::filesystem::remove(path);
  CHECK(end_of({{"/bin/sh", "-c", "kill -9 $$"}}).signal == SIGKILL);
  // A pipe that breaks ends a program as usual, although this one may ignore it.
  std::signal(SIGPIPE, SIG_IGN);
  CHECK(end_of({{"sh", "-c", "kill -PIPE $$"}}).signal == SIGPIPE);
}

TEST_CASE("waiting takes as long as the process") {
  const auto begin = std::chrono::steady_clock::now();
  {
    Subprocess process = started({{"sleep", "60"}});
    CHECK(!process.wait(0));
    CHECK(!process.wait(0.05));
    process.send_signal(SIGTERM);
    while (!process.wait(10)) {
    }
    CHECK(process.end().signal == SIGTERM);
    CHECK(process.wait(0));
    const Subprocess killed = started({{"sleep", "60"}});
  }
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}

TEST_CASE("a program that is not there is started") {
  CHECK(!Subprocess::start({{"no-such-program-of-cmc"}}).ok());
  CHECK(!Subprocess::start({{"true"}, "/no/such/folder/x"}).ok());
  CHECK(program_exists("sh"));
  CHECK(program_exists("/bin/sh"));
  CHECK(!program_exists("no-such-program-of-cmc"));
  CHECK(signal_text(SIGSEGV) == "SIGSEGV (Segmentation fault)");
}

}  // namespace
}  // namespace cmc
