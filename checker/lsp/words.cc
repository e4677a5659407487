#include "checker/lsp/words.h"

#include "base/text.h"
#include "checker/lsp/text_buffer.h"

namespace cmc::lsp {
namespace {

class Reader {
 public:
  Reader(std::string_view text, uint32_t file) : text_(text), file_(file) {}

  Words read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_newline()) {
        directive_ = false;
        next_line();
      } else if (c == '/' && peek(1) == '*') {
        comment();
      } else if (c == '/' && peek(1) == '/') {
        while (at_ < text_.size() && !is_newline()) ++at_;
      } else if (c == '"' || c == '\'') {
        quoted(c);
      } else if (is_word_character(c)) {
        word();
      } else {
        directive_ = c == '#' || (directive_ && (c == ' ' || c == '\t'));
        if (c == '{') open('{');
        if (c == '}') close('{');
        ++at_;
      }
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] char peek(size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  [[nodiscard]] bool is_newline() const { return text_[at_] == '\n' || text_[at_] == '\r'; }
  void next_line() {
    if (text_[at_] == '\r' && peek(1) == '\n') ++at_;
    line_start_ = ++at_;
    ++line_;
  }
  void comment() {
    const uint32_t first = line_;
    for (at_ += 2; at_ < text_.size() && !(text_[at_] == '*' && peek(1) == '/');) {
      if (is_newline()) {
        next_line();
      } else {
        ++at_;
      }
    }
    at_ += 2;
    if (line_ > first) found_.folds.push_back({first, line_, true});
  }
  // Ends at the end of its line, too: a mistake, or an apostrophe in embedded text.
  void quoted(char quote) {
    for (++at_; at_ < text_.size() && !is_newline() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n' && text_[at_ + 1] != '\r') ++at_;
    }
    if (at_ < text_.size() && !is_newline()) ++at_;
  }
  void word() {
    const size_t begin = at_;
    while (at_ < text_.size() && is_word_character(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "do") open('d');
    if (word == "if" && !directive_) open('i');
    if (word == "od") close('d');
    if (word == "fi") close('i');
    if (word[0] < '0' || word[0] > '9')
      found_.words.push_back({{file_, line_ + 1, static_cast<uint32_t>(begin - line_start_ + 1)}, word, directive_});
    directive_ = false;
  }
  void open(char kind) { open_.push_back({kind, line_}); }
  // What was opened since then and not closed is a mistake, or closed by a macro.
  void close(char kind) {
    for (size_t i = open_.size(); i-- > 0;) {
      if (open_[i].kind != kind) continue;
      if (line_ > open_[i].line) found_.folds.push_back({open_[i].line, line_, false});
      open_.resize(i);
      return;
    }
  }

  struct Open {
    char kind;
    uint32_t line;
  };
  std::string_view text_;
  uint32_t file_;
  size_t at_ = 0;
  uint32_t line_ = 0;
  size_t line_start_ = 0;
  bool directive_ = false;
  std::vector<Open> open_;
  Words found_;
};

}  // namespace

Words read_words(std::string_view text, uint32_t file) { return Reader(text, file).read(); }

}  // namespace cmc::lsp
