#include "base/subprocess.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/files/file.h"

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

TEST_CASE("subprocess: exit code, signal and output of a process are reported") {
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

TEST_CASE("subprocess: a wait with a limit is shorter than the process") {
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

TEST_CASE("subprocess: what a process of an own group has started ends with it") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string path = folder / "cmc_subprocess_group.txt";
  const auto lives = [](pid_t process) { return kill(process, 0) == 0; };
  for (const bool ends_itself : {true, false}) {
    Subprocess::Command command;
    command.arguments = {"sh", "-c", ends_itself ? "sleep 60 & echo $!" : "sleep 60 & echo $!; wait"};
    command.output = path;
    command.own_group = true;
    pid_t child = 0;
    {
      Subprocess process = started(command);
      const auto written = [&] { return read_file(path).value().ends_with("\n"); };
      while (!written()) static_cast<void>(process.wait(0.01));
      child = std::stoi(read_file(path).value());
      if (ends_itself) {
        while (!process.wait(10)) {
        }
      }
    }
    for (int i = 0; i < 500 && lives(child); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(!lives(child));
  }
  std::filesystem::remove(path);
}

TEST_CASE("subprocess: a process sees the environment that it is given") {
  const std::string path = std::filesystem::temp_directory_path() / "cmc_subprocess_environment.txt";
  Subprocess::Command command;
  command.arguments = {"sh", "-c", "echo $CMC_TEST; test -n \"$PATH\""};
  command.output = path;
  command.environment = {"CMC_TEST=a=b"};
  setenv("CMC_TEST", "other", 1);
  CHECK(end_of(command).exit_code == 0);
  unsetenv("CMC_TEST");
  CHECK(read_file(path).value() == "a=b\n");
  std::filesystem::remove(path);
}

TEST_CASE("subprocess: an end that the system does not tell is a failure, and this process goes on") {
  std::signal(SIGCHLD, SIG_IGN);
  const Subprocess::End end = end_of({{"true"}});
  // What it starts is told of ends.
  const std::string path = std::filesystem::temp_directory_path() / "cmc_subprocess_child.txt";
  static_cast<void>(end_of({{"bash", "-c", "trap"}, path}));
  std::signal(SIGCHLD, SIG_DFL);
  CHECK(end.exit_code == Subprocess::kUnknownExitCode);
  CHECK(read_file(path).value().find("CHLD") == std::string::npos);
  std::filesystem::remove(path);
}

TEST_CASE("subprocess: a program that is not there is an error") {
  CHECK(!Subprocess::start({{"no-such-program-of-cmc"}}).ok());
  CHECK(!Subprocess::start({{"true"}, "/no/such/folder/x"}).ok());
  CHECK(program_exists("sh"));
  CHECK(program_exists("/bin/sh"));
  CHECK(!program_exists("no-such-program-of-cmc"));
  CHECK(signal_text(SIGSEGV) == "SIGSEGV (Segmentation fault)");
}

}  // namespace
}  // namespace cmc
