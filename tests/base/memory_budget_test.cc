#include "checker/base/memory_budget.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <unistd.h>

#include "checker/base/clock.h"

#include "tests/catch.h"

namespace cmc {
namespace {

// A folder that plays /proc and /sys/fs/cgroup.
class FakeSystem {
 public:
  FakeSystem() : root_(std::filesystem::temp_directory_path() / ("cmc_memory_" + std::to_string(getpid()))) {
    std::filesystem::remove_all(root_);
    files_.meminfo = (root_ / "meminfo").string();
    files_.own_cgroups = (root_ / "own").string();
    files_.cgroup_root = (root_ / "cgroup").string();
  }
  ~FakeSystem() { std::filesystem::remove_all(root_); }

  void write(const std::string& name, const std::string& content) {
    const std::filesystem::path path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }
  const MemoryFiles& files() const { return files_; }

 private:
  std::filesystem::path root_;
  MemoryFiles files_;
};

TEST_CASE("sizes are powers of 1024 with fractions") {
  CHECK(parse_size("4096").value() == 4096);
  CHECK(parse_size("4096B").value() == 4096);
  CHECK(parse_size("512K").value() == 512 * 1024);
  CHECK(parse_size("256M").value() == 256u << 20);
  CHECK(parse_size("256MiB").value() == 256u << 20);
  CHECK(parse_size("1.5g").value() == 3u << 29);
  CHECK(parse_size("2T").value() == uint64_t{2} << 40);
}

TEST_CASE("what is no size is refused with the text in the message") {
  for (const char* text :
       {"", "M", "-1", "+5", "1e3", "12X", "1.5.2", "0x10", " 5", "5 ", "5MM", "inf", "nan", "5bM", ".", "K5"}) {
    INFO(text);
    const Result<uint64_t> size = parse_size(text);
    REQUIRE(!size.ok());
    CHECK(size.error().find("'" + std::string(text) + "'") != std::string::npos);
  }
  CHECK(!parse_size("0").ok());
  CHECK(!parse_size("0.2").ok());
  CHECK(!parse_size("99999999999999999999").ok());
  CHECK(!parse_size("9999999T").ok());
}

TEST_CASE("durations are seconds unless they say otherwise") {
  CHECK(parse_duration("90").value() == 90);
  CHECK(parse_duration("10s").value() == 10);
  CHECK(parse_duration("0.5s").value() == 0.5);
  CHECK(parse_duration("5m").value() == 300);
  CHECK(parse_duration("1.5h").value() == 5400);
  CHECK(parse_duration("2d").value() == 172800);
  for (const char* text : {"", "s", "-5s", "5 s", "5x", "5ms", "0", "0h", "1e400", "99999999999999d"}) {
    INFO(text);
    CHECK(!parse_duration(text).ok());
  }
}

TEST_CASE("format_size picks the unit") {
  CHECK(format_size(0) == "0 bytes");
  CHECK(format_size(1023) == "1023 bytes");
  CHECK(format_size(1536) == "1.5 KB");
  CHECK(format_size(uint64_t{24} << 30) == "24.0 GB");
  CHECK(format_size(~uint64_t{0}) == "16.0 EB");
}

TEST_CASE("the budget is 80 % of the machine without control groups") {
  FakeSystem system;
  system.write("meminfo", "MemTotal:        1000 kB\nMemFree:          500 kB\n");
  CHECK(machine_memory_bytes(system.files()) == 1024000);
  CHECK(!cgroup_memory_limit_bytes(system.files()));
  CHECK(default_memory_budget_bytes(system.files()) == 819200);
}

TEST_CASE("a version 2 group's limit counts, and so does its parents'") {
  FakeSystem system;
  system.write("meminfo", "MemTotal:  1000000 kB\n");
  system.write("own", "0::/user/job\n");
  system.write("cgroup/user/job/memory.max", "max\n");
  CHECK(!cgroup_memory_limit_bytes(system.files()));
  system.write("cgroup/user/memory.max", "500000\n");
  CHECK(cgroup_memory_limit_bytes(system.files()) == 500000);
  system.write("cgroup/user/job/memory.max", "300000\n");
  CHECK(cgroup_memory_limit_bytes(system.files()) == 300000);
  CHECK(default_memory_budget_bytes(system.files()) == 240000);
}

TEST_CASE("a version 1 limit is found in the container's root, and the huge number is none") {
  FakeSystem system;
  system.write("meminfo", "MemTotal:  1000000 kB\n");
  system.write("own", "5:cpu:/\n4:hugetlb,memory:/docker/abc\n0::/\n");
  system.write("cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(!cgroup_memory_limit_bytes(system.files()));
  system.write("cgroup/memory/memory.limit_in_bytes", "700000\n");
  CHECK(cgroup_memory_limit_bytes(system.files()) == 700000);
}

TEST_CASE("a limit above the machine's memory does not raise the budget") {
  FakeSystem system;
  system.write("meminfo", "MemTotal:  100 kB\n");
  system.write("own", "0::/\n");
  system.write("cgroup/memory.max", "99999999\n");
  CHECK(default_memory_budget_bytes(system.files()) == 81920);
}

TEST_CASE("an unknown machine has no budget rather than a wrong one") {
  FakeSystem system;
  CHECK(!machine_memory_bytes(system.files()));
  CHECK(default_memory_budget_bytes(system.files()) == 0);
}

TEST_CASE("resident memory follows what is touched") {
  constexpr size_t kBytes = size_t{64} << 20;
  const uint64_t before = resident_bytes();
  REQUIRE(before > 0);
  {
    const auto memory = std::make_unique<char[]>(kBytes);
    std::memset(memory.get(), 1, kBytes);
    asm volatile("" : : "r"(memory.get()) : "memory");
    CHECK(resident_bytes() >= before + kBytes / 8 * 7);
  }
  CHECK(peak_resident_bytes() >= before + kBytes / 8 * 7);
}

TEST_CASE("the system's clocks go forward") {
  const SystemClock clock;
  const double wall = clock.wall_seconds();
  const double cpu = clock.cpu_seconds();
  while (clock.cpu_seconds() < cpu + 0.01) {
  }
  CHECK(clock.wall_seconds() >= wall + 0.009);
}

}  // namespace
}  // namespace cmc
