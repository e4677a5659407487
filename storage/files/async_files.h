#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "storage/files/forwarding_file.h"

namespace cmc {

// Asynchronous input and output in front of other files: a thread of its own writes, and reads what
// File::read_ahead() asked for, while the callers go on. So the disk works while pages are searched, also with direct
// I/O, where the system reads nothing ahead and keeps no writes back.
//
// A file has one buffer and one job at a time: its next call waits for the job. A write that has failed is an error
// of that call, and of every later one; close() is the last that can tell. To read ahead is a hint: if that fails,
// read() reads itself. Thread-safe; the other files have to bear that two of them are used by different threads.
//
// io_uring would spare the thread, but many containers forbid it, and one thread keeps one disk busy.
class AsyncFiles final : public FileSystem {
 public:
  // Error: there can be no further thread.
  [[nodiscard]] static Result<std::unique_ptr<AsyncFiles>> create(FileSystem& files);
  ~AsyncFiles() override;  // files have to be gone
  AsyncFiles(const AsyncFiles&) = delete;
  AsyncFiles& operator=(const AsyncFiles&) = delete;

  [[nodiscard]] Result<std::unique_ptr<File>> open(const std::string& path, Open how, FileAccess access) override;
  [[nodiscard]] Status remove(const std::string& path) override { return files_.remove(path); }

  [[nodiscard]] uint64_t memory_bytes() const { return buffer_bytes_.load(std::memory_order_relaxed); }

 private:
  class AsyncFile;
  // What the thread does for a file. `done` and the queue are under the mutex; the rest is the thread's until then.
  struct Job {
    enum class Kind : uint8_t { kRead, kWrite } kind = Kind::kRead;
    File* file = nullptr;
    uint64_t offset = 0;
    std::span<std::byte> buffer;
    Status status = Success{};
    bool done = true;
  };

  explicit AsyncFiles(FileSystem& files) : files_(files) {}
  void work();
  void submit(Job& job);
  void wait_for(Job& job);

  FileSystem& files_;
  std::atomic<uint64_t> buffer_bytes_{0};
  std::mutex mutex_;
  std::condition_variable submitted_;
  std::condition_variable done_;
  std::deque<Job*> queue_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace cmc
