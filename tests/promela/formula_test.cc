#include <algorithm>
#include <string>
#include <vector>

#include "ir/print.h"
#include "promela/compile.h"
#include "promela/text/diagnostic.h"
#include "tests/promela/front_end.h"

#include "tests/catch.h"

// Formulas of linear temporal logic: what is accepted, what is an atom, what they are called, and what is said of
// wrong ones. `spin -a` (6.5.2) was asked about each form here.

namespace cmc::promela {
namespace {

const std::string kModel =
    "mtype = { ack, nak }; typedef T { byte f[3]; byte g }; byte x, y; bit a, b, c; T t; mtype m; byte v[3];\n"
    "chan q = [2] of { byte }; chan qq = [2] of { mtype, byte };\n"
    "active [2] proctype P() { byte k, arr[3]; T s; lab: do :: x < 3 -> x++; k++ :: x == 3 -> l2: x = 0 od }\n"
    "active proctype Q() { byte z; do :: q!z :: q?z; z = (z+1)%2 od }\n";

Compiled with_formula(const std::string& formula) { return Compiled(kModel + "ltl f { " + formula + " }\n"); }

// The formula as the model has it; messages instead if there is any.
std::string formula_of(const std::string& formula) {
  const Compiled compiled = with_formula(formula);
  if (!compiled.messages.empty() || !compiled.model) return compiled.messages;
  return build_formula_text(*compiled.model, compiled.model->properties.at(0).formula);
}

// Of one formula, on line 5 behind 8 characters.
std::string formula_messages(const std::string& formula) { return with_formula(formula).messages; }

// The texts of the atoms, each once.
std::string atoms_of(const std::string& formula) {
  const Compiled compiled = with_formula(formula);
  REQUIRE(compiled.model);
  std::vector<ExpressionId> atoms;
  std::string text;
  for (const Formula& node : compiled.model->formulas) {
    if (node.op != Formula::Op::kAtom || std::find(atoms.begin(), atoms.end(), node.atom) != atoms.end()) continue;
    atoms.push_back(node.atom);
    text += (text.empty() ? "" : " ") + expression_text(*compiled.model, nullptr, node.atom);
  }
  return text;
}

}  // namespace

// ------------------------------------------------------------------------------------------------ structure

TEST_CASE("ltl: ltl blocks become formulas, with children before parents") {
  const Compiled compiled = with_formula("[] (x == 1 -> <> (a U b))");
  INFO(compiled.messages);
  REQUIRE(compiled.model);
  const Model& model = *compiled.model;
  REQUIRE(model.properties.size() == 1);
  CHECK(model.properties[0].kind == Property::Kind::kLtl);
  CHECK(model.properties[0].name == "f");
  CHECK(model.properties[0].place.line == 5);
  CHECK(model.properties[0].claim == kNoClaim);
  std::vector<Formula::Op> ops;
  for (const Formula& formula : model.formulas) ops.push_back(formula.op);
  using Op = Formula::Op;
  CHECK(ops ==
        std::vector<Op>{Op::kAtom, Op::kAtom, Op::kAtom, Op::kUntil, Op::kEventually, Op::kImplies, Op::kAlways});
  CHECK(model.properties[0].formula == 6);
}

TEST_CASE("ltl: every operator keeps its meaning") {
  CHECK(formula_of("[] a") == "[] (a)");
  CHECK(formula_of("always eventually a") == "[] (<> (a))");
  CHECK(formula_of("a U b") == "(a U b)");
  CHECK(formula_of("a release b") == "(a V b)");
  CHECK(formula_of("a weakuntil b") == "(a W b)");
  CHECK(formula_of("a implies b") == "(a -> b)");
  CHECK(formula_of("a <-> b") == "(a <-> b)");
  CHECK(formula_of("a<->b") == "(a <-> b)");
  CHECK(formula_of("!a && b || c") == "((!(a) && b) || c)");
  CHECK(formula_of("[] a U b") == "([] (a) U b)");
  CHECK(formula_of("a U b U c") == "((a U b) U c)");
  CHECK(formula_of("(a);") == "a");
}

TEST_CASE("ltl: constants are no atoms") {
  CHECK(formula_of("true") == "true");
  CHECK(formula_of("[] 1") == "[] (true)");
  CHECK(formula_of("false U skip") == "(false U true)");
  CHECK(formula_of("<> (2 - 2)") == "<> (false)");
  CHECK(formula_of("[] (nak == 1)") == "[] (true)");
}

TEST_CASE("ltl: atoms are expressions of the model, in parentheses or not") {
  const std::vector<std::string> accepted = {"[] (len(q)<2)",
                                             "[] (empty(q))",
                                             "[] (!(full(q)))",
                                             "<> (nempty(q))",
                                             "<> (q?[1])",
                                             "<> (qq?[ack,1])",
                                             "<> (qq?"
                                             "?[ack,x])",
                                             "<> (q?[eval(x)])",
                                             "[] (P@lab)",
                                             "[] (P[x]@l2)",
                                             "[] (P[(x+1)]:k==0)",
                                             "[] (P:k<4)",
                                             "<> (P:arr[2])",
                                             "<> (P[1]:arr[x]==1)",
                                             "[] (P:s.f[1]==0)",
                                             "<> (_nr_pr==4)",
                                             "<> (timeout)",
                                             "<> (enabled(0))",
                                             "<> (np_)",
                                             "[] (_last!=1)",
                                             "<> (pc_value(0)==1)",
                                             "[] (t.f[1])",
                                             "[] (t.g==1)",
                                             "[] (m==ack)",
                                             "(-(a) U b)",
                                             "[] (q==1)",
                                             "<> (get_priority(0)==1)"};
  for (const std::string& formula : accepted) {
    INFO(formula);
    CHECK(formula_of(formula) == formula);
  }
  CHECK(formula_of("<> timeout") == "<> (timeout)");
  CHECK(formula_of("[] !empty(q)") == "[] (!(empty(q)))");
  CHECK(formula_of("<> q?[1] && enabled(0)") == "(<> (q?[1]) && enabled(0))");
  CHECK(Compiled("#define p (x > 1)\n#define r x == 2\nbyte x; active proctype P() { x = 1 } ltl { p U r }")
            .messages.empty());
}

TEST_CASE("ltl: the text of a formula reads back as the same formula") {
  for (const std::string formula :
       {"[] (a -> <> b)", "! (x == 1) && b", "(a U b) V (c W a)", "[] (P[1]:k < 4 || q?[1])", "a <-> [] ! (b && c)",
        "(x < 3 && v[x] == 1) U a", "[] ((a -> b) == c)", "[] (m != nak) -> <> (x + y * 2 > -1)", "[] (~x == 2)"}) {
    const std::string once = formula_of(formula);
    INFO(formula << " is " << once);
    CHECK(formula_of(once) == once);
  }
}

TEST_CASE("ltl: solver guards are atoms, written as in the text") {
  const Compiled compiled(
      "#define PROMELA_S\nbyte v[3], x; active proctype P() { x = 1 }\n"
      "ltl { [] exists (i : 0 .. 2) (v[i] == x && i > 0) }\n");
  INFO(compiled.messages);
  REQUIRE(compiled.model);
  CHECK(build_formula_text(*compiled.model, 1) == "[] (exists (i: 0 .. 2) ((v[i]==x)&&(i>0)))");
}

TEST_CASE("ltl: equal atoms are one expression, and atoms are small") {
  CHECK(atoms_of("[] ((x == 1) -> <> (x == 1))") == "(x==1)");
  CHECK(atoms_of("[] (a && b || !c)") == "a b c");
  CHECK(atoms_of("[] (x < 3 && y > 1 -> a)") == "(x<3) (y>1) a");
  CHECK(atoms_of("[] ((a && b) == c)") == "((a&&b)==c)");
  CHECK(atoms_of("[] ((a -> b) == c)") == "((!(a)||b)==c)");
  CHECK(atoms_of("[] (empty(q) || full(q))") == "empty(q) full(q)");
}

TEST_CASE("ltl: an operand that may fail stays behind the one that guards it") {
  CHECK(atoms_of("[] (x < 3 && v[x] == 1)") == "((x<3)&&(v[x]==1))");
  CHECK(atoms_of("[] (x < 3 -> v[x] == 1)") == "(!((x<3))||(v[x]==1))");
  CHECK(atoms_of("[] (q?[1] <-> a -> b)") == "(!((!(q?[1])==!(a)))||b)");
  CHECK(atoms_of("[] (y != 0 && x / y == 1 || a)") == "(((y!=0)&&((x/y)==1))||a)");
  CHECK(atoms_of("[] (x < 3 && t.f[x] == 1) && <> a") == "((x<3)&&(t.f[x]==1)) a");
  CHECK(atoms_of("[] (x < 3 && <> (v[x] == 1 || a))") == "(x<3) ((v[x]==1)||a)");
  CHECK(atoms_of("[] (x < 3 && v[2] == 1 && x / 2 == y)") == "(x<3) (v[2]==1) ((x/2)==y)");
}

TEST_CASE("ltl: of too many atoms those without a temporal operator between them are one") {
  const auto sum = [](int count) {
    std::string text = "(x == 0";
    for (int i = 1; i < count; ++i) text += " && x == " + std::to_string(i);
    return text + ")";
  };
  const auto number_of = [](const std::string& formula) {
    const std::string text = atoms_of(formula);
    return 1 + std::count(text.begin(), text.end(), ' ');
  };
  CHECK(number_of("[] (a -> " + sum(19) + ")") == 20);
  CHECK(number_of("[] (a -> " + sum(20) + ")") == 1);
  CHECK(number_of("<> (a && (b || " + sum(19) + "))") == 1);
  CHECK(number_of("[] (a -> <> " + sum(20) + ")") == 2);
  CHECK(number_of("[] (a && b -> (!c <-> y == 1) U " + sum(20) + ") && <> b") == 4);
  CHECK(atoms_of("<> a && [] (b -> " + sum(20) + ")").find("a (!(b)||(((") == 0);
}

// ------------------------------------------------------------------------------------------------ wrong formulas

TEST_CASE("ltl: a temporal operator cannot be a number") {
  const std::string words = " cannot be part of arithmetic or of a comparison";
  const auto hint = [](const std::string& op) {
    return "; it binds tighter than these: to apply it to one, write " + op + " ( ... )\n";
  };
  CHECK(formula_messages("[] x == 1") == "5:9: error: '[]'" + words + hint("[]"));
  CHECK(formula_messages("[]<> x == 1") == "5:9: error: '[]'" + words + hint("[]"));
  CHECK(formula_messages("a && <> x + 1") == "5:14: error: '<>'" + words + hint("<>"));
  CHECK(formula_messages("v[<> a]") == "5:11: error: '<>'" + words + hint("<>"));
  CHECK(formula_messages("x + (a U b) == 1") == "5:16: error: 'U'" + words + "\n");
  CHECK(formula_messages("P[a U b]@lab") == "5:13: error: 'U'" + words + "\n");
  CHECK(formula_messages("(a <-> b) == c") == "5:12: error: '<->'" + words + "; use ==\n");
  CHECK(Compiled("#define q x == 1\nbyte x; active proctype P() { x = 1 } ltl { [] q }").messages ==
        "2:45: error: '[]'" + words + hint("[]"));
}

TEST_CASE("ltl: names in formulas are those of the model, or errors") {
  CHECK(formula_messages("[] (nosuch == 0)") == "5:13: error: undeclared variable 'nosuch'\n");
  CHECK(formula_messages("[] (k == 0)") == "5:13: error: undeclared variable 'k'\n");
  CHECK(formula_messages("[] (t.h == 0)") == "5:15: error: type 'T' has no field 'h'\n");
  CHECK(formula_messages("[] (t == 0)") == "5:13: error: 't' is a structure of type T; name one of its fields\n");
  CHECK(formula_messages("[] _") == "5:12: error: '_' can be written but not read\n");
  CHECK(formula_messages("[] U") == "5:12: error: 'U' is an operator of formulas and cannot be a variable in one\n");
  CHECK(formula_messages("<> run P()") == "5:12: error: 'run' can be used in a process only\n");
  CHECK(formula_messages("[] (_pid == 0)") ==
        "5:13: warning: in a claim '_pid' is that of the claim itself, always 0, as in SPIN\n");
  CHECK(atoms_of("[] (_pid == x)") == "(0==x)");
  CHECK(atoms_of("[] (_priority == x)") == "(1==x)");
}

TEST_CASE("ltl: remote references name what there is") {
  CHECK(formula_messages("[] (R@lab)") ==
        "5:13: error: unknown proctype 'R' in a remote reference; it must be declared before\n");
  CHECK(formula_messages("[] (R[1]:x == 1)") ==
        "5:13: error: unknown proctype 'R' in a remote reference; it must be declared before\n");
  CHECK(formula_messages("[] (Pp@lab)") ==
        "5:13: error: unknown proctype 'Pp' in a remote reference; did you mean 'P'?\n");
  CHECK(formula_messages("[] (P@labb)") == "5:13: error: proctype 'P' has no label 'labb'; did you mean 'lab'?\n");
  CHECK(formula_messages("[] (Q@lab)") == "5:13: error: proctype 'Q' has no label 'lab'\n");
  CHECK(formula_messages("[] (P:kk == 1)") == "5:15: error: proctype 'P' has no variable 'kk'; did you mean 'k'?\n");
  CHECK(formula_messages("[] (P:x == 1)") == "5:15: error: proctype 'P' has no variable 'x'\n");
  CHECK(formula_messages("[] (P:lab == 1)") == "5:15: error: proctype 'P' has no variable 'lab'\n");
  CHECK(formula_messages("[] (P:arr == 1)") == "5:15: error: 'arr' is an array; an index is missing\n");
  CHECK(Compiled("byte x; active proctype P() { d_step { x = 1; l: x = 2 } }\nltl { <> P@l }").messages ==
        "2:10: warning: label 'l' is inside a d_step, where no process is ever seen: this is always 0\n");
  CHECK(formula_messages("[] (P:s == 1)") == "5:15: error: 's' is a structure of type T; name one of its fields\n");
}

TEST_CASE("ltl: broken formulas are errors at their places") {
  CHECK(formula_messages("[] (a && )") == "5:18: error: expected an expression but found ')'\n");
  CHECK(formula_messages("[] (a") == "5:15: error: expected ')' to close the parenthesis but found '}'\n");
  CHECK(formula_messages("a b") == "5:11: error: expected '}' after the formula but found 'b'\n");
  CHECK(formula_messages("a U") == "5:13: error: expected an expression but found '}'\n");
  CHECK(formula_messages("") == "5:10: error: expected an expression but found '}'\n");
}

TEST_CASE("ltl: X is remarked on, once") {
  const std::string words =
      "note: a formula with X can tell apart runs that differ in the number of steps only, so that reductions do not "
      "apply to it (SPIN refuses it)\n";
  CHECK(Compiled(kModel + "ltl f { X a && next b } ltl g { <> X a }").messages == "5:9: " + words);
}

TEST_CASE("ltl: enabled() beside rendezvous channels is remarked on in claims and refused in processes") {
  const std::string channels = "chan r = [0] of { byte }; active proctype P() { r!1 } active proctype Q() { r?_ }\n";
  const std::string words =
      "note: SPIN refuses enabled() in models with rendezvous channels; here a process is enabled at a send or "
      "receive iff a "
      "handshake is possible\n";
  CHECK(Compiled(channels + "ltl { <> enabled(0) }").messages == "2:10: " + words);
  CHECK(Compiled(channels + "never { do :: enabled(0) :: enabled(1) od }").messages == "2:15: " + words);
  CHECK(Compiled(channels + "active proctype R() { enabled(0) }").messages ==
        "2:23: error: enabled() cannot be used in models with rendezvous channels (SPIN refuses this model, too)\n");
}

// ------------------------------------------------------------------------------------------------ names

TEST_CASE("ltl: claims and formulas have SPIN's names") {
  const auto names = [](const std::string& claims) {
    const Compiled compiled("byte x; active proctype P() { x = 1 } " + claims);
    INFO(compiled.messages);
    REQUIRE(compiled.model);
    std::string text;
    for (const Property& property : compiled.model->properties) text += property.name + " ";
    return text;
  };
  CHECK(names("never { true } never { true }") == "never_0 never_1 ");
  CHECK(names("never a { true } never { true } never b { true } never { true }") == "a never_1 b never_3 ");
  CHECK(names("ltl { [] x } ltl b { <> x } ltl { <> x }") == "ltl_0 b ltl_1 ");
  CHECK(names("ltl { [] x } never { true } ltl { <> x } never { true }") == "never_0 never_1 ltl_0 ltl_1 ");
  CHECK(names("ltl x { [] x } never always { true }") == "always x ");
}

TEST_CASE("ltl: a name is given once") {
  const std::string text = "byte x; active proctype P() { x = 1 }\n";
  CHECK(Compiled(text + "never a { true }\nnever b { true }\nnever a { true }\n").messages ==
        "4:7: error: a second claim or formula of the name 'a'\n  2:7: the first one\n");
  CHECK(Compiled(text + "ltl a { [] x }\nnever a { true }\n").messages ==
        "2:5: error: a second claim or formula of the name 'a'\n  3:7: the first one\n");
  CHECK(Compiled(text + "never ltl_0 { true }\nltl { [] x }\n").messages ==
        "3:1: error: a second claim or formula of the name 'ltl_0'\n  2:7: the first one\n");
  CHECK(Compiled(text + "never never_1 { true }\nnever { true }\n").messages ==
        "3:1: error: a second claim or formula of the name 'never_1'\n  2:7: the first one\n");
}

// ------------------------------------------------------------------------------------------------ appended formulas

namespace {

// The names and texts of all formulas, then what is said about them.
std::string appended(const std::string& text, const std::vector<AppendedFormula>& formulas) {
  Sources sources;
  Diagnostics diagnostics(sources);
  CompileOptions options;
  options.validate = true;
  options.formulas = formulas;
  const std::optional<Model> model = compile(sources, sources.add("test.pml", text), options, diagnostics);
  std::string result;
  for (size_t i = 0; model && i < model->properties.size(); ++i) {
    const Property& property = model->properties[i];
    result += property.name + ": " + build_formula_text(*model, property.formula) + " at " +
              model->files.at(property.place.file) + "\n";
  }
  return result + diagnostics.render(false);
}

}  // namespace

TEST_CASE("ltl: formulas are appended to a text that stays as it is") {
  const std::string text = "#define p (x > 1)\nbyte x; active proctype P() { lab: x = 1 }\n";
  CHECK(appended(text, {{"", "[] p"}}) == "ltl_0: [] (x>1) at --ltl\n");
  CHECK(appended(text, {{"goal", "<> P@lab\n;"}, {"", "x U p"}}) ==
        "goal: <> (P@lab) at --ltl\nltl_0: (x U (x>1)) at --ltl\n");
  CHECK(appended(text + "ltl { <> p } ltl ltl_1 { <> x }", {{"", "[] p"}, {"", "x<->p"}}) ==
        "ltl_0: <> (x>1) at test.pml\nltl_1: <> (x) at test.pml\nltl_2: [] (x>1) at --ltl\n"
        "ltl_3: (x <-> (x>1)) at --ltl\n");
}

TEST_CASE("ltl: an expression is appended as a process sees it") {
  const std::string text =
      "#define p (x > 1)\nbyte x; active proctype P() { { byte y; y = x }; { byte y; y = 1 } }\n";
  const auto atom = [&](const std::string& expression, const std::string& proctype) {
    Sources sources;
    Diagnostics diagnostics(sources);
    CompileOptions options;
    options.formulas = {{"", expression, proctype}};
    options.validate = false;
    const std::optional<Model> model = compile(sources, sources.add("test.pml", text), options, diagnostics);
    return model ? build_formula_text(*model, model->properties.back().formula) : diagnostics.all().front().message;
  };
  CHECK(atom("p && x", "") == "((x>1)&&x)");
  CHECK(atom("1", "") == "1");
  CHECK(atom("y", "") == "undeclared variable 'y'");
  CHECK(atom("run P()", "P") == "'run' is a statement of its own, or all that is assigned: p = run P()");
  CHECK(atom("x U x", "") == "expected the end of the expression but found 'U'");
  CHECK(appended(text, {{"", "x == 3", ""}, {"", "[] p"}}).find("ltl_1: [] (x>1)") != std::string::npos);
}

TEST_CASE("ltl: mistakes in an appended formula are shown in its text") {
  const std::string text = "byte x; active proctype P() { x = 1 }\n";
  CHECK(appended(text, {{"", "[] (x == "}}) ==
        "--ltl:1:10: error: expected an expression but found end of the text\n[] (x == \n         ^\n"
        "1 error generated.\n");
  CHECK(appended(text, {{"", ""}}) ==
        "--ltl:1:1: error: expected an expression but found end of the text\n\n^\n1 error generated.\n");
  CHECK(appended(text, {{"", "[] x } byte y; ltl { x"}}) ==
        "--ltl:1:6: error: expected the end of the formula but found '}'\n[] x } byte y; ltl { x\n     ^\n"
        "1 error generated.\n");
  CHECK(
      appended(text, {{"", "[] y"}, {"", "<> z"}}) ==
      "--ltl:1:4: error: undeclared variable 'y'\n[] y\n   ^\n--ltl:1:4: error: undeclared variable 'z'\n<> z\n   ^\n"
      "2 errors generated.\n");
  CHECK(appended(text + "ltl a { <> x }", {{"a", "[] x"}}) ==
        "--ltl:1:1: error: a second claim or formula of the name 'a'\n[] x\n^\n"
        "test.pml:2:5: note: the first one\nltl a { <> x }\n    ^\n1 error generated.\n");
  CHECK(appended(text, {{"", "[] x @"}}).starts_with("--ltl:1:"));
}

}  // namespace cmc::promela
