#include "storage/sets/page_memory.h"

#include <cstdint>
#include <cstring>
#include <utility>

#include "tests/catch.h"

namespace cmc {
namespace {

unsigned char* bytes_of(const PageMemory& memory) { return static_cast<unsigned char*>(memory.data()); }

// Bytes from `begin` on are zero; those before are as fill() wrote them.
bool is_as_filled(const PageMemory& memory, size_t begin) {
  for (size_t i = 0; i < memory.size(); ++i) {
    const unsigned char expected = i < begin ? static_cast<unsigned char>(i * 7 + i / 4096 + 1) : 0;
    if (bytes_of(memory)[i] != expected) return false;
  }
  return true;
}
void fill(PageMemory& memory) {
  for (size_t i = 0; i < memory.size(); ++i) bytes_of(memory)[i] = static_cast<unsigned char>(i * 7 + i / 4096 + 1);
}

TEST_CASE("page memory: pages are zero, and there are as many as are needed") {
  CHECK(PageMemory().size() == 0);
  CHECK(PageMemory().data() == nullptr);
  for (const size_t bytes : {size_t{1}, size_t{4096}, size_t{4097}, size_t{3} << 20}) {
    const PageMemory memory(bytes, 0);
    CHECK(memory.size() >= bytes);
    CHECK(memory.size() < bytes + 4096);
    CHECK(is_as_filled(memory, 0));
  }
}

TEST_CASE("page memory: pages grow in place, and beyond what was reserved, and keep their content") {
  for (const size_t reserved : {size_t{0}, size_t{20'000}, size_t{1} << 20, size_t{9} << 20}) {
    PageMemory memory(5000, reserved);
    for (size_t bytes = 7000; bytes < (size_t{7} << 20); bytes = bytes * 2 + 333) {
      fill(memory);
      const size_t before = memory.size();
      const void* const place = memory.data();
      memory.grow(bytes);
      REQUIRE(memory.size() >= bytes);
      REQUIRE(memory.size() >= before);
      REQUIRE(is_as_filled(memory, before));
      if (before > PageMemory::kMostOnHeap && bytes + 4096 <= reserved) REQUIRE(memory.data() == place);
    }
    const size_t size = memory.size();
    fill(memory);
    memory.grow(10);
    CHECK(memory.size() == size);
    CHECK(is_as_filled(memory, size));
  }
}

TEST_CASE("page memory: a few pages grow, also from nothing, and stay in place once they are many") {
  for (const size_t first : {size_t{0}, size_t{1}, size_t{4096}}) {
    PageMemory memory(first, 1 << 20);
    fill(memory);
    const size_t before = memory.size();
    CHECK(before == (first + 63) / 64 * 64);
    memory.grow(before + 1);
    REQUIRE(is_as_filled(memory, before));
    fill(memory);
    const size_t few = memory.size();
    memory.grow(PageMemory::kMostOnHeap + 1);
    REQUIRE(is_as_filled(memory, few));
    fill(memory);
    const size_t many = memory.size();
    const void* const place = memory.data();
    memory.grow(300'000);
    CHECK(is_as_filled(memory, many));
    CHECK(memory.data() == place);
  }
}

TEST_CASE("page memory: pages have one owner") {
  PageMemory first(4096, 0);
  fill(first);
  void* const place = first.data();
  PageMemory second = std::move(first);
  CHECK(second.data() == place);
  PageMemory third(8192, 1 << 20);
  third = std::move(second);
  CHECK(third.data() == place);
  CHECK(third.size() == 4096);
  CHECK(is_as_filled(third, 4096));
  third = {};
  CHECK(third.data() == nullptr);
  CHECK(third.size() == 0);
}

}  // namespace
}  // namespace cmc
