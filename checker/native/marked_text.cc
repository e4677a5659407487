#include "checker/native/marked_text.h"

#include <charconv>

#include <fmt/format.h>

#include "base/check.h"

namespace cmc::native {

namespace {

// A mark: kBegin, the kind, what is marked, kEnd. A constant is its value, ':' and the spelling.
constexpr char kBegin = '\1';
constexpr char kEnd = '\2';
enum Kind : char { kInt = 'i', kUnsigned = 'u', kComment = '*' };

std::string marked(Kind kind, std::string_view text) {
  return fmt::format("{}{}{}{}", kBegin, char{kind}, text, kEnd);
}

struct Mark {
  char kind;
  std::string_view text;
};
struct Constant {
  uint32_t value = 0;
  std::string_view spelling;
};

// Calls plain(std::string_view) and on_mark(Mark) for the pieces of the text, in their order.
template <class Plain, class OnMark>
void divide(std::string_view marked, Plain&& plain, OnMark&& on_mark) {
  while (!marked.empty()) {
    const size_t begin = marked.find(kBegin);
    plain(marked.substr(0, begin));
    if (begin == std::string_view::npos) return;
    const size_t end = marked.find(kEnd, begin);
    CHECK(end != std::string_view::npos && end > begin + 1);
    on_mark(Mark{marked[begin + 1], marked.substr(begin + 2, end - begin - 2)});
    marked.remove_prefix(end + 1);
  }
}

Constant constant_of(const Mark& mark) {
  Constant constant;
  const size_t colon = mark.text.find(':');
  CHECK(colon != std::string_view::npos);
  std::from_chars(mark.text.data(), mark.text.data() + colon, constant.value);
  constant.spelling = mark.text.substr(colon + 1);
  return constant;
}

std::string spelled_int(int32_t value) {
  if (value == INT32_MIN) return "INT32_MIN";
  return value < 0 ? fmt::format("({})", value) : fmt::format("{}", value);
}

std::string comments(std::string_view marked, bool kept) {
  std::string text;
  divide(
      marked, [&](std::string_view plain) { text += plain; },
      [&](const Mark& mark) {
        CHECK(mark.kind == kComment);
        if (kept) text += mark.text;
      });
  return text;
}

}  // namespace

std::string marked_int(int32_t value) { return marked(kInt, fmt::format("{}:", static_cast<uint32_t>(value))); }

std::string marked_unsigned(uint32_t value) { return marked_unsigned(value, fmt::format("{}u", value)); }

std::string marked_unsigned(uint32_t value, std::string_view spelling) {
  return marked(kUnsigned, fmt::format("{}:{}", value, spelling));
}

std::string marked_comment(std::string_view comment) { return marked(kComment, comment); }

Skeleton skeleton_of(std::string_view marked) {
  Skeleton skeleton;
  divide(
      marked, [&](std::string_view text) { skeleton.shape += text; },
      [&](const Mark& mark) {
        if (mark.kind == kComment) return;
        skeleton.shape += {kBegin, mark.kind, kEnd};
        skeleton.constants.push_back(constant_of(mark).value);
      });
  return skeleton;
}

std::string spelled(std::string_view marked, std::span<const uint32_t> parameters) {
  std::string text;
  size_t number = 0;
  divide(
      marked, [&](std::string_view plain) { text += plain; },
      [&](const Mark& mark) {
        if (mark.kind == kComment) {
          text += marked_comment(mark.text);
          return;
        }
        const Constant constant = constant_of(mark);
        const uint32_t parameter = number < parameters.size() ? parameters[number] : kImmediate;
        ++number;
        if (parameter != kImmediate) {
          text += fmt::format("{}c[{}]", mark.kind == kInt ? "(int32_t)" : "", parameter);
        } else {
          text += mark.kind == kInt ? spelled_int(static_cast<int32_t>(constant.value)) : constant.spelling;
        }
      });
  return text;
}

std::string with_comments(std::string_view marked) { return comments(marked, true); }

std::string without_comments(std::string_view marked) { return comments(marked, false); }

}  // namespace cmc::native
