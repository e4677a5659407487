#include "checker/checkpoint/stream.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/files/file.h"

namespace cmc {
namespace {

constexpr size_t kReadBytes = size_t{1} << 18;

std::string in(const std::string& directory, const std::string& name) { return directory + "/" + name; }

}  // namespace

OutStream::OutStream(const std::string& directory, std::string name, std::string kind, bool lasts)
    : lasts_(lasts),
      path_(in(directory, name)),
      entry_{std::move(name), std::move(kind), 0, 0, {}},
      file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (!file_.valid()) status_ = system_error("write", path_, errno);
}

void OutStream::flush() {
  if (memory_ != nullptr) {
    *memory_ += buffer_;
    return buffer_.clear();
  }
  digest_.add(buffer_);
  entry_.bytes += buffer_.size();
  if (status_.ok()) {
    if (const int code = write_all(file_.number(), buffer_); code != 0) status_ = system_error("write", path_, code);
  }
  buffer_.clear();
}

Result<CheckpointFile> OutStream::finish(uint64_t states) {
  flush();
  if (memory_ != nullptr) return CheckpointFile();
  if (status_.ok() && lasts_ && ::fdatasync(file_.number()) != 0) status_ = system_error("write", path_, errno);
  if (!file_.close() && status_.ok()) status_ = system_error("write", path_, errno);
  if (!status_.ok()) return Error{status_.error()};
  entry_.states = states;
  entry_.sha256 = digest_.hex();
  return std::move(entry_);
}

InStream::InStream(const std::string& directory, const CheckpointFile& entry)
    : path_(in(directory, entry.name)),
      file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)),
      left_(entry.bytes),
      buffer_(kReadBytes, '\0') {
  if (!file_.valid()) status_ = system_error("read", path_, errno);
}

void InStream::raw(std::span<std::byte> bytes) {
  for (size_t done = 0; done < bytes.size();) {
    if (at_ == filled_ && !fill()) {
      std::fill(bytes.begin() + static_cast<ptrdiff_t>(done), bytes.end(), std::byte{0});
      return;
    }
    const size_t count = std::min(bytes.size() - done, filled_ - at_);
    std::copy_n(std::as_bytes(std::span(buffer_)).begin() + static_cast<ptrdiff_t>(at_), count,
                bytes.begin() + static_cast<ptrdiff_t>(done));
    at_ += count;
    done += count;
  }
}

std::string InStream::text() {
  std::string text(number_up_to(left_ + (filled_ - at_)), '\0');
  raw(std::as_writable_bytes(std::span(text)));
  return text;
}

void InStream::fail() {
  if (status_.ok()) status_ = Error{fmt::format("'{}' is damaged", path_)};
  left_ = at_ = filled_ = 0;
}

bool InStream::fill() {
  if (left_ == 0 || !status_.ok()) {
    fail();
    return false;
  }
  ssize_t count = 0;
  do {
    count = ::read(file_.number(), buffer_.data(), std::min<uint64_t>(buffer_.size(), left_));
  } while (count < 0 && errno == EINTR);
  if (count < 0) status_ = system_error("read", path_, errno);
  if (count <= 0) {
    fail();
    return false;
  }
  at_ = 0;
  filled_ = static_cast<size_t>(count);
  left_ -= filled_;
  return true;
}

Status verify_file(const std::string& directory, const CheckpointFile& entry) {
  const std::string path = in(directory, entry.name);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return system_error("read", path, errno);
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size != entry.bytes) return Error{fmt::format("'{}' has {} bytes instead of {}", path, size, entry.bytes)};
  InStream file(directory, entry);
  Sha256 digest;
  std::string piece(kReadBytes, '\0');
  for (uint64_t left = size; left > 0 && file.ok(); left -= piece.size()) {
    piece.resize(std::min<uint64_t>(left, kReadBytes));
    file.raw(std::as_writable_bytes(std::span(piece)));
    digest.add(piece);
  }
  if (!file.ok()) return file.status();
  if (digest.hex() != entry.sha256) return Error{fmt::format("'{}' is damaged: its SHA-256 is another one", path)};
  return Success{};
}

Status sync_directory(const std::string& directory) {
  const Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.valid() || ::fsync(opened.number()) != 0) return system_error("write", directory, errno);
  return Success{};
}

Status write_durably(const std::string& directory, const std::string& name, std::string_view text) {
  const std::string path = in(directory, name);
  const std::string temporary = in(directory, name.substr(0, name.find('.')) + ".tmp");
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.valid()) return system_error("write", temporary, errno);
  if (const int code = write_all(file.number(), text); code != 0) return system_error("write", temporary, code);
  if (::fsync(file.number()) != 0 || !file.close() || ::rename(temporary.c_str(), path.c_str()) != 0)
    return system_error("write", path, errno);
  return sync_directory(directory);
}

}  // namespace cmc
