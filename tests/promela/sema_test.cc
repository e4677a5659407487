#include <string>

#include "tests/promela/front_end.h"

#include "tests/catch.h"

// Each message of the semantic analysis is provoked once, with its line, column and words; and what must be accepted
// is.

namespace cmc::promela {
namespace {

std::string messages(const std::string& text) { return Compiled(text).messages; }

// In the body of a process, on line 2.
std::string in_process(const std::string& globals, const std::string& body) {
  return messages(globals + "\nactive proctype P() { " + body + " }\n");
}

bool accepted(const std::string& text) {
  const Compiled compiled(text);
  INFO(text << "\n" << compiled.messages);
  CHECK(compiled.messages.empty());
  return compiled.model.has_value();
}

bool accepted_in_process(const std::string& globals, const std::string& body) {
  return accepted(globals + "\nactive proctype P() { " + body + " }\n");
}

const std::string kRun = "active proctype P() { skip }\n";

}  // namespace

// ------------------------------------------------------------------------------------------------ declarations

TEST_CASE("sema: a name that is visible cannot be declared again") {
  CHECK(messages("byte x;\nint x;\n" + kRun) == "2:5: error: redeclaration of 'x'\n  1:6: declared here before\n");
  CHECK(in_process("byte x;", "byte x") == "2:28: error: redeclaration of 'x'\n  1:6: declared here before\n");
  CHECK(in_process("", "byte x; { byte x; skip }") ==
        "2:38: error: redeclaration of 'x'\n  2:28: declared here before\n");
  CHECK(messages("proctype Q(byte k) { byte k; skip }\n" + kRun) ==
        "1:27: error: redeclaration of 'k'\n  1:17: declared here before\n");
  CHECK(in_process("", "byte x, x") == "2:31: error: redeclaration of 'x'\n  2:28: declared here before\n");
}

TEST_CASE("sema: a variable with the name of an mtype set is a global one") {
  const std::string set = "mtype:color = { red };\n";
  const std::string warning =
      "warning: 'color' is the name of an mtype set: SPIN takes this variable for a global one, which all processes "
      "share; rename one of the two\n";
  const std::string known = "active proctype P() { byte color = 3; skip }\n";
  const std::string seen = "active proctype Q() { color = 1 }\n";
  CHECK(messages(set + known + seen) == "2:28: " + warning);
  CHECK(messages("mtype:color c;\n" + known + seen) == "2:28: " + warning);
  CHECK(messages("chan q = [1] of { mtype:color };\n" + known + seen) == "2:28: " + warning);
  CHECK(messages(set + known + "active proctype Q() { byte color }\n") ==
        "2:28: " + warning + "3:28: error: redeclaration of 'color'\n  2:28: declared here before\n");
  CHECK(in_process(set, "byte x = 2; byte color = x") ==
        "3:40: " + warning +
            "3:48: error: the initial value of 'color' is not constant, but SPIN takes the variable for a global "
            "one\n");
  CHECK(messages(set + "proctype Q(byte color) { skip }\n" + kRun) ==
        "2:17: error: parameter 'color' has the name of an mtype set, which SPIN takes for a global variable: rename "
        "one of the two\n");
  const Compiled compiled(set + "active [2] proctype P() { byte color[2] = 4; color[1]++ }\n");
  REQUIRE(compiled.model);
  CHECK(compiled.model->globals.size() == 1);
  CHECK(compiled.model->proctypes[0].variables.empty());
  // The set comes later, or only proctypes and structures name it.
  CHECK(accepted("active proctype P() { byte color; color = 1 }\n" + set));
  CHECK(accepted("active proctype P() { mtype:color c; skip }\nactive proctype Q() { byte color; color = 1 }\n"));
  CHECK(accepted("typedef T { mtype:color c };\nactive proctype Q() { byte color; color = 1 }\n"));
  CHECK(accepted(set + "mtype:color color;\nactive proctype Q() { color = red }\n"));
}

TEST_CASE("sema: a proctype cannot have the name of a global variable") {
  CHECK(messages("chan P = [1] of { byte };\n" + kRun) ==
        "2:17: error: redeclaration of 'P'\n  1:6: declared here before\n");
  CHECK(accepted("active proctype P() { byte Q; Q = 1 }\nproctype Q() { skip }\n"));
}

TEST_CASE("sema: the same name in places that do not see each other is accepted") {
  CHECK(accepted("proctype Q(byte k) { byte x; x = k }\nproctype R(byte k) { byte x; x = k }\n" + kRun));
  CHECK(accepted_in_process("", "{ byte t; t = 1 }; { byte t; t = 2 }; byte t = 3"));
  CHECK(accepted_in_process("inline f() { byte t; t = 1 }", "f(); f()"));
  CHECK(accepted_in_process("", "L: skip; { byte L; L = 1 }"));
  CHECK(accepted("typedef T { byte x }\nbyte x;\nT t;\nactive proctype P() { t.x = x }\n"));
}

TEST_CASE("sema: a name of a block is not known behind it") {
  CHECK(in_process("", "{ byte t; t = 1 }; t = 2") == "2:42: error: undeclared variable 't'\n");
  CHECK(in_process("inline f() { byte t; t = 1 }", "f(); t = 2") == "2:28: error: undeclared variable 't'\n");
  CHECK(in_process("", "x = 1; byte x") == "2:23: error: undeclared variable 'x'\n");
  CHECK(messages("byte y = x; byte x;\n" + kRun) == "1:10: error: undeclared variable 'x'\n");
}

TEST_CASE("sema: predefined names cannot be declared") {
  for (const std::string name : {"_", "_pid", "_last", "_nr_pr", "_priority"}) {
    CHECK(messages("byte " + name + ";\n" + kRun) == "1:6: error: '" + name + "' is predefined\n");
  }
}

TEST_CASE("sema: hidden is for global variables of other types than bit and chan") {
  CHECK(in_process("", "hidden byte h") == "2:23: error: only global variables can be hidden, not 'h'\n");
  CHECK(messages("hidden chan c;\n" + kRun) == "1:1: error: channel 'c' cannot be hidden\n");
  CHECK(messages("hidden bit b;\n" + kRun) == "1:12: error: bit variable 'b' cannot be hidden\n");
  CHECK(accepted("hidden byte h; hidden int a[2];\n" + kRun));
}

TEST_CASE("sema: initialisers must fit") {
  CHECK(messages("byte x = { 1, 2 };\n" + kRun) ==
        "1:10: error: 'x' is no array and cannot be initialised with a list\n");
  CHECK(in_process("proctype Q() { skip }", "byte p = run Q()") ==
        "2:32: error: 'run' is a statement of its own, or all that is assigned: p = run P()\n");
  CHECK(messages("byte x = [1] of { byte };\n" + kRun) ==
        "1:10: error: channel initialiser for 'x', which is no channel\n");
  CHECK(accepted("mtype = { a }; byte n = 2; int x = n + 1; mtype m = a; bool b[3] = true; int v[2] = { 1, 2 };\n" +
                 kRun));
}

TEST_CASE("sema: initial values of structures are ignored with a warning, as SPIN ignores them") {
  const std::string words =
      " is a structure of type T; its initial value is ignored, as SPIN does: give initial values to the fields, in "
      "the typedef\n";
  const std::string type = "typedef T { byte f = 3 };\n";
  CHECK(messages(type + "T t = 1;\n" + kRun) == "2:3: warning: 't'" + words);
  CHECK(messages(type + "T t[3] = 7;\n" + kRun) == "2:3: warning: 't'" + words);
  CHECK(messages(type + "T t[2] = { 1, 2 };\n" + kRun) == "2:3: warning: 't'" + words);
  CHECK(messages(type + "T t = [1] of { byte };\n" + kRun) == "2:3: warning: 't'" + words);
  CHECK(messages(type + "typedef U { T t = 4 };\nU u;\n" + kRun) == "2:15: warning: 't'" + words);
  CHECK(messages(type + "T t = none;\n" + kRun).starts_with("2:7: error: undeclared variable 'none'"));
  CHECK(messages(type + "T t = { 1, 2 };\n" + kRun).starts_with("2:7: error: 't' is no array"));
  const Compiled model(type + "T t = 1;\nactive proctype P() { skip; T l = 2 }\n");
  REQUIRE(model.model);
  REQUIRE(model.model->initializers.size() == 1);  // of the field
  CHECK(model.model->expressions[model.model->initializers[0].value].value == 3);
}

TEST_CASE("sema: constants that lose bits are warned of") {
  const auto warned = [](const std::string& text) { return messages(text + "\n" + kRun); };
  CHECK(warned("byte x = 256;") == "1:10: warning: 256 does not fit in 'x', which has 8 bits; 0 is stored\n");
  CHECK(warned("byte x = -1;") == "1:10: warning: -1 does not fit in 'x', which has 8 bits; 255 is stored\n");
  CHECK(warned("byte x = 200 + 100;") == "1:14: warning: 300 does not fit in 'x', which has 8 bits; 44 is stored\n");
  CHECK(warned("bit b = 2;") == "1:9: warning: 2 does not fit in 'b', which has 1 bit; 0 is stored\n");
  CHECK(warned("short s = 40000;") ==
        "1:11: warning: 40000 does not fit in 's', which has 16 bits and a sign; -25536 is stored\n");
  CHECK(warned("unsigned u : 3 = 9;") == "1:18: warning: 9 does not fit in 'u', which has 3 bits; 1 is stored\n");
  CHECK(warned("byte a[2] = { 1, 256 };") ==
        "1:18: warning: 256 does not fit in 'a', which has 8 bits; 0 is stored\n");
  CHECK(warned("typedef T { bit b = 2 };") == "1:21: warning: 2 does not fit in 'b', which has 1 bit; 0 is stored\n");
  CHECK(warned("byte x = 255; short s = -32768; int i = 2147483647; bool b = true; pid p = 255;").empty());
  CHECK(in_process("byte x;", "x = 256") ==
        "2:27: warning: 256 does not fit in 'x', which has 8 bits; 0 is stored\n");
  CHECK(in_process("typedef T { byte f[2] }; T t;", "t.f[1] = 300") ==
        "2:32: warning: 300 does not fit in 'f', which has 8 bits; 44 is stored\n");
  CHECK(in_process("byte x;", "x = 255; x = x + 1; x = 1 / 0") == "");
  CHECK(in_process("proctype Q(byte b; bit x; int i) { skip }", "run Q(300, 2, 70000)") ==
        "2:29: warning: 300 does not fit in 'b', which has 8 bits; 44 is stored\n"
        "2:34: warning: 2 does not fit in 'x', which has 1 bit; 0 is stored\n");
  CHECK(in_process("chan q = [1] of { byte, bit, short, int };", "q!300,7,40000,40000") ==
        "2:25: warning: 300 does not fit in field 1 of 'q', which has 8 bits; 44 is stored\n"
        "2:31: warning: 40000 does not fit in field 3 of 'q', which has 16 bits and a sign; -25536 is stored\n");
  const std::string twice = "byte x;\ninline big() { x = 256 }\nactive proctype P() { big(); big() }\n";
  CHECK(messages(twice) == "2:20: warning: 256 does not fit in 'x', which has 8 bits; 0 is stored\n");
}

TEST_CASE("sema: a printf whose values are not as many as its format has is warned of") {
  CHECK(in_process("", "printf(\"%d %d\", 1)") ==
        "2:23: warning: the format of printf has 2 conversions (%d, ...), but 1 value is given\n");
  CHECK(in_process("", "printf(\"100%%\", 1)") ==
        "2:23: warning: the format of printf has 0 conversions (%d, ...), but 1 value is given\n");
  CHECK(in_process("", "printf(\"%d%% %c %\", 1, 2); printf(\"a\")") == "");
}

TEST_CASE("sema: messages of another length than those of the channel are warned of") {
  const std::string channels = "typedef T { byte a; byte b }; T t; chan q = [1] of { byte, T }; byte x; chan other;";
  const std::string tail =
      ", but the messages of 'q' have 3: an error when this is executed\n  1:45: declared here\n";
  CHECK(in_process(channels, "q!1,2") == "2:23: warning: 2 fields sent" + tail);
  CHECK(in_process(channels, "goto l; q!1; l: skip") == "2:31: warning: 1 field sent" + tail);
  CHECK(in_process(channels, "q?x") == "2:23: warning: 1 field received" + tail);
  CHECK(in_process(channels, "q?<x,_,1,2>") == "2:23: warning: 4 fields read" + tail);
  CHECK(in_process(channels, "q?[x,_,1,2]") ==
        "2:23: warning: 4 fields polled, but the messages of 'q' have 3\n  1:45: declared here\n");
  CHECK(in_process(channels, "q?[1]; q?<x>; q?[x,_]") == "");  // SPIN's own examples poll for the first field
  CHECK(in_process(channels, "q!1,2,3,4") ==
        "2:23: error: 4 fields sent, but no channel of the model has messages of more than 3 (SPIN refuses this "
        "model, too)\n");
  CHECK(in_process(channels, "other!1,2,3,4") ==
        "2:23: error: 4 fields sent, but no channel of the model has messages of more than 3 (SPIN refuses this "
        "model, too)\n");
  CHECK(in_process(channels, "q!1,t; q?x,t; q?1,x,_; q!1,2,3; other!1; other?x") == "");
}

TEST_CASE("sema: channels and lists must be initialised before any statement") {
  CHECK(in_process("", "skip; chan c = [1] of { byte }; c!1") ==
        "2:34: error: channel 'c' must be declared at the start of the proctype, before any statement and outside "
        "blocks\n");
  CHECK(in_process("", "{ chan c = [1] of { byte }; c!1 }") ==
        "2:30: error: channel 'c' must be declared at the start of the proctype, before any statement and outside "
        "blocks\n");
  CHECK(
      in_process("", "skip; byte a[2] = { 1, 2 }") ==
      "2:34: error: array 'a' can be initialised with a list only at the start of the proctype, before any statement "
      "and outside blocks\n");
  CHECK(accepted_in_process("", "byte x; chan c = [1] of { byte }; byte a[2] = { 1, 2 }; c!1"));
  CHECK(accepted_in_process("", "{ bit a[3] = { 0 }; a[1] = 1 }; skip; byte b[2] = { 5 }; b[1] = 2"));
  CHECK(accepted_in_process("", "skip; byte a[2] = 3; chan c; int x = a[0]"));
}

TEST_CASE("sema: a name after an initial value in braces is none for SPIN") {
  const std::string warning = "warning: SPIN refuses a ',' after '}'; give the next name a declaration of its own\n";
  CHECK(messages("chan a = [1] of { byte }, b = [2] of { byte };\n" + kRun) == "1:25: " + warning);
  CHECK(messages("byte a[2] = { 1, 2 }, b;\n" + kRun) == "1:21: " + warning);
  CHECK(accepted("byte b, a[2] = { 1, 2 }; chan c, d = [1] of { byte };\n" + kRun));
}

TEST_CASE("sema: a formula is no variable") {
  CHECK(messages("ltl p { true }\nltl q { [] p }\n" + kRun) ==
        "2:12: error: 'p' is a formula and no variable; --property p decides it\n");
}

TEST_CASE("sema: array sizes that are not declared are told once") {
  CHECK(messages("byte a[N];\n" + kRun) == "1:6: error: undeclared variable 'N'\n");
}

TEST_CASE("sema: array sizes may be variables with an initial value") {
  CHECK(messages("byte N = 3; byte a[N];\n" + kRun) ==
        "1:18: warning: array size 'N' is a variable; its initial value 3 is used\n");
  CHECK(messages("byte N; byte a[N];\n" + kRun) ==
        "1:14: warning: array size 'N' is a variable; its initial value 8 is used\n");
  CHECK(messages("byte a[N];\n" + kRun).starts_with("1:6: error: undeclared variable 'N'\n"));
  CHECK(accepted("byte N = 3;\nactive [N] proctype P() { skip }\n"));
  CHECK(messages("byte N;\nactive [N] proctype P() { skip }\n") ==
        "2:21: error: 'N' needs a constant initial value here\n");
}

TEST_CASE("sema: state vectors have a limit") {
  CHECK(messages("int a[100000000];\n" + kRun).starts_with("1:5: error: 'a' is larger than 16777216 bytes\n"));
  CHECK(messages("typedef T { byte a[10000000]; byte b[10000000] }\n" + kRun)
            .starts_with("1:36: error: type 'T' is larger than 16777216 bytes\n"));
  CHECK(messages("byte a[10000000]; byte b[10000000];\n" + kRun)
            .starts_with("1:24: error: the global variables need more than 16777216 bytes\n"));
  CHECK(in_process("", "byte a[10000000]; byte b[10000000]; skip")
            .starts_with("2:17: error: the variables of 'P' need more than 16777216 bytes\n"));
}

TEST_CASE("sema: fields of typedefs have names of their own and complete types") {
  CHECK(messages("typedef T { byte f; bit f }\n" + kRun) ==
        "1:25: error: field 'f' is declared twice\n  1:18: declared here before\n");
  CHECK(messages("typedef T { byte f; T t }\n" + kRun) == "1:21: error: type 'T' is not complete here\n");
  CHECK(
      accepted("typedef A { byte v[2]; chan c = [1] of { byte } }\ntypedef B { A a[3]; unsigned u : 3 }\nB b;\n"
               "active proctype P() { b.a[1].v[0] = b.u; b.a[2].c!1 }\n"));
}

TEST_CASE("sema: more mtype sets than their number has room for are refused") {
  std::string text;
  for (int i = 0; i < 256; ++i) text += "mtype:s" + std::to_string(i) + " = { m" + std::to_string(i) + " };\n";
  CHECK(messages(text + kRun).starts_with("255:1: error: more than 254 named mtype sets\n"));
}

// ------------------------------------------------------------------------------------------------ proctypes

TEST_CASE("sema: parameters are scalars without initial values") {
  CHECK(messages("proctype Q(byte a[2]) { skip }\n" + kRun) == "1:17: error: an array cannot be a parameter\n");
  CHECK(messages("proctype Q(byte a = 2) { skip }\n" + kRun) == "1:17: error: a parameter cannot be initialised\n");
  CHECK(accepted("typedef T { byte f }\nproctype Q(T t; chan c; mtype m) { t.f = 1 }\n" + kRun));
}

TEST_CASE("sema: provided clauses see globals and _pid only") {
  CHECK(messages("active proctype P(byte k) provided (k > 1) { skip }\n") ==
        "1:37: error: a provided clause cannot use the local variable 'k'\n");
  CHECK(messages("proctype Q() { skip }\nactive proctype P() provided (run Q()) { skip }\n") ==
        "2:31: error: 'run' is a statement of its own, or all that is assigned: p = run P()\n");
  CHECK(accepted("byte x;\nactive proctype P() provided (x == 0 && _pid == 0) { skip }\n"));
}

TEST_CASE("sema: run needs a proctype and its arguments") {
  CHECK(in_process("proctype Worker() { skip }", "run Wroker()") ==
        "2:23: error: unknown proctype 'Wroker'; did you mean 'Worker'?\n");
  CHECK(in_process("proctype Q(byte a, b) { skip }", "run Q(1)") ==
        "2:23: error: proctype 'Q' takes 2 arguments, not 1\n  1:10: declared here\n");
  CHECK(in_process("proctype Q() { skip }", "run Q(1)") ==
        "2:23: error: proctype 'Q' takes 0 arguments, not 1\n  1:10: declared here\n");
  CHECK(in_process("byte g; proctype Q(byte g) { skip }", "run Q(1)") ==
        "1:25: error: redeclaration of 'g'\n  1:6: declared here before\n");
  CHECK(accepted("init { run Later(1) }\nproctype Later(byte k) { skip }\n"));
  CHECK(accepted("typedef T { byte a; byte b }\nproctype Q(T t; byte k) { skip }\ninit { T z; run Q(z, 1) }\n"));
}

TEST_CASE("sema: run stands alone or is assigned, in processes, outside d_step and messages") {
  const std::string q =
      "byte x, a[3]; chan c = [1] of { byte }; chan d[2] = [1] of { byte }; proctype Q() { skip } proctype R(byte b) "
      "{ skip }";
  for (const char* const statement : {"run Q() && x",
                                      "!run Q()",
                                      "x = run Q() + 1",
                                      "a[run Q()] = 1",
                                      "x = a[run Q()]",
                                      "a[run Q()]++",
                                      "a[run Q()] == 1",
                                      "run R(run Q())",
                                      "run R(a[run Q()])",
                                      "c!run Q()",
                                      "c!a[run Q()]",
                                      "c?a[run Q()]",
                                      "c?eval(run Q())",
                                      "c?[eval(run Q())]",
                                      "d[run Q()]!1",
                                      "len(d[run Q()]) == 0",
                                      "assert(run Q())",
                                      "printf(\"%d\", run Q())",
                                      "printm(a[run Q()])",
                                      "for (x : 0 .. run Q()) { skip }",
                                      "for (x : 0 .. 1 + run Q()) { skip }",
                                      "select (x : 0 .. run Q())",
                                      "byte y = run Q()",
                                      "pc_value(run Q()) == 1",
                                      "get_priority(run Q()) == 1"}) {
    INFO(statement);
    CHECK(in_process(q, statement).find("'run' is a statement of its own, or all that is assigned") !=
          std::string::npos);
  }
  CHECK(in_process(q, "d_step { run Q() }") == "2:32: error: 'run' cannot be used in a d_step; use atomic\n");
  CHECK(messages(q + "\nint y = run Q();\n" + kRun).find("2:9: error: 'run' can be used in a process only\n") !=
        std::string::npos);
  CHECK(accepted_in_process(q, "run Q(); x = run Q(); atomic { run Q() }; if :: run Q() fi"));
  CHECK(accepted_in_process(q, "for (x : run Q() .. 3) { skip }; select (x : run Q() .. 3); a[x] = run R(2)"));
}

TEST_CASE("sema: combinations that SPIN refuses are refused") {
  CHECK(messages("chan r = [0] of { byte };\nactive proctype P() priority 3 { r!1 }\n") ==
        "2:17: error: priorities cannot be combined with rendezvous channels (SPIN refuses this model, too)\n");
  CHECK(messages("chan r = [0] of { byte };\nactive proctype P() { enabled(0) }\n") ==
        "2:23: error: enabled() cannot be used in models with rendezvous channels (SPIN refuses this model, too)\n");
}

// ------------------------------------------------------------------------------------------------ names and types

TEST_CASE("sema: undeclared names are told once per process, with a suggestion") {
  CHECK(in_process("byte counter;", "countre = 1; countre = 2") ==
        "2:23: error: undeclared variable 'countre'; did you mean 'counter'?\n");
  CHECK(in_process("mtype = { red };", "byte x; x = rde") ==
        "2:35: error: undeclared variable 'rde'; did you mean 'red'?\n");
  CHECK(messages("proctype Q() { zz = 1 }\nactive proctype P() { zz = 1 }\n") ==
        "1:16: error: undeclared variable 'zz'\n2:23: error: undeclared variable 'zz'\n");
  CHECK(in_process("byte x;", "STDIN?x").find("STDIN cannot be read by a model checker") != std::string::npos);
}

TEST_CASE("sema: arrays and structures need their index and field, scalars have none") {
  const std::string globals = "byte x, a[2]; typedef T { byte first; byte v[2] } T t, u[2];";
  CHECK(in_process(globals, "a = 1") == "2:23: error: 'a' is an array; an index is missing\n");
  CHECK(in_process(globals, "x = a") == "2:27: error: 'a' is an array; an index is missing\n");
  CHECK(in_process(globals, "x[1] = 1") == "2:23: error: 'x' is no array\n  1:6: declared here\n");
  CHECK(in_process(globals, "t.v = 1") == "2:23: error: 't.v' is an array; an index is missing\n");
  CHECK(in_process(globals, "u.first = 1") == "2:23: error: 'u' is an array; an index is missing\n");
  CHECK(in_process(globals, "t = 1") == "2:23: error: 't' is a structure of type T; name one of its fields\n");
  CHECK(in_process(globals, "x.first = 1") == "2:25: error: 'x' is no structure and has no field 'first'\n");
  CHECK(in_process(globals, "t.frist = 1") == "2:25: error: type 'T' has no field 'frist'; did you mean 'first'?\n");
  CHECK(accepted_in_process(globals, "x[0] = 1; u[x].v[a[1]] = t.first"));
  const std::string more = globals +
                           " chan c = [1] of { byte }; chan d = [1] of { T }; chan q[2] = [1] of { byte };" +
                           " proctype R(byte b) { skip }";
  const std::string a_lacks_index = "'a' is an array; an index is missing";
  for (const char* const statement : {"run R(a)", "run R(a + 1)", "c!a", "c?a", "c?eval(a)", "printf(\"%d\", a)"})
    CHECK(in_process(more, statement).find(a_lacks_index) != std::string::npos);
  CHECK(in_process(more, "d!u").find("'u' is an array; an index is missing") != std::string::npos);
  CHECK(in_process(more, "xs q").find("'q' is an array; an index is missing") != std::string::npos);
  CHECK(accepted_in_process(more, "d!t; d?u[1]; run R(a[0]); xs c"));
}

TEST_CASE("sema: predefined variables are read in processes and not assigned") {
  CHECK(in_process("", "_pid = 1") == "2:23: error: '_pid' cannot be assigned\n");
  CHECK(in_process("", "_nr_pr = 1") == "2:23: error: '_nr_pr' cannot be assigned\n");
  CHECK(in_process("", "_last = 1") == "2:23: error: '_last' cannot be assigned\n");
  CHECK(in_process("byte x;", "x = _") == "2:27: error: '_' can be written but not read\n");
  CHECK(messages("byte x = _pid;\n" + kRun) == "1:10: error: '_pid' has no meaning outside a process\n");
  CHECK(accepted_in_process("byte x; chan c = [1] of { byte };", "x = _pid + _nr_pr; _ = x; c?_; _priority = 3"));
}

TEST_CASE("sema: channels are numbers of channels, and only they are sent to") {
  CHECK(in_process("bit x;", "x!1") == "2:23: error: 'x' is no channel\n");
  CHECK(in_process("mtype x; bit y;", "x?y") == "2:23: error: 'x' is no channel\n");
  CHECK(in_process("bit x;", "len(x) > 1") == "2:27: error: 'x' is no channel\n");
  CHECK(in_process("bit x;", "x?[1]") == "2:23: error: 'x' is no channel\n");
  CHECK(in_process("chan c;", "c = 3") == "2:27: error: a number cannot be assigned to channel 'c'\n");
  CHECK(in_process("byte x;", "xr x; skip") == "2:26: error: xr needs channels; 'x' is none\n");
  CHECK(in_process("byte x;", "xs x; skip") == "2:26: error: xs needs channels; 'x' is none\n");
  CHECK(accepted_in_process("chan c = [1] of { byte }; byte b;", "b = c; b!1; b?_; c?[1]; chan d = c; xs c"));
}

TEST_CASE("sema: a receive stores each variable once") {
  CHECK(in_process("chan c = [1] of { byte, byte }; byte x;", "c?x,x") ==
        "2:27: error: 'x' receives two fields of one message\n");
  CHECK(accepted_in_process("chan c = [1] of { byte, byte }; byte a[2];", "c?a[0],a[1]; c?_,_"));
}

TEST_CASE("sema: counters of loops are scalars, and what they run over has elements") {
  CHECK(in_process("chan c;", "for (c : 1 .. 2) { skip }") == "2:28: error: channel 'c' cannot count\n");
  CHECK(in_process("chan c; byte n;", "select(c : n .. 2)") == "2:30: error: channel 'c' cannot count\n");
  CHECK(in_process("byte i, x;", "for (i in x) { skip }") == "2:33: error: 'x' is no array\n");
  const std::string message =
      "typedef M { byte f } M m; chan q = [2] of { M }; chan r = [2] of { byte }; chan s = [2] of { M, byte };";
  CHECK(in_process(message, "for (m in r) { skip }") ==
        "2:33: error: 'for (m in ...)' needs a channel that holds messages of type M\n");
  CHECK(in_process(message, "for (m in s) { skip }") ==
        "2:33: error: 'for (m in ...)' needs a channel that holds messages of type M\n");
  CHECK(accepted_in_process(message + "byte a[3], i;",
                            "for (m in q) { skip }; for (i in a) { a[i] = i }; for (i : 1 .. 3) { skip }"));
}

// ------------------------------------------------------------------------------------------------ remote references

TEST_CASE("sema: remote references name proctypes, their labels and variables, outside d_step") {
  const std::string q = "byte x; proctype Q(byte k) { byte v[2]; here: skip }";
  CHECK(in_process(q, "Q@there") == "2:23: error: proctype 'Q' has no label 'there'; did you mean 'here'?\n");
  CHECK(in_process(q, "Q:w == 1") == "2:25: error: proctype 'Q' has no variable 'w'\n");
  CHECK(in_process(q, "d_step { x = 1; Q@here }") == "2:39: error: a remote reference cannot be used in a d_step\n");
  CHECK(in_process(q, "d_step { x = 1; Q:k == 1 }") ==
        "2:39: error: a remote reference cannot be used in a d_step\n");
  CHECK(accepted_in_process(q, "Q@here && Q[1]@here; Q:k == 1; Q[_pid + 1]:v[1] == 2"));
}

// ------------------------------------------------------------------------------------------------ control flow

TEST_CASE("sema: jumps need labels, and labels are unique in their scope") {
  CHECK(in_process("", "goto nowhere").starts_with("2:23: error: undefined label 'nowhere'\n"));
  CHECK(in_process("", "L: skip; L: skip") ==
        "2:32: error: label 'L' is declared twice\n  2:23: declared here before\n");
  CHECK(in_process("", "break") == "2:23: error: 'break' outside of a loop\n");
  CHECK(in_process("", "L: goto M; M: goto L").find("these jumps form a loop without any statement") !=
        std::string::npos);
  CHECK(accepted_in_process("", "L: if :: goto M :: goto L fi; M: skip"));
}

TEST_CASE("sema: a label of an inline may have the name of one around its call, once") {
  const std::string f = "byte x; inline f() { skip; L: x = 1 }";
  CHECK(accepted_in_process(f, "L: x = 2; f(); if :: goto L :: x == 3 fi"));
  CHECK(accepted_in_process(f, "L: do :: f() od"));
  CHECK(accepted_in_process(f, "L: f()"));
  CHECK(accepted_in_process(f + " inline g() { skip; L: x = 4; f(); goto L }", "g(); g()"));
  CHECK(in_process(f, "L: x = 2; f(); f()").find("error: label 'L' is declared twice") != std::string::npos);
  CHECK(in_process("byte x; inline f() { skip; L: x = 1; L: x = 2 }", "f()")
            .find("error: label 'L' is declared twice") != std::string::npos);
  CHECK(in_process(f, "L: f(); L: f()").find("error: label 'L' is declared twice") != std::string::npos);
}

TEST_CASE("sema: labels stand before blocks, atomic and unless, not inside") {
  CHECK(in_process("byte x;", "atomic { L: x = 1 }; goto L").find("a label is not allowed at the start of a block") !=
        std::string::npos);
  CHECK(in_process("byte x;", "{ x = 1 } unless L: x = 2; goto L").find("a label is not allowed before the escape") !=
        std::string::npos);
  CHECK(in_process("byte x;", "L: x = 1 unless { x == 2 }").find("write L: { statement unless ... }") !=
        std::string::npos);
  CHECK(in_process("byte x;", "if :: L: x = 1 fi; goto L")
            .find("warning: a label before the first statement of an option") != std::string::npos);
}

TEST_CASE("sema: a d_step is not entered by a jump to a label in front of it") {
  for (const char* body :
       {"goto L; L: d_step { x = 1 }", "L: M: d_step { x = 1 }; goto L",
        "atomic { x = 1; L: d_step { x = 2 } }; goto L", "d_step { goto L; L: d_step { x = 2 } }"}) {
    CHECK(in_process("byte x;", body)
              .ends_with(
                  "error: SPIN refuses a jump to a label in front of a d_step; write 'L: { d_step { ... } }'\n"));
  }
  CHECK(accepted_in_process("byte x;", "L: { d_step { x = 1 } }; goto L"));
  CHECK(accepted_in_process("byte x;", "L: if :: d_step { x = 1 } fi; goto L"));
  CHECK(accepted_in_process("byte x;", "L: d_step { x = 1 }; x = 2"));
}

TEST_CASE("sema: an unless in a d_step gets a warning") {
  CHECK(in_process("byte x;", "d_step { x = 1; { x = 2 } unless { x == 1 } }") ==
        "2:39: warning: what follows this 'unless' is ignored in a d_step, as in SPIN\n");
  CHECK(in_process("byte x;", "{ d_step { x = 1; x = x } } unless { d_step { x == 1; x = x } }").empty());
}

TEST_CASE("sema: as in SPIN, a jump reaches a d_step in which another one ends") {
  CHECK(accepted_in_process("byte x;", "L: d_step { x < 3 -> d_step { x++; x = x } }; goto L"));
  CHECK(accepted_in_process("byte x;", "L: d_step { x < 3 -> d_step { x++; x = x }; x = x }; goto L"));
  CHECK_FALSE(in_process("byte x;", "d_step { goto L; L: d_step { d_step { x = 1 }; x = 2 } }").empty());
  CHECK_FALSE(in_process("byte x;", "L: d_step { x++; x = x } unless { x == 3 }; goto L").empty());
}

TEST_CASE("sema: a receive cannot change what is predefined") {
  CHECK(in_process("chan q = [1] of { byte, byte };", "q?1(_pid)") ==
        "2:27: error: '_pid' cannot be assigned, not by a receive either; eval(_pid) compares the field with it\n");
  CHECK(accepted_in_process("chan q = [1] of { byte, byte };", "q?1(eval(_pid)); q?_,_"));
}

TEST_CASE("sema: d_steps are entered at the start and left at the end") {
  CHECK(in_process("byte x;", "d_step { x = 1; goto L }; x = 2; L: skip").find("a jump leaves this d_step") !=
        std::string::npos);
  CHECK(in_process("byte x;", "goto L; d_step { x = 1; L: x = 2 }").find("this jump leads into a d_step") !=
        std::string::npos);
}

TEST_CASE("sema: a selection has one else, its own or a nested one's") {
  CHECK(
      in_process("byte x;", "if :: else -> x = 1 :: else -> x = 2 fi").find("a selection can have only one 'else'") !=
      std::string::npos);
  CHECK(in_process("byte x;", "if :: if :: x == 1 :: else fi :: else fi").find("inherits a second 'else'") !=
        std::string::npos);
}

TEST_CASE("sema: a loop that does nothing at all, as SPIN's verifier refuses it, is worth a warning") {
  const std::string warning = "this statement does nothing and leads back to itself";
  CHECK(in_process("", "do :: true od").starts_with("2:29: warning: " + warning));
  CHECK(in_process("", "do :: skip od").find(warning) != std::string::npos);
  CHECK(in_process("byte x;", "L: if :: x == 1 -> goto L :: (1) -> goto L fi").find(warning) != std::string::npos);
  CHECK(in_process("", "do :: atomic { true } od").find(warning) != std::string::npos);
  CHECK(in_process("", "L: skip; goto L").find(warning) != std::string::npos);
  // pan says nothing about these.
  CHECK(in_process("mtype = { a };", "do :: a od").empty());
  CHECK(in_process("byte x;", "do :: x == 0 od").empty());
  CHECK(in_process("", "do :: true -> skip od").empty());
  CHECK(in_process("", "do :: true -> break od").empty());
  CHECK(messages("never { do :: true od } init { skip }").find(warning) == std::string::npos);
}

TEST_CASE("sema: else beside a send or receive is worth a warning") {
  CHECK(in_process("chan c = [1] of { byte };", "do :: c!1 :: else -> break od") ==
        "2:36: warning: 'else' next to a send or receive: it can be taken only while no send or receive of the "
        "selection is possible\n");
}

TEST_CASE("sema: a text without a process is no model") {
  CHECK(messages("byte x;\n") == "1:1: error: no process runs: there is no init and no active proctype\n");
  CHECK(messages("") == "1:1: error: no process runs: there is no init and no active proctype\n");
}

TEST_CASE("sema: several independent errors of meaning are told in one run") {
  CHECK(messages("byte x;\nbyte x;\nactive proctype P() {\n  y = 1;\n  x[2] = 1;\n  run Q();\n  goto L\n}\n") ==
        "2:6: error: redeclaration of 'x'\n  1:6: declared here before\n"
        "4:3: error: undeclared variable 'y'\n"
        "5:3: error: 'x' is no array\n  1:6: declared here\n"
        "6:3: error: unknown proctype 'Q'\n");
}

}  // namespace cmc::promela
