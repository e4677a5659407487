#pragma once

#include <string>
#include <string_view>

// C source under construction: lines with indentation.

namespace cmc::native {

class CText {
 public:
  CText() = default;
  explicit CText(unsigned depth) : depth_(depth) {}

  void line(std::string_view text) {
    text_.append(2 * size_t{depth_}, ' ');
    text_ += text;
    text_ += '\n';
  }
  // "if (x)" begins a block that close() ends.
  void open(std::string_view head) {
    line(std::string(head) + " {");
    ++depth_;
  }
  void close(const std::string& tail = "") {
    --depth_;
    line("}" + tail);
  }
  // What was made at this depth.
  void append(const CText& inner) { text_ += inner.text_; }

  [[nodiscard]] bool empty() const { return text_.empty(); }
  [[nodiscard]] unsigned depth() const { return depth_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  unsigned depth_ = 0;
  std::string text_;
};

// As the inside of a C comment on one line: what could end the comment or the line is replaced.
[[nodiscard]] std::string comment_text(std::string_view text);

}  // namespace cmc::native
