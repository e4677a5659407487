#include <sstream>

#include <fmt/format.h>

#include "tests/trace/run.h"

#include "tests/catch.h"

namespace cmc {
namespace {

Explanation explanation_of(const std::string& text) { return trace_of(compile_text(text)).explanation; }

std::string line_of(const Explanation& explanation, std::string_view process) {
  for (const std::string& line : explanation.lines) {
    if (line.starts_with(process)) return line;
  }
  return "";
}

TEST_CASE("explanation: a deadlock says who waits for what, and since when") {
  const Explanation why = explanation_of(
      "byte flag[2]; chan q = [1] of { byte }; chan r = [0] of { byte }; chan e = [2] of { byte };\n"
      "active proctype A() { flag[0] = 1;\n"
      "  flag[1] == 2 && flag[0] == 1 }\n"
      "active proctype B() { q!1;\n"
      "  q!2 }\n"
      "active proctype C() {\n"
      "  r!3 }\n"
      "active proctype D() {\n"
      "  e?4 }\n"
      "active proctype E() { byte n;\n"
      "  do :: n == 1 -> skip :: e??5 od }\n"
      "active proctype F() { end: flag[0] == 7 }\n");
  REQUIRE(why.lines.size() == 5);
  CHECK(line_of(why, "A[0]") ==
        "A[0] waits at test.pml:3 for ((flag[1]==2)&&(flag[0]==1)); flag[1] is 0 from the start");
  CHECK(contains(line_of(why, "B[1]"), "waits at test.pml:5 for room in q, full since step "));
  CHECK(contains(line_of(why, "B[1]"), "(B[1])"));
  CHECK(line_of(why, "C[2]") == "C[2] waits at test.pml:7 for a receiver of r!3");
  CHECK(line_of(why, "D[3]") == "D[3] waits at test.pml:9 for a message in e, empty from the start");
  CHECK(contains(line_of(why, "E[4]"), "(n==1); E[4].n is 0 from the start; or for a message in e, empty from"));
  REQUIRE(why.processes.size() == 5);
  CHECK(why.processes[0].process == "A[0]");
  CHECK(why.processes[0].line == 3);
  CHECK(why.processes[0].since > 0);
  CHECK(why.processes[2].since == 0);
  CHECK(why.processes[4].waits.size() == 2);
}

TEST_CASE("explanation: a message that nobody takes is named") {
  const Explanation why = explanation_of(
      "mtype = { ack, nak }; chan q = [2] of { mtype }; chan c = [0] of { byte }\n"
      "active proctype P() { q!nak }\n"
      "active proctype Q() { q?ack }\n"
      "active proctype R() { chan d = c; d?1 }\n");
  CHECK(line_of(why, "Q[1]") ==
        "Q[1] waits at test.pml:3 for a message that q?ack accepts; q begins with [nak] since step 1 (P[0])");
  CHECK(contains(line_of(why, "R[2]"), "for a sender that d?1 (c) accepts"));
}

TEST_CASE("explanation: a failed assertion tells its values and their writers") {
  const Explanation why = explanation_of(
      "byte x, y, a[3];\n"
      "active proctype P() { x = 4; a[x - 3] = 2 }\n"
      "active proctype Q() { byte i = 1; x == 4; a[i] == 2;\n"
      "  assert(y == 0 && a[i] != 2) }\n");
  REQUIRE(why.lines.size() == 1);
  CHECK(why.lines[0] == "Q[1] at test.pml:4: a[1] is 2 since step 3 (P[0])");
  REQUIRE(why.processes.size() == 1);
  CHECK(why.processes[0].process == "Q[1]");
  CHECK(why.processes[0].line == 4);
}

TEST_CASE("explanation: of an assertion in a d_step the values before or behind it are told") {
  const Explanation kept = explanation_of(
      "byte x, y;\nactive proctype P() { byte i; y = 2;\n  d_step { i = 1; y == 2; x = 1;\n    assert(y != 2 || i == "
      "3); x = 0 } }\n");
  REQUIRE(kept.lines.size() == 1);
  CHECK(kept.lines[0] ==
        "P[0] at test.pml:4: y is 2 since step 1 (P[0]), P[0].i is 0 before this step, which changes it");
  const Explanation behind =
      explanation_of("byte x = 2;\nactive proctype P() { d_step { x = 3; assert(x == 2) } }\n");
  REQUIRE(behind.lines.size() == 1);
  CHECK(behind.lines[0] == "P[0] at test.pml:2: x is 3 behind this step, which changes it");
  CHECK(explanation_of("byte x;\nactive proctype P() { d_step { x = 1; assert(false) } }\n").lines.empty());
}

TEST_CASE("explanation: an assertion that no variable decides has one") {
  const Explanation why = explanation_of("byte x;\nactive proctype P() { x = 1;\n  assert(false) }\n");
  REQUIRE(why.lines.size() == 1);
  CHECK(why.lines[0] == "P[0] at test.pml:3: no variable decides assert(0), it always fails here");
}

TEST_CASE("explanation: an assertion that always fails has the branch that led there") {
  const Explanation why =
      explanation_of("byte n;\nactive [2] proctype P() { n++; if :: n == 2 -> skip;\n  assert(false) :: else fi }\n");
  REQUIRE(why.lines.size() == 2);
  CHECK(contains(why.lines[1], " came there by (n==2) in step "));
  CHECK(contains(why.lines[1], "; n is 2 since step "));
  const Explanation otherwise =
      explanation_of("byte n; active proctype P() { if :: n == 2 -> skip :: else -> n = 7;\n  assert(false) fi }\n");
  REQUIRE(otherwise.lines.size() == 2);
  CHECK(otherwise.lines[1] == "P[0] came there by else in step 1");
  // A value that changed since the branch was taken is not told as its reason.
  const Explanation changed =
      explanation_of("byte n; active proctype P() { if :: n == 0 -> n = 7;\n  assert(false) :: n == 1 fi }\n");
  REQUIRE(changed.lines.size() == 2);
  CHECK(changed.lines[1] == "P[0] came there by (n==0) in step 1");
}

TEST_CASE("explanation: equal sentences about many processes are folded") {
  const Explanation why = explanation_of("byte go;\nactive [17] proctype W() {\n  go == 1 }\n");
  REQUIRE(why.lines.size() == 1);
  CHECK(why.lines[0] == "W[0], W[1], W[2] and 14 more wait at test.pml:3 for (go==1); go is 0 from the start");
  CHECK(why.processes.size() == 17);
}

TEST_CASE("explanation: who could send or receive is told, and where it is") {
  const Explanation why = explanation_of(
      "chan q = [1] of { byte }; chan r = [0] of { byte }; byte x;\n"
      "active proctype A() { q!1;\n"
      "  q!2 }\n"
      "active proctype B() {\n"
      "  x == 1; q?_; r!1 }\n"
      "active proctype C() {\n"
      "  r?_ }\n");
  CHECK(contains(line_of(why, "A[0]"), "full since step 1 (A[0]); possible receiver: B[1] at test.pml:5"));
  CHECK(contains(line_of(why, "C[2]"), "for a sender that r?_ accepts; possible sender: B[1] at test.pml:5"));
}

TEST_CASE("explanation: an index out of bounds is told") {
  const Explanation why = explanation_of("byte a[3]; byte k = 2;\nactive proctype P() { k = k + 1; a[k] = 1 }\n");
  REQUIRE(why.lines.size() == 1);
  CHECK(why.lines[0] == "P[0] at test.pml:2: k is 3 since step 1 (P[0])");
}

TEST_CASE("explanation: a missing element is told with what its index is made of") {
  const Explanation why = explanation_of(
      "byte a[3], b[4], i = 1;\n"
      "active proctype P() { i = 3;\n"
      "  b[i] + a[i] == 1 }\n");
  REQUIRE(why.lines.size() == 1);
  CHECK(why.lines[0] ==
        "P[0] at test.pml:3: b[3] is 0 from the start, a[i] is outside the array of 3, i is 3 since step 1 (P[0])");
}

TEST_CASE("explanation: locals and places of other processes are named") {
  const Explanation why = explanation_of(
      "byte x;\nproctype Child() { byte n; n = 2;\nhere: x == 1 }\n"
      "init { run Child();\n (Child[1]:n == 3) || !Child[1]@here }\n");
  REQUIRE(why.lines.size() == 2);
  CHECK(contains(why.lines[0], "Child[1].n is 2 since step 2 (Child[1])"));
  CHECK(contains(why.lines[1], "Child[1] waits at test.pml:3 for (x==1); x is 0 from the start"));
}

TEST_CASE("explanation: runs of local steps are folded, and can be shown") {
  const std::string text =
      "byte x; active proctype P() { byte i; i = 1; i = 2; i = i + 2; i > 3; x = i; assert(false) }\n";
  const std::string folded = trace_of_error(text, {});
  INFO(folded);
  CHECK(contains(folded, "  1-4  P[0]"));
  CHECK(contains(folded, "... 4 local steps"));
  CHECK(contains(folded, "P[0].i: 0 -> 4\n"));
  CHECK(contains(folded, "x: 0 -> 4\n"));
  TraceOptions options;
  options.fold = false;
  const std::string all = trace_of_error(text, options);
  CHECK(contains(all, "P[0].i: 2 -> 4\n"));
  CHECK(!contains(all, "local steps"));
}

TEST_CASE("explanation: columns are no wider than the terminal") {
  std::string text = "byte x;\n";
  for (int i = 0; i < 12; ++i) {
    text += fmt::format("active proctype WithALongName{}() {{ atomic {{ x == {}; x++ }} }}\n", i, i);
  }
  text += "active proctype Last() { x == 12; assert(false) }\n";
  for (const size_t width : {size_t{80}, size_t{200}}) {
    TraceOptions options;
    options.style = TraceStyle::kColumns;
    options.width = width;
    std::istringstream lines(trace_of_error(text, options));
    for (std::string line; std::getline(lines, line);) {
      if (contains(line, "error:")) continue;
      INFO(line);
      CHECK(display_width(line) <= width);
    }
  }
}

TEST_CASE("explanation: text is divided between characters, and none is lost") {
  CHECK(wrapped("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(wrapped("abcdefghij", 4) == std::vector<std::string>{"abcd", "efgh", "ij"});
  CHECK(wrapped("", 4) == std::vector<std::string>{""});
  CHECK(wrapped("\xc3\xa4\xc3\xb6\xc3\xbc", 2) == std::vector<std::string>{"\xc3\xa4\xc3\xb6", "\xc3\xbc"});
  CHECK(wrapped("long enough", 0) == std::vector<std::string>{"long enough"});
}

}  // namespace
}  // namespace cmc
