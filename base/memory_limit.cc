#include "base/memory_limit.h"

#include <algorithm>
#include <fstream>

namespace cmc {

namespace {

// Cgroup version 1 writes a huge number for "no limit".
constexpr uint64_t kUnlimitedFrom = uint64_t{1} << 60;

std::optional<uint64_t> read_number(const std::string& path) {
  std::ifstream file(path);
  uint64_t number = 0;
  if (file >> number) return number;  // "max" is no number
  return std::nullopt;
}

std::optional<uint64_t> smaller(std::optional<uint64_t> a, std::optional<uint64_t> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// The limit in `root`/`group` and in all folders above it up to `root`. Inside a container the path of the group is
// often not visible, but its limit is that of the root.
std::optional<uint64_t> smallest_limit(const std::string& root, std::string group, const char* file) {
  std::optional<uint64_t> limit;
  while (true) {
    const std::optional<uint64_t> here = read_number(root + group + "/" + file);
    if (here && *here < kUnlimitedFrom) limit = smaller(limit, here);
    const size_t slash = group.rfind('/');
    if (slash == std::string::npos) return limit;
    group.resize(slash);
  }
}

}  // namespace

std::optional<uint64_t> machine_memory_bytes(const MemoryFiles& files) {
  std::ifstream meminfo(files.meminfo);
  std::string word;
  while (meminfo >> word) {
    uint64_t kilobytes = 0;
    if (word == "MemTotal:" && meminfo >> kilobytes) return kilobytes * 1024;
  }
  return std::nullopt;
}

std::optional<uint64_t> cgroup_memory_limit_bytes(const MemoryFiles& files) {
  std::optional<uint64_t> limit;
  std::ifstream groups(files.own_cgroups);
  std::string line;
  while (std::getline(groups, line)) {  // "4:memory:/some/group"; version 2: "0::/some/group"
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string group = line.substr(second + 1);
    if (group == "/") group.clear();
    if (controllers == ",,") {
      limit = smaller(limit, smallest_limit(files.cgroup_root, group, "memory.max"));
    } else if (controllers.find(",memory,") != std::string::npos) {
      limit = smaller(limit, smallest_limit(files.cgroup_root + "/memory", group, "memory.limit_in_bytes"));
    }
  }
  return limit;
}

std::optional<uint64_t> total_memory_bytes(const MemoryFiles& files) {
  return smaller(machine_memory_bytes(files), cgroup_memory_limit_bytes(files));
}

uint64_t default_memory_budget_bytes(const MemoryFiles& files) {
  return total_memory_bytes(files).value_or(0) / 10 * 8;
}

}  // namespace cmc
