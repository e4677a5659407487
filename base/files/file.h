#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cmc {

// "cannot ACTION 'PATH': why"; `code` is an errno.
[[nodiscard]] Error system_error(const char* action, const std::string& path, int code);

// Makes the folder, and those that it is in, unless they are there.
[[nodiscard]] Status make_folder(const std::string& path);

// Error: it cannot be read, or has more than `most_bytes`.
[[nodiscard]] Result<std::string> read_file(const std::string& path, size_t most_bytes = SIZE_MAX);

// The descriptor that /dev/stdout, /dev/stderr, /dev/fd/7 or a link to one of them names. None: it names a file.
[[nodiscard]] std::optional<int> descriptor_named(const std::string& path);

// Replaces the content of the file `path`: readers see either the old or the new content, also if the machine stops
// in the middle (a temporary file beside it is written, flushed and renamed). A symbolic link stays one. A pipe or a
// device (/dev/null) is written to directly, and so is what descriptor_named() knows: behind what is there already.
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
  void open_replacement();
  int give_name();
  void fail(int code);
  void flush();

  const std::string path_;
  std::string target_;  // which the new file replaces when it is complete; empty: no regular file, written directly
  std::string name_;    // of the new file while it is not complete; empty: it has none
  std::string buffer_;
  bool replaces_ = false;  // there is a file with `mode_`; otherwise that is before the umask
  unsigned mode_ = 0;
  int descriptor_ = -1;
  Status status_ = Success{};
};

}  // namespace cmc
