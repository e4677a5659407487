#include "base/files/file_lock.h"

#include <cerrno>
#include <utility>

#include <sys/file.h>
#include <unistd.h>

namespace cmc {

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileLock::Outcome FileLock::take(int descriptor) {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = descriptor;
  int outcome = 0;
  do {
    outcome = ::flock(descriptor, LOCK_EX | LOCK_NB);
  } while (outcome != 0 && errno == EINTR);
  if (outcome == 0) return Outcome::kHeld;
  return errno == EWOULDBLOCK ? Outcome::kHeldElsewhere : Outcome::kUnsupported;
}

ScopedFileLock::ScopedFileLock(int descriptor) : descriptor_(descriptor) {
  while (::flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
  }
}

ScopedFileLock::~ScopedFileLock() { ::flock(descriptor_, LOCK_UN); }

}  // namespace cmc
