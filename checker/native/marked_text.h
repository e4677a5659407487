#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// C text in which constants and comments are marked, so that two functions can be compared without them, and
// constants can become parameters. The two bytes that a mark is made of are in no C text: comment_text() (c_text.h)
// replaces them, and names have letters, digits and '_' only. There are no parentheses in the mark of a constant.

namespace cmc::native {

// Constants that an expression of the same type and value can stand for; so not the size of an array.
[[nodiscard]] std::string marked_int(int32_t value);
[[nodiscard]] std::string marked_unsigned(uint32_t value);
// `spelling`: a C expression that has the value and can be an operand of '+'.
[[nodiscard]] std::string marked_unsigned(uint32_t value, std::string_view spelling);
// A whole comment of C.
[[nodiscard]] std::string marked_comment(std::string_view comment);

struct Skeleton {
  std::string shape;                // the text without comments, and without the values of the constants
  std::vector<uint32_t> constants;  // their values, in the order of the text; negative ones modulo 2^32
};
[[nodiscard]] Skeleton skeleton_of(std::string_view marked);

// The text without marks of constants. parameters[i] is the place of constant i in the array `c` of parameters, or
// kImmediate; if none are given, all are immediate.
inline constexpr uint32_t kImmediate = UINT32_MAX;
[[nodiscard]] std::string spelled(std::string_view marked, std::span<const uint32_t> parameters = {});
// The text, in which no constants are marked, without marks of comments.
[[nodiscard]] std::string with_comments(std::string_view marked);
[[nodiscard]] std::string without_comments(std::string_view marked);

}  // namespace cmc::native
