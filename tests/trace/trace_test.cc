#include "tests/trace/run.h"

#include "tests/catch.h"

namespace cmc {
namespace {

constexpr const char* kMessages =
    "mtype = { ack, nak };\n"
    "chan q = [2] of { mtype, byte };\n"
    "chan r = [0] of { mtype, byte };\n"
    "byte got;\n"
    "active proctype Sender() { q!nak(7); r!ack(got + 2) }\n"
    "active proctype Receiver() {\n"
    "  byte n;\n"
    "  q?nak(n); r?ack(n);\n"
    "  printf(\"n is %d (%e)\\n\", n, ack);\n"
    "  got = n; assert(false)\n"
    "}\n";

TEST_CASE("trace: messages are shown with their contents") {
  const std::string trace = trace_of_error(kMessages, {});
  CHECK(contains(trace, "q!nak,7                     [nak,7] -> q\n"));
  CHECK(contains(trace, "[nak,7] <- q, Receiver[1].n: 0 -> 7\n"));
  CHECK(contains(trace, "r!ack,(got+2)  =>  Receiver[1] test.pml:8 r?ack,n  [ack,2], Receiver[1].n: 7 -> 2\n"));
  CHECK(contains(trace, "error: assertion violated"));
  CHECK(contains(trace, "final state:\n  got = 2\n  q holds 0 of 2: empty\n"));
}

TEST_CASE("trace: what the model prints is shown in a replay, and not in a check") {
  TraceOptions options;
  CHECK(!contains(trace_of_error(kMessages, options), "n is 2"));
  options.show_printed = true;
  CHECK(contains(trace_of_error(kMessages, options), " | n is 2 (ack)\n"));
}

TEST_CASE("trace: values that lose bits have a note") {
  const std::string model =
      "byte x = 255; bit b; short s; chan q = [1] of { bit, byte }; chan r = [0] of { byte };\n"
      "proctype Q(byte k) { r?k; assert(false) }\n"
      "init { x++; b = x + 2; s = x + 255; q!x + 3, x + 256; q?b,x; run Q(x + 300); r!b + 511 }\n";
  for (const TraceStyle style : {TraceStyle::kDiff, TraceStyle::kColumns}) {
    TraceOptions options;
    options.style = style;
    const std::string trace = trace_of_error(model, options);
    INFO(trace);
    CHECK(contains(trace, "note: 256 does not fit in a byte; 0 is stored\n"));
    CHECK(contains(trace, "note: 2 does not fit in a bit; 0 is stored\n"));
    CHECK(contains(trace, "note: 3 does not fit in a bit; 1 is stored\n"));
    CHECK(contains(trace, "note: 300 does not fit in a byte; 44 is stored\n"));
    CHECK(contains(trace, "note: 512 does not fit in a byte; 0 is stored\n"));
    CHECK(!contains(trace, "255 does not"));
  }
}

TEST_CASE("trace: columns keep every step and its process") {
  TraceOptions options;
  options.style = TraceStyle::kColumns;
  const std::string trace = trace_of_error(kMessages, options);
  CHECK(contains(trace, " step | Sender[0]"));
  CHECK(contains(trace, "    1 | q!nak,7  [nak,7]"));
  CHECK(contains(trace, "r!ack,(got+2)  >>>"));
  CHECK(contains(trace, ">>>  r?ack,n  [ack,2]"));
}

TEST_CASE("trace: the full style shows all of the state") {
  TraceOptions options;
  options.style = TraceStyle::kFull;
  const std::string trace = trace_of_error(
      "chan q = [1] of { byte };\n"
      "byte a[3];\n"
      "typedef T { bit b[2]; int i };\n"
      "T t[2];\n"
      "active proctype P() { chan c = [1] of { byte }; a[1] = 4; t[1].b[1] = 1; c!9; q!5; assert(false) }\n",
      options);
  CHECK(contains(trace, "a = [0, 4, 0]; t[0].b = [0, 0]; t[1].b = [0, 1]; t[0..1].i = [0, 0]\n"));
  CHECK(contains(trace, "q holds 1 of 1: [5]\n"));
  CHECK(contains(trace, "P[0].c holds 1 of 1: [9]\n"));
}

TEST_CASE("trace: processes are seen to come and go") {
  const std::string trace = trace_of_error(
      "proctype P(byte n) { skip }\n"
      "init { run P(3); _nr_pr == 1; assert(false) }\n",
      {});
  CHECK(contains(trace, "P[1] starts, P[1].n: 3\n"));
  CHECK(contains(trace, "P[1] ends\n"));
}

TEST_CASE("trace: a long counterexample is shortened for the terminal") {
  const char* const kLong = "byte x; active proctype P() { do :: x < 100 -> x++ :: x == 100 -> assert(false) od }\n";
  TraceOptions options;
  const std::string trace = trace_of_error(kLong, options, 5);
  CHECK(contains(trace, "... the first 197 steps left out"));
  CHECK(!contains(trace, "x: 97 -> 98"));
  CHECK(contains(trace, "x: 99 -> 100"));
  CHECK(contains(trace_of_error(kLong, {}), "x: 0 -> 1"));
}

TEST_CASE("trace: locals with the same name can be told apart") {
  TraceOptions options;
  options.fold = false;
  const std::string trace = trace_of_error(
      "inline step(v) {\n"
      "  byte next;\n"
      "  next = v\n"
      "}\n"
      "inline twice(v) {\n"
      "  step(v);\n"
      "  step(v + 1)\n"
      "}\n"
      "active proctype P() {\n"
      "  byte x;\n"
      "  step(1);\n"
      "  twice(5);\n"
      "  { pid y; y = 7 };\n"
      "  { byte y[2]; y[1] = 9 }\n"
      "  assert(false)\n"
      "}\n",
      options);
  CHECK(contains(trace, "P[0].next@11: 0 -> 1\n"));
  CHECK(contains(trace, "P[0].next@12/7: 0 -> 6\n"));
  CHECK(contains(trace, "    x = 0; next@11 = 1; next@12/6 = 5; next@12/7 = 6; y@13 = 7; y@14 = [0, 9]\n"));
}

TEST_CASE("trace: printf of a model does not drive the terminal") {
  TraceOptions options;
  options.show_printed = true;
  const std::string trace =
      trace_of_error("active proctype P() { printf(\"%c[2J%c\\n\", 27, 65); assert(false) }\n", options);
  CHECK(contains(trace, " | \\x1b[2JA\n"));
}

}  // namespace
}  // namespace cmc
