#include "storage/files/async_files.h"

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace cmc {

class AsyncFiles::AsyncFile final : public ForwardingFile {
 public:
  AsyncFile(AsyncFiles& owner, std::unique_ptr<File> file) : ForwardingFile(std::move(file)), owner_(owner) {
    job_.file = file_.get();
  }
  ~AsyncFile() override {
    owner_.wait_for(job_);
    owner_.buffer_bytes_ -= buffer_.size();
  }
  AsyncFile(const AsyncFile&) = delete;
  AsyncFile& operator=(const AsyncFile&) = delete;

  Status read(uint64_t offset, std::span<std::byte> buffer) override {
    if (Status status = settle(); !status.ok()) return status;
    const bool is_here = std::exchange(ahead_, false) && job_.offset == offset && job_.buffer.size() >= buffer.size();
    if (!is_here) return file_->read(offset, buffer);
    std::copy_n(job_.buffer.begin(), buffer.size(), buffer.begin());
    return Success{};
  }
  Status write(uint64_t offset, ByteView bytes) override {
    if (Status status = settle(); !status.ok()) return status;
    ahead_ = false;
    prepare(Job::Kind::kWrite, offset, bytes.size());
    std::copy(bytes.begin(), bytes.end(), job_.buffer.begin());
    owner_.submit(job_);
    return Success{};
  }
  Status truncate(uint64_t size) override {
    ahead_ = false;
    Status status = settle();
    return status.ok() ? file_->truncate(size) : status;
  }
  Status close() override {
    const Status status = settle();
    Status closed = file_->close();
    return status.ok() ? closed : status;
  }
  void read_ahead(uint64_t offset, uint64_t bytes) override {
    if (!settle().ok()) return;
    prepare(Job::Kind::kRead, offset, bytes);
    ahead_ = true;
    owner_.submit(job_);
  }

 private:
  // Until nothing is under way. The error of a write stays.
  [[nodiscard]] Status settle() {
    owner_.wait_for(job_);
    if (job_.status.ok()) return Success{};
    if (job_.kind == Job::Kind::kWrite) return job_.status;
    job_.status = Success{};
    ahead_ = false;
    return Success{};
  }
  void prepare(Job::Kind kind, uint64_t offset, uint64_t bytes) {
    owner_.buffer_bytes_ -= buffer_.size();
    buffer_.reserve(bytes);
    owner_.buffer_bytes_ += buffer_.size();
    job_.kind = kind;
    job_.offset = offset;
    job_.buffer = buffer_.first(bytes);
  }

  AsyncFiles& owner_;
  AlignedBuffer buffer_;
  Job job_;             // the last one
  bool ahead_ = false;  // it reads, or has read, ahead; read() has not asked for that yet
};

Result<std::unique_ptr<AsyncFiles>> AsyncFiles::create(FileSystem& files) {
  std::unique_ptr<AsyncFiles> made(new AsyncFiles(files));
  try {
    made->thread_ = std::thread([&self = *made] { self.work(); });
  } catch (const std::system_error& error) {
    return Error{fmt::format("there can be no thread for asynchronous I/O: {}", std::strerror(error.code().value()))};
  }
  return made;
}

AsyncFiles::~AsyncFiles() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  submitted_.notify_one();
  thread_.join();
}

Result<std::unique_ptr<File>> AsyncFiles::open(const std::string& path, Open how, FileAccess access) {
  CMC_TRY(auto file, files_.open(path, how, access));
  return std::unique_ptr<File>(std::make_unique<AsyncFile>(*this, std::move(file)));
}

void AsyncFiles::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    submitted_.wait(lock, [&] { return ends_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Job& job = *queue_.front();
    queue_.pop_front();
    lock.unlock();
    job.status = job.kind == Job::Kind::kRead ? job.file->read(job.offset, job.buffer)
                                              : job.file->write(job.offset, job.buffer);
    lock.lock();
    job.done = true;
    done_.notify_all();
  }
}

void AsyncFiles::submit(Job& job) {
  {
    const std::lock_guard lock(mutex_);
    job.done = false;
    queue_.push_back(&job);
  }
  submitted_.notify_one();
}

void AsyncFiles::wait_for(Job& job) {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return job.done; });
}

}  // namespace cmc
