#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "checker/base/result.h"

// How much memory there is, how much this process has, and how a user says how much it may have.

namespace cmc {

// Where the kernel tells about memory; tests pass folders of their own.
struct MemoryFiles {
  std::string meminfo = "/proc/meminfo";
  std::string own_cgroups = "/proc/self/cgroup";
  std::string cgroup_root = "/sys/fs/cgroup";
};

// Physical memory of the machine; none if the system does not tell.
[[nodiscard]] std::optional<uint64_t> machine_memory_bytes(const MemoryFiles& files = {});

// The smallest limit of this process's control groups and their parents, versions 1 and 2; none if there is no limit.
[[nodiscard]] std::optional<uint64_t> cgroup_memory_limit_bytes(const MemoryFiles& files = {});

// 80 % of the smaller of the two above; 0 (no limit) if neither is known.
[[nodiscard]] uint64_t default_memory_budget_bytes(const MemoryFiles& files = {});

// Memory of this process that is or was in RAM; 0 if the system does not tell.
[[nodiscard]] uint64_t resident_bytes();
[[nodiscard]] uint64_t peak_resident_bytes();

// Gives what has been freed back to the system; what is large and freed later goes back at once (without that, glibc
// keeps blocks of up to 32 MB after the first one).
void release_freed();

// Takes the program's code out of this process's memory (it stays in the system's page cache): what is used comes
// back by and by, what was for the beginning only does not.
void release_code();

// "4096", "512K", "256M", "1.5G", "2T" (powers of 1024; an optional "B" or "iB" behind the letter). Greater than
// zero.
[[nodiscard]] Result<uint64_t> parse_size(std::string_view text);

// "90", "90s", "5m", "1.5h", "2d": seconds. Greater than zero.
[[nodiscard]] Result<double> parse_duration(std::string_view text);

// "512 bytes", "1.5 MB", "23.9 GB": for people; powers of 1024 like parse_size.
[[nodiscard]] std::string format_size(uint64_t bytes);

}  // namespace cmc
