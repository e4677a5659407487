#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include <unistd.h>

#include "storage/files/file_system.h"

namespace cmc {

// A file that stays open until it is used again: to open one takes as long as to look up a hundred states in it.
class KeptFile {
 public:
  KeptFile() = default;
  ~KeptFile() { static_cast<void>(take()); }
  KeptFile(KeptFile&& other) noexcept : file_(std::move(other.file_)) {}
  KeptFile& operator=(KeptFile&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }

  // How many are kept of a process that may have so many files open (negative: as many as it wants): a search cannot
  // do without its merges and queues, but without these it can.
  [[nodiscard]] static constexpr long most_of(long open) {
    return open < 0 ? kMost : std::clamp((open - kOthers) / 4, 0L, kMost);
  }

  // Null: none is kept.
  [[nodiscard]] std::unique_ptr<File> take() {
    if (file_ != nullptr) kept_.fetch_sub(1, std::memory_order_relaxed);
    return std::move(file_);
  }
  // Closes it if there are too many already.
  void keep(std::unique_ptr<File> file) {
    static const long most = most_of(::sysconf(_SC_OPEN_MAX));
    static_cast<void>(take());
    if (kept_.fetch_add(1, std::memory_order_relaxed) < most) {
      file_ = std::move(file);
    } else {
      kept_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

 private:
  static constexpr long kMost = 256;
  static constexpr long kOthers = 64;
  static inline std::atomic<long> kept_{0};  // of the process

  std::unique_ptr<File> file_;
};

}  // namespace cmc
