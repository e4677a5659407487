#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/process_memory.h"
#include "base/sanitizers.h"

namespace cmc::test {

// So much more memory of the process that limits near it are not reached by chance: the store may exceed its limit by
// a tenth.
class Ballast {
 public:
  Ballast() : bytes_(kBytes, 1) {
    asm volatile("" : : "r"(bytes_.data()) : "memory");  // clang would leave out memory that nobody reads
  }
  // Below what there is: a search in RAM goes over to the store when it looks for the first time.
  [[nodiscard]] static uint64_t limit_reached() { return resident_bytes() - kBytes / 50; }

 private:
#if CMC_ADDRESS_SANITIZER  // keeps what was freed for a while
  static constexpr size_t kBytes = size_t{3} << 30;
#else
  static constexpr size_t kBytes = size_t{200} << 20;
#endif
  std::vector<char> bytes_;
};

}  // namespace cmc::test
