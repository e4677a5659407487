#include "base/reader_lock.h"

#include <array>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/catch.h"

namespace cmc {
namespace {

TEST_CASE("reader lock: readers see what a writer changed as a whole, and writers see no other one") {
  constexpr uint32_t kReaders = 3;
  constexpr uint64_t kChanges = 2'000;
  ReaderLock lock(kReaders);
  std::array<uint64_t, 4> values{};  // equal, but while a writer changes them
  std::array<uint64_t, kReaders> torn{};
  std::vector<std::thread> threads;
  for (uint32_t number = 0; number < kReaders; ++number) {
    threads.emplace_back([&, number] {
      for (uint64_t own = 0; own < kChanges;) {
        for (int i = 0; i < 20; ++i) {
          const auto reading = lock.read(number, [] { std::this_thread::yield(); });
          for (const uint64_t value : values) torn[number] += value == values[0] ? 0 : 1;
        }
        const std::unique_lock writing(lock);
        for (uint64_t& value : values) ++value;
        ++own;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const uint64_t each : torn) CHECK(each == 0);
  for (const uint64_t value : values) CHECK(value == kReaders * kChanges);
}

}  // namespace
}  // namespace cmc
