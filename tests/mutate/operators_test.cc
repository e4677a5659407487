#include "checker/mutate/operators.h"

#include <algorithm>

#include "tests/catch.h"

namespace cmc::mutate {
namespace {

// "replace operator: < => <=", of all mutants of a text, with --faults.
std::vector<std::string> changes(const std::string& text, std::string_view op = "") {
  promela::Sources sources;
  sources.add("model.pml", text);
  std::string messages;
  const std::optional<std::vector<Mutant>> mutants = make_mutants({}, sources, messages);
  INFO(messages);
  REQUIRE(mutants);
  std::vector<std::string> result;
  for (const Mutant& each : *mutants) {
    if (op.empty() || info(each.op).name == op) result.push_back(short_text(sources.text(0), each));
  }
  return result;
}

std::string in_process(const std::string& body) {
  return "mtype = { red, green, blue }; chan q = [2] of { mtype, byte }; byte x, y; bool b;\n"
         "active proctype P() { byte i;\n" +
         body + "\n}\n";
}

using Texts = std::vector<std::string>;

TEST_CASE("operators: statements are dropped, and swapped with their neighbours") {
  CHECK(changes(in_process("x = 1; q ! red, 2; q ? red, y"), "drop statement") ==
        Texts{"x = 1 => skip", "q ! red, 2 => skip", "q ? red, y => skip"});
  CHECK(changes(in_process("x = 1; y = x"), "swap statements") == Texts{"x = 1; y = x => y = x; x = 1"});
  CHECK(changes(in_process("L: x = 1; goto L"), "drop goto") == Texts{"goto L => skip"});
  CHECK(changes("proctype Q(byte n) { skip } init { run Q(3) }", "drop run") == Texts{"run Q(3) => skip"});
}

TEST_CASE("operators: guards are dropped and negated, options and else are dropped") {
  const std::string text = in_process("if :: x < 3 && b -> skip :: y > 1; x = 2 :: else -> break_here: skip fi");
  CHECK(changes(text, "drop guard") == Texts{"x < 3 && b => true", "y > 1 => true"});
  CHECK(changes(text, "negate guard") == Texts{"x < 3 && b => !(x < 3 && b)"});
  CHECK(changes(in_process("full(q); nempty(q)"), "negate guard") == Texts{"full => nfull", "nempty => empty"});
  CHECK(changes(text, "drop option") == Texts{":: x < 3 && b -> skip => nothing", ":: y > 1; x = 2 => nothing",
                                              ":: else -> break_here: skip => nothing"});
  CHECK(changes(text, "drop else") == Texts{"else => true"});
  CHECK(changes(in_process("do :: break od"), "drop break") == Texts{"break => skip"});
}

TEST_CASE("operators: atomic sequences and unless are dropped") {
  CHECK(changes(in_process("atomic { x = 1; y = 2 }"), "drop atomic") == Texts{"atomic => nothing"});
  CHECK(changes(in_process("d_step { x = 1; y = 2 }"), "drop d_step") == Texts{"d_step => atomic"});
  CHECK(changes(in_process("{ x = 1; y = 2 } unless { b }"), "drop unless") == Texts{"unless { b } => nothing"});
}

TEST_CASE("operators: operators and constants are replaced") {
  CHECK(changes(in_process("x + 1 < y || !b"), "replace operator") ==
        Texts{"+ => -", "< => <=", "< => >=", "|| => &&"});
  CHECK(changes(in_process("x++; y--"), "replace operator") == Texts{"++ => --", "-- => ++"});
  CHECK(changes(in_process("x = 5; b = true"), "change constant") ==
        Texts{"5 => 0", "5 => 4", "5 => 6", "true => false"});
  CHECK(changes(in_process("!b"), "drop negation") == Texts{"! => nothing"});
  const Texts mtypes = changes(in_process("q ! red, 1"), "change mtype");
  REQUIRE(mtypes.size() == 1);
  CHECK(mtypes[0].starts_with("red => "));
}

TEST_CASE("operators: channels are changed, and lose messages") {
  const std::string text = in_process("q ! red, 1; q ?? red, y");
  CHECK(changes(text, "change capacity") == Texts{"2 => 1", "2 => 3"});
  CHECK(changes(text, "send order") == Texts{"! => !!"});
  CHECK(changes(text, "receive order") == Texts{"?? => ?"});
  CHECK(changes(text, "lose message") == Texts{"q ! red, 1 => if :: q ! red, 1 :: skip fi"});
  CHECK(changes(text, "double message") == Texts{"q ! red, 1 => q ! red, 1; if :: q ! red, 1 :: skip fi"});
}

TEST_CASE("operators: guards of never claims become weaker, which asks for more, and negated") {
  const std::string text =
      "bool p, q; active proctype P() { p = true }\n"
      "never { do :: p && q -> break :: else :: true od; accept: do :: !p od }";
  CHECK(changes(text, "strengthen claim") ==
        Texts{"p => true", "p && q => true", "q => true", "else => true", "!p => true"});
  CHECK(changes(text, "negate claim guard") == Texts{"p && q => !(p && q)", "!p => !(!p)"});
  CHECK(changes("bool p; init { p = true } chan q = [1] of { bool } trace { q ! _ }", "strengthen claim").empty());
}

TEST_CASE("operators: what is expanded is changed where it is written, once") {
  const std::string text =
      "#define LIMIT 3\n#define FREE (x < LIMIT)\n#define MORE(v) v = v + 1\n"
      "byte x;\ninline twice() { x = x + 2 }\n"
      "active proctype P() { FREE; twice(); twice(); MORE(x) }\n";
  CHECK(changes(text, "change constant") ==
        Texts{"3 => 0", "3 => 2", "3 => 4", "1 => 0", "1 => 2", "2 => 0", "2 => 1", "2 => 3"});
  CHECK(changes(text, "replace operator") == Texts{"< => <=", "< => >=", "+ => -", "+ => -"});
  CHECK(changes(text, "drop guard") == Texts{"FREE => true"});
  CHECK(changes(text, "drop inline") == Texts{"twice() => skip", "twice() => skip"});
}

TEST_CASE("operators: what is not written as it is read is left as it is") {
  CHECK(changes(in_process("select(i : 1 .. 3); x = i")) ==
        Texts{"2 => 1", "2 => 3", "1 => 0", "1 => 2", "x = i => skip"});
  CHECK(changes("#define PUT(v, w) v = w\nbyte x; active proctype P() { PUT(x, x + 1) }", "drop statement").empty());
}

TEST_CASE("operators: what has an inline's argument at its end is changed in the inline") {
  const std::string text =
      "byte x, y;\ninline set(what, value) { what = value; assert(value > 0 || what == value) }\n"
      "active proctype P() { set(x, 1); set(y, x + 1) }\n";
  CHECK(changes(text, "drop statement") == Texts{"what = value => skip"});
  CHECK(changes(text, "strengthen assertion") ==
        Texts{"(value > 0 || what == value) => false", "value > 0 => false", "what == value => false"});
}

TEST_CASE("operators: parts of properties are made stronger by their polarity") {
  const std::string model = "byte x; bool p, q, r; active proctype P() { skip }\n";
  CHECK(changes(model + "ltl f { [] (p -> <> q) }", "strengthen formula") == Texts{"p => true", "<> q => false"});
  CHECK(changes(model + "ltl f { [] p }", "strengthen formula").empty());
  CHECK(changes(model + "ltl f { !(p && <> q) }", "strengthen formula") == Texts{"p => true", "<> q => true"});
  CHECK(changes(model + "ltl f { p U q }", "strengthen formula") == Texts{"p => false"});
  CHECK(changes(model + "ltl f { [] (p <-> q) }", "strengthen formula").empty());
  CHECK(changes(model + "#define A (x < 3)\nltl f { [] (A || r) }", "strengthen formula") ==
        Texts{"A => false", "r => false"});
  CHECK(changes("byte x; active proctype P() { assert(x == 0 || x > 2) }", "strengthen assertion") ==
        Texts{"(x == 0 || x > 2) => false", "x == 0 => false", "x > 2 => false"});
}

TEST_CASE("operators: every mutant of a text is another text, and has its number") {
  promela::Sources sources;
  sources.add("model.pml", in_process("atomic { x < 3 -> x = x + 1; q ! red, x }; q ? _, y; assert(y > 0)"));
  std::string messages;
  const std::optional<std::vector<Mutant>> mutants = make_mutants({}, sources, messages);
  REQUIRE(mutants);
  for (size_t i = 0; i < mutants->size(); ++i) {
    const Mutant& each = (*mutants)[i];
    CHECK(each.number == i + 1);
    CHECK(mutated_text(sources.text(0), each) != sources.text(0));
    CHECK(diff(sources.text(0), each, "model.pml").find("\n@@ ") != std::string::npos);
  }
}

TEST_CASE("operators: a text with errors has no mutants") {
  promela::Sources sources;
  sources.add("model.pml", "active proctype P() { x = 1 }");
  std::string messages;
  CHECK(!make_mutants({}, sources, messages));
  CHECK(messages.find("model.pml:1:") != std::string::npos);
}

TEST_CASE("operators: a diff shows two lines around the change") {
  Mutant mutant;
  mutant.number = 7;
  mutant.range = {0, 8, 9};
  mutant.replacement = "X";
  CHECK(diff("a\nb\nc\nd\ne\nf\ng\n", mutant, "m.pml") ==
        "--- m.pml\n+++ m.pml (mutant 7: drop statement)\n@@ -3,5 +3,5 @@\n c\n d\n-e\n+X\n f\n g\n");
}

}  // namespace
}  // namespace cmc::mutate
