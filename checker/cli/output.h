#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "base/result.h"
#include "checker/cli/options/options.h"

// Standard output and standard error, with errors noticed.

namespace cmc {

// Opens those of the three standard files that were closed when the program began, so that no other file gets their
// number; what is written to them fails, as before. Call once, before any file is opened.
void reserve_standard_files();

class Output {
 public:
  Output() = default;
  // What is printed goes into the text instead.
  explicit Output(std::string& captured) : captured_(&captured) {}
  // A reader that has gone away (cmc ... | head) is no error: further text is dropped. A full disk is one.
  void print(std::string_view text);
  // Hands on what was printed, for who reads while the program runs.
  void flush();
  [[nodiscard]] bool broken() const { return broken_; }

  // Flushes. Error: something could not be written, for another reason than that nobody reads it any more.
  [[nodiscard]] Status finish();

 private:
  void fail(int error_number);

  std::string* captured_ = nullptr;
  bool broken_ = false;
  std::string error_;
};

// To standard error. Text that cannot be written there is dropped: there is no place left to say so.
void print_to_stderr(std::string_view text);

// To standard error, with "cmc: " in front and a newline behind.
void complain(std::string_view message);
// The same, of what ends a command. Returns kExitUsage.
[[nodiscard]] int refuse(std::string_view message);

[[nodiscard]] bool wants_color(When when, std::FILE* stream);
[[nodiscard]] bool is_terminal(std::FILE* stream);
[[nodiscard]] size_t terminal_columns();  // 80 if unknown

// Can the file be written? Asked before a long search, so that its result is not lost. Leaves no file behind.
[[nodiscard]] Status check_writable(const std::string& path);

}  // namespace cmc
