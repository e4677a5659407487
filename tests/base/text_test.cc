#include "base/text.h"

#include <cstdint>

#include "tests/catch.h"

namespace cmc {
namespace {

TEST_CASE("text: a number is the whole text and fits its type") {
  CHECK(parse_number<uint32_t>("4294967295") == 4'294'967'295);
  CHECK(parse_number<int64_t>("-7") == -7);
  CHECK(parse_number<double>("0.5") == 0.5);
  for (const char* other : {"", " 1", "1 ", "1x", "+1", "-1", "4294967296", "0x1", "1.0"}) {
    CAPTURE(other);
    CHECK(!parse_number<uint32_t>(other));
  }
}

TEST_CASE("text: blanks at both ends are trimmed") {
  CHECK(trimmed(" \t a b\r ") == "a b");
  CHECK(trimmed(" \t\r").empty());
  CHECK(trimmed("").empty());
  CHECK(trimmed("a\n") == "a\n");
}

TEST_CASE("text: what is quoted has its quotes and backslashes escaped") {
  CHECK(double_quoted("a") == "\"a\"");
  CHECK(double_quoted("\\\"") == "\"\\\\\\\"\"");
}

TEST_CASE("text: all occurrences are replaced, once") {
  std::string text = "aXbX";
  CHECK(replace_all(text, "X", "XX"));
  CHECK(text == "aXXbXX");
  CHECK(!replace_all(text, "Y", ""));
}

}  // namespace
}  // namespace cmc
