#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cmc {

[[nodiscard]] Result<std::string> read_file(const std::string& path);

// Replaces the content of the file `path`: readers see either the old or the new content, also if the machine stops
// in the middle (a temporary file beside it is written, flushed and renamed). A pipe or a device (/dev/null) is
// written to directly.
[[nodiscard]] Status write_file_atomically(const std::string& path, std::string_view content);

// The same for a content that comes in pieces, and need not fit into memory.
class FileInPieces {
 public:
  explicit FileInPieces(std::string path);
  // Without finish() the file stays as it was.
  ~FileInPieces();
  FileInPieces(const FileInPieces&) = delete;
  FileInPieces& operator=(const FileInPieces&) = delete;

  // Errors are kept, and what follows on one is dropped.
  void append(std::string_view piece);
  [[nodiscard]] const Status& status() const { return status_; }
  [[nodiscard]] Status finish();

 private:
  void fail(int code);
  void flush();

  const std::string path_;
  std::string temporary_;  // empty: the file is no regular file, and is written to directly
  std::string target_;
  std::string buffer_;
  unsigned mode_ = 0;
  int descriptor_ = -1;
  Status status_ = Success{};
};

}  // namespace cmc
