#include "storage/files/metered_files.h"

#include <chrono>
#include <utility>

namespace cmc {

namespace {

// Adds the time until its end to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(std::atomic<uint64_t>& sum) : sum_(sum) {}
  ~Stopwatch() {
    const auto passed = std::chrono::steady_clock::now() - begin_;
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count();
    sum_.fetch_add(static_cast<uint64_t>(nanoseconds), std::memory_order_relaxed);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  std::atomic<uint64_t>& sum_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

class MeteredFiles::MeteredFile final : public ForwardingFile {
 public:
  MeteredFile(std::unique_ptr<File> file, std::atomic<uint64_t>& sum) : ForwardingFile(std::move(file)), sum_(sum) {}
  ~MeteredFile() override {
    const Stopwatch watch(sum_);
    file_.reset();
  }

  Status read(uint64_t offset, std::span<std::byte> buffer) override {
    const Stopwatch watch(sum_);
    return file_->read(offset, buffer);
  }
  Status write(uint64_t offset, ByteView bytes) override {
    const Stopwatch watch(sum_);
    return file_->write(offset, bytes);
  }
  Status truncate(uint64_t size) override {
    const Stopwatch watch(sum_);
    return file_->truncate(size);
  }
  Status close() override {
    const Stopwatch watch(sum_);
    return file_->close();
  }
  void read_ahead(uint64_t offset, uint64_t bytes) override {
    const Stopwatch watch(sum_);
    file_->read_ahead(offset, bytes);
  }

 private:
  std::atomic<uint64_t>& sum_;
};

Result<std::unique_ptr<File>> MeteredFiles::open(const std::string& path, Open how, FileAccess access) {
  const Stopwatch watch(nanoseconds_);
  CMC_TRY(auto file, files_.open(path, how, access));
  return std::unique_ptr<File>(std::make_unique<MeteredFile>(std::move(file), nanoseconds_));
}

Status MeteredFiles::remove(const std::string& path) {
  const Stopwatch watch(nanoseconds_);
  return files_.remove(path);
}

}  // namespace cmc
