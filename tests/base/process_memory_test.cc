#include "base/process_memory.h"

#include <cstring>
#include <memory>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/catch.h"

namespace cmc {
namespace {

TEST_CASE("process memory: what is resident follows what is touched") {
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

TEST_CASE("process memory: a process that was forked knows its own") {
  constexpr size_t kBytes = size_t{64} << 20;
  REQUIRE(resident_bytes() > 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const uint64_t at_first = resident_bytes();
    const auto memory = std::make_unique<char[]>(kBytes);
    std::memset(memory.get(), 1, kBytes);
    asm volatile("" : : "r"(memory.get()) : "memory");
    ::_exit(resident_bytes() >= at_first + kBytes / 8 * 7 ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

}  // namespace
}  // namespace cmc
