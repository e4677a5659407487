#include "checker/base/memory_budget.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

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

// A non-negative decimal number at the start of `text`, which keeps what follows it.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(value) || std::signbit(value)) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

// The power of 1024 that a unit stands for; none if it is not a unit.
std::optional<int> size_power(std::string_view unit) {
  std::string name;
  for (const char letter : unit) name += lower(letter);
  if (name.empty() || name == "b") return 0;
  constexpr std::string_view kLetters = "kmgt";
  const size_t power = kLetters.find(name[0]);
  if (power == std::string_view::npos) return std::nullopt;
  const std::string_view rest = std::string_view(name).substr(1);
  if (!rest.empty() && rest != "b" && rest != "ib") return std::nullopt;
  return static_cast<int>(power) + 1;
}

std::optional<double> duration_factor(std::string_view unit) {
  if (unit.empty() || unit == "s") return 1;
  if (unit == "m") return 60;
  if (unit == "h") return 3600;
  if (unit == "d") return 86400;
  return std::nullopt;
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

uint64_t default_memory_budget_bytes(const MemoryFiles& files) {
  return smaller(machine_memory_bytes(files), cgroup_memory_limit_bytes(files)).value_or(0) / 10 * 8;
}

uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t total_pages = 0;
  uint64_t resident_pages = 0;
  if (!(statm >> total_pages >> resident_pages)) return 0;
  return resident_pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Not getrusage: its maximum is inherited from the program that started this one.
uint64_t peak_resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    uint64_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

void release_freed() {
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  malloc_trim(0);
}

// Nobody writes to pages that can be executed, so they are as in the file.
void release_code() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t inode = 0;
    char dash = 0;
    std::string access;
    std::string skipped;
    fields >> std::hex >> begin >> dash >> end >> access >> skipped >> skipped >> std::dec >> inode;
    if (fields && access == "r-xp" && inode != 0) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
}

Result<uint64_t> parse_size(std::string_view text) {
  std::string_view rest = text;
  const std::optional<double> number = take_number(rest);
  const std::optional<int> power = size_power(rest);
  if (!number || !power) {
    return Error{fmt::format("'{}' is not a size; write a number of bytes such as 4096, or 512K, 256M, 1.5G", text)};
  }
  const double bytes = std::ldexp(*number, 10 * *power);
  if (bytes < 1) return Error{fmt::format("the size '{}' is less than one byte", text)};
  if (bytes >= std::ldexp(1.0, 63)) return Error{fmt::format("the size '{}' is too large", text)};
  return static_cast<uint64_t>(bytes);
}

Result<double> parse_duration(std::string_view text) {
  std::string_view rest = text;
  const std::optional<double> number = take_number(rest);
  const std::optional<double> factor = duration_factor(rest);
  if (!number || !factor) {
    return Error{fmt::format("'{}' is not a duration; write seconds such as 90, or 10s, 5m, 2h, 1d", text)};
  }
  const double seconds = *number * *factor;
  if (seconds <= 0) return Error{fmt::format("the duration '{}' is not greater than zero", text)};
  if (seconds > 1e12) return Error{fmt::format("the duration '{}' is too long", text)};
  return seconds;
}

std::string format_size(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  constexpr std::array kUnits = {"KB", "MB", "GB", "TB", "PB", "EB"};
  double amount = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

}  // namespace cmc
