#pragma once

#include <cstdint>
#include <optional>
#include <string>

// How much memory the machine has, and how much of it this process may use.

namespace cmc {

// Folders in which the kernel reports memory; tests pass folders of their own.
struct MemoryFiles {
  std::string meminfo = "/proc/meminfo";
  std::string own_cgroups = "/proc/self/cgroup";
  std::string cgroup_root = "/sys/fs/cgroup";
};

// Physical memory of the machine; none if the system does not report it.
[[nodiscard]] std::optional<uint64_t> machine_memory_bytes(const MemoryFiles& files = {});

// The smallest limit of this process's control groups and their parents, versions 1 and 2; none if there is no limit.
[[nodiscard]] std::optional<uint64_t> cgroup_memory_limit_bytes(const MemoryFiles& files = {});

// The smaller of the two above; none if neither is known.
[[nodiscard]] std::optional<uint64_t> total_memory_bytes(const MemoryFiles& files = {});

// 80 % of it; 0 (no limit) if it is not known.
[[nodiscard]] uint64_t default_memory_budget_bytes(const MemoryFiles& files = {});

}  // namespace cmc
