#pragma once

#include <string>
#include <vector>

#include "base/files/file_lock.h"
#include "base/result.h"

namespace cmc {

// What TMPDIR names; /tmp if that is empty or not set.
[[nodiscard]] std::string temporary_folder();

// A directory of one run's own, under another one; it goes with the object, unless it is kept. Files in it are their
// owners' business.
//
// A process that is killed leaves its directory behind. So each directory has a file `lock`, which names the process
// and which the process holds locked: create() removes the directories of this user under the same parent whose lock
// nobody holds. A directory that is to be kept has no such file, and so no later run removes it.
class RunDirectory {
 public:
  // `parent` is created if need be, and then goes with the run; empty: temporary_folder(). Error: no directory can be
  // made there.
  [[nodiscard]] static Result<RunDirectory> create(const std::string& parent, bool keep);
  RunDirectory(RunDirectory&& other) noexcept;
  RunDirectory& operator=(RunDirectory&&) = delete;
  ~RunDirectory();

  [[nodiscard]] const std::string& path() const { return path_; }
  // It goes with the object, even if it was to be kept.
  void keep_no_more() { keep_ = false; }

 private:
  RunDirectory(std::string path, bool keep) : path_(std::move(path)), keep_(keep) {}
  std::string path_;
  bool keep_;
  std::vector<std::string> made_;  // the folders above it that were made for it, the innermost first
  FileLock lock_;
};

}  // namespace cmc
