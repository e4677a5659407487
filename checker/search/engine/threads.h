#pragma once

#include <cstdint>
#include <exception>
#include <latch>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace cmc {

// The system gives fewer threads than are wanted.
class NoThread : public std::bad_alloc {};

// Runs work(0) to work(threads - 1) at the same time, each in a thread, the first one in the caller's. When all have
// returned, an exception of any of them is thrown here. NoThread: nothing was run.
template <class Work>
void run_threads(uint32_t threads, Work&& work) {
  std::mutex mutex;
  std::exception_ptr failure;
  std::latch begin(1);
  bool are_all = true;
  const auto run_one = [&](uint32_t number) {
    try {
      work(number);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  try {
    for (uint32_t number = 1; number < threads; ++number) {
      others.emplace_back([&, number] {
        begin.wait();
        if (are_all) run_one(number);
      });
    }
  } catch (const std::system_error&) {
    are_all = false;
  }
  begin.count_down();
  if (are_all) run_one(0);
  for (std::thread& thread : others) thread.join();
  if (!are_all) throw NoThread();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace cmc
