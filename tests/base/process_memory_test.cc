#include "base/process_memory.h"

#include <cstring>
#include <memory>

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

}  // namespace
}  // namespace cmc
