#pragma once

#include <cstdint>

#include "base/result.h"

namespace cmc {

// A lock that a process holds on an open file (flock): the system releases it when the process ends, however it ends.
// It binds only those who ask for it.
class FileLock {
 public:
  enum class Outcome : uint8_t { kHeld, kHeldElsewhere, kUnsupported };

  FileLock() = default;
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

  // Takes over the open file; never waits. kUnsupported: the file system knows no such locks.
  Outcome take(int descriptor);
  // Leaves the file to somebody else, who closes it and thereby ends the lock.
  void release() { descriptor_ = -1; }

 private:
  int descriptor_ = -1;
};

// The same for the time of a scope; the file stays open. Waits. Without effect if the file system has no such locks.
class ScopedFileLock {
 public:
  explicit ScopedFileLock(int descriptor);
  ~ScopedFileLock();
  ScopedFileLock(const ScopedFileLock&) = delete;
  ScopedFileLock& operator=(const ScopedFileLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace cmc
