#include "base/memory_limit.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

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

TEST_CASE("memory limit: the budget is 80 % of the machine without control groups") {
  FakeSystem system;
  system.write("meminfo", "MemTotal:        1000 kB\nMemFree:          500 kB\n");
  CHECK(machine_memory_bytes(system.files()) == 1024000);
  CHECK(!cgroup_memory_limit_bytes(system.files()));
  CHECK(default_memory_budget_bytes(system.files()) == 819200);
}

TEST_CASE("memory limit: a version 2 group's limit counts, and so does its parents'") {
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

TEST_CASE("memory limit: a version 1 limit is found in the container's root, and the huge number is none") {
  FakeSystem system;
  system.write("meminfo", "MemTotal:  1000000 kB\n");
  system.write("own", "5:cpu:/\n4:hugetlb,memory:/docker/abc\n0::/\n");
  system.write("cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(!cgroup_memory_limit_bytes(system.files()));
  system.write("cgroup/memory/memory.limit_in_bytes", "700000\n");
  CHECK(cgroup_memory_limit_bytes(system.files()) == 700000);
}

TEST_CASE("memory limit: a limit above the machine's memory does not raise the budget") {
  FakeSystem system;
  system.write("meminfo", "MemTotal:  100 kB\n");
  system.write("own", "0::/\n");
  system.write("cgroup/memory.max", "99999999\n");
  CHECK(default_memory_budget_bytes(system.files()) == 81920);
}

TEST_CASE("memory limit: an unknown machine has no budget rather than a wrong one") {
  FakeSystem system;
  CHECK(!machine_memory_bytes(system.files()));
  CHECK(default_memory_budget_bytes(system.files()) == 0);
  CHECK(!total_memory_bytes(system.files()));
}

}  // namespace
}  // namespace cmc
