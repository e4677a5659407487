#include "checker/native/shapes.h"

#include <limits>

#include "checker/native/marked_text.h"
#include "checker/native/source.h"
#include "tests/native/compare.h"
#include "tests/native/native_code.h"
#include "tests/support/compile.h"

#include "tests/catch.h"

namespace cmc::test {
namespace {

using native::Function;
using native::marked_comment;
using native::marked_int;
using native::marked_unsigned;
using native::Shape;

Function function(const std::string& name, const std::string& code, const std::string& kind = "execute") {
  return {name, kind, marked_comment("/* " + name + " */"), code};
}

// The number of times that `part` is in the text.
size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Compiles the model and compares it with the VM and the reference, in at most so many states.
void check_states(const Model& model) {
  const auto code = native_code(model);
  if (code == nullptr) return;
  const NativeExploration found = explore_native(model, code, 500);
  CHECK(found.differences == std::vector<std::string>{});
  CHECK(found.states > 10);
}

TEST_CASE("native shapes: constants are parameters where they differ, and one if each function has them equal") {
  std::vector<Function> functions;
  for (uint32_t i = 0; i < 3; ++i) {
    const std::string text = marked_comment("/* a[" + std::to_string(i) + "] */") + "x[" + marked_unsigned(i, "a") +
                             "] = x[" + marked_unsigned(i, "a") + "] + " + marked_int(7) + " + " +
                             marked_int(-static_cast<int32_t>(i));
    functions.push_back(function("f" + std::to_string(i), text));
  }
  const std::vector<Shape> shapes = native::find_shapes(functions);
  REQUIRE(shapes.size() == 1);
  CHECK(shapes[0].members == std::vector<size_t>{0, 1, 2});
  CHECK(shapes[0].rows == std::vector<std::vector<uint32_t>>{{0, 0}, {1, 0xffffffff}, {2, 0xfffffffe}});
  const native::Written written = native::write_shape(shapes[0], functions);
  CHECK(native::with_comments(written.code) == "/* a[0] */x[c[0]] = x[c[0]] + 7 + (int32_t)c[1]");
  CHECK(native::without_comments(written.code) == "x[c[0]] = x[c[0]] + 7 + (int32_t)c[1]");
}

TEST_CASE("native shapes: what few functions have is not shared, nor other kinds, nor constants of other types") {
  const auto shapes_of = [](const std::vector<Function>& functions) { return native::find_shapes(functions).size(); };
  const std::string one = marked_int(1);
  CHECK(shapes_of({function("f1", one), function("f2", marked_int(2))}) == 2);
  CHECK(shapes_of({function("f1", one), function("f2", one), function("f3", one)}) == 1);
  CHECK(shapes_of({function("f1", one), function("f2", one), function("f3", one, "test")}) == 3);
  CHECK(shapes_of({function("f1", one), function("f2", one), function("f3", marked_unsigned(1))}) == 3);
  CHECK(shapes_of({function("f1", one), function("f2", one), function("f3", "1")}) == 3);
}

TEST_CASE("native shapes: constants that are not shared are spelled as C has them") {
  CHECK(native::spelled(marked_int(std::numeric_limits<int32_t>::min())) == "INT32_MIN");
  CHECK(native::spelled(marked_int(-3) + marked_unsigned(4) + marked_unsigned(5, "g_x + 2u")) == "(-3)4ug_x + 2u");
}

TEST_CASE("native shapes: statements that an inline repeats are one function") {
  const Model model = compile_text(R"(
    int board[12]; short total; bool turn
    inline move(a, b, c) {
      d_step { board[a] > c && board[b] < 3 && turn -> board[a] = board[a] - c - 1; board[b]++; total = total + c }
    }
    active proctype player() {
      d_step { board[0] = 3; board[1] = 2; board[2] = 3; board[3] = 1 }
      do
      :: move(0, 4, 0) :: move(1, 5, 0) :: move(2, 6, 1) :: move(3, 7, 0) :: move(4, 8, -1) :: move(5, 9, 0)
      :: turn = !turn
      od
    })");
  const native::Source source = native::write_source(model);
  CHECK(count(source.text, "\nFUNCTIONS(") < 6);
  CHECK(count(source.text, "execute_") > 6);
  check_states(model);
}

TEST_CASE("native shapes: what a constant decides is not shared with where it decides otherwise") {
  // Indices out of range, divisors of 0 and -1, sums that may overflow, values that are too large for their variable.
  check_states(compile_text(R"(
    int x[4]; byte small[4]; unsigned u : 3; int big = 2147483646
    inline all(a, b) {
      if :: x[a] < 2 -> x[a] = x[a] + b :: x[0] == 1 -> x[1] = x[2] / b :: x[1] = x[1] % (b - 1) :: u = x[a] + b
         :: small[b] = x[a] * b :: x[3] = big + b :: x[2] = x[2] << b :: x[2] = x[2] >> b fi
    }
    active proctype p() { byte i; do :: i < 3 -> i++; all(0, 1); all(1, 0); all(2, 2); all(3, 4); all(0, 2147483647)
                             :: else -> break od }
    active proctype q() { do :: x[0] = 1 :: x[1] = 0 :: x[2] = -1 :: u = 9 :: u = 7 :: small[3] = 300 :: small[1] = 2 od
    })"));
}

TEST_CASE("native shapes: conditions that are tested together compute nothing that would be an error") {
  check_states(compile_text(R"(
    int a[3]; byte i, j; chan q = [1] of { byte }
    active proctype p() {
      do
      :: i < 3 && a[i] == 0 && j != 1 && 10 / (j - 1) > 2 -> a[i] = 1; i++
      :: i < 3 && !(a[i] == 0) && !(j == 2 || i == 1) && len(q) == 0 -> a[i] = 0
      :: i > 1 && a[i - 2] == 1 && a[i] == 0 && j < 3 -> i--
      :: j == 1 && 10 / (j - 1) > 2 -> skip
      :: i == 3 -> i = 0
      :: j < 4 -> j++
      :: j == 4 -> j = 0
      od
    }
    active proctype r() { do :: q!1 :: q?_ od })"));
}

TEST_CASE("native shapes: code does not depend on where the model's text is") {
  const std::string text = "byte x; active proctype p() { do :: x = x + 1 :: x = 2 od }";
  const native::Source one = native::write_source(compile_text(text));
  const native::Source other = native::write_source(compile_text("\n\n/* moved */ " + text));
  CHECK(one.sha1 == other.sha1);
  CHECK(one.text != other.text);
  CHECK(one.sha1 !=
        native::write_source(compile_text("byte x; active proctype p() { do :: x = x + 1 :: x = 3 od }")).sha1);
}

}  // namespace
}  // namespace cmc::test
