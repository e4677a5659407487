#pragma once

#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace cmc {

// Runs work(0) to work(threads - 1) at the same time, each in a thread, the first one in the caller's. When all have
// returned, an exception of any of them is thrown here.
template <class Work>
void run_threads(uint32_t threads, Work&& work) {
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run_one = [&](uint32_t number) {
    try {
      work(number);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (uint32_t number = 1; number < threads; ++number) others.emplace_back(run_one, number);
  run_one(0);
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace cmc
