#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sanitizers.h"
#include "ir/dump.h"
#include "promela/compile.h"

#include "tests/catch.h"

// Inputs that want to crash, hang or bloat the front end. Each runs in a process of its own with limits of time and
// memory; a diagnostic or a model are both fine, dying is not.

namespace {

enum class Answer { kModel = 10, kDiagnostics = 11, kSilentRefusal = 12 };

// With the formula appended, unless it is empty.
Answer compile_text(const std::string& text, const std::string& formula) {
  cmc::promela::Sources sources;
  cmc::promela::Diagnostics diagnostics(sources);
  const uint32_t file = sources.add("hostile.pml", text);
  cmc::promela::CompileOptions options{.validate = true};
  if (!formula.empty()) options.formulas.push_back({"", formula});
  const std::optional<cmc::Model> model = cmc::promela::compile(sources, file, options, diagnostics);
  std::ostringstream dumped;
  if (model) cmc::dump(*model, dumped);
  const bool accepted = model.has_value();
  const std::string rendered = diagnostics.render(false);
  if (accepted) return Answer::kModel;
  return rendered.empty() ? Answer::kSilentRefusal : Answer::kDiagnostics;
}

// The exit code of the child: an Answer, or something else if it died.
int compile_guarded(const std::string& text, const std::string& formula) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit time{20, 21};
    setrlimit(RLIMIT_CPU, &time);
#if !CMC_ADDRESS_SANITIZER
    const rlimit memory{4ULL << 30, 4ULL << 30};
    setrlimit(RLIMIT_AS, &memory);
#endif
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    _exit(static_cast<int>(compile_text(text, formula)));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void survives(const std::string& name, const std::string& text, const std::string& formula = "") {
  INFO(name);
  const int answer = compile_guarded(text, formula);
  CHECK((answer == static_cast<int>(Answer::kModel) || answer == static_cast<int>(Answer::kDiagnostics)));
}

std::string repeat(const std::string& piece, size_t times) {
  std::string text;
  text.reserve(piece.size() * times);
  for (size_t i = 0; i < times; ++i) text += piece;
  return text;
}

std::string body(const std::string& statements) { return "byte x; active proctype P() { " + statements + " }\n"; }

constexpr size_t kDeep = 200'000;

}  // namespace

TEST_CASE("hostile text: deep nesting is refused or compiled, never a crash", "[long]") {
  survives("parentheses", body("x = " + repeat("(", kDeep) + "1" + repeat(")", kDeep)));
  survives("open parentheses", body("x = " + repeat("(", kDeep)));
  survives("negations", body("x = " + repeat("!", kDeep) + "1"));
  survives("minus", body("x = " + repeat("- ", kDeep) + "1"));
  survives("braces", body(repeat("{", kDeep) + "skip" + repeat("}", kDeep)));
  survives("open braces", body(repeat("{ ", kDeep)));
  survives("if", body(repeat("if :: ", kDeep) + "skip" + repeat(" fi", kDeep)));
  survives("do", body(repeat("do :: ", kDeep) + "break" + repeat(" od", kDeep)));
  survives("atomic", body(repeat("atomic { ", kDeep) + "skip" + repeat(" }", kDeep)));
  survives("unless", body("skip" + repeat(" unless { skip }", kDeep)));
  survives("unless to the right", body(repeat("{ skip } unless { ", kDeep) + "skip" + repeat(" }", kDeep)));
  survives("sum", body("x = 1" + repeat(" + 1", kDeep)));
  survives("conjunction", body("x == 1" + repeat(" && x == 1", kDeep)));
  survives("conditional", body("x = " + repeat("(1 -> ", kDeep) + "1" + repeat(" : 1)", kDeep)));
  survives("index", body("x = " + repeat("x[", kDeep) + "0" + repeat("]", kDeep)));
  survives("fields", body("x = x" + repeat(".x", kDeep)));
  survives("labels", body(repeat("l: ", kDeep) + "skip"));
  survives("brackets of a poll", body(repeat("x?[", kDeep) + "1" + repeat("]", kDeep)));
  survives("eval", body("x?" + repeat("eval(", kDeep) + "1" + repeat(")", kDeep)));
  survives("for", body(repeat("for (x : 1 .. 2) { ", kDeep) + "skip" + repeat(" }", kDeep)));
}

