#include "promela/syntax/parser.h"

#include <algorithm>
#include <string>

#include "tests/promela/front_end.h"

#include "tests/catch.h"

namespace cmc::promela {
namespace {

std::string parsed_formula_of(const std::string& formula) {
  const Parsed parsed("byte x; bit p, q, r;\nltl f { " + formula + " }\nactive proctype P() { skip }\n");
  if (!parsed.messages.empty()) return parsed.messages;
  return to_text(*parsed.program.units.back().ltl->formula);
}

std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

size_t lines_of(const std::string& text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

const std::string kChannels = "mtype = { m, n }; chan q = [2] of { byte, byte };";

}  // namespace

// ------------------------------------------------------------------------------------------------ expressions

TEST_CASE("parser: every operator binds looser than the next one in the table of SPIN") {
  CHECK(expression_of("a || b && c") == "(a||(b&&c))");
  CHECK(expression_of("a && b | c") == "(a&&(b|c))");
  CHECK(expression_of("a | b ^ c") == "(a|(b^c))");
  CHECK(expression_of("a ^ b & c") == "(a^(b&c))");
  CHECK(expression_of("a & b == c") == "(a&(b==c))");
  CHECK(expression_of("a == b < c") == "(a==(b<c))");
  CHECK(expression_of("a < b << c") == "(a<(b<<c))");
  CHECK(expression_of("a << b + c") == "(a<<(b+c))");
  CHECK(expression_of("a + b * c") == "(a+(b*c))");
  CHECK(expression_of("-a * b") == "(-(a)*b)");
  CHECK(expression_of("a * -b") == "(a*-(b))");
  CHECK(expression_of("!a == b") == "(!(a)==b)");
  CHECK(expression_of("~a & b") == "(~(a)&b)");
}

TEST_CASE("parser: operators of one level associate to the left") {
  CHECK(expression_of("a - b - c") == "((a-b)-c)");
  CHECK(expression_of("a - b + c") == "((a-b)+c)");
  CHECK(expression_of("a / b * c % d") == "(((a/b)*c)%d)");
  CHECK(expression_of("a << b >> c") == "((a<<b)>>c)");
  CHECK(expression_of("a < b >= c") == "((a<b)>=c)");
  CHECK(expression_of("a == b != c") == "((a==b)!=c)");
  CHECK(expression_of("a && b && c") == "((a&&b)&&c)");
  CHECK(expression_of("a || b || c") == "((a||b)||c)");
}

TEST_CASE("parser: parentheses and unary operators nest") {
  CHECK(expression_of("(a + b) * c") == "((a+b)*c)");
  CHECK(expression_of("- - a") == "-(-(a))");
  CHECK(expression_of("! ~ -a") == "!(~(-(a)))");
  CHECK(expression_of("a - -1") == "(a--(1))");
  CHECK(expression_of("!(a && b)") == "!((a&&b))");
  CHECK(expression_of("-(~(a | 1) + 1)") == "-((~((a|1))+1))");
}

TEST_CASE("parser: a conditional expression needs its parentheses") {
  CHECK(expression_of("(a -> b : c)") == "( (a) -> (b) : (c) )");
  CHECK(expression_of("(a -> (b -> 1 : 2) : c + 1)") == "( (a) -> (( (b) -> (1) : (2) )) : ((c+1)) )");
  CHECK(contains(expression_of("(a -> b)"), "expected ':' in the conditional expression"));
}

TEST_CASE("parser: all primaries are expressions") {
  CHECK(expression_of("len(q) + full(q)", kChannels) != "");
  CHECK(expression_of("len(q) > 1", kChannels) == "(len(q)>1)");
  CHECK(expression_of("full(q) || empty(q) && nfull(q) || nempty(q)", kChannels) ==
        "((full(q)||(empty(q)&&nfull(q)))||nempty(q))");
  CHECK(expression_of("q?[1,x] && !q??[_,eval(x+1)]", kChannels) == "(q?[1,x]&&!(q??[_,eval((x+1))]))");
  CHECK(expression_of("q[2]?[m,-3]", kChannels) == "q[2]?[m,-3]");
  CHECK(expression_of("enabled(1) && pc_value(x) == 2") == "(enabled(1)&&(pc_value(x)==2))");
  CHECK(expression_of("get_priority(_pid) > timeout") == "(get_priority(_pid)>timeout)");
  CHECK(expression_of("np_ || true || false || skip") == "(((np_||1)||0)||1)");
  CHECK(expression_of("a[i + 1].b.c[2] == m", kChannels) == "(a[(i+1)].b.c[2]==m)");
  CHECK(expression_of("R@here && R[2]@here", "proctype R() { here: skip }") == "(R@here&&R[2]@here)");
  CHECK(expression_of("R:x + R[_pid+1]:a[2]", "proctype R() { byte x, a[3] }") == "(R:x+R[(_pid+1)]:a[2])");
  CHECK(expression_of("c_expr { now.x > 0 && (y) } == 1") == "(c_expr {  now.x > 0 && (y) }==1)");
  CHECK(expression_of("'a' + 1") == "(97+1)");
}

TEST_CASE("parser: run takes arguments and a priority") {
  const std::string globals = "proctype R(byte a, b) { skip }";
  CHECK(outline_of("run R(1, x + 2)", globals) == "(run R(1,(x+2)))");
  const Parsed parsed(globals + "init { run R(1, 2) priority 7 }");
  REQUIRE(parsed.messages.empty());
  CHECK(parsed.program.units[1].proctype->body.steps[0]->expression->value == 7);
  CHECK(contains(outline_of("run R(1, 2) priority 0", globals), "priority 0 is outside 1..255"));
  CHECK(contains(outline_of("run R(1, 2) priority 256", globals), "priority 256 is outside 1..255"));
}

TEST_CASE("parser: probes of channels cannot be operands of anything but && and ||") {
  CHECK(expression_of("!full(q)", kChannels) == "2:24: error: 'full(q)' cannot be an operand of '!'; use nfull(q)\n");
  CHECK(contains(expression_of("!empty(q)", kChannels), "use nempty(q)"));
  CHECK(contains(expression_of("!nfull(q)", kChannels), "use full(q)"));
  CHECK(contains(expression_of("!nempty(q)", kChannels), "use empty(q)"));
  CHECK(contains(expression_of("full(q) == 1", kChannels), "'full(q)' cannot be an operand of '=='"));
  CHECK(contains(expression_of("!(x && full(q))", kChannels), "'(x&&full(q))' cannot be an operand of '!'"));
  CHECK(expression_of("!len(q)", kChannels) == "!(len(q))");
}

// ------------------------------------------------------------------------------------------------ statements

TEST_CASE("parser: assignments, ++ and -- become statements") {
  CHECK(outline_of("x = y + 1") == "x = (y+1)");
  CHECK(outline_of("x++; x--") == "x = (x+1);x = (x-1)");
  CHECK(outline_of("a[i].b = 2; a[x + 1]++") == "a[i].b = 2;a[(x+1)] = (a[(x+1)]+1)");
  CHECK(outline_of("_ = 3") == "_ = 3");
}

TEST_CASE("parser: sends and receives are read in both notations") {
  CHECK(outline_of("q!1,2; q!m(2,x); q!!3,4", kChannels) == "q!1,2;q!m,2,x;q!!3,4");
  CHECK(outline_of("q?x,y; q??x,2; q?<x,y>; q?"
                   "?<1,x>",
                   kChannels) ==
        "q?x,y;q??x,2;q?<x,y>;q?"
        "?<1,x>");
  CHECK(outline_of("q?m(x,_); q?eval(x + 1),-3; q?(x,y)", kChannels) == "q?m,x,_;q?eval((x+1)),-3;q?x,y");
  CHECK(outline_of("q?1,x(3); q?1(2(x)); q?1,eval(x)(_,y); q?1,(x,(3))", kChannels) ==
        "q?1,x,3;q?1,2,x;q?1,eval(x),_,y;q?1,x,3");
  CHECK(outline_of("q[1]!2,a.b; r.c?x", kChannels) == "q[1]!2,a.b;r.c?x");
  CHECK(contains(outline_of("q?x + 1", kChannels), "expected ';' or '->'"));
  CHECK(contains(outline_of("x = q?y", kChannels), "a receive has an effect and cannot be part of an expression"));
  CHECK(contains(outline_of("q?(1 - x)", kChannels), "expected ')' after the message fields"));
}

TEST_CASE("parser: printf, printm, assert and set_priority are read") {
  CHECK(outline_of("printf(\"%d\\n\", x, y + 1)") == "printf(\"%d\\n\",x,(y+1))");
  CHECK(outline_of("printf(\"hello\")") == "printf(\"hello\")");
  CHECK(outline_of("printm(m); printm(x)", kChannels) == "printm(m);printm(x)");
  CHECK(outline_of("assert(x > 1); assert x == 1") == "assert((x>1));assert((x==1))");
  CHECK(outline_of("set_priority(_pid, x + 1)") == "set_priority(_pid,(x+1))");
}

TEST_CASE("parser: selections and loops are read") {
  CHECK(outline_of("if :: x -> y = 1; break :: else fi") == "if((x);y = 1;break|else)");
  CHECK(outline_of("do :: x = 1 :: do :: break od; goto L od; L: skip") == "do(x = 1|do(break);goto L);L:(1)");
  CHECK(outline_of("if ; :: skip fi") == "if((1))");
}

TEST_CASE("parser: for loops over ranges, arrays and channels, and select, are read") {
  CHECK(outline_of("for (i : 1 .. N) { x++ }") == "for(i:1..N){x = (x+1)}");
  CHECK(outline_of("for (i : a[0]..x+1)\n{ x++ }") == "for(i:a[0]..(x+1)){x = (x+1)}");
  CHECK(outline_of("for (i in a) { x++ }") == "for(i in a){x = (x+1)}");
  CHECK(outline_of("for (i in s.a) { skip; skip }") == "for(i in s.a){(1);(1)}");
  CHECK(
      contains(outline_of("for (i = 1; i < 2) { skip }"), "expected ':' or 'in' after the variable of the for loop"));
}

TEST_CASE("parser: `in` is a name elsewhere") { CHECK(outline_of("in = 1; in!in", "byte in;") == "in = 1;in!in"); }

TEST_CASE("parser: names of proctypes, types and inlines name nothing else behind them") {
  const std::string globals = "proctype Q() { skip }\ntypedef T { byte x };\ninline f() { skip }\n";
  const auto refusal = [&](const std::string& text) { return Parsed(globals + text).messages; };
  CHECK(contains(refusal("typedef U { byte Q };"),
                 "'Q' is the name of a proctype and cannot be the name of a variable"));
  CHECK(contains(refusal("byte T;"), "'T' is the name of a type and cannot be the name of a variable"));
  CHECK(contains(refusal("proctype R(byte f) { skip }"), "'f' is the name of an inline and cannot be"));
  CHECK(
      contains(refusal("mtype:Q = { a };"), "'Q' is the name of a proctype and cannot be the name of an mtype set"));
  CHECK(contains(refusal("mtype = { f };"), "'f' is the name of an inline and cannot be an mtype constant"));
  CHECK(contains(refusal("proctype T() { skip }"), "'T' is the name of a type and cannot be the name of a proctype"));
  CHECK(contains(refusal("typedef f { byte x };"), "'f' is the name of an inline and cannot be the name of a type"));
  CHECK(
      contains(refusal("inline Q() { skip }"), "'Q' is the name of a proctype and cannot be the name of an inline"));
  CHECK(contains(refusal("never Q { skip }"), "'Q' is the name of a proctype and cannot be the name of a claim"));
  CHECK(contains(refusal("ltl Q { true }"), "'Q' is the name of a proctype and cannot be the name of a formula"));
  CHECK(contains(refusal("inline g(Q) { skip }"), "'Q' is the name of a proctype and cannot be a parameter"));
  CHECK(contains(refusal("init { goto Q }"), "'Q' is the name of a proctype and cannot be a label"));
  CHECK(contains(refusal("init { T t; t.Q = 1 }"), "'Q' is the name of a proctype and cannot be a field"));
  CHECK(refusal("init { run Q() }").empty());
  CHECK(contains(refusal("proctype Q() { skip }"), "redefinition of proctype 'Q'"));
  CHECK(Parsed("typedef U { byte Q };\n" + globals).messages.empty());
}

TEST_CASE("parser: blocks, atomic, d_step and unless are read") {
  CHECK(outline_of("{ x = 1; { skip } }") == "{x = 1;{(1)}}");
  CHECK(outline_of("atomic { x = 1 }; d_step { x = 1; x = 2; }") == "atomic{x = 1};d_step{x = 1;x = 2}");
  CHECK(outline_of("x = 1 unless y == 2") == "(x = 1 unless (y==2))");
  CHECK(outline_of("{ x = 1; x = 2 } unless { y; x = 3 }; skip") == "({x = 1;x = 2} unless {(y);x = 3});(1)");
  CHECK(outline_of("if :: x unless y fi") == "if(((x) unless (y)))");
}

TEST_CASE("parser: labels stand alone, behind each other and before every statement") {
  CHECK(outline_of("L: M: x = 1; N: if :: K: skip fi; E:") == "L:M:x = 1;N:if(K:(1));E:");
  CHECK(outline_of("L: x = 1 unless y") == "(L:x = 1 unless (y))");
  CHECK(contains(outline_of("L: byte y"), "a label is not allowed before a declaration"));
}

TEST_CASE("parser: declarations may stand anywhere in a body") {
  CHECK(outline_of("byte x = 1, y; x = 2; int a[3] = {1, 2}; unsigned u : 5; chan c = [2] of { byte, mtype }") ==
        "byte x=1,y;x = 2;int a[3]={1,2};unsigned u:5;chan c=[2] of byte mtype");
  CHECK(outline_of("bool b; bit a[2 * 3 - 1]") == "bit b;bit a[5]");
  CHECK(outline_of("T t; hidden byte h; show byte s; local byte l", "typedef T { byte f }") ==
        "T t;byte h;byte s;byte l");
  CHECK(outline_of("xr q, r[1]; xs q") == "xr q r[1];xs q");
}

// ------------------------------------------------------------------------------------------------ separators

TEST_CASE("parser: a line end after what can end a statement is a semicolon") {
  CHECK(outline_of("x = 1\ny = 2") == "x = 1;y = 2");
  CHECK(outline_of("x++\ny--\nskip") == "x = (x+1);y = (y-1);(1)");
  CHECK(outline_of("if\n:: x\n -> y = 1\n:: else\n skip\nfi\nx = a[1]\nbreak\ntimeout\ntrue") ==
        "if((x);y = 1|else;(1));x = a[1];break;(timeout);(1)");
  CHECK(outline_of("goto L\nL:\nx = 1") == "goto L;L:x = 1");
  CHECK(outline_of("byte x\nx = 1") == "byte x;x = 1");
}

TEST_CASE("parser: a line end inside parentheses or behind an operator is none") {
  CHECK(outline_of("assert(x\n&& y)") == "assert((x&&y))");
  CHECK(outline_of("x = 1 +\n2") == "x = (1+2)");
  CHECK(outline_of("x =\n1") == "x = 1");
  CHECK(outline_of("q!\n1,\n2", kChannels) == "q!1,2");
  CHECK(contains(outline_of("x = 1\n+ 2"), "error"));
}

TEST_CASE("parser: a line end before unless is none behind a brace only") {
  CHECK(outline_of("{ x = 1 }\nunless\n{ y }") == "({x = 1} unless {(y)})");
  CHECK(contains(outline_of("x = 1\nunless { y }"), "error"));
}

TEST_CASE("parser: separators are optional behind a brace and behind else, and nowhere else") {
  CHECK(outline_of("{ x = 1 } x = 2 atomic { skip }").find("expected ';' or '->' between statements") !=
        std::string::npos);
  CHECK(outline_of("{ x = 1 } x = 2; atomic { skip } x = 3") == "{x = 1};x = 2;atomic{(1)};x = 3");
  CHECK(outline_of("if :: else x = 1 fi") == "if(else;x = 1)");
  CHECK(outline_of("for (i : 1..2) { skip } x = 1") == "for(i:1..2){(1)};x = 1");
  CHECK(contains(outline_of("skip x = 1"), "expected ';' or '->' between statements but found 'x'"));
  CHECK(contains(outline_of("if :: skip fi x = 1"), "expected ';' or '->'"));
}

TEST_CASE("parser: arrows and semicolons are the same, in any number") {
  CHECK(outline_of("x -> y = 1;; ; y -> -> x = 2;") == "(x);y = 1;(y);x = 2");
}

// ------------------------------------------------------------------------------------------------ inlines

TEST_CASE("parser: an inline's body replaces its call, with the parameters' tokens") {
  CHECK(outline_of("f(y, 2 + 1)", "inline f(a, b) { a = b * 2; a++ }") == "{y = (2+(1*2));y = (y+1)}");
  CHECK(outline_of("f(z[i].k)", "inline f(a) { a = 1 }") == "{z[i].k = 1}");
  CHECK(outline_of("f()\nx = 1", "inline f() { skip }") == "{(1)};x = 1");
  CHECK(outline_of("if :: f() :: else fi", "inline f() { x; y = 1 }") == "if({(x);y = 1}|else)");
}

TEST_CASE("parser: an inline may call another one, also with its own parameters") {
  CHECK(outline_of("g(y)", "inline f(a, b) { a = b } inline g(c) { f(c, 1); f(x, c) }") == "{{y = 1};{x = y}}");
  CHECK(outline_of("g(3)", "inline f(a) { x = a } inline g(a) { f(a + 1) }") == "{{x = (3+1)}}");
}

TEST_CASE("parser: the last word of an argument is warned of if SPIN takes it for another parameter") {
  const std::string definition = "inline f(a, b) { x = 10 * a + b }";
  CHECK(
      outline_of("f(1, 2 * a)", definition) ==
      "2:24: warning: SPIN replaces this 'a', too, by the argument for the parameter of that name, and CMC does not; "
      "put the argument in parentheses\n");
  CHECK(contains(outline_of("f(2 + b, 1)", definition), "warning: SPIN replaces this 'b', too"));
  CHECK(contains(outline_of("g(a)", definition + " inline g(c) { f(1, 2 * c) }"), "SPIN replaces this 'a', too"));
  CHECK(outline_of("f(1, (2 * a))", definition) == "{x = ((10*1)+(2*a))}");
  CHECK(outline_of("f(1, a * 2)", definition) == "{x = ((10*1)+(a*2))}");
  CHECK(outline_of("f(a, 2 * a)", definition) == "{x = ((10*a)+(2*a))}");
  CHECK(outline_of("f(1, 2 * a)", "inline f(a, b) { x = a }") == "{x = 1}");
  CHECK(outline_of("f(b, 1)", definition) == "{x = ((10*b)+1)}");  // refused by SPIN
}

TEST_CASE("parser: an inline returns a value to an assignment") {
  CHECK(outline_of("y = f(2)", "inline f(a) { x = a; return a + 1 }") == "{x = 2;y = (2+1)}");
  CHECK(outline_of("y[1] = g(2)", "inline f(a) { return a } inline g(b) { z = f(b); return z }") ==
        "{{z = 2};y[1] = z}");
  CHECK(contains(outline_of("f(1)", "inline f(a) { return a }"),
                 "'return' is allowed only in an inline that is called"));
  CHECK(contains(outline_of("return 1"), "'return' is allowed only in an inline"));
}

TEST_CASE("parser: wrong calls of inlines are told with the place of the definition") {
  const std::string definition = "inline f(a) { x = a }";
  CHECK(outline_of("f(1, 2)", definition) ==
        "2:15: error: inline 'f' takes 1 argument, not 2\n  1:8: defined here\n");
  CHECK(contains(outline_of("f()", definition), "inline 'f' takes 1 argument, not 0"));
  CHECK(contains(outline_of("f(,)", "inline f(a, b) { x = a }"), "an argument of inline 'f' is empty"));
  CHECK(contains(outline_of("f(1", definition), "the arguments of inline 'f' are not closed by ')'"));
  CHECK(contains(outline_of("x = 1 + f(2)", definition), "inline 'f' cannot be used in an expression"));
  CHECK(contains(outline_of("f", definition), "expected '(' after the name of inline 'f'"));
}

TEST_CASE("parser: recursion of inlines is an error, not an endless expansion") {
  CHECK(contains(outline_of("f()", "inline f() { x = 1; f() }"), "inline 'f' calls itself"));
  CHECK(contains(outline_of("f()", "inline f() { g() } inline g() { f() }"), "inline 'f' calls itself"));
}

TEST_CASE("parser: inlines nest 16 deep, as in SPIN") {
  const auto chain = [](int depth) {
    std::string text = "inline f0() { skip }\n";
    for (int i = 1; i < depth; ++i)
      text += "inline f" + std::to_string(i) + "() { f" + std::to_string(i - 1) + "(); x = 1 }\n";
    return text;
  };
  CHECK_FALSE(contains(outline_of("f15()", chain(16)), "error"));
  CHECK(contains(outline_of("f17()", chain(18)), "inlines nested deeper than 16 levels"));
}

TEST_CASE("parser: inlines that double their text at each level end with an error") {
  std::string text = "inline f0() { x = 1; x = 2; x = 3; x = 4; x = 5; x = 6; x = 7; x = 8 }\n";
  for (int i = 1; i < 16; ++i) {
    const std::string call = "f" + std::to_string(i - 1) + "()";
    text += "inline f" + std::to_string(i) + "() { " + call + "; " + call + "; " + call + " }\n";
  }
  CHECK(contains(outline_of("f15()", text), "more than 2 million statements"));
}

// ------------------------------------------------------------------------------------------------ select

TEST_CASE("parser: select over constants is a selection, over more than 33 values a loop") {
  CHECK(outline_of("select(x : 1 .. 3)") == "if(x = 1|x = 2|x = 3)");
  CHECK(outline_of("select(x : 7 .. 7)") == "if(x = 7)");
  const std::string choice = outline_of("select(x : 0 .. 32)");
  CHECK(choice.starts_with("if(x = 0|"));
  CHECK(choice.ends_with("|x = 32)"));
  CHECK(outline_of("select(x : 0 .. 33)\ny = 1") == "x = 0;do((x<33);x = (x+1)|break);y = 1");
}

TEST_CASE("parser: select over other bounds, into other variables and inside inlines is the loop of SPIN's grammar") {
  CHECK(outline_of("select(x : lo .. 3)") == "select(x:lo..3)");
  CHECK(outline_of("select(x : 1 .. 2 + 1)") == "select(x:1..(2+1))");
  CHECK(outline_of("select(a_b : 1 .. 3)") == "select(a_b:1..3)");
  CHECK(outline_of("select(x : -1 .. 3)") == "select(x:-(1)..3)");
  CHECK(outline_of("f(x)", "inline f(v) { select(v : 1 .. 3) }") == "{select(x:1..3)}");
}

TEST_CASE("parser: an empty constant range of select is an error") {
  CHECK(outline_of("select(x : 3 .. 2)") == "2:26: error: the range 3..2 of select is empty\n");
}

// ------------------------------------------------------------------------------------------------ units

TEST_CASE("parser: the last name of an mtype has value 1, further declarations go on") {
  const std::string globals = "mtype = { a, b, c }; mtype = { d, e }; mtype:s = { f g };";
  const Parsed parsed(globals + "proctype P() { assert(a); assert(c); assert(d); assert(e); assert(f); assert(g) }");
  REQUIRE(parsed.messages.empty());
  std::string values;
  for (const ast::StatementPtr& step : parsed.program.units.back().proctype->body.steps) {
    values += to_text(*step->expression) + "=" + std::to_string(step->expression->value) + " ";
  }
  CHECK(values == "a=3 c=1 d=5 e=4 f=2 g=1 ");
}

TEST_CASE("parser: mtype constants are no names for anything else") {
  CHECK(contains(Parsed("mtype = { a, a };").messages, "error: mtype constant 'a' is declared twice"));
  CHECK(contains(Parsed("mtype = { a }; mtype:s = { a };").messages,
                 "1:28: error: mtype constant 'a' is declared twice"));
  CHECK(contains(Parsed("mtype = { a }; byte a;").messages, "'a' is an mtype constant and cannot be"));
  CHECK(contains(Parsed("mtype = { a }; ltl a { true }").messages, "cannot be the name of a formula"));
  CHECK(contains(outline_of("mtype = { k }; skip"), "mtype constants can only be declared globally"));
  std::string many = "mtype = { a0";
  for (int i = 1; i < 256; ++i) many += ", a" + std::to_string(i);
  CHECK(contains(Parsed(many + " };").messages, "more than 255 mtype constants in one set"));
}

TEST_CASE("parser: proctypes, init and claims are read with all their options") {
  const Parsed parsed(
      "#define N 2\nbyte x;\nactive [N + 1] proctype A(byte p; chan c, d) priority 3 provided (x > 1) { skip }\n"
      "D_proctype B() { skip }\ninit priority 9 { skip }\nnever { skip }\nnever again { skip }\n"
      "trace { q!1 }\nactive [x] proctype C() { skip }\n");
  REQUIRE(parsed.messages.empty());
  const auto& units = parsed.program.units;
  REQUIRE(units.size() == 8);
  const ast::Proctype& a = *units[1].proctype;
  CHECK(a.active);
  CHECK(a.instances == 3);
  CHECK(a.priority == 3);
  CHECK(to_text(*a.provided) == "(x>1)");
  CHECK(a.parameters.size() == 2);
  CHECK(a.parameters[1].declarators.size() == 2);
  CHECK(units[2].proctype->deterministic);
  CHECK_FALSE(units[2].proctype->active);
  CHECK(units[3].proctype->name == "init");
  CHECK(units[3].proctype->priority == 9);
  CHECK(units[4].proctype->name == "never_0");
  CHECK(units[5].proctype->name == "again");
  CHECK(units[6].proctype->kind == ast::Proctype::Kind::kTrace);
  CHECK(units[7].proctype->instances_name == "x");
}

TEST_CASE("parser: typedefs hold fields on lines or behind semicolons") {
  const Parsed parsed(
      "typedef A { byte x; bit y[2] }\ntypedef B {\n  A a[3]\n  chan c = [1] of { A }\n  short s, t;\n}\n");
  REQUIRE(parsed.messages.empty());
  CHECK(parsed.program.units[0].type->fields.size() == 2);
  CHECK(parsed.program.units[1].type->fields.size() == 3);
  CHECK(contains(Parsed("typedef A { }").messages, "type 'A' has no fields"));
  CHECK(contains(Parsed("typedef A { byte x } typedef A { byte y }").messages, "redefinition of type 'A'"));
  CHECK(contains(Parsed("typedef A { B b }").messages, "1:13: error: unknown type 'B'"));
}

TEST_CASE("parser: wrong declarations are told") {
  CHECK(contains(Parsed("byte x : 3;").messages, "only an unsigned can have a width, not a byte"));
  CHECK(contains(Parsed("unsigned x : 32;").messages, "width 32 is outside 1..31"));
  CHECK(contains(Parsed("unsigned x;").messages, "unsigned 'x' needs a width: unsigned x : 8"));
  CHECK(contains(Parsed("byte a[0];").messages, "array 'a' has size 0"));
  CHECK(contains(Parsed("byte a[2 - 3];").messages, "array 'a' has size -1"));
  CHECK(contains(Parsed("byte a[1 / 0];").messages, "division by zero"));
  CHECK(contains(Parsed("chan c = [65536] of { byte };").messages, "channel capacity 65536 is outside 0..65535"));
  CHECK(contains(Parsed("chan c = [1] of { unsigned };").messages, "unsigned cannot be the type of a message field"));
  CHECK(contains(Parsed("chan c = [1] of { byte:s };").messages, "only mtype fields have a set"));
  CHECK(contains(Parsed("chan c = [1] of { foo };").messages, "expected a type of a message field but found 'foo'"));
  CHECK(contains(Parsed("chan c = [1] { byte };").messages, "expected 'of' before the channel's message type"));
  CHECK(contains(Parsed("active [256] proctype P() { skip }").messages, "active [256]: at most 255 processes"));
  CHECK(contains(Parsed("proctype P() { skip } proctype P() { skip }").messages, "redefinition of proctype 'P'"));
  CHECK(contains(Parsed("inline f() { skip } inline f() { skip }").messages,
                 "1:28: error: redefinition of inline 'f'\n  1:8: defined here before"));
  CHECK(contains(Parsed("proctype P(byte a, byte b) { skip }").messages,
                 "1:20: error: ',' separates names of one type: write ';' before 'byte'\n"));
  CHECK(contains(Parsed("byte if;").messages, "'if' is a keyword and cannot be the name of a variable"));
}

// ------------------------------------------------------------------------------------------------ ltl

TEST_CASE("parser: ltl operators are read in both spellings") {
  CHECK(parsed_formula_of("[] p") == "[] (p)");
  CHECK(parsed_formula_of("<> p") == "<> (p)");
  CHECK(parsed_formula_of("X p") == "X (p)");
  CHECK(parsed_formula_of("always eventually p") == parsed_formula_of("[] <> p"));
  CHECK(parsed_formula_of("next p") == parsed_formula_of("X p"));
  CHECK(parsed_formula_of("p until q") == parsed_formula_of("p U q"));
  CHECK(parsed_formula_of("p stronguntil q") == parsed_formula_of("p U q"));
  CHECK(parsed_formula_of("p weakuntil q") == parsed_formula_of("p W q"));
  CHECK(parsed_formula_of("p release q") == parsed_formula_of("p V q"));
  CHECK(parsed_formula_of("p implies q") == parsed_formula_of("p -> q"));
  CHECK(parsed_formula_of("p equivalent q") == parsed_formula_of("p <-> q"));
}

TEST_CASE("parser: ltl precedence is that of SPIN's grammar") {
  CHECK(parsed_formula_of("p U q && r") == "((p U q)&&r)");
  CHECK(parsed_formula_of("p && q || r") == "((p&&q)||r)");
  CHECK(parsed_formula_of("p || q -> r") == "((p||q) -> r)");
  CHECK(parsed_formula_of("p -> q -> r") == "((p -> q) -> r)");
  CHECK(parsed_formula_of("p U q U r") == "((p U q) U r)");
  CHECK(parsed_formula_of("! p U q") == "(!(p) U q)");
  CHECK(parsed_formula_of("[] p -> <> q") == "([] (p) -> <> (q))");
  CHECK(parsed_formula_of("[] (p -> <> q)") == "[] ((p -> <> (q)))");
  CHECK(parsed_formula_of("x > 1 U x == 2 + 1") == "((x>1) U (x==(2+1)))");
  CHECK(parsed_formula_of("x < 3 && <> p") == "((x<3)&&<> (p))");
}

TEST_CASE("parser: the equivalence of ltl binds as loosely as the implication") {
  CHECK(parsed_formula_of("p -> q <-> r") == "((p -> q) <-> r)");
  CHECK(parsed_formula_of("p && q <-> r") == "((p&&q) <-> r)");
}

TEST_CASE("parser: ltl words are names elsewhere") {
  CHECK(outline_of("U = 1; X = V; always = W", "byte U, V, W, X, always;") == "U = 1;X = V;always = W");
}

TEST_CASE("parser: ltl formulas are read behind the rest, with names numbered") {
  const Parsed parsed("ltl { [] late }\nltl second { <> late }\nbyte late;\nactive proctype P() { skip }\n");
  REQUIRE(parsed.messages.empty());
  REQUIRE(parsed.program.units.size() == 4);
  CHECK(parsed.program.units[2].ltl->name == "ltl_0");
  CHECK(parsed.program.units[3].ltl->name == "second");
}

TEST_CASE("parser: broken ltl formulas are errors") {
  CHECK(contains(parsed_formula_of("[ ] ( p"), "error"));
  CHECK(contains(parsed_formula_of("p U"), "expected an expression"));
  CHECK(contains(Parsed("ltl f { [] p").messages, "expected '}' at the end of the ltl formula"));
}

// ------------------------------------------------------------------------------------------------ embedded C

TEST_CASE("parser: embedded C is skipped up to its closing brace, braces in strings and characters aside") {
  CHECK(outline_of("c_code { if (x) { y(\"}\"); } else z['}']; }; x = 1").ends_with(";x = 1"));
  CHECK(outline_of("c_code [x > 1] { y; }; x = 1").ends_with(";x = 1"));
  CHECK(outline_of("if :: c_expr { a->b == 1 } -> x = 1 fi").ends_with(";x = 1)"));
  const Parsed parsed(
      "c_decl { \\#include <stdio.h>\n typedef struct { int a; } T; }\nc_state \"T t\" \"Global\"\n"
      "c_track \"&t\" \"sizeof(T)\" \"Matched\"\nc_code { int f() { return 1; } }\nbyte x;\ninit { c_code { x++; } "
      "}");
  CHECK(parsed.messages.empty());
  CHECK(parsed.program.units.size() == 6);
  CHECK(parsed.program.embedded_c.size() == 1);
}

TEST_CASE("parser: embedded C that does not end is an error") {
  CHECK(contains(outline_of("c_code { x = 1;"), "error"));
  CHECK(contains(Parsed("c_decl { int x;").messages, "expected '}' at the end of the C code"));
  CHECK(contains(Parsed("init { c_code [ x").messages, "expected ']' after the precondition of c_code"));
  CHECK(contains(Parsed("c_state 1").messages, "error"));
}

// ------------------------------------------------------------------------------------------------ errors

TEST_CASE("parser: independent errors are all told, each with its line and column") {
  const Parsed parsed(
      "byte x\n"
      "chan c = [1] of { byt };\n"
      "proctype A() {\n"
      "  x = = 1;\n"
      "  x = 2;\n"
      "  if :: x == ) -> skip :: else fi;\n"
      "  x = 3 x = 4\n"
      "}\n"
      "proctype B() {\n"
      "  do :: x + od\n"
      "}\n");
  CHECK(contains(parsed.messages, "2:19: error: expected a type of a message field but found 'byt'"));
  CHECK(contains(parsed.messages, "4:7: error: expected an expression but found '='"));
  CHECK(contains(parsed.messages, "6:14: error: expected an expression but found ')'"));
  CHECK(contains(parsed.messages, "7:9: error: expected ';' or '->' between statements but found 'x'"));
  CHECK(contains(parsed.messages, "10:13: error: expected an expression but found 'od'"));
  CHECK(lines_of(parsed.messages) == 5);
}

TEST_CASE("parser: one syntax error in an option, a block or a body is told once") {
  CHECK(outline_of("if :: c?(1 - x) fi") == "2:26: error: expected ')' after the message fields but found '-'\n");
  CHECK(lines_of(outline_of("atomic { x = }")) == 1);
  CHECK(lines_of(outline_of(" x = ")) == 1);
  CHECK(lines_of(outline_of("do :: x = 1 :: y = od")) == 1);
}

TEST_CASE("parser: one syntax error inside the braces of a declaration is told once") {
  CHECK(lines_of(Parsed("typedef S { chan w = [NUM] of { byte }; byte b }\ninit { skip }").messages) == 1);
  CHECK(lines_of(Parsed("chan q = [1] of { byte, 3 }\nbyte x;\ninit { skip }").messages) == 1);
  CHECK(lines_of(Parsed("proctype P(byte a, byte b) {\n if :: a -> skip fi }\ninit { skip }").messages) == 1);
  // A missing brace does not hide what follows.
  CHECK(lines_of(Parsed("typedef S { byte a, 3;\nactive proctype P() { skip }\nfoo x;").messages) == 2);
}

TEST_CASE("parser: what other languages write is told what Promela has") {
  CHECK(contains(outline_of("x += 1"), "'+=' is no operator of Promela; write x = x + ..."));
  CHECK(contains(outline_of("a[1] <<= 1"), "'<<=' is no operator of Promela; write x = x << ..."));
  CHECK(contains(outline_of("x := 1"), "':=' is no operator of Promela; write x = ..."));
  CHECK(contains(outline_of("x = (=1)"), "expected an expression but found '='"));
  CHECK(contains(outline_of("x = + = 1"), "expected an expression"));
  CHECK(contains(outline_of("!x || y = 1"), "'=' in a condition; to compare, write '=='"));
  CHECK(contains(outline_of("m = 1", kChannels), "'m' is an mtype constant and cannot be assigned"));
  CHECK(contains(outline_of("x = y++"), "but found '++'; '++' is no operator: x++ is a statement of its own"));
  CHECK(contains(outline_of("boolean b"), "but found 'b'; 'boolean' is no type"));
  CHECK(contains(outline_of("itn b"), "'itn' is no type; did you mean 'int'?"));
  CHECK(!contains(outline_of("(x) y"), "is no type"));
  CHECK(contains(outline_of("char b"), "'char' is no type; Promela has byte"));
  CHECK(contains(Parsed("double d = 1;\ninit { skip }").messages,
                 "unknown type or declaration 'double'; Promela has int, without fractions"));
  CHECK(contains(Parsed("proctype P(boolean b) { skip }").messages, "unknown type 'boolean'; Promela has bool"));
  CHECK(contains(Parsed("typedef string { byte c }\nstrin s;").messages, "did you mean 'string'?"));
  CHECK(contains(Parsed("chan q [3] of { byte };\ninit { skip }").messages, "write chan q = [...] of { ... }"));
  CHECK(contains(Parsed("active proctype[2] P() { skip }").messages, "active [...] proctype NAME()"));
  CHECK(contains(Parsed("byte x;\nltl { [] x = 1 }\ninit { skip }").messages,
                 "'=' in a formula; to compare, write '=='"));
  CHECK(contains(outline_of("x = mx(x, y)"), "'mx' is not an inline"));
  CHECK(contains(outline_of("for (x = 0; x < 3; x++) { y = }"),
                 "but found '='; write: for (i : low .. high) { ... }, i declared before"));
  CHECK(lines_of(outline_of("for (x = 0; x < f(3); x++) { y++ }; y = 1")) == 1);
  CHECK(lines_of(outline_of("for (int i = 0; i < 3; i++) { y++ }; y = ")) == 2);
  CHECK(contains(outline_of("x = (y -> z ? 1 : 2)"), "to choose a value (condition -> value : value)"));
}

TEST_CASE("parser: a selection with a mistake is one error, and what follows is read") {
  CHECK(lines_of(outline_of("if (x) { skip } fi; x = 1")) == 1);
  CHECK(lines_of(outline_of("if (x) { if :: skip fi } else { skip }")) == 1);
  CHECK(lines_of(outline_of("if :: skip od; x = 1")) == 2);  // with a note
  CHECK(contains(outline_of("do { x++ } od; y = ="), "expected an expression but found '='"));
}

TEST_CASE("parser: what is missing is named together with what it belongs to") {
  CHECK(outline_of("if :: skip od")
            .starts_with("2:26: error: expected 'fi' but found 'od'\n  2:15: to match this 'if'\n"));
  CHECK(contains(Parsed("init { atomic { skip").messages,
                 "expected '}' but found end of the text\n  1:15: to match this '{'"));
  CHECK(contains(outline_of("if skip fi"), "expected '::' after 'if'"));
  CHECK(contains(outline_of("if :: :: skip fi"), "an option needs at least one statement"));
  CHECK(contains(outline_of("{ }"), "a block needs at least one statement"));
  CHECK(contains(Parsed("init { }").messages, "a body needs at least one statement or declaration"));
  CHECK(contains(outline_of("fi"), "error"));
  CHECK(contains(outline_of("x = 1; od"), "error"));
  CHECK(contains(Parsed("proctype P { skip }").messages, "expected '(' before the parameters"));
  CHECK(contains(Parsed("proctype P(foo x) { skip }").messages, "unknown type 'foo'"));
  CHECK(contains(Parsed("}").messages, "expected a declaration, proctype, init"));
}

TEST_CASE("parser: typing errors in words get a suggestion") {
  CHECK(contains(Parsed("proctpye P() { skip }").messages, "did you mean 'proctype'?"));
  CHECK(contains(Parsed("typedef Frame { byte x }\nFrmae f;").messages,
                 "2:1: error: unknown type or declaration 'Frmae'"));
  CHECK(contains(Parsed("typedef Frame { byte x }\nFrmae f;").messages, "did you mean 'Frame'?"));
  CHECK(contains(outline_of("pritnf(\"x\")"), "'pritnf' is not an inline; did you mean 'printf'?"));
  CHECK(contains(outline_of("shwap(1)", "inline swap(a) { skip }"), "did you mean 'swap'?"));
}

TEST_CASE("parser: words and operators of C get those of Promela") {
  CHECK(contains(outline_of("while (x < 3) { x++ }"), "a loop is: do :: condition -> ... :: else -> break od"));
  CHECK(contains(outline_of("if :: (x = 1) -> skip fi"), "'=' in a condition; to compare, write '=='"));
  CHECK(!contains(outline_of("foo(1)"), "did you mean"));
  CHECK(contains(outline_of("fro (x : 1 .. 3) { skip }"), "did you mean 'for'?"));
  CHECK(contains(outline_of("selct (x : 1 .. 3)"), "did you mean 'select'?"));
}

TEST_CASE("parser: after too many errors the parser stops") {
  const Parsed parsed("proctype P() {\n" + repeated("x = ;\n", 1000) + "}\n");
  CHECK(lines_of(parsed.messages) >= 20);
  CHECK(lines_of(parsed.messages) <= 40);
}

// ------------------------------------------------------------------------------------------------ limits

TEST_CASE("parser: deep nesting is an error, not a crash") {
  const std::string too_deep = "error: nested deeper than " + std::to_string(Parser::kMaxNesting) + " levels";
  CHECK(contains(outline_of(repeated("{ ", 100'000)), too_deep));
  CHECK(contains(outline_of(repeated("if :: ", 100'000)), too_deep));
  CHECK(contains(outline_of("x = " + repeated("(", 100'000)), too_deep));
  CHECK(contains(outline_of("x = " + repeated("~", 100'000) + "1"), too_deep));
  CHECK(contains(outline_of("x = " + repeated("a[", 100'000)), too_deep));
  CHECK(contains(outline_of("x = " + repeated("a.", 100'000)), too_deep));
  CHECK(contains(outline_of(repeated("L: ", 100'000)), too_deep));
  CHECK(contains(outline_of("q?" + repeated("(", 100'000)), too_deep));
  CHECK(contains(Parsed("byte a[" + repeated("(", 100'000)).messages, too_deep));
}

TEST_CASE("parser: a long expression is an error where a recursion over it would go too deep") {
  const int limit = static_cast<int>(Parser::kMaxExpressionDepth);
  CHECK_FALSE(contains(expression_of("x" + repeated(" + x", limit - 10)), "error"));
  CHECK(contains(expression_of("x" + repeated(" + x", limit + 10)),
                 "expression nested deeper than " + std::to_string(limit) + " levels"));
}

TEST_CASE("parser: a text cut off anywhere gives errors and no crash") {
  const std::string text =
      "mtype = { a, b };\n#define M(x) x++\ntypedef T { byte f[2]; chan c = [1] of { byte } }\nT t;\n"
      "inline i(v) { select(v : 1 .. 2); M(v) }\nactive [2] proctype P(byte k) provided (k < 2) {\n"
      "  byte y; L: do :: atomic { y < 3 -> i(y) } unless { t.c?[1] } :: else -> break od;\n"
      "  for (y : 0 .. 3) { t.f[0] = (y > 1 -> 2 : 3) }\n  d_step { y = 1; y = 2 } t.c!!1; t.c?eval(y); run P(1);\n"
      "  c_code { x = 1; }; assert(P[1]@L || P:y == 2); printf(\"%d\\n\", y) }\nltl { [] (t.f[1] U <> t.f[0]) }\n";
  size_t silent = 0;
  for (size_t length = 0; length < text.size(); ++length) {
    const Compiled compiled(text.substr(0, length));
    if (!compiled.model && compiled.messages.empty()) ++silent;
  }
  CHECK(silent == 0);
}

TEST_CASE("parser: a text with one character removed or doubled gives errors or a model, never both or none") {
  const std::string text =
      "chan q=[1] of {byte};\nactive proctype P(){ byte x; do :: x<3 -> x++; q!x :: q?x -> {x=0} unless {x==1}\n"
      ":: else break od; if :: skip :: goto L fi; L: d_step{x=1} assert(x==1) }\n";
  for (size_t i = 0; i < text.size(); ++i) {
    for (const std::string& variant :
         {text.substr(0, i) + text.substr(i + 1), text.substr(0, i) + text.substr(i, 1) + text.substr(i)}) {
      const Compiled compiled(variant);
      CHECK(compiled.model.has_value() != contains(compiled.messages, "error:"));
    }
  }
}

}  // namespace cmc::promela