TEST_CASE("hostile text: formulas are refused or compiled, in the text and appended", "[long]") {
  constexpr size_t kMany = 20'000;
  const auto formula = [](const std::string& name, const std::string& text) {
    survives(name, "ltl { " + text + " }\n" + body("x = 1"));
    survives(name + ", appended", body("x = 1"), text);
  };
  for (const std::string op : {"[] ", "<> ", "X ", "! ", "always ", "(", "a(", "x[", "[", "<", "{"}) {
    formula("many of " + op, repeat(op, kMany) + "x");
  }
  for (const std::string op : {" U ", " V ", " W ", " -> ", " <-> ", " && ", " || ", " == ", " <> ", " weakuntil "}) {
    formula("a chain of" + op, "x" + repeat(op + "x", kMany));
    formula("deep to the right" + op, repeat("(x" + op, kMany) + "x" + repeat(")", kMany));
    formula("deep to the left" + op, repeat("(", kMany) + "x" + repeat(op + "x)", kMany));
    formula("900" + op, "x" + repeat(op + "x", 900));
  }
  std::string balanced = "x == 1";
  for (int i = 0; i < 16; ++i) balanced = "(" + balanced + (i % 2 == 0 ? ") U (" : ") -> (") + balanced + ")";
  formula("a balanced tree", balanced);
  std::string tall = "(x < 9 && 1 / x == 1)";
  for (int i = 0; i < 300; ++i) tall = "[] (" + tall + " && x < " + std::to_string(i) + ")";
  formula("tall", tall);
  formula("many atoms", [] {
    std::string text = "x == 0";
    for (int i = 1; i < 900; ++i) text += " U x == " + std::to_string(i);
    return text;
  }());
  formula("braces", "x } ltl { x } }}}} {{{");
  formula("quotes", "\"x");
  formula("a directive", "x\n#define x (\n&& x");
  formula("an include", "x\n#include \"/dev/zero\"\n");
  formula("lines", repeat("\n", kMany) + "x" + repeat("\n", kMany));
  formula("C code", "c_expr { " + repeat("{", kMany));
  formula("remote references", repeat("P[", kMany) + "0" + repeat("]@l", kMany));
  survives("many formulas", repeat("ltl { [] (x == 1) }\n", 20'000) + body("x = 1"));
  survives("many formulas of one name", repeat("ltl a { [] (x == 1) }\n", 20'000) + body("x = 1"));
  survives("many claims", repeat("never { do :: x == 1 od }\n", 5'000) + body("x = 1"));
  survives("many accept labels", [] {
    std::string text;
    for (int i = 0; i < 10'000; ++i) text += "accept" + std::to_string(i) + ": x = 1; ";
    return body(text + "skip") + "never { do :: x == 1 od }\n";
  }());
  survives("many unknown labels", [] {
    std::string labels, claim;
    for (int i = 0; i < 10'000; ++i) {
      labels += "l" + std::to_string(i) + ": x = 1; ";
      claim += "P@k" + std::to_string(i) + "; P:v" + std::to_string(i) + "; ";
    }
    return body(labels + "skip") + "never { " + claim + "skip }\n";
  }());
  survives("a trace", "chan q = [1] of { byte };\n" + body("q!1") + "trace { " + repeat("q!1; ", 50'000) + "q!x }\n");
}

TEST_CASE("hostile text: macros, inlines and includes cannot blow up", "[long]") {
  std::string doubling = "#define a0 1 + 1\n";
  for (int i = 1; i < 64; ++i) {
    const std::string last = "a" + std::to_string(i - 1);
    doubling += "#define a" + std::to_string(i) + " " + last + " + " + last + "\n";
  }
  survives("doubling macro", doubling + body("x = a63"));
  survives("macro of itself", "#define f(a) f(f(a))\n" + body("x = f(f(f(1)))"));
  survives("nested macro calls", "#define f(a) a\n" + body("x = " + repeat("f(", kDeep) + "1" + repeat(")", kDeep)));
  survives("unclosed macro call", "#define f(a) a\n" + body("x = f(" + repeat("1,", kDeep)));
  survives("include of itself", "#include \"hostile.pml\"\n" + body("skip"));
  survives("include of a directory", "#include \"/\"\n" + body("skip"));
  survives("include of an endless file", "#include \"/dev/zero\"\n" + body("skip"));
  survives("include of a file that does not exist", repeat("#include \"nowhere\"\n", 1000) + body("skip"));
  survives("nested #if", repeat("#if 1\n", kDeep) + body("skip") + repeat("#endif\n", kDeep));
  survives("#if expression", "#if " + repeat("(", kDeep) + "1" + repeat(")", kDeep) + "\n#endif\n" + body("skip"));
  survives("#if division",
           "#if 1 / 0\n#endif\n#if 1 % 0\n#endif\n#if (-9223372036854775807 - 1) / -1\n#endif\n" + body("skip"));
  survives("line splices", repeat("\\\n", kDeep) + body("skip"));
  std::string inlines = "inline i0() { skip; skip }\n";
  for (int i = 1; i < 40; ++i) {
    const std::string last = "i" + std::to_string(i - 1) + "()";
    inlines += "inline i" + std::to_string(i) + "() { " + last + "; " + last + " }\n";
  }
  survives("doubling inline", inlines + body("i39()"));
  survives("inline of itself", "inline f() { f() }\n" + body("f()"));
  survives("inlines of each other", "inline f() { g() }\ninline g() { f() }\n" + body("f()"));
  survives("growing argument", "inline f(a) { f(a + a) }\n" + body("f(x)"));
}

TEST_CASE("hostile text: huge numbers and sizes are refused or compiled") {
  survives("array", "byte a[2147483647];\n" + body("a[0] = 1"));
  survives("arrays", repeat("int a[1000000000];\n", 10) + body("skip"));
  survives("nested arrays",
           "typedef A { int a[100000] }\ntypedef B { A b[100000] }\ntypedef C { B c[100000] }\nC c[100000];\n" +
               body("c[0].c[0].b[0].a[0] = 1"));
  survives("doubling typedef", [] {
    std::string text = "typedef T0 { int a }\n";
    for (int i = 1; i < 60; ++i) {
      const std::string last = "T" + std::to_string(i - 1);
      text += "typedef T" + std::to_string(i) + " { " + last + " a; " + last + " b }\n";
    }
    return text + "T59 t;\n" + body("skip");
  }());
  survives("typedef of itself", "typedef T { T t; byte b }\nT t;\n" + body("skip"));
  survives("negative array", "byte a[-1];\nbyte b[0];\n" + body("skip"));
  survives("capacity", "chan q = [2147483647] of { int, int, int };\n" + body("q!1,2,3"));
  survives("negative capacity", "chan q = [-1] of { int };\n" + body("q!1"));
  survives("fields", "chan q = [1] of { " + repeat("int, ", 100'000) + "int };\n" + body("q!1"));
  survives("number", body("x = " + repeat("9", 100'000)));
  survives("width", "unsigned u : 4000000000;\nunsigned v : 0;\nunsigned w : 33;\n" + body("u = 1"));
  survives("processes", "active [2147483647] proctype Q() { skip }\n");
  survives("negative processes", "active [-1] proctype Q() { skip }\n");
  survives("many processes", repeat("active [255] proctype Q() { skip }\n", 10));
  survives("priority", "active proctype Q() priority 99999999999 { skip }\n");
  survives("division of constants",
           body("x = 1 / 0; x = 1 % 0; x = (-2147483647 - 1) / -1; x = 1 << 99; x = 1 >> -5"));
  survives("constant division in a size", "byte a[1 / 0]; byte b[1 % 0];\n" + body("skip"));
  survives("mtype", "mtype = { " + repeat("m, ", 10'000) + "m }\n" + body("skip"));
  std::string many = "mtype = { m0";
  for (int i = 1; i < 10'000; ++i) many += ", m" + std::to_string(i);
  survives("many mtypes", many + " }\n" + body("skip"));
  std::string initializers = "byte a[3] = { 0";
  survives("initializers", initializers + repeat(", 1", kDeep) + " };\n" + body("skip"));
  survives("statements", body(repeat("x = 1; ", 100'000) + "skip"));
  survives("options", body("if " + repeat(":: x == 1 ", 100'000) + "fi"));
  survives("for in a huge range", body("for (x : 0 .. 2147483647) { skip }"));
  survives("select in a huge range", body("select (x : 0 .. 2147483647)"));
}

TEST_CASE("hostile text: the front end is linear in the length of the text", "[long]") {
  constexpr int kMany = 100'000;
  const auto numbered = [](int count, const std::function<std::string(int)>& piece) {
    std::string text;
    for (int i = 0; i < count; ++i) text += piece(i);
    return text;
  };
  const auto label = [](int i) { return "L" + std::to_string(i); };
  const auto chain = [&](int count) {
    return numbered(count, [&](int i) { return label(i) + ": goto " + label(i + 1) + ";\n"; }) + label(count);
  };
  survives("a chain of jumps", body(chain(kMany) + ": skip"));
  survives("a circle of jumps", body(chain(kMany) + ": goto L0"));
  survives("a chain of jumps in a d_step", body("d_step { skip; " + chain(kMany) + ": skip }"));
  survives("jumps backwards",
           body("L0: skip;\n" + numbered(kMany, [&](int i) { return label(i + 1) + ": goto " + label(i) + ";\n"; }) +
                "skip"));
  survives("labels", body(numbered(kMany, [&](int i) { return label(i) + ": x = 1;\n"; }) + "skip"));
  survives(
      "jumps out of atomic sequences",
      body(numbered(kMany, [&](int i) { return label(i) + ": atomic { x = 1; goto " + label(i + 1) + " };\n"; }) +
           label(kMany) + ": skip"));
  survives("different statements",
           body(numbered(50'000, [](int i) { return "x = " + std::to_string(i % 200) + ";\n"; }) + "skip"));
  survives("options that are sequences",
           body("do " +
                numbered(10'000, [](int i) { return ":: x == " + std::to_string(i % 200) + " -> x = 1; x = 2\n"; }) +
                "od"));
  survives("options of a d_step",
           body("d_step { if " +
                numbered(10'000, [](int i) { return ":: x == " + std::to_string(i % 200) + " -> x = 1; x = 2\n"; }) +
                "fi }"));
  survives("options under an escape",
           body("{ do " + repeat(":: x == 1 -> x = 2\n", 10'000) + "od } unless { x == 3 }"));
  survives("declarations",
           numbered(10'000, [](int i) { return "int g" + std::to_string(i) + ";\n"; }) + body("skip"));
  survives("local declarations",
           body(numbered(10'000, [](int i) { return "byte l" + std::to_string(i) + ";\n"; }) + "skip"));
  survives("undeclared names",
           numbered(10'000, [](int i) { return "int g" + std::to_string(i) + ";\n"; }) +
               body(numbered(10'000, [](int i) { return "h" + std::to_string(i) + " = 1;\n"; }) + "skip"));
  survives("inlines with labels", "inline f() { again: x = 1; if :: x == 1 -> goto again :: else fi }\n" +
                                      body(repeat("f();\n", 10'000) + "skip"));
  survives("proctypes",
           numbered(10'000, [](int i) { return "proctype P" + std::to_string(i) + "() { skip }\n"; }) +
               body(numbered(10'000, [](int i) { return "run P" + std::to_string(i) + "();\n"; }) + "skip"));
  survives("warnings", body(repeat("x = 256;\n", 50'000) + "skip"));
  survives("fields", "typedef T { " + numbered(10'000, [](int i) { return "byte f" + std::to_string(i) + ";\n"; }) +
                         "};\nT t;\n" + body("t.f9999 = 1"));
}

TEST_CASE("hostile text: bytes that are no text are refused") {
  survives("empty", "");
  survives("NUL", std::string("byte x;\0active proctype P() { x = 1 }", 35));
  survives("NULs", std::string(100'000, '\0'));
  survives("identifier of 1 MB", body(std::string(1'000'000, 'a') + " = 1"));
  survives("declared identifier of 1 MB", "byte " + std::string(1'000'000, 'a') + ";\n" + body("skip"));
  survives("string of 1 MB", body("printf(\"" + std::string(1'000'000, 'a') + "\")"));
  survives("line of 1 MB", repeat("byte x; ", 125'000));
  survives("open comment", "/*" + body("skip"));
  survives("open string", "active proctype P() { printf(\"abc");
  survives("open character", "active proctype P() { x = 'a");
  survives("formats", body("printf(\"%d %s %n %z %\", 1); printf(\"%\"); printf(\"%d\"); printm(x)"));
  survives("Latin 1", std::string("byte \xe4\xf6\xfc; ") + body("x = \xff"));
  survives("carriage returns", repeat("\r\n", 1000) + "byte x;\r\nactive proctype P() {\r\n x = 1\r\n}\r\n");
  for (int c = 0; c < 256; ++c) survives("one byte " + std::to_string(c), std::string(1, static_cast<char>(c)));
  for (int c = 1; c < 256; ++c)
    survives("a byte in a body " + std::to_string(c), body("x = 1; " + std::string(1, static_cast<char>(c))));
}

TEST_CASE("hostile text: every prefix and every lost token of a model is answered") {
  const std::string text =
      "mtype = { a, b };\ntypedef T { byte x[2]; chan q = [1] of { byte } };\nT t;\nchan q = [0] of { mtype, byte "
      "};\n"
      "inline f(v) { v = v + 1 }\nproctype P(byte n; chan c) provided (n > 0) { byte i; endl: do :: q!a(n) -> f(i) "
      ":: atomic "
      "{ q?b,eval(n); goto endl } :: else -> break od unless { timeout } }\ninit { pid p; p = run P(1, q); for (i : "
      "0 .. 2) "
      "{ t.x[i & 1]++ } d_step { p = (p > 0 -> 1 : 0); assert(P[p]@endl || len(q) == 0) } }\nltl l { [] <> (t.x[0] "
      "== 1) }\nltl { X (a == 1 && P[1]:i < 2) <-> (! timeout W P@endl) }\nnever { do :: np_ -> break :: q?[a,_] od "
      "}\n"
      "trace { do :: q!_,1 :: q?a -> break od }\n";
  for (size_t length = 0; length < text.size(); ++length) survives("prefix", text.substr(0, length));
  for (size_t at = 0; at + 2 <= text.size(); at += 2)
    survives("lost bytes", text.substr(0, at) + text.substr(at + 2));
}

TEST_CASE("hostile text: inputs that once crashed the front end are answered") {
  const std::filesystem::path folder = std::string(CMC_SOURCE_DIR) + "/tests/fuzz/crashes";
  if (!std::filesystem::exists(folder)) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    survives(entry.path().filename().string(), text.str());
  }
}
